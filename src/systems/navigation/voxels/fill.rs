//! A level's triangles to a height field.

use std::sync::atomic::{AtomicUsize, Ordering};

use rayon::prelude::*;
use rerecast::{Aabb3d, Heightfield, HeightfieldBuilder};

use super::bands::Band;
use super::columns::Columns;
use super::grid::Voxels;
use super::rasterise::{ColumnFill, RasterGrid, pieces};
use super::slope::SlopeScale;
use super::{VoxelError, VoxelSettings};
use crate::geometry::Level;
use crate::progress::Progress;

/// The most spans in a level.
const MOST_SPANS: usize = 8_000_000;

/// The spans of all triangles, each with its slope as area; reports up to 55 of 100.
pub(super) fn field(
    level: &Level,
    settings: &VoxelSettings,
    grid: &RasterGrid,
    bands: &[Band],
    progress: &Progress,
) -> Result<Heightfield, VoxelError> {
    let parts: usize = bands.iter().map(Band::part_count).sum();
    let (done, spans) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let report = |more: usize| {
        progress.step(done.fetch_add(55, Ordering::Relaxed), parts * 100)?;
        if spans.fetch_add(more, Ordering::Relaxed) + more > MOST_SPANS {
            return Err(VoxelError::TooManySpans { most: MOST_SPANS, cell: settings.cell });
        }
        Ok(())
    };
    let filled = bands.par_iter().map(|band| columns(level, settings, grid, band, report));
    let filled: Vec<Columns> = filled.collect::<Result<_, _>>()?;
    let mut field = empty(grid)?;
    for (columns, band) in filled.into_iter().zip(bands) {
        columns.move_to(&mut field, band.columns.start);
    }
    Ok(field)
}

/// The spans of a band; tells `report` now and then how many more there are.
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
            let area = slopes.area(corners);
            pieces(corners, grid, &band.rows, |piece| {
                columns.insert(ColumnFill { column: piece.column - band.columns.start, ..piece }, area, climb);
            });
        }
        report(columns.count.saturating_sub(reported))?;
        reported = reported.max(columns.count);
    }
    Ok(columns)
}

fn empty(grid: &RasterGrid) -> Result<Heightfield, VoxelError> {
    let aabb = Aabb3d { min: grid.low, max: grid.high };
    let builder = HeightfieldBuilder { aabb, cell_size: grid.cell, cell_height: grid.cell_height };
    let too_wide = |_| {
        let size = (grid.high - grid.low).as_dvec3();
        let cell = f64::from(grid.cell);
        VoxelError::TooWide { wide: size.x, deep: size.z, cell, fits: 10.0 * cell }
    };
    builder.build().map_err(too_wide)
}
