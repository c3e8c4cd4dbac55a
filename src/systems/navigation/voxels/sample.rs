//! What the triangles say about spans that are made already.

use std::ops::Range;

use glam::{DVec3, Vec3};
use rayon::prelude::*;

use super::bands::{Band, split};
use super::rasterise::{RasterGrid, pieces};
use super::slope::degrees;
use super::{State, VoxelError, VoxelMap};
use crate::geometry::Level;
use crate::progress::Progress;

/// Triangles between two looks at the cancel flag.
const PER_REPORT: usize = 256;

/// No triangle over the middle of the span.
const NONE: u32 = u32::MAX;

/// For every span of a map what the level is like over its middle.
#[derive(Clone, Debug)]
pub(super) struct TopFaces(Vec<TopFace>);

#[derive(Clone, Copy, Debug)]
struct TopFace {
    height: f32,
    slope: f32,
    area: u32,
}

/// Where no triangle covers the middle.
const BARE: TopFace = TopFace { height: f32::NEG_INFINITY, slope: f32::NAN, area: NONE };

impl TopFaces {
    /// The level's height over the middle of a span, metres; its top where no triangle covers the middle.
    pub(super) fn height(&self, map: &VoxelMap, span: usize) -> f64 {
        let height = f64::from(self.0[span].height);
        if height.is_finite() { height } else { map.metres(map.spans[span].high) }
    }

    /// Gives every walkable span the slope of the triangle over its middle: the byte that spans carry through the voxel stages
    /// may be that of a steeper face just below, such as the bank under a stair.
    pub(super) fn give_slopes(&self, map: &mut VoxelMap) {
        let limit = map.settings.slope_limit as f32;
        for (span, surface) in map.spans.iter_mut().zip(&self.0) {
            if span.state != State::Steep && surface.slope <= limit {
                span.slope = surface.slope;
            }
        }
    }

    /// Index into [`Level::areas`].
    pub(super) fn area(&self, span: usize) -> Option<usize> {
        Some(self.0[span].area).filter(|&area| area != NONE).map(|area| area as usize)
    }
}

/// Gives the spans that are too steep the slope of their gentlest triangle, which is the one to raise the limit to.
pub(super) fn steep_slopes(
    map: &mut VoxelMap,
    level: &Level,
    grid: &RasterGrid,
    progress: &Progress,
) -> Result<(), VoxelError> {
    // Above any slope, so that the first triangle found is the gentlest so far.
    map.spans.iter_mut().filter(|span| span.state == State::Steep).for_each(|span| span.slope = 180.0);
    let climb = super::Voxels::from_settings(&map.settings).climb;
    let slopes = super::slope::SlopeScale::new(map.settings.slope_limit);
    for (index, triangle) in level.triangles.iter().enumerate() {
        if index % PER_REPORT == 0 {
            progress.step(74, 100)?;
        }
        let Some(corners) = level.corners(triangle) else { continue };
        // A walkable triangle cannot be why its span is steep.
        if slopes.is_walkable(corners) {
            continue;
        }
        let slope = degrees(corners);
        pieces(corners, grid, &(0..grid.columns[1]), |piece| {
            let range = map.range(piece.column);
            let spans = &mut map.spans[range];
            let holds = spans.partition_point(|span| span.high < piece.high);
            let Some(span) = spans.get_mut(holds) else { return };
            if span.state == State::Steep && span.high - piece.high <= climb {
                span.slope = span.slope.min(slope);
            }
        });
    }
    Ok(())
}

/// Looks straight down on the middle of every span.
pub(super) fn surface(
    map: &VoxelMap,
    level: &Level,
    bands: &[Band],
    progress: &Progress,
) -> Result<TopFaces, VoxelError> {
    let mut surfaces = vec![BARE; map.spans.len()];
    let parts = split(&mut surfaces, &map.starts, bands).into_par_iter().zip(bands);
    parts.map(|(surfaces, band)| look_down(surfaces, map, level, band, progress)).collect::<Result<(), _>>()?;
    Ok(TopFaces(surfaces))
}

fn look_down(
    surfaces: &mut [TopFace],
    map: &VoxelMap,
    level: &Level,
    band: &Band,
    progress: &Progress,
) -> Result<(), VoxelError> {
    let first = map.starts[band.columns.start] as usize;
    for part in band.parts(level) {
        progress.step(77, 100)?;
        for (triangle, corners) in part {
            let (area, slope) = (triangle.area.unwrap_or(NONE), degrees(corners));
            middles(map, corners, &band.rows, |column, height| {
                let Some((span, height)) = under(map, column, height) else { return };
                if height > surfaces[span - first].height {
                    surfaces[span - first] = TopFace { height, slope, area };
                }
            });
        }
    }
    Ok(())
}

/// The span of a column that a height, metres, lies in, and the height but no more than the span's top.
fn under(map: &VoxelMap, column: usize, height: f64) -> Option<(usize, f32)> {
    let voxels = (height - map.origin.y) / map.settings.cell_height;
    let spans = map.column(column);
    // A touch of room, since the spans were made with coarser numbers.
    let holds = spans.partition_point(|span| f64::from(span.high) + 1e-2 < voxels);
    let span = spans.get(holds).filter(|span| f64::from(span.low) - 1e-2 <= voxels)?;
    Some((map.range(column).start + holds, height.min(map.metres(span.high)) as f32))
}

/// Gives `visit` each column of some rows whose middle a triangle covers, seen from above, and its height there, metres.
fn middles(map: &VoxelMap, corners: [Vec3; 3], within: &Range<i32>, mut visit: impl FnMut(usize, f64)) {
    let [a, b, c] = corners.map(|corner| corner.as_dvec3());
    let plane = (b - a).cross(c - a);
    // An upright triangle covers no middle, and its height there would be 0/0.
    if plane.y == 0.0 {
        return;
    }
    let rows = covered(map, [a, b, c], 2);
    let within = within.start as usize..within.end as usize;
    for z in rows.start.max(within.start)..rows.end.min(within.end) {
        for x in covered(map, [a, b, c], 0) {
            let column = x + z * map.columns[0] as usize;
            let at = map.middle(column);
            let side = |from: DVec3, to: DVec3| {
                ((to.z - from.z) * (at.x - from.x) - (to.x - from.x) * (at.y - from.z)) * plane.y.signum()
            };
            // The border counts on both sides: a middle on a shared edge must not fall between two triangles.
            if side(a, b) >= 0.0 && side(b, c) >= 0.0 && side(c, a) >= 0.0 {
                visit(column, a.y - (plane.x * (at.x - a.x) + plane.z * (at.y - a.z)) / plane.y);
            }
        }
    }
}

/// The cells of an axis whose middles may lie under a triangle.
fn covered(map: &VoxelMap, corners: [DVec3; 3], axis: usize) -> std::ops::Range<usize> {
    let at = corners.map(|corner| (corner[axis] - map.origin[axis]) / map.settings.cell - 0.5);
    let count = f64::from(map.columns[axis / 2]);
    let low = at.into_iter().fold(f64::MAX, f64::min).floor().clamp(0.0, count) as usize;
    let high = (at.into_iter().fold(f64::MIN, f64::max).ceil() + 1.0).clamp(0.0, count) as usize;
    low..high
}
