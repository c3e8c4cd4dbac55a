//! Frames between two steps, at rates that do not divide 240.
//!
//! Halfway between two recorded rotations a bone may be inside a collider and off its path. Each such frame is therefore
//! simulated by a partial step from the step before it. The state after the partial step is discarded, so later steps do
//! not depend on it.

use std::ops::Range;

use glam::Quat;

use crate::recording::step_grid::StepGrid;

/// Recorded frames between steps.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct OffStepFrames {
    /// Seconds of each frame, ascending.
    pub times: Vec<f64>,
    /// Frame after frame, one rotation per bone.
    pub rotations: Vec<Quat>,
}

/// A substep, or a part of one, between a step and a frame after it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct OffStepPart {
    /// Index of the step it starts from.
    pub step: usize,
    /// Index of the frame.
    pub frame: usize,
    /// Time at its end, seconds.
    pub time: f64,
    /// Length as a share of a substep, above 0, at most 1.
    pub share: f64,
}

/// Largest distance between a frame and a step, in steps, at which the frame counts as that step: frame times are
/// rounded.
pub(crate) const SAME_STEP: f64 = 1e-4;

impl OffStepFrames {
    /// Returns the times of those `frames` (ascending) that lie between two steps of `grid`, without rotations.
    pub fn new(frames: &[f64], grid: &StepGrid) -> Self {
        let is_off_step = |time: f64| {
            let at = time / grid.h;
            (0.0..grid.steps as f64).contains(&at) && (at - at.round()).abs() >= SAME_STEP
        };
        let times = frames.iter().copied().filter(|&time| is_off_step(time)).collect();
        Self { times, rotations: Vec::new() }
    }

    /// Returns the partial steps that lead to the frames, in the order of the frames.
    pub fn parts(&self, grid: &StepGrid) -> Vec<OffStepPart> {
        let of_frame = |(frame, &time): (usize, &f64)| {
            let step = (time / grid.h).floor() as usize;
            let done = (time / grid.h - step as f64) * f64::from(grid.substeps);
            (1..=done.ceil() as u32).map(move |substep| {
                let share = (done - f64::from(substep - 1)).min(1.0);
                OffStepPart { step, frame, time: grid.time(step, f64::from(substep - 1) + share), share }
            })
        };
        self.times.iter().enumerate().flat_map(of_frame).collect()
    }

    /// Returns the `count` rotations recorded at `time` seconds; `None` if there is no such frame. `h` is the length of a
    /// step.
    pub fn find(&self, time: f64, h: f64, count: usize) -> Option<&[Quat]> {
        let index = self.times.partition_point(|known| *known < time - SAME_STEP * h);
        self.times.get(index).filter(|known| (**known - time).abs() <= SAME_STEP * h)?;
        self.rotations.get(index * count..(index + 1) * count)
    }
}

/// Returns the range of `parts` that start from step `step`.
pub(crate) fn parts_of_step(parts: &[OffStepPart], step: usize) -> Range<usize> {
    parts.partition_point(|part| part.step < step)..parts.partition_point(|part| part.step <= step)
}
