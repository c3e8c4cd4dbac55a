//! A motion that loops, with the frames of its neighbouring cycles: what is corrected near one end then fits the other end.

use glam::{DAffine3, DQuat, DVec3};

use super::Body;
use portamento_anim::root_motion::{rig_size, turn_of};
use portamento_anim::{Pose, Skeleton};

/// Time that is added on each side from the neighbouring cycles, seconds: longer than a stance of a walk with its fades.
const NEIGHBOUR_SECONDS: f64 = 1.5;
/// Largest number of cycles of a short motion that are added on each side.
const MAX_NEIGHBOURS: usize = 8;
/// Largest distance of a joint between the end and the start, one cycle on, as a fraction of the body's size: 5 mm of a person.
const MAX_GAP: f64 = 0.003;

/// A motion with frames of its neighbouring cycles.
pub(super) struct Surrounded {
    /// Times of the frames, seconds; those of the cycle before are below those of the motion.
    pub times: Vec<f64>,
    /// Poses of the frames.
    pub poses: Vec<Pose>,
    /// Number of frames before the motion, which is that after it.
    pub pad: usize,
}

impl Surrounded {
    /// Surrounds `poses` of `body` at `times` (seconds) if the last equals the first: travel and turn about +Y of a cycle do not
    /// count. Adds nothing otherwise. An action out of a guard and back into it counts too: its stances at both ends are one.
    pub fn new(body: &Body, times: &[f64], poses: Vec<Pose>) -> Self {
        let last = poses.len().saturating_sub(1);
        let length = times[last] - times[0];
        let Some(cycle) = cycle(body, &poses[0], &poses[last]).filter(|_| length > 0.0) else {
            return Self { times: times.to_vec(), poses, pad: 0 };
        };
        let pad = ((NEIGHBOUR_SECONDS * last as f64 / length).ceil() as usize).min(MAX_NEIGHBOURS * last);
        let (first, count, back) = (-(pad as i64), last as i64, cycle.inverse());
        // A frame of the endless motion; those of the motion itself are 0 … `last`.
        let frame = |at: i64| {
            let (cycles, index) = (at.div_euclid(count), at.rem_euclid(count) as usize);
            let step = if cycles < 0 { back } else { cycle };
            let by = (0..cycles.unsigned_abs()).fold(DAffine3::IDENTITY, |all, _| step * all);
            (times[index] + cycles as f64 * length, moved(body.skeleton, &by, &poses[index]))
        };
        let (mut all_times, mut all_poses): (Vec<f64>, Vec<Pose>) = (first..0).map(frame).unzip();
        let (times_after, poses_after): (Vec<f64>, Vec<Pose>) = (count + 1..=count - first).map(frame).unzip();
        all_times.extend(times.iter().copied().chain(times_after));
        all_poses.extend(poses.into_iter().chain(poses_after));
        Self { times: all_times, poses: all_poses, pad }
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
    let gap = |joint: usize| position(body, last, joint).distance(cycle.transform_point3(position(body, first, joint)));
    joints(body).map(gap).all(|gap| gap <= MAX_GAP * rig_size(skeleton)).then_some(cycle)
}

/// Returns the joints of the limbs and those at which they end; all else hangs on them.
fn joints(body: &Body) -> impl Iterator<Item = usize> {
    body.chains.iter().flat_map(|chain| chain.bones.iter().flat_map(|bone| [bone.joint, bone.end]))
}

/// Returns the world position of `joint` in `pose`.
fn position(body: &Body, pose: &Pose, joint: usize) -> DVec3 {
    pose.world_from_joint(body.skeleton, joint).translation
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
