//! A level's triangles to a height field.

use rerecast::{Aabb3d, Heightfield, HeightfieldBuilder};

use super::grid::Voxels;
use super::rasterise::{Grid, Latest, insert, pieces};
use super::slope::SlopeScale;
use super::{VoxelError, VoxelSettings};
use crate::anim::Level;
use crate::progress::Progress;

/// The most spans in a level.
const MOST_SPANS: usize = 8_000_000;
/// Triangles between two reports.
const PER_REPORT: usize = 256;

/// The spans of all triangles, each with its slope as area; reports up to 55 of 100.
pub(super) fn field(
    level: &Level,
    settings: &VoxelSettings,
    grid: &Grid,
    progress: &Progress,
) -> Result<Heightfield, VoxelError> {
    let mut field = empty(grid)?;
    let mut latest: Latest = vec![None; field.spans.len()];
    let climb = Voxels::of(settings).climb;
    let slopes = SlopeScale::new(settings.slope_limit);
    for (index, triangle) in level.triangles.iter().enumerate() {
        if index % PER_REPORT == 0 {
            progress.step(index * 55 / level.triangles.len(), 100)?;
        }
        let Some(corners) = level.corners(triangle) else { continue };
        let area = slopes.area(corners);
        pieces(corners, grid, |piece| insert(&mut field, &mut latest, piece, area, climb));
        if field.allocated_spans.len() > MOST_SPANS {
            return Err(VoxelError::TooManySpans { most: MOST_SPANS, cell: settings.cell });
        }
    }
    Ok(field)
}

fn empty(grid: &Grid) -> Result<Heightfield, VoxelError> {
    let aabb = Aabb3d { min: grid.low, max: grid.high };
    let builder = HeightfieldBuilder { aabb, cell_size: grid.cell, cell_height: grid.cell_height };
    let too_wide = |_| {
        let size = (grid.high - grid.low).as_dvec3();
        let cell = f64::from(grid.cell);
        VoxelError::TooWide { wide: size.x, deep: size.z, cell, fits: 10.0 * cell }
    };
    builder.build().map_err(too_wide)
}
