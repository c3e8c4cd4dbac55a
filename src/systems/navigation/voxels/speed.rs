//! How fast the character goes on a span.

use super::area::Rules;
use super::sample::TopFaces;
use super::{Effect, VoxelMap};

/// Tables of speeds by slope, and what slows on each material.
pub(super) struct Speeds<'a> {
    rules: &'a Rules<'a>,
    surfaces: &'a TopFaces,
    /// By index into the level's areas; 1 for those without a rule.
    factors: &'a [f64],
}

impl<'a> Speeds<'a> {
    pub(super) fn new(rules: &'a Rules<'a>, surfaces: &'a TopFaces, factors: &'a [f64]) -> Self {
        Self { rules, surfaces, factors }
    }

    /// Metres per second uphill and downhill on a span of a column, all factors included.
    pub(super) fn at(&self, map: &VoxelMap, column: usize, span: usize) -> [f32; 2] {
        let on = self.surfaces.area(span).and_then(|area| self.factors.get(area)).copied().unwrap_or(1.0);
        let place = map.place(column, self.surfaces.height(map, span));
        let within = self.rules.at(place).map(factor).product::<f64>();
        let slope = f64::from(map.spans[span].slope);
        [&map.settings.speed_up, &map.settings.speed_down]
            .map(|curve| (curve.at(slope) * on * within).clamp(SLOWEST, FASTEST) as f32)
    }
}

/// Metres per second; many factors together stay positive and finite.
const SLOWEST: f64 = 1e-3;
const FASTEST: f64 = 1e4;

/// What a rule multiplies speeds by.
pub(super) fn factor(effect: Effect) -> f64 {
    match effect {
        Effect::Speed(factor) => factor,
        Effect::Blocked => 1.0,
    }
}
