//! Deviation of the other joints of a body. In a strike or a landing many joints deviate at once; a fault is
//! isolated.

use std::ops::Range;

use glam::{DVec3, Quat};

use super::Jump;
use super::pauses::{rotation_vector_degrees, turns_of};
use crate::Pose;
use crate::parallel_map::parallel_map;
use portamento_base::progress::{Cancelled, Progress};

/// Fraction of a jump's size by which another joint must deviate so that both count as one motion: no leg folds at
/// one joint only.
/// Tuned; no derivation recorded.
const JOINT_MOTION_FRACTION: f64 = 0.25;

/// Joints whose deviations are computed together.
const JOINTS_AT_A_TIME: usize = 32;

/// The largest deviations among the joints of a body, for each step from one frame to the next.
pub struct OtherJoints {
    /// The two joints that deviate most in each step, the larger first.
    largest: Vec<[JointBend; 2]>,
}

/// The deviation of a joint in one step.
#[derive(Clone, Copy, Default)]
struct JointBend {
    joint: usize,
    /// Difference between the step and the mean of its neighbours.
    degrees: f64,
}

impl OtherJoints {
    /// Measures `joints` in `poses`, one pose at each of `times` (seconds). Returns `Err` if `progress` is cancelled.
    pub fn of(times: &[f64], poses: &[Pose], joints: &[usize], progress: &Progress) -> Result<Self, Cancelled> {
        let mut largest = vec![[JointBend::default(); 2]; times.len().saturating_sub(1)];
        // In groups, so that the deviations of a few joints are in memory at a time.
        for (number, group) in joints.chunks(JOINTS_AT_A_TIME).enumerate() {
            progress.step(number * JOINTS_AT_A_TIME, joints.len())?;
            let bends_of = |index: usize| bends(&rates(times, &turns_of(poses, group[index])), times);
            let all = parallel_map(group.len(), times.len(), &progress.part(), bends_of)?;
            for (&joint, bends) in group.iter().zip(all) {
                insert_bends(&mut largest, joint, bends);
            }
        }
        Ok(Self { largest })
    }

    /// Returns the largest deviation of any joint except `joint` among `steps`, degrees; 0 if no other joint deviates. Step i
    /// leads from frame i to the next.
    pub fn largest_bend_of_others(&self, joint: usize, steps: Range<usize>) -> f64 {
        let near = &self.largest[steps.start.min(self.largest.len())..steps.end.min(self.largest.len())];
        let of_others = near.iter().flatten().filter(|bend| bend.joint != joint);
        of_others.map(|bend| bend.degrees).fold(0.0, f64::max)
    }

    /// True if another joint deviates together with `joint` at `jump`, so that both belong to one motion.
    pub fn moves_with_others(&self, joint: usize, jump: &Jump) -> bool {
        self.largest_bend_of_others(joint, jump.frame.saturating_sub(2)..jump.frame + 1)
            >= JOINT_MOTION_FRACTION * jump.degrees
    }
}

/// Adds the deviations `bends` of `joint`, one per step, to the two largest of each step.
fn insert_bends(largest: &mut [[JointBend; 2]], joint: usize, bends: Vec<f64>) {
    for ([first, second], degrees) in largest.iter_mut().zip(bends) {
        let bend = JointBend { joint, degrees };
        if degrees > first.degrees {
            (*first, *second) = (bend, *first);
        } else if degrees > second.degrees {
            *second = bend;
        }
    }
}

/// Returns the angular velocity of the rotations `turns` in each step from one of `times` (seconds) to the next, as a vector
/// along the axis in degrees per second.
pub(super) fn rates(times: &[f64], turns: &[Quat]) -> Vec<DVec3> {
    let rate = |(turns, times): (&[Quat], &[f64])| {
        rotation_vector_degrees(turns[0].inverse() * turns[1]) / (times[1] - times[0]).max(f64::MIN_POSITIVE)
    };
    turns.windows(2).zip(times.windows(2)).map(rate).collect()
}

/// Returns how far each step deviates from the mean of its neighbours, degrees; 0 for the first and the last. `rates` are the
/// angular velocities of the steps, and `times` the seconds of the frames.
pub(super) fn bends(rates: &[DVec3], times: &[f64]) -> Vec<f64> {
    let bend = |step: usize| {
        let (Some(before), Some(after)) = (step.checked_sub(1), rates.get(step + 1)) else { return 0.0 };
        (rates[step] - 0.5 * (rates[before] + *after)).length() * (times[step + 1] - times[step])
    };
    (0..rates.len()).map(bend).collect()
}
