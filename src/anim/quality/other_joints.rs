//! How abruptly the other joints of a body turn: in a strike or a landing many do so at once, a fault is alone.

use std::ops::Range;

use glam::{DVec3, Quat};

use super::Jump;
use super::pauses::{turned, turns_of};
use crate::anim::Pose;
use crate::progress::{Cancelled, Progress};

/// Part of how far a joint jumps that another one is abrupt by then where both do so in one motion: no leg folds at one joint.
const TOGETHER: f64 = 0.25;

/// How abruptly the joints of a body turn in each step from a frame to the next.
pub struct OtherJoints {
    /// The two joints that do so most, the first before the second.
    most: Vec<[JointBend; 2]>,
}

/// How abruptly a joint turns.
#[derive(Clone, Copy, Default)]
struct JointBend {
    joint: usize,
    /// How far its step is off those beside it.
    degrees: f64,
}

impl OtherJoints {
    /// Those of `joints`, at `times` in `poses`.
    pub fn of(times: &[f64], poses: &[Pose], joints: &[usize], progress: &Progress) -> Result<Self, Cancelled> {
        let mut most = vec![[JointBend::default(); 2]; times.len().saturating_sub(1)];
        for (done, &joint) in joints.iter().enumerate() {
            progress.step(done, joints.len())?;
            let bends = bends(&rates(times, &turns_of(poses, joint)), times);
            for ([first, second], degrees) in most.iter_mut().zip(bends) {
                let bend = JointBend { joint, degrees };
                if degrees > first.degrees {
                    (*first, *second) = (bend, *first);
                } else if degrees > second.degrees {
                    *second = bend;
                }
            }
        }
        Ok(Self { most })
    }

    /// How far a step of any joint but `joint` is off those beside it, at most, among `steps`, degrees.
    pub fn beside(&self, joint: usize, steps: Range<usize>) -> f64 {
        let near = &self.most[steps.start.min(self.most.len())..steps.end.min(self.most.len())];
        let of_others = near.iter().flatten().filter(|bend| bend.joint != joint);
        of_others.map(|bend| bend.degrees).fold(0.0, f64::max)
    }

    /// Whether another joint is abrupt with `joint` where it jumps to another place.
    pub fn join(&self, joint: usize, jump: &Jump) -> bool {
        self.beside(joint, jump.frame.saturating_sub(2)..jump.frame + 1) >= TOGETHER * jump.degrees
    }
}

/// How fast a joint turns in each step from one of `times` to the next, degrees per second about an axis.
pub(super) fn rates(times: &[f64], turns: &[Quat]) -> Vec<DVec3> {
    let rate = |(turns, times): (&[Quat], &[f64])| {
        turned(turns[0].inverse() * turns[1]) / (times[1] - times[0]).max(f64::MIN_POSITIVE)
    };
    turns.windows(2).zip(times.windows(2)).map(rate).collect()
}

/// How far each step at such `rates` is off the mean of those beside it, degrees; 0 for the first and the last.
pub(super) fn bends(rates: &[DVec3], times: &[f64]) -> Vec<f64> {
    let bend = |step: usize| {
        let (Some(before), Some(after)) = (step.checked_sub(1), rates.get(step + 1)) else { return 0.0 };
        (rates[step] - 0.5 * (rates[before] + *after)).length() * (times[step + 1] - times[step])
    };
    (0..rates.len()).map(bend).collect()
}
