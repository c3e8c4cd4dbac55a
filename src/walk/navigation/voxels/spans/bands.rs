//! Bands of grid rows that are processed in parallel.

use std::ops::Range;

use glam::Vec3;
use rayon::prelude::*;

use super::rasterise::RasterGrid;
use portamento_anim::geometry::{Level, Triangle};

/// Number of bands.
const BAND_COUNT: usize = 8;
/// Triangles of the level per part.
const PART_TRIANGLES: usize = 1024;

/// A range of rows with the triangles that may touch it.
#[derive(Debug)]
pub(crate) struct Band {
    /// Rows of the grid.
    pub rows: Range<i32>,
    /// Columns of the grid in those rows.
    pub columns: Range<usize>,
    /// Indices of the triangles that may touch those rows, in order, by part of the level.
    parts: Vec<Vec<u32>>,
}

/// Returns the bands of all rows, in order.
pub(crate) fn over(level: &Level, grid: &RasterGrid) -> Vec<Band> {
    let row = |band: usize| (i64::from(grid.columns[1]) * band as i64 / BAND_COUNT as i64) as i32;
    let column = |row: i32| row as usize * grid.columns[0] as usize;
    let band = |rows: Range<i32>| Band { columns: column(rows.start)..column(rows.end), rows, parts: Vec::new() };
    let rows = (0..BAND_COUNT).map(|band| row(band)..row(band + 1)).filter(|rows| !rows.is_empty());
    let mut bands: Vec<Band> = rows.map(band).collect();
    let parts = level.triangles.par_chunks(PART_TRIANGLES).enumerate();
    let parts: Vec<_> = parts
        .map(|(part, triangles)| {
            let mut touching = vec![Vec::new(); bands.len()];
            for (index, triangle) in (part * PART_TRIANGLES..).zip(triangles) {
                let Some(corners) = level.corners(triangle) else { continue };
                let rows = grid.rows(corners);
                let touched = bands.iter().zip(&mut touching).filter(|(band, _)| band.overlaps(&rows));
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

/// Splits values in column order into one slice per band. `starts` has the index of each column's first value.
pub(crate) fn split<'a, T>(mut rest: &'a mut [T], starts: &[u32], bands: &[Band]) -> Vec<&'a mut [T]> {
    let count = |band: &Band| (starts[band.columns.end] - starts[band.columns.start]) as usize;
    bands.iter().map(|band| rest.split_off_mut(..count(band)).unwrap_or_default()).collect()
}

impl Band {
    /// True if `rows` and the band's rows overlap.
    fn overlaps(&self, rows: &Range<i32>) -> bool {
        rows.start < self.rows.end && rows.end > self.rows.start
    }

    /// Returns the number of parts.
    pub(super) fn part_count(&self) -> usize {
        self.parts.len()
    }

    /// Returns the band's triangles with their corners in parts; progress is reported between parts.
    pub(crate) fn parts<'a>(
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
