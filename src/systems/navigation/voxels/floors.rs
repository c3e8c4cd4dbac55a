//! Walkable spans alone, linked to those beside them and eroded by the character's radius: Recast's compact field and erosion
//! (Mikko Mononen, *Recast Navigation*, `rcBuildCompactHeightfield`, `rcErodeWalkableArea`).

use std::ops::Range;

use rayon::prelude::*;

use super::bands::{Band, split};
use super::grid::Voxels;
use super::solid::{self, SolidSpans};
use crate::systems::navigation::NONE;

/// What one can stand on, by column, bottom up.
#[derive(Clone, Debug, Default)]
pub struct Floors {
    /// Columns along x and along z.
    pub columns: [u32; 2],
    /// Where the floors of each column begin; one entry more than there are columns.
    pub starts: Vec<u32>,
    /// The floor that one gets to in each direction of Recast (−x, +z, +x, −z), or `NONE`.
    pub links: Vec<[u32; 4]>,
    /// Whether each floor is as far from every border as the character's radius.
    pub clear: Vec<bool>,
}

/// A floor's height and the room above it, voxels; more room than 255 is not told apart.
type Room = [u16; 2];

impl Floors {
    /// The walkable spans of `spans`.
    pub(super) fn new(spans: &SolidSpans, voxels: &Voxels, bands: &[Band]) -> Self {
        let starts = starts(spans, bands);
        let mut floors = Self { columns: spans.columns, starts, ..Self::default() };
        let rooms = floors.rooms(spans, bands);
        floors.links = floors.links(&rooms, voxels, bands);
        floors.clear = floors.clear_of_borders(voxels.radius, bands);
        floors
    }

    /// The indices of a column's floors.
    pub(super) fn range(&self, column: usize) -> Range<usize> {
        self.starts[column] as usize..self.starts[column + 1] as usize
    }

    fn rooms(&self, spans: &SolidSpans, bands: &[Band]) -> Vec<Room> {
        let mut rooms = vec![[0; 2]; self.count()];
        split(&mut rooms, &self.starts, bands).into_par_iter().zip(bands).for_each(|(rooms, band)| {
            let walkable = band.columns.clone().flat_map(|column| {
                let range = spans.range(column);
                range.clone().filter(|span| spans.slopes[*span].is_walkable()).map(move |span| (span, range.end))
            });
            rooms.iter_mut().zip(walkable).for_each(|(room, (span, end))| {
                let floor = spans.heights[span][1];
                *room = [floor, spans.ceiling(span, end).saturating_sub(floor).min(u8::MAX.into())];
            });
        });
        rooms
    }

    fn links(&self, rooms: &[Room], voxels: &Voxels, bands: &[Band]) -> Vec<[u32; 4]> {
        let mut links = vec![[0; 4]; self.count()];
        split(&mut links, &self.starts, bands).into_par_iter().zip(bands).for_each(|(links, band)| {
            let first = self.starts[band.columns.start] as usize;
            for column in band.columns.clone() {
                let own = self.range(column);
                let links = &mut links[own.start - first..own.end - first];
                for direction in 0..4 {
                    let beside = solid::neighbour(self.columns, column, direction);
                    let others = beside.map_or(0..0, |beside| self.range(beside));
                    for (floor, link) in own.clone().zip(&mut *links) {
                        let lead = others.clone().find(|other| leads(rooms[floor], rooms[*other], voxels));
                        link[direction] = lead.map_or(NONE, |other| other as u32);
                    }
                }
            }
        });
        links
    }

    fn count(&self) -> usize {
        self.starts.last().map_or(0, |count| *count as usize)
    }

    /// Whether each floor is as far from every border as `radius` voxels. No step of a way to a border leads over more than a row
    /// and costs less than 2, so that those that matter to a band lie within `radius` rows of it.
    fn clear_of_borders(&self, radius: u16, bands: &[Band]) -> Vec<bool> {
        let mut clear = vec![false; self.count()];
        split(&mut clear, &self.starts, bands).into_par_iter().zip(bands).for_each(|(clear, band)| {
            let around = usize::from(radius) * self.columns[0] as usize;
            let last = (band.columns.end + around).min(self.starts.len() - 1);
            let columns = band.columns.start.saturating_sub(around)..last;
            let before = self.starts[band.columns.start] - self.starts[columns.start];
            let away = self.away_from_borders(columns);
            for (clear, away) in clear.iter_mut().zip(&away[before as usize..]) {
                *clear = u16::from(*away) >= radius.saturating_mul(2);
            }
        });
        clear
    }

    /// How far the floors of some columns are from the borders there, in halves of a straight step: chamfer distances
    /// (Borgefors 1986), 2 for a straight step and 3 for a diagonal one, along x and z, then back.
    fn away_from_borders(&self, columns: Range<usize>) -> Vec<u8> {
        let floors = self.range(columns.start).start..self.starts[columns.end] as usize;
        let at_border = |links: &[u32; 4]| if links.contains(&NONE) { 0 } else { u8::MAX };
        let mut away: Vec<u8> = self.links[floors.clone()].iter().map(at_border).collect();
        let mut near = |floor: usize, ways: [[usize; 2]; 2]| {
            // Beyond the columns nothing is known.
            let told = |away: &[u8], other: u32| away.get((other as usize).wrapping_sub(floors.start)).copied();
            let mut least = away[floor - floors.start];
            for [straight, aside] in ways {
                let beside = self.links[floor][straight];
                if beside == NONE {
                    continue;
                }
                least = told(&away, beside).map_or(least, |away| least.min(away.saturating_add(2)));
                let corner = self.links[beside as usize][aside];
                least = told(&away, corner).map_or(least, |away| least.min(away.saturating_add(3)));
            }
            away[floor - floors.start] = least;
        };
        floors.clone().for_each(|floor| near(floor, [[0, 3], [3, 2]]));
        // Back by columns: within one the order is from the bottom up both ways.
        for column in columns.rev() {
            self.range(column).for_each(|floor| near(floor, [[2, 1], [1, 0]]));
        }
        away
    }
}

/// Where the floors of each column begin.
fn starts(spans: &SolidSpans, bands: &[Band]) -> Vec<u32> {
    let mut starts = vec![0; spans.starts.len()];
    let mut ends = &mut starts[1..];
    let parts: Vec<_> = bands.iter().map(|band| ends.split_off_mut(..band.columns.len()).unwrap_or_default()).collect();
    parts.into_par_iter().zip(bands).for_each(|(ends, band)| {
        let mut count = 0;
        for (end, column) in ends.iter_mut().zip(band.columns.clone()) {
            count += spans.slopes[spans.range(column)].iter().filter(|slope| slope.is_walkable()).count() as u32;
            *end = count;
        }
    });
    // Each band was counted by itself.
    for band in bands {
        let before = starts[band.columns.start];
        starts[band.columns.start + 1..=band.columns.end].iter_mut().for_each(|end| *end += before);
    }
    starts
}

/// Whether one gets from a floor to another: no higher than the climb, with room for the character between.
fn leads(from: Room, to: Room, voxels: &Voxels) -> bool {
    let top = |[floor, room]: Room| i32::from(floor) + i32::from(room);
    let between = top(from).min(top(to)) - i32::from(from[0].max(to[0]));
    between >= i32::from(voxels.height) && from[0].abs_diff(to[0]) <= voxels.climb
}
