//! Which way round two rotations are mixed while both move.
//!
//! The shortest arc between two moving rotations flips to the other side when they pass half a turn from each other, which is
//! a pop. A track therefore records the relative rotation through a transition with its sign kept continuous from sample to
//! sample (quaternion hemisphere continuity), and the mix follows that sign.

use std::ops::Range;

use glam::Quat;

use crate::math::mean::aligned;

/// Per joint the relative rotation from one side to the other, sign included, at regular times.
#[derive(Clone, Debug, Default)]
pub(super) struct ArcTrack {
    start: f64,
    /// Per sample, one rotation per joint.
    samples: Vec<Vec<Quat>>,
}

impl ArcTrack {
    /// Samples a second: between two of them no joint turns by half a turn.
    const RATE: f64 = 120.0;
    /// Longest time recorded, seconds; the last sample holds from there.
    const LONGEST: f64 = 60.0;

    /// Records `relative_at` over `span` (seconds). The first sample has the sign of `initial` where that knows the joint, else
    /// the sign of the shortest arc.
    pub fn record(
        span: Range<f64>,
        initial: impl Fn(usize) -> Option<Quat>,
        mut relative_at: impl FnMut(f64) -> Vec<Quat>,
    ) -> Self {
        let count = ((span.end - span.start).clamp(0.0, Self::LONGEST) * Self::RATE).ceil() as usize + 1;
        let mut samples: Vec<Vec<Quat>> = Vec::with_capacity(count);
        for i in 0..count {
            let mut relative = relative_at(span.start + i as f64 / Self::RATE);
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

    /// The sample at or before `time`, whose signs the relative rotations at `time` take; empty where nothing was recorded.
    pub fn at(&self, time: f64) -> &[Quat] {
        let sample = ((time - self.start) * Self::RATE).max(0.0) as usize;
        self.samples.get(sample).or(self.samples.last()).map_or(&[], |rotations| rotations)
    }
}
