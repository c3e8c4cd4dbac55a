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
    /// How far each floor is from a border, in halves of a straight step; 0 at a border.
    pub away: Vec<u8>,
}

/// A floor's height and the room above it, voxels; more room than 255 is not told apart.
#[derive(Clone, Copy, Debug, Default)]
struct Room {
    floor: u16,
    room: u8,
}

impl Floors {
    /// The walkable spans of `spans`.
    pub(super) fn new(spans: &SolidSpans, voxels: &Voxels, bands: &[Band]) -> Self {
        let starts = starts(spans);
        let count = starts.last().map_or(0, |count| *count as usize);
        let mut rooms = vec![Room::default(); count];
        split(&mut rooms, &starts, bands).into_par_iter().zip(bands).for_each(|(rooms, band)| {
            let walkable = band.columns.clone().flat_map(|column| {
                let range = spans.range(column);
                range.clone().filter(|span| spans.slopes[*span].is_walkable()).map(move |span| (span, range.end))
            });
            rooms.iter_mut().zip(walkable).for_each(|(room, (span, end))| {
                let floor = spans.heights[span][1];
                let height = spans.ceiling(span, end).saturating_sub(floor);
                *room = Room { floor, room: height.min(u8::MAX.into()) as u8 };
            });
        });
        let mut floors = Self { columns: spans.columns, starts, links: vec![[NONE; 4]; count], away: Vec::new() };
        let mut links = std::mem::take(&mut floors.links);
        split(&mut links, &floors.starts, bands).into_par_iter().zip(bands).for_each(|(links, band)| {
            let first = floors.starts[band.columns.start] as usize;
            for column in band.columns.clone() {
                let own = floors.range(column);
                let links = &mut links[own.start - first..own.end - first];
                for direction in 0..4 {
                    let Some(beside) = solid::neighbour(floors.columns, column, direction) else { continue };
                    let others = floors.range(beside);
                    for (floor, link) in own.clone().zip(&mut *links) {
                        let lead = others.clone().find(|other| leads(rooms[floor], rooms[*other], voxels));
                        link[direction] = lead.map_or(NONE, |other| other as u32);
                    }
                }
            }
        });
        floors.links = links;
        floors.away = floors.away_from_borders();
        floors
    }

    /// The indices of a column's floors.
    pub(super) fn range(&self, column: usize) -> Range<usize> {
        self.starts[column] as usize..self.starts[column + 1] as usize
    }

    /// Whether each floor is as far from every border as `radius` voxels.
    pub fn is_clear(&self, floor: usize, radius: u16) -> bool {
        u16::from(self.away[floor]) >= 2 * radius
    }

    /// Chamfer distances (Borgefors 1986), 2 for a straight step and 3 for a diagonal one: along x and z, then back.
    fn away_from_borders(&self) -> Vec<u8> {
        let at_border = |links: &[u32; 4]| if links.contains(&NONE) { 0 } else { u8::MAX };
        let mut away: Vec<u8> = self.links.iter().map(at_border).collect();
        let mut near = |floor: usize, ways: [[usize; 2]; 2]| {
            for [straight, aside] in ways {
                let beside = self.links[floor][straight];
                if beside == NONE {
                    continue;
                }
                let mut least = away[floor].min(away[beside as usize].saturating_add(2));
                let corner = self.links[beside as usize][aside];
                if corner != NONE {
                    least = least.min(away[corner as usize].saturating_add(3));
                }
                away[floor] = least;
            }
        };
        (0..self.links.len()).for_each(|floor| near(floor, [[0, 3], [3, 2]]));
        // Back by columns: within one the order is from the bottom up both ways.
        for column in (0..self.starts.len().saturating_sub(1)).rev() {
            self.range(column).for_each(|floor| near(floor, [[2, 1], [1, 0]]));
        }
        away
    }
}

/// Where the floors of each column begin.
fn starts(spans: &SolidSpans) -> Vec<u32> {
    let columns = spans.starts.len().saturating_sub(1);
    let mut starts = Vec::with_capacity(columns + 1);
    let mut count = 0;
    for column in 0..columns {
        starts.push(count);
        count += spans.slopes[spans.range(column)].iter().filter(|slope| slope.is_walkable()).count() as u32;
    }
    starts.push(count);
    starts
}

/// Whether one gets from a floor to another: no higher than the climb, with room for the character between.
fn leads(from: Room, to: Room, voxels: &Voxels) -> bool {
    let top = |room: Room| i32::from(room.floor) + i32::from(room.room);
    let between = top(from).min(top(to)) - i32::from(from.floor.max(to.floor));
    between >= i32::from(voxels.height) && from.floor.abs_diff(to.floor) <= voxels.climb
}
