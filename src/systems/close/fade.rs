//! A correction that grows from nothing to a given value and slope.
//!
//! o(s) = s³·(a + b·(s − 1)) has neither value, speed nor acceleration where it begins (s = 0) and goes through any two points:
//! its end at s = 1, and the frame beside the end. Both are met exactly, so that the last step of a motion equals its first.

use std::ops::{Add, Mul, Sub};

/// The correction over a seam, from its outer end (0) to the moment of repeating (1).
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Fade<V> {
    end: V,
    bend: V,
}

impl<V: Copy + Add<Output = V> + Sub<Output = V> + Mul<f64, Output = V>> Fade<V> {
    /// Through `end` at 1 and `beside` at 1 − `step`, 0 < `step` < 1.
    pub fn through(end: V, beside: V, step: f64) -> Self {
        let inner = 1.0 - step;
        Self { end, bend: (end - beside * (inner * inner * inner).recip()) * step.recip() }
    }

    /// The correction at `share`, 0…1.
    pub fn at(&self, share: f64) -> V {
        (self.end + self.bend * (share - 1.0)) * (share * share * share)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_points_are_met_and_the_beginning_is_flat() {
        let fade = Fade::through(0.3, 0.35, 0.1);
        assert!((fade.at(1.0) - 0.3).abs() < 1e-15 && (fade.at(0.9) - 0.35).abs() < 1e-15);
        assert!(fade.at(0.0) == 0.0 && fade.at(1e-3).abs() < 1e-8);
    }
}
