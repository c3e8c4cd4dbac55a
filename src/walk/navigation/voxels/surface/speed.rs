//! Walking speed on a span.

use super::area::Rules;
use super::sample::TopFaces;
use crate::navigation::voxels::{Effect, VoxelMap};

/// Speed curves and speed factors of volumes and materials.
pub(crate) struct Speeds<'a> {
    rules: &'a Rules<'a>,
    surfaces: &'a TopFaces,
    /// Factor of each of the level's areas; 1 without a rule.
    factors: &'a [f64],
}

impl<'a> Speeds<'a> {
    pub(crate) fn new(rules: &'a Rules<'a>, surfaces: &'a TopFaces, factors: &'a [f64]) -> Self {
        Self { rules, surfaces, factors }
    }

    /// Returns the uphill and downhill speed on a span, m/s, including all factors and limited to
    /// [`MIN_SPEED_M_PER_S`]…[`MAX_SPEED_M_PER_S`].
    pub(crate) fn at(&self, map: &VoxelMap, column: usize, span: usize) -> [f32; 2] {
        let surface_factor = self.surfaces.area(span).and_then(|area| self.factors.get(area)).copied().unwrap_or(1.0);
        let position = map.point_at(column, self.surfaces.height(map, span));
        let volume_factor = self.rules.at(position).map(factor).product::<f64>();
        let slope = f64::from(map.spans[span].slope);
        [&map.settings.speed_up, &map.settings.speed_down].map(|curve| {
            (curve.at(slope) * surface_factor * volume_factor).clamp(MIN_SPEED_M_PER_S, MAX_SPEED_M_PER_S) as f32
        })
    }
}

/// Limits of the speed, m/s, so that many factors together stay positive and finite.
const MIN_SPEED_M_PER_S: f64 = 1e-3;
const MAX_SPEED_M_PER_S: f64 = 1e4;

/// Returns the speed factor of a rule. Returns 1 for a rule that blocks.
pub(crate) fn factor(effect: Effect) -> f64 {
    match effect {
        Effect::Speed(factor) => factor,
        Effect::Blocked => 1.0,
    }
}
