//! A motion that loops, with the frames of its neighbouring cycles: what is corrected near one end then fits the other end.

use glam::{DAffine3, DQuat, DVec3};

use super::Body;
use portamento_anim::root_motion::{rig_size, turn_of};
use portamento_anim::{Pose, Skeleton};

/// Length of the neighbouring cycles that is added on each side, seconds: longer than a stance of a walk with its fades.
const NEIGHBOUR_SECONDS: f64 = 1.5;
/// Largest distance of a joint between the end and the start, one cycle on, as a fraction of the body's size: 5 mm of a person.
const MAX_GAP: f64 = 0.003;

/// A motion with frames of its neighbouring cycles.
pub(super) struct Surrounded {
    /// Times of the frames, seconds; those of the cycle before are below those of the motion.
    pub times: Vec<f64>,
    /// Poses of the frames.
    pub poses: Vec<Pose>,
    /// Number of frames of the cycle before, which is that of the cycle after.
    pub pad: usize,
}

impl Surrounded {
    /// Surrounds `poses` of `body` at `times` (seconds) if they loop: travel and turn about +Y of a cycle do not count. Adds
    /// nothing otherwise.
    pub fn new(body: &Body, times: &[f64], poses: Vec<Pose>) -> Self {
        let last = poses.len() - 1;
        let Some(cycle) = cycle(body, &poses[0], &poses[last]) else {
            return Self { times: times.to_vec(), poses, pad: 0 };
        };
        let pad = (1..=last).take_while(|&i| times[i] - times[0] <= NEIGHBOUR_SECONDS).count();
        let (back, length) = (cycle.inverse(), times[last] - times[0]);
        let on = |by: &DAffine3, range: std::ops::Range<usize>| -> Vec<Pose> {
            poses[range].iter().map(|pose| moved(body.skeleton, by, pose)).collect()
        };
        let (before, after) = (on(&back, last - pad..last), on(&cycle, 1..1 + pad));
        let times_before = times[last - pad..last].iter().map(|time| time - length);
        let times_after = times[1..=pad].iter().map(|time| time + length);
        Self {
            times: times_before.chain(times.iter().copied()).chain(times_after).collect(),
            poses: before.into_iter().chain(poses).chain(after).collect(),
            pad,
        }
    }

    /// Returns the frames of the motion itself among `frames`, which are as many as the surrounded poses.
    pub fn own<'f, T>(&self, frames: &'f [T]) -> &'f [T] {
        &frames[self.pad..frames.len() - self.pad]
    }

    /// Removes the frames of the neighbouring cycles from `poses`, which are as many as the surrounded ones.
    pub fn without_neighbours(&self, mut poses: Vec<Pose>) -> Vec<Pose> {
        poses.truncate(poses.len() - self.pad);
        poses.drain(..self.pad);
        poses
    }
}

/// Returns the displacement along the ground and the turn about +Y from `first` to `last`; `None` if the joints do not meet.
fn cycle(body: &Body, first: &Pose, last: &Pose) -> Option<DAffine3> {
    let skeleton = body.skeleton;
    let hips = body.chains.first()?.bones.first()?.joint;
    let [from, to] = [first, last].map(|pose| pose.world_from_joint(skeleton, hips));
    let turn = turn_of(&to) * turn_of(&from).inverse();
    let heading = DQuat::from_rotation_y(2.0 * turn.y.atan2(turn.w));
    let shift = (to.translation - heading * from.translation).with_y(0.0);
    let cycle = DAffine3::from_rotation_translation(heading, shift);
    let at = |pose: &Pose, joint: usize| pose.world_from_joint(skeleton, joint).translation;
    let gap = |joint: usize| at(last, joint).distance(cycle.transform_point3(at(first, joint)));
    // Limbs end at joints that the chains name; all else hangs on them.
    let bones = body.chains.iter().flat_map(|chain| chain.bones.iter().flat_map(|bone| [bone.joint, bone.end]));
    bones.map(gap).all(|gap| gap <= MAX_GAP * rig_size(skeleton)).then_some(cycle)
}

/// Returns `pose` moved as a whole by the rigid transform `by`.
fn moved(skeleton: &Skeleton, by: &DAffine3, pose: &Pose) -> Pose {
    let turn = turn_of(by);
    let mut pose = pose.clone();
    for (local, _) in pose.locals.iter_mut().zip(&skeleton.joints).filter(|(_, joint)| joint.parent.is_none()) {
        local.translation = by.transform_point3(DVec3::from(local.translation)).as_vec3();
        local.rotation = (turn * local.rotation.as_dquat()).as_quat().normalize();
    }
    pose
}
