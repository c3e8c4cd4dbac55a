//! Limits the rotation of leg joints in the air, so that a foot that moves from one plant to another throws no joint.

use std::ops::Range;

use glam::Quat;

use super::ankle_sweep::CLIP_SPEED_FACTOR;
use super::knee_swing::KNEE_MAX_RAD_PER_S;
use crate::locomotion::Input;
use portamento_anim::contacts::runs;
use portamento_anim::math::mean::{angle_between, slerp};
use portamento_anim::{Leg, Pose};

/// The largest rotation of every joint in one frame, radians.
pub(crate) struct TurnLimits(Vec<f64>);

impl TurnLimits {
    /// Returns the limits for `poses` before their feet are locked. Each is the larger of a knee's fastest bend in one frame and
    /// [`CLIP_SPEED_FACTOR`] times the joint's own largest rotation between two frames, radians.
    pub fn of(poses: &[Pose], fps: f64) -> Self {
        let joints = poses.first().map_or(0, |pose| pose.locals.len());
        let own = |joint: usize| poses.windows(2).map(|pair| step(pair, joint)).fold(0.0, f64::max);
        Self((0..joints).map(|joint| (KNEE_MAX_RAD_PER_S / fps).max(CLIP_SPEED_FACTOR * own(joint))).collect())
    }

    /// Slows down the joints of each leg while its foot is in the air. Frames in which `standing` is true do not change, nor do the
    /// first and the last one, which other motions may join.
    pub fn apply(&self, input: &Input, standing: &[Vec<bool>], poses: &mut [Pose]) {
        for (leg, standing) in input.legs().iter().zip(standing) {
            let airborne: Vec<bool> = standing.iter().map(|stands| !stands).collect();
            for joint in leg_joints(input, leg) {
                runs(&airborne).into_iter().for_each(|swing| self.limit(poses, joint, swing));
            }
        }
    }

    /// Limits the steps of `joint` into, within and out of the frames `swing`, of which the first and the last of all stay.
    fn limit(&self, poses: &mut [Pose], joint: usize, swing: Range<usize>) {
        let swing = swing.start.max(1)..swing.end.min(poses.len() - 1);
        for frame in swing.clone() {
            self.approach(poses, joint, frame, frame - 1);
        }
        for frame in swing.rev() {
            self.approach(poses, joint, frame, frame + 1);
        }
    }

    /// Rotates `joint` in `frame` towards its rotation in the frame `neighbour` until the step is within the limit.
    fn approach(&self, poses: &mut [Pose], joint: usize, frame: usize, neighbour: usize) {
        let [own, other]: [Quat; 2] = [frame, neighbour].map(|frame| poses[frame].locals[joint].rotation);
        let (angle, limit) = (angle_between(own, other), self.0[joint]);
        if angle > limit {
            poses[frame].locals[joint].rotation = slerp(other, own, (limit / angle) as f32);
        }
    }
}

/// Returns the joints of `leg` from the thigh to the toe, with those between them.
fn leg_joints(input: &Input, leg: &Leg) -> Vec<usize> {
    let skeleton = input.skeleton;
    let end = leg.toe.unwrap_or(leg.foot);
    let joints = skeleton.ancestors(end).take_while(|&joint| skeleton.is_within(joint, leg.thigh));
    joints.collect()
}

fn step(pair: &[Pose], joint: usize) -> f64 {
    angle_between(pair[0].locals[joint].rotation, pair[1].locals[joint].rotation)
}

#[cfg(test)]
mod tests {
    use super::*;
    use portamento_anim::math::Transform;

    /// Returns poses of one joint that turns about X by `angles`.
    fn poses(angles: &[f32]) -> Vec<Pose> {
        let pose = |&angle: &f32| Pose {
            locals: vec![Transform { rotation: Quat::from_rotation_x(angle), ..Transform::IDENTITY }],
            ..Pose::default()
        };
        angles.iter().map(pose).collect()
    }

    #[test]
    fn a_thrown_joint_is_spread_over_the_swing_and_planted_frames_stay() {
        let mut angles = vec![0.0_f32; 12];
        angles[6..].fill(1.2);
        let (limits, mut moved) = (TurnLimits(vec![0.3]), poses(&angles));
        limits.limit(&mut moved, 0, 2..10);
        let steps: Vec<f64> = moved.windows(2).map(|pair| step(pair, 0)).collect();
        assert!(steps.iter().all(|&step| step <= 0.3 + 1e-6), "{steps:?}");
        let plain = poses(&angles);
        assert!([0, 1, 10, 11].iter().all(|&frame| moved[frame] == plain[frame]));
        let mut slow = poses(&[0.0, 0.1, 0.2, 0.3]);
        limits.limit(&mut slow, 0, 0..4);
        assert_eq!(slow, poses(&[0.0, 0.1, 0.2, 0.3]), "a slow joint is unchanged");
    }

    #[test]
    fn the_limit_is_the_knees_or_the_joints_own_speed() {
        let limit = |angles: &[f32]| TurnLimits::of(&poses(angles), 60.0).0[0];
        assert!((limit(&[0.0, 0.01]) - 0.3).abs() < 1e-9);
        assert!((limit(&[0.0, 0.8]) - 1.0).abs() < 1e-5);
    }
}
