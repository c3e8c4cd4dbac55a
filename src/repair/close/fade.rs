//! A correction that grows smoothly from 0 to a given value and slope.
//!
//! ```text
//! o(s) = s³ · (a + b · (s − 1)),   0 ≤ s ≤ 1
//! ```
//!
//! At s = 0 its value, speed and acceleration are 0. It passes exactly through its value at s = 1 and at the neighbouring frame,
//! so that the last step of a motion equals its first.

use std::ops::{Add, Mul, Sub};

/// The correction over a seam, from its outer end (0) to the loop point (1).
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Fade<V> {
    /// a: the value at 1.
    end: V,
    /// b.
    bend: V,
}

impl<V: Copy + Add<Output = V> + Sub<Output = V> + Mul<f64, Output = V>> Fade<V> {
    /// Returns the correction that is `end` at 1 and `neighbour` at 1 − `step`, for 0 < `step` < 1.
    pub fn through(end: V, neighbour: V, step: f64) -> Self {
        let inner = 1.0 - step;
        Self { end, bend: (end - neighbour * (inner * inner * inner).recip()) * step.recip() }
    }

    /// Returns the correction at `s`, 0…1.
    pub fn at(&self, s: f64) -> V {
        (self.end + self.bend * (s - 1.0)) * (s * s * s)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_points_are_exact_and_the_start_is_flat() {
        let fade = Fade::through(0.3, 0.35, 0.1);
        assert!((fade.at(1.0) - 0.3).abs() < 1e-15 && (fade.at(0.9) - 0.35).abs() < 1e-15);
        assert!(fade.at(0.0) == 0.0 && fade.at(1e-3).abs() < 1e-8);
    }
}
