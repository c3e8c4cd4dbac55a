//! Slopes, heights and areas of the triangles above finished spans.

use std::ops::Range;

use glam::{DVec3, Vec3};
use rayon::prelude::*;

use super::area::Rules;
use super::slope::degrees;
use crate::navigation::voxels::spans::bands::{Band, split};
use crate::navigation::voxels::spans::rasterise::{RasterGrid, pieces};
use crate::navigation::voxels::{Effect, State, VoxelError, VoxelMap};
use portamento_anim::geometry::Level;
use portamento_base::progress::Progress;

/// Triangles between two checks of the cancel flag.
const PER_REPORT: usize = 256;

/// Area of a span without a triangle over its centre.
const NONE: u32 = u32::MAX;

/// For every span of a map, the top face over its centre.
#[derive(Clone, Debug)]
pub(crate) struct TopFaces(Vec<TopFace>);

#[derive(Clone, Copy, Debug)]
struct TopFace {
    /// Height over the centre, metres.
    height: f32,
    /// Degrees from level, above 90 if it looks down.
    slope: f32,
    /// Index into [`Level::areas`], or [`NONE`].
    area: u32,
}

/// The value of a span without a triangle over its centre.
const NO_FACE: TopFace = TopFace { height: f32::NEG_INFINITY, slope: f32::NAN, area: NONE };

impl TopFaces {
    /// Returns the level's height over a span's centre, metres; the span's top if no triangle covers the centre.
    pub(crate) fn height(&self, map: &VoxelMap, span: usize) -> f64 {
        let height = f64::from(self.0[span].height);
        if height.is_finite() { height } else { map.metres(map.spans[span].high) }
    }

    /// Sets the slope of every walkable span to that of the triangle over its centre. The code carried through the
    /// voxel stages may be that of a steeper face just below, such as the bank under stairs.
    pub(crate) fn set_slopes(&self, map: &mut VoxelMap) {
        let limit = map.settings.slope_limit as f32;
        for (span, surface) in map.spans.iter_mut().zip(&self.0) {
            if span.state != State::Steep && surface.slope <= limit {
                span.slope = surface.slope;
            }
        }
    }

    /// Returns the area of `span` as an index into [`Level::areas`]; `None` outside all areas.
    pub(crate) fn area(&self, span: usize) -> Option<usize> {
        Some(self.0[span].area).filter(|&area| area != NONE).map(|area| area as usize)
    }
}

/// Sets the slope of steep spans to that of their gentlest triangle, which a raised limit has to reach. Returns `Err`
/// if `progress` is cancelled.
pub(crate) fn steep_slopes(
    map: &mut VoxelMap,
    level: &Level,
    grid: &RasterGrid,
    progress: &Progress,
) -> Result<(), VoxelError> {
    // Above any slope, so the first triangle found is the gentlest so far.
    map.spans.iter_mut().filter(|span| span.state == State::Steep).for_each(|span| span.slope = 180.0);
    let climb = crate::navigation::voxels::grid::Voxels::from_settings(&map.settings).climb;
    let slopes = super::slope::SlopeScale::new(map.settings.slope_limit);
    for (index, triangle) in level.triangles.iter().enumerate() {
        if index % PER_REPORT == 0 {
            progress.step(74, 100)?;
        }
        let Some(corners) = level.corners(triangle) else { continue };
        // A walkable triangle cannot be the reason for a steep span.
        if slopes.is_walkable(corners) {
            continue;
        }
        let slope = degrees(corners);
        pieces(corners, grid, &(0..grid.columns[1]), |piece| {
            let range = map.range(piece.column);
            let spans = &mut map.spans[range];
            let index_in_column = spans.partition_point(|span| span.high < piece.high);
            let Some(span) = spans.get_mut(index_in_column) else { return };
            if span.state == State::Steep && span.high - piece.high <= climb {
                span.slope = span.slope.min(slope);
            }
        });
    }
    Ok(())
}

