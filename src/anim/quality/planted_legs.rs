//! Legs that follow their feet. In a hard landing, a take-off or a lunge, hip, knee and ankle turn within one frame
//! while the foot stays or continues smoothly; these are no pops.

use glam::DVec3;

use super::pauses::rotation_vector_degrees;
use super::{Input, Jump};
use crate::root_motion::{turn_of, world_at};
use crate::{Leg, Skeleton};

/// Deviation of the foot up to which it continues smoothly, as a fraction of the distance (and turn) by which the
/// jump alone would move it.
/// Tuned; no derivation recorded.
const SMOOTH_MAX_FRACTION: f64 = 1.0 / 3.0;
/// Minimum movement of the hip relative to the foot, as a fraction of the same distance; a knee that twists alone
/// does not cause it.
/// Tuned; no derivation recorded.
const HIP_MOTION_MIN_FRACTION: f64 = 0.125;

/// True if `joint`, which jumps at `jump`, belongs to a leg whose foot stays in place or continues smoothly because
/// the hip moves as abruptly.
/// `times` are those of the frames, seconds.
pub fn follows_its_foot(input: &Input, times: &[f64], joint: usize, jump: &Jump) -> bool {
    let Some(leg) = input.roles.legs.iter().find(|leg| is_leg_joint(input.skeleton, leg, joint)) else { return false };
    let steps = LegSteps { input, times, leg, joint };
    let back = (jump.outlier_frames > 0).then_some(jump.frame + jump.outlier_frames);
    let mut changes = [Some(jump.frame), back].into_iter().flatten();
    jump.outlier_frames == 0 && steps.folds_over_foot(jump)
        || changes.any(|frame| steps.sole_continues_smoothly(frame, jump.degrees))
}

/// True if `joint` belongs to `leg`, from the thigh to the foot.
fn is_leg_joint(skeleton: &Skeleton, leg: &Leg, joint: usize) -> bool {
    let joints = [leg.thigh, leg.shin, leg.foot].into_iter().chain(leg.toe);
    let is_known = joints.max().is_some_and(|last| last < skeleton.len());
    is_known && skeleton.is_within(leg.foot, joint) && skeleton.is_within(joint, leg.thigh)
}

/// A leg of which `joint` jumps, sampled at `times`.
struct LegSteps<'a> {
    input: &'a Input<'a>,
    times: &'a [f64],
    leg: &'a Leg,
    joint: usize,
}

impl LegSteps<'_> {
    /// True if the leg folds or stretches over a foot that stays in place.
    fn folds_over_foot(&self, jump: &Jump) -> bool {
        let Leg { thigh, foot, .. } = *self.leg;
        let [before, after] = [jump.frame - 1, jump.frame];
        let reach = |frame: usize| self.position(frame, thigh).distance(self.position(frame, foot));
        let sweep = self.position(before, self.joint).distance(self.position(before, foot)) * jump.degrees.to_radians();
        let foot_is_planted = self.step(after, foot).offset.length() <= SMOOTH_MAX_FRACTION * sweep;
        self.joint != foot && foot_is_planted && (reach(after) - reach(before)).abs() >= HIP_MOTION_MIN_FRACTION * sweep
    }

    /// True if the sole moves to `frame` as it does before or after, or not at all, while the hip moves abruptly over it.
    /// `degrees` is the size of the joint's jump.
    fn sole_continues_smoothly(&self, frame: usize, degrees: f64) -> bool {
        let sole = self.leg.toe.unwrap_or(self.leg.foot);
        let from = if self.joint == sole { self.leg.shin } else { self.joint };
        let sweep = self.position(frame - 1, from).distance(self.position(frame - 1, sole)) * degrees.to_radians();
        let steps_to = |frame: usize| [sole, self.leg.thigh].map(|joint| self.step(frame, joint));
        let [foot, hip] = steps_to(frame);
        let neighbours = [frame - 1, frame + 1].into_iter().filter(|frame| (1..self.times.len()).contains(frame));
        let neighbours: Vec<[Step; 2]> = neighbours.map(steps_to).collect();
        let is_smooth = |usual: &Step| {
            let [offset, turn] = [foot.offset.distance(usual.offset), foot.degrees.distance(usual.degrees)];
            offset <= SMOOTH_MAX_FRACTION * sweep && turn <= SMOOTH_MAX_FRACTION * degrees
        };
        let is_abrupt = |[other_foot, other_hip]: &[Step; 2]| {
            (hip.offset - foot.offset).distance(other_hip.offset - other_foot.offset) >= HIP_MOTION_MIN_FRACTION * sweep
        };
        let feet = neighbours.iter().map(|[foot, _]| foot).chain([&Step::REST]);
        neighbours.iter().any(is_abrupt) && feet.into_iter().any(is_smooth)
    }

    /// Returns the world position of `joint` at `frame`, in the file's unit.
    fn position(&self, frame: usize, joint: usize) -> DVec3 {
        world_at(self.input.skeleton, self.input.clip, joint, self.times[frame]).translation
    }

    /// Returns the world movement of `joint` from the previous frame to `frame`.
    fn step(&self, frame: usize, joint: usize) -> Step {
        let world = |frame: usize| world_at(self.input.skeleton, self.input.clip, joint, self.times[frame]);
        let [before, after] = [world(frame - 1), world(frame)];
        let turn = turn_of(&after) * turn_of(&before).inverse();
        Step { offset: after.translation - before.translation, degrees: rotation_vector_degrees(turn.as_quat()) }
    }
}

/// Movement of a joint between two frames.
struct Step {
    /// Displacement in world space, in the file's unit.
    offset: DVec3,
    /// Rotation vector in world space, degrees.
    degrees: DVec3,
}

impl Step {
    const REST: Self = Self { offset: DVec3::ZERO, degrees: DVec3::ZERO };
}
