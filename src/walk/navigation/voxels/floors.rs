//! Walkable spans, linked to their neighbours and eroded by the character's radius: Recast's compact field and erosion
//! (Mikko Mononen, *Recast Navigation*, `rcBuildCompactHeightfield`, `rcErodeWalkableArea`).

use std::ops::Range;

use rayon::prelude::*;

use super::grid::Voxels;
use super::spans::bands::{Band, split};
use super::spans::solid::{self, SolidSpans};
use crate::navigation::NONE;

/// The walkable spans (floors) by column, bottom up.
#[derive(Clone, Debug, Default)]
pub struct Floors {
    /// Number of columns along x and z.
    pub columns: [u32; 2],
    /// Index of each column's first floor, with one final entry.
    pub starts: Vec<u32>,
    /// The linked floor in each direction of Recast (−x, +z, +x, −z), or `NONE`.
    pub links: Vec<[u32; 4]>,
    /// True if the floor is at least the character's radius away from every border.
    pub clear: Vec<bool>,
}

/// Height of a floor and the room above it, voxels; room is limited to 255.
type Room = [u16; 2];

impl Floors {
    /// Builds the floors of the walkable spans in `spans`.
    pub(super) fn new(spans: &SolidSpans, voxels: &Voxels, bands: &[Band]) -> Self {
        let starts = starts(spans, bands);
        let mut floors = Self { columns: spans.columns, starts, ..Self::default() };
        let rooms = floors.rooms(spans, bands);
        floors.links = floors.links(&rooms, voxels, bands);
        floors.clear = floors.clear_of_borders(voxels.radius, bands);
        floors
    }

    /// Returns the indices of a column's floors.
    pub(super) fn range(&self, column: usize) -> Range<usize> {
        self.starts[column] as usize..self.starts[column + 1] as usize
    }
    /// Returns height and room of every floor.
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
    /// Returns the links of every floor: in each direction the lowest floor that the character can step on, or `NONE`.
    fn links(&self, rooms: &[Room], voxels: &Voxels, bands: &[Band]) -> Vec<[u32; 4]> {
        let mut links = vec![[0; 4]; self.count()];
        split(&mut links, &self.starts, bands).into_par_iter().zip(bands).for_each(|(links, band)| {
            let first = self.starts[band.columns.start] as usize;
            for column in band.columns.clone() {
                let own = self.range(column);
                let links = &mut links[own.start - first..own.end - first];
                for direction in 0..4 {
                    let neighbour = solid::neighbour(self.columns, column, direction);
                    let others = neighbour.map_or(0..0, |neighbour| self.range(neighbour));
                    for (floor, link) in own.clone().zip(&mut *links) {
                        let target = others.clone().find(|other| leads(rooms[floor], rooms[*other], voxels));
                        link[direction] = target.map_or(NONE, |other| other as u32);
                    }
                }
            }
        });
        links
    }
    /// Returns the number of floors.
    fn count(&self) -> usize {
        self.starts.last().map_or(0, |count| *count as usize)
    }

    /// Returns for each floor true if it is at least `radius` voxels away from every border. Every step of a path to a
    /// border crosses at most one row and costs at least 2, so only the `radius` rows around a band matter.
    fn clear_of_borders(&self, radius: u16, bands: &[Band]) -> Vec<bool> {
        let mut clear = vec![false; self.count()];
        split(&mut clear, &self.starts, bands).into_par_iter().zip(bands).for_each(|(clear, band)| {
            let margin = usize::from(radius) * self.columns[0] as usize;
            let last = (band.columns.end + margin).min(self.starts.len() - 1);
            let columns = band.columns.start.saturating_sub(margin)..last;
            let before = self.starts[band.columns.start] - self.starts[columns.start];
            let distances = self.away_from_borders(columns);
            for (clear, distance) in clear.iter_mut().zip(&distances[before as usize..]) {
                *clear = u16::from(*distance) >= radius.saturating_mul(2);
            }
        });
        clear
    }

    /// Returns the distances of some columns' floors from the borders there in half cells. Chamfer distances
    /// (Borgefors 1986): 2 for a straight step and 3 for a diagonal one, in a forward and a backward pass.
    fn away_from_borders(&self, columns: Range<usize>) -> Vec<u8> {
        let floors = self.range(columns.start).start..self.starts[columns.end] as usize;
        let at_border = |links: &[u32; 4]| if links.contains(&NONE) { 0 } else { u8::MAX };
        let mut distances: Vec<u8> = self.links[floors.clone()].iter().map(at_border).collect();
        let mut relax = |floor: usize, directions: [[usize; 2]; 2]| {
            // Floors outside the columns are unknown.
            let known_distance =
                |distances: &[u8], other: u32| distances.get((other as usize).wrapping_sub(floors.start)).copied();
            let mut smallest = distances[floor - floors.start];
            for [straight, aside] in directions {
                let neighbour = self.links[floor][straight];
                if neighbour == NONE {
                    continue;
                }
                smallest = known_distance(&distances, neighbour)
                    .map_or(smallest, |distance| smallest.min(distance.saturating_add(2)));
                let corner = self.links[neighbour as usize][aside];
                smallest = known_distance(&distances, corner)
                    .map_or(smallest, |distance| smallest.min(distance.saturating_add(3)));
            }
            distances[floor - floors.start] = smallest;
        };
        floors.clone().for_each(|floor| relax(floor, [[0, 3], [3, 2]]));
        // Backward by columns; within a column both passes run bottom up.
        for column in columns.rev() {
            self.range(column).for_each(|floor| relax(floor, [[2, 1], [1, 0]]));
        }
        distances
    }
}

/// Returns the index of each column's first floor.
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
    // Each band was counted on its own.
    for band in bands {
        let before = starts[band.columns.start];
        starts[band.columns.start + 1..=band.columns.end].iter_mut().for_each(|end| *end += before);
    }
    starts
}

/// True if a floor leads to another: no higher than the climb, with head room for the character in between.
fn leads(from: Room, to: Room, voxels: &Voxels) -> bool {
    let top = |[floor, room]: Room| i32::from(floor) + i32::from(room);
    let between = top(from).min(top(to)) - i32::from(from[0].max(to[0]));
    between >= i32::from(voxels.height) && from[0].abs_diff(to[0]) <= voxels.climb
}