/// Samples the top face over the centre of every span. Returns `Err` if `progress` is cancelled.
pub(crate) fn surface(
    map: &VoxelMap,
    level: &Level,
    bands: &[Band],
    progress: &Progress,
) -> Result<TopFaces, VoxelError> {
    let mut surfaces = vec![NO_FACE; map.spans.len()];
    let parts = split(&mut surfaces, &map.starts, bands).into_par_iter().zip(bands);
    parts.map(|(surfaces, band)| sample_band(surfaces, map, level, band, progress)).collect::<Result<(), _>>()?;
    Ok(TopFaces(surfaces))
}
/// Samples the top faces of one band's spans. Returns `Err` if cancelled.
fn sample_band(
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

/// Returns the index of the span of a column that contains a height (metres), and the height limited to the span's top.
/// Returns `None` if no span contains it.
fn under(map: &VoxelMap, column: usize, height: f64) -> Option<(usize, f32)> {
    let voxels = (height - map.origin.y) / map.settings.cell_height;
    let spans = map.column(column);
    // A small tolerance, since the spans were built with single precision.
    let index_in_column = spans.partition_point(|span| f64::from(span.high) + 1e-2 < voxels);
    let span = spans.get(index_in_column).filter(|span| f64::from(span.low) - 1e-2 <= voxels)?;
    Some((map.range(column).start + index_in_column, height.min(map.metres(span.high)) as f32))
}

/// Calls `visit` with each column of some rows whose centre is below a triangle, and the triangle's height there in
/// metres.
fn middles(map: &VoxelMap, corners: [Vec3; 3], within: &Range<i32>, mut visit: impl FnMut(usize, f64)) {
    let [a, b, c] = corners.map(|corner| corner.as_dvec3());
    let plane = (b - a).cross(c - a);
    // An upright triangle covers no centre, and its height there would be 0/0.
    if plane.y == 0.0 {
        return;
    }
    let rows = covered(map, [a, b, c], 2);
    let within = within.start as usize..within.end as usize;
    for z in rows.start.max(within.start)..rows.end.min(within.end) {
        for x in covered(map, [a, b, c], 0) {
            let column = x + z * map.columns[0] as usize;
            let centre = map.middle(column);
            let side = |from: DVec3, to: DVec3| {
                ((to.z - from.z) * (centre.x - from.x) - (to.x - from.x) * (centre.y - from.z)) * plane.y.signum()
            };
            // The border counts on both sides, so that a centre on a shared edge is not lost between two triangles.
            if side(a, b) >= 0.0 && side(b, c) >= 0.0 && side(c, a) >= 0.0 {
                visit(column, a.y - (plane.x * (centre.x - a.x) + plane.z * (centre.y - a.z)) / plane.y);
            }
        }
    }
}

/// Returns the cells along x (`axis` 0) or z (`axis` 2) whose centres may be below a triangle.
fn covered(map: &VoxelMap, corners: [DVec3; 3], axis: usize) -> std::ops::Range<usize> {
    let at = corners.map(|corner| (corner[axis] - map.origin[axis]) / map.settings.cell - 0.5);
    let count = f64::from(map.columns[axis / 2]);
    let low = at.into_iter().fold(f64::MAX, f64::min).floor().clamp(0.0, count) as usize;
    let high = (at.into_iter().fold(f64::MIN, f64::max).ceil() + 1.0).clamp(0.0, count) as usize;
    low..high
}

impl VoxelMap {
    /// Marks spans that volumes and surface rules block. Only walkable spans change.
    pub(crate) fn apply_rules(&mut self, rules: &Rules, surfaces: &TopFaces, level: &Level) {
        let blocked: Vec<bool> = level.areas.iter().map(|name| self.rules_of_surface(name).any(is_block)).collect();
        for column in 0..self.starts.len() - 1 {
            for index in self.range(column) {
                let is_blocked_surface =
                    surfaces.area(index).and_then(|area| blocked.get(area).copied()).unwrap_or(false);
                let is_in_blocked_volume =
                    || rules.at(self.point_at(column, surfaces.height(self, index))).any(is_block);
                if self.spans[index].state == State::Walkable && (is_blocked_surface || is_in_blocked_volume()) {
                    self.spans[index].state = State::Blocked;
                }
            }
        }
    }
}

fn is_block(effect: Effect) -> bool {
    effect == Effect::Blocked
}
