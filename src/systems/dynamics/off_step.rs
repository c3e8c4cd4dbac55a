//! Frames that fall between two steps, at rates that do not divide 240.
//!
//! Halfway between two recorded rotations a bone may lie inside a collider and off its path; so each such frame gets a part of a
//! step of its own, taken from the step before it and then forgotten. What follows is not touched by it.

use std::ops::Range;

use glam::Quat;

use super::step_grid::StepGrid;

/// Recorded frames between steps.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct OffStepFrames {
    /// Seconds of each frame, ascending.
    pub times: Vec<f64>,
    /// Frame after frame, one rotation per bone.
    pub rotations: Vec<Quat>,
}

/// A substep, or the part of one, on the way from a step to a frame after it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct OffStepPart {
    /// The step it starts from.
    pub step: usize,
    /// Index of the frame.
    pub frame: usize,
    /// Seconds at its end.
    pub time: f64,
    /// How much of a substep it is.
    pub share: f64,
}

/// A frame this share of a step from a step is that step: frame times are rounded numbers.
pub(super) const SAME_STEP: f64 = 1e-4;

impl OffStepFrames {
    /// Nothing recorded yet: those of `frames` (ascending) that lie between two steps of `grid`.
    pub fn new(frames: &[f64], grid: &StepGrid) -> Self {
        let is_off_step = |time: f64| {
            let at = time / grid.h;
            (0.0..grid.steps as f64).contains(&at) && (at - at.round()).abs() >= SAME_STEP
        };
        let times = frames.iter().copied().filter(|&time| is_off_step(time)).collect();
        Self { times, rotations: Vec::new() }
    }

    /// What is stepped to get to the frames, in their order.
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

    /// The `count` rotations recorded at `time`.
    pub fn find(&self, time: f64, h: f64, count: usize) -> Option<&[Quat]> {
        let index = self.times.partition_point(|known| *known < time - SAME_STEP * h);
        self.times.get(index).filter(|known| (**known - time).abs() <= SAME_STEP * h)?;
        self.rotations.get(index * count..(index + 1) * count)
    }
}

/// Which of `parts` start from step `step`.
pub(super) fn parts_of_step(parts: &[OffStepPart], step: usize) -> Range<usize> {
    parts.partition_point(|part| part.step < step)..parts.partition_point(|part| part.step <= step)
}
