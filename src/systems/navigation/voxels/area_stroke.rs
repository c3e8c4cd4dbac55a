//! What a brush draws over the ground.

use serde::{Deserialize, Serialize};

/// A line drawn over the ground with a round brush, metres.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AreaStroke {
    /// Places on the ground; one is a round spot.
    pub points: Vec<[f64; 3]>,
    /// Of the brush, along the ground, 0.05…100.
    pub radius: f64,
}

/// How far above and below its line even a thin stroke holds the ground, metres: what lies on another floor stays as it is.
const REACH: f64 = 1.0;

impl AreaStroke {
    /// Whether a place is within the radius of the line, as far above or below it as the brush is wide, or a metre.
    pub fn contains(&self, at: [f64; 3]) -> bool {
        let single = self.points.first().into_iter().map(|point| [*point, *point]);
        let pieces = self.points.windows(2).map(|ends| [ends[0], ends[1]]);
        single.chain(pieces).any(|ends| self.is_near(ends, at))
    }

    fn is_near(&self, [a, b]: [[f64; 3]; 2], at: [f64; 3]) -> bool {
        let (way, off) = ([b[0] - a[0], b[2] - a[2]], [at[0] - a[0], at[2] - a[2]]);
        let length = way[0] * way[0] + way[1] * way[1];
        let share = if length > 0.0 { (way[0] * off[0] + way[1] * off[1]) / length } else { 0.0 };
        let share = share.clamp(0.0, 1.0);
        let (x, z) = (off[0] - way[0] * share, off[1] - way[1] * share);
        let height = a[1] + (b[1] - a[1]) * share;
        x * x + z * z <= self.radius * self.radius && (at[1] - height).abs() <= self.radius.max(REACH)
    }
}
