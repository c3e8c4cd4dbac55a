//! Rows of a grid in bands that are worked on side by side.

use std::ops::Range;

use glam::Vec3;
use rayon::prelude::*;

use super::rasterise::RasterGrid;
use crate::geometry::{Level, Triangle};

/// Bands of rows.
const COUNT: usize = 8;
/// Triangles of the level in a part.
const PART: usize = 1024;

/// Some rows, and what may lie in them.
#[derive(Debug)]
pub(super) struct Band {
    /// Rows of the grid.
    pub rows: Range<i32>,
    /// Columns of the grid in those rows.
    pub columns: Range<usize>,
    /// Indices of the triangles that may touch those rows, in their order, by part of the level.
    parts: Vec<Vec<u32>>,
}

/// All rows of a grid, in order.
pub(super) fn over(level: &Level, grid: &RasterGrid) -> Vec<Band> {
    let row = |band: usize| (i64::from(grid.columns[1]) * band as i64 / COUNT as i64) as i32;
    let column = |row: i32| row as usize * grid.columns[0] as usize;
    let band = |rows: Range<i32>| Band { columns: column(rows.start)..column(rows.end), rows, parts: Vec::new() };
    let rows = (0..COUNT).map(|band| row(band)..row(band + 1)).filter(|rows| !rows.is_empty());
    let mut bands: Vec<Band> = rows.map(band).collect();
    let parts = level.triangles.par_chunks(PART).enumerate();
    let parts: Vec<_> = parts
        .map(|(part, triangles)| {
            let mut touching = vec![Vec::new(); bands.len()];
            for (index, triangle) in (part * PART..).zip(triangles) {
                let Some(corners) = level.corners(triangle) else { continue };
                let rows = grid.rows(corners);
                let touched = bands.iter().zip(&mut touching).filter(|(band, _)| band.has_of(&rows));
                touched.for_each(|(_, touching)| touching.push(index as u32));
            }
            touching
        })
        .collect();
    for touching in parts {
        let touched = bands.iter_mut().zip(touching).filter(|(_, touching)| !touching.is_empty());
        touched.for_each(|(band, touching)| band.parts.push(touching));
    }
    bands
}

/// Each band's part of values that lie in the order of the columns; `starts` tells where those of each column begin.
pub(super) fn split<'a, T>(mut whole: &'a mut [T], starts: &[u32], bands: &[Band]) -> Vec<&'a mut [T]> {
    let count = |band: &Band| (starts[band.columns.end] - starts[band.columns.start]) as usize;
    bands.iter().map(|band| whole.split_off_mut(..count(band)).unwrap_or_default()).collect()
}

impl Band {
    fn has_of(&self, rows: &Range<i32>) -> bool {
        rows.start < self.rows.end && rows.end > self.rows.start
    }

    /// How many parts there are.
    pub(super) fn part_count(&self) -> usize {
        self.parts.len()
    }

    /// The band's triangles with their corners, in parts between which one may report.
    pub(super) fn parts<'a>(
        &'a self,
        level: &'a Level,
    ) -> impl Iterator<Item = impl Iterator<Item = (&'a Triangle, [Vec3; 3])>> {
        let with_corners = |index: &u32| {
            let triangle = level.triangles.get(*index as usize)?;
            Some((triangle, level.corners(triangle)?))
        };
        self.parts.iter().map(move |part| part.iter().filter_map(with_corners))
    }
}
