//! The frames of a motion, and what goes on from its last to its first.

use super::{Input, NONE};
use crate::anim::root_motion::path;

/// The frames of a motion.
#[derive(Clone, Copy, Debug)]
pub(super) struct Frames<'a> {
    pub times: &'a [f64],
    /// Whether the last is the first once more.
    pub loops: bool,
}

impl<'a> Frames<'a> {
    /// Those of `input`, of which feet `stand_over` the seam of a loop; one that goes uphill is higher where it begins anew.
    pub fn new(input: &Input, stand_over: bool, times: &'a [f64]) -> Self {
        let is_level = || {
            let ends = [times[0], times[times.len() - 1]];
            let places = path(input.skeleton, input.clip, input.root.joint, &ends);
            let heights = [0, 1].map(|end| (input.ground)(places[end] * input.metres_per_unit));
            matches!(heights, [Some(first), Some(last)] if (first - last).abs() <= NONE)
        };
        Self { times, loops: stand_over && is_level() }
    }

    /// What `of` makes of `values`, one for each frame; over the seam of a loop it has before it what is at the end, and after that
    /// what is at the start, so that it closes.
    pub(super) fn over_seam<T: Copy>(self, values: &[T], of: impl Fn(&[T], &[f64]) -> Vec<f64>) -> Vec<f64> {
        let last = self.times.len() - 1;
        if !self.loops || last == 0 {
            return of(values, self.times);
        }
        let cycle = self.times[last] - self.times[0];
        let thrice = |i: usize| (values[i % last], self.times[i % last] + (i / last) as f64 * cycle);
        let (values, times): (Vec<T>, Vec<f64>) = (0..=3 * last).map(thrice).unzip();
        of(&values, &times)[last..=2 * last].to_vec()
    }
}
