//! A brush stroke over the ground.

use serde::{Deserialize, Serialize};

/// A stroke of a round brush over the ground, metres.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AreaStroke {
    /// Points on the ground; a single one is a round spot.
    pub points: Vec<[f64; 3]>,
    /// Radius of the brush along the ground, 0.05…100.
    pub radius: f64,
}

/// Smallest vertical reach of a stroke, metres. Ground on another floor is not affected.
const VERTICAL_REACH_M: f64 = 1.0;

impl AreaStroke {
    /// True if a point is within the radius of the line in the ground plane, and vertically within the radius or a
    /// metre.
    pub fn contains(&self, at: [f64; 3]) -> bool {
        let single = self.points.first().into_iter().map(|point| [*point, *point]);
        let pieces = self.points.windows(2).map(|ends| [ends[0], ends[1]]);
        single.chain(pieces).any(|ends| self.is_near(ends, at))
    }
    /// True if `at` is within reach of the line from `a` to `b`.
    fn is_near(&self, [a, b]: [[f64; 3]; 2], at: [f64; 3]) -> bool {
        let (segment, offset) = ([b[0] - a[0], b[2] - a[2]], [at[0] - a[0], at[2] - a[2]]);
        let length = segment[0] * segment[0] + segment[1] * segment[1];
        let share = if length > 0.0 { (segment[0] * offset[0] + segment[1] * offset[1]) / length } else { 0.0 };
        let share = share.clamp(0.0, 1.0);
        let (x, z) = (offset[0] - segment[0] * share, offset[1] - segment[1] * share);
        let height = a[1] + (b[1] - a[1]) * share;
        x * x + z * z <= self.radius * self.radius && (at[1] - height).abs() <= self.radius.max(VERTICAL_REACH_M)
    }
}
