//! Conversion of a level's triangles to solid spans.

use std::sync::atomic::{AtomicUsize, Ordering};

use rayon::prelude::*;

use super::bands::Band;
use super::columns::Columns;
use super::rasterise::{ColumnFill, RasterGrid, pieces};
use super::solid::{SolidSpans, SpansMut};
use crate::navigation::voxels::grid::Voxels;
use crate::navigation::voxels::surface::slope::{SlopeCode, SlopeScale};
use crate::navigation::voxels::{VoxelError, VoxelSettings};
use portamento_anim::geometry::Level;
use portamento_base::progress::Progress;

/// Largest number of spans in a level.
const MAX_SPANS: usize = 8_000_000;

/// Returns the spans of all triangles with their slopes. Reports progress up to 55 of 100. Returns `Err` if there are
/// more than [`MAX_SPANS`], or if `progress` is cancelled.
pub(crate) fn spans(
    level: &Level,
    settings: &VoxelSettings,
    grid: &RasterGrid,
    bands: &[Band],
    progress: &Progress,
) -> Result<SolidSpans, VoxelError> {
    let parts: usize = bands.iter().map(Band::part_count).sum();
    let (done, spans) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let report = |more: usize| {
        progress.step(done.fetch_add(55, Ordering::Relaxed), parts * 100)?;
        if spans.fetch_add(more, Ordering::Relaxed) + more > MAX_SPANS {
            return Err(VoxelError::TooManySpans { most: MAX_SPANS, cell: settings.cell });
        }
        Ok(())
    };
    let filled = bands.par_iter().map(|band| columns(level, settings, grid, band, report));
    let filled: Vec<Columns> = filled.collect::<Result<_, _>>()?;
    Ok(joined(filled, bands, grid))
}

/// Joins the columns of all bands.
fn joined(filled: Vec<Columns>, bands: &[Band], grid: &RasterGrid) -> SolidSpans {
    let count = filled.iter().map(|columns| columns.count).sum();
    let wide = grid.columns.map(|count| count as u32);
    let mut solid = SolidSpans {
        columns: wide,
        starts: vec![0; wide[0] as usize * wide[1] as usize + 1],
        heights: vec![[0; 2]; count],
        slopes: vec![SlopeCode::OVER_LIMIT; count],
    };
    let (mut first, mut ends) = (0, &mut solid.starts[1..]);
    let (mut heights, mut slopes) = (&mut solid.heights[..], &mut solid.slopes[..]);
    let parts = filled.iter().zip(bands).map(|(columns, band)| {
        let part = SpansMut {
            first,
            ends: ends.split_off_mut(..band.columns.len()).unwrap_or_default(),
            heights: heights.split_off_mut(..columns.count).unwrap_or_default(),
            slopes: slopes.split_off_mut(..columns.count).unwrap_or_default(),
        };
        first += columns.count as u32;
        part
    });
    let parts: Vec<SpansMut> = parts.collect();
    filled.into_par_iter().zip(parts).for_each(|(columns, part)| columns.write(part));
    solid
}

/// Returns the spans of a band. `report` receives the number of new spans after each part. `Err` is that of `report`.
fn columns(
    level: &Level,
    settings: &VoxelSettings,
    grid: &RasterGrid,
    band: &Band,
    report: impl Fn(usize) -> Result<(), VoxelError>,
) -> Result<Columns, VoxelError> {
    let mut columns = Columns::new(band.columns.len());
    let climb = Voxels::from_settings(settings).climb;
    let slopes = SlopeScale::new(settings.slope_limit);
    let mut reported = 0;
    for part in band.parts(level) {
        for (_, corners) in part {
            let slope = slopes.code(corners);
            pieces(corners, grid, &band.rows, |piece| {
                columns.insert(ColumnFill { column: piece.column - band.columns.start, ..piece }, slope, climb);
            });
        }
        report(columns.count.saturating_sub(reported))?;
        reported = reported.max(columns.count);
    }
    Ok(columns)
}
