//! The rotation arc along which two moving rotations are mixed.
//!
//! The shortest arc between two moving rotations flips sides when they pass half a turn from each other, which causes a pop. A
//! track records the relative rotation through a transition with a continuous sign from sample to sample (quaternion hemisphere
//! continuity). The mix follows that sign.

use std::ops::Range;

use glam::Quat;

use portamento_anim::math::mean::aligned;

/// The relative rotation between two sides per joint, with a continuous sign, at regular times.
#[derive(Clone, Debug, Default)]
pub(crate) struct ArcTrack {
    /// Time of the first sample, seconds.
    start: f64,
    /// One rotation per joint for each sample.
    samples: Vec<Vec<Quat>>,
}

impl ArcTrack {
    /// Samples per second. High enough that no joint turns by half a turn between two samples.
    const SAMPLES_PER_SECOND: f64 = 120.0;
    /// Longest recording in seconds; after it the last sample applies.
    const MAX_SECONDS: f64 = 60.0;

    /// Records `relative_at` over `span` (seconds, at most 60 s from its start). `relative_at` returns the relative rotation
    /// of each joint at a time in seconds.
    ///
    /// The first sample has the sign of `initial` if it returns a rotation for the joint, otherwise the sign of the shortest
    /// arc.
    pub fn record(
        span: Range<f64>,
        initial: impl Fn(usize) -> Option<Quat>,
        mut relative_at: impl FnMut(f64) -> Vec<Quat>,
    ) -> Self {
        let count =
            ((span.end - span.start).clamp(0.0, Self::MAX_SECONDS) * Self::SAMPLES_PER_SECOND).ceil() as usize + 1;
        let mut samples: Vec<Vec<Quat>> = Vec::with_capacity(count);
        for i in 0..count {
            let mut relative = relative_at(span.start + i as f64 / Self::SAMPLES_PER_SECOND);
            for (joint, rotation) in relative.iter_mut().enumerate() {
                let reference = match samples.last() {
                    Some(before) => before[joint],
                    None => initial(joint).unwrap_or(Quat::IDENTITY),
                };
                *rotation = aligned(*rotation, reference);
            }
            samples.push(relative);
        }
        Self { start: span.start, samples }
    }

    /// Returns the sample at or before `time` (seconds): one rotation per joint, with the sign that the relative
    /// rotations have at `time`. Before the first sample it is the first. The result is empty if nothing was recorded.
    pub fn at(&self, time: f64) -> &[Quat] {
        let sample = ((time - self.start) * Self::SAMPLES_PER_SECOND).max(0.0) as usize;
        self.samples.get(sample).or(self.samples.last()).map_or(&[], |rotations| rotations)
    }
}
