//! Frames that fall between two steps, at rates that do not divide 240.
//!
//! Halfway between two recorded turns a bone may lie inside a body and off its way; so each such frame gets a part of a step of
//! its own, taken from the step before it and then forgotten. What follows is not touched by it.

use glam::Quat;

/// Recorded frames between steps.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Between {
    /// Seconds, ascending.
    pub times: Vec<f64>,
    /// Frame after frame, one rotation per bone.
    pub rotations: Vec<Quat>,
}

/// A frame this share of a step from a step is that step: frame times are rounded numbers.
pub(super) const NEAR: f64 = 1e-4;

impl Between {
    /// Nothing recorded yet: those of `frames` (ascending) that lie between two of `steps` steps of `h` seconds.
    pub fn new(frames: &[f64], h: f64, steps: usize) -> Self {
        let lies_between = |time: f64| {
            let at = time / h;
            (0.0..steps as f64).contains(&at) && (at - at.round()).abs() >= NEAR
        };
        let times = frames.iter().copied().filter(|&time| lies_between(time)).collect();
        Self { times, rotations: Vec::new() }
    }

    /// The frames after step `index` and before the next.
    pub fn after(&self, index: usize, h: f64) -> std::ops::Range<usize> {
        let first = |step: usize| self.times.partition_point(|time| time / h < step as f64);
        first(index)..first(index + 1)
    }

    /// The `count` rotations recorded at `time`.
    pub fn find(&self, time: f64, h: f64, count: usize) -> Option<&[Quat]> {
        let index = self.times.partition_point(|it| *it < time - NEAR * h);
        self.times.get(index).filter(|it| (**it - time).abs() <= NEAR * h)?;
        self.rotations.get(index * count..(index + 1) * count)
    }
}
