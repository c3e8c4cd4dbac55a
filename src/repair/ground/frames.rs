//! The frames of a motion, with smoothing across a loop seam.

use super::{CHANGE_MIN_M, Input};
use portamento_anim::root_motion::path;

/// The frames of a motion.
#[derive(Clone, Copy, Debug)]
pub(super) struct Frames<'a> {
    /// Times of the frames, seconds.
    pub times: &'a [f64],
    /// True if the last frame equals the first.
    pub loops: bool,
}

impl<'a> Frames<'a> {
    /// Returns the frames of `input`. They loop if feet stand across the seam (`planted_across`) and the ground has the same
    /// height at both ends.
    pub fn new(input: &Input, planted_across: bool, times: &'a [f64]) -> Self {
        let is_level = || {
            let ends = [times[0], times[times.len() - 1]];
            let positions = path(input.skeleton, input.clip, input.root.joint, &ends);
            let heights = [0, 1].map(|end| (input.ground)(positions[end] * input.metres_per_unit));
            matches!(heights, [Some(first), Some(last)] if (first - last).abs() <= CHANGE_MIN_M)
        };
        Self { times, loops: planted_across && is_level() }
    }

    /// Applies the filter `of`, which gets values and times, to `values`, one per frame. For a loop, the values are repeated
    /// before and after, so that the result closes.
    pub(super) fn over_seam<T: Copy>(self, values: &[T], of: impl Fn(&[T], &[f64]) -> Vec<f64>) -> Vec<f64> {
        let last = self.times.len() - 1;
        if !self.loops || last == 0 {
            return of(values, self.times);
        }
        let cycle = self.times[last] - self.times[0];
        let repeated = |i: usize| (values[i % last], self.times[i % last] + (i / last) as f64 * cycle);
        let (values, times): (Vec<T>, Vec<f64>) = (0..=3 * last).map(repeated).unzip();
        of(&values, &times)[last..=2 * last].to_vec()
    }
}
