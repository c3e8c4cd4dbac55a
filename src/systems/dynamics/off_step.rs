//! Frames that fall between two steps, at rates that do not divide 240.
//!
//! Halfway between two recorded rotations a bone may lie inside a collider and off its path; so each such frame gets a part of a
//! step of its own, taken from the step before it and then forgotten. What follows is not touched by it.

use glam::Quat;

/// Recorded frames between steps.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct OffStepFrames {
    /// Seconds of each frame, ascending.
    pub times: Vec<f64>,
    /// Frame after frame, one rotation per bone.
    pub rotations: Vec<Quat>,
}

/// A frame this share of a step from a step is that step: frame times are rounded numbers.
pub(super) const SAME_STEP: f64 = 1e-4;

impl OffStepFrames {
    /// Nothing recorded yet: those of `frames` (ascending) that lie between two of `steps` steps of `h` seconds.
    pub fn new(frames: &[f64], h: f64, steps: usize) -> Self {
        let is_off_step = |time: f64| {
            let at = time / h;
            (0.0..steps as f64).contains(&at) && (at - at.round()).abs() >= SAME_STEP
        };
        let times = frames.iter().copied().filter(|&time| is_off_step(time)).collect();
        Self { times, rotations: Vec::new() }
    }

    /// Indices of the frames after step `index` and before the next.
    pub fn after(&self, index: usize, h: f64) -> std::ops::Range<usize> {
        let first = |step: usize| self.times.partition_point(|time| time / h < step as f64);
        first(index)..first(index + 1)
    }

    /// The `count` rotations recorded at `time`.
    pub fn find(&self, time: f64, h: f64, count: usize) -> Option<&[Quat]> {
        let index = self.times.partition_point(|known| *known < time - SAME_STEP * h);
        self.times.get(index).filter(|known| (**known - time).abs() <= SAME_STEP * h)?;
        self.rotations.get(index * count..(index + 1) * count)
    }
}
