//! Leg IK on a pose: bends a leg so that its foot reaches a target.

use glam::{DAffine3, DQuat, DVec3};

use super::chain_ik::{put_in_world, turn_in_world};
use super::ik::{LegPositions, LegTurns, hinge, solve_leg};
use crate::root_motion::turn_of;
use crate::{Leg, Pose, Roles, Skeleton};

/// Maximum straightness of a leg that is moved to a target, as a fraction of its length.
/// Tuned; no derivation recorded.
const MAX_STRAIGHTNESS: f64 = 0.97;
/// Distance to the target over which that limit takes full effect, as a fraction of the leg. Tuned; no derivation
/// recorded.
const FULL_EFFECT_DISTANCE: f64 = 0.04;

/// Maximum height difference of the feet in a standing rest pose, as a fraction of the leg. Tuned; no derivation
/// recorded.
const REST_MAX_HEIGHT_DIFFERENCE: f64 = 0.2;

/// Maximum number of corrections for the error of a stretched bone; each leaves about a tenth of it.
const MAX_CORRECTIONS: usize = 6;

/// World transform of a foot in the file's unit: positions of ankle and sole, and rotation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FootTransform {
    /// World position of the ankle.
    pub ankle: DVec3,
    /// World position of the toe, or of the ankle if there is no toe.
    pub sole: DVec3,
    /// World rotation of the foot.
    pub turn: DQuat,
}

impl FootTransform {
    /// Returns the transform of the foot of `leg` in `pose`.
    pub fn from_pose(skeleton: &Skeleton, leg: &Leg, pose: &Pose) -> Self {
        let foot = pose.world_from_joint(skeleton, leg.foot);
        Self { ankle: foot.translation, sole: sole(skeleton, leg, pose), turn: turn_of(&foot) }
    }

    /// Returns the transform moved by `by`.
    pub fn moved(self, by: DVec3) -> Self {
        Self { ankle: self.ankle + by, sole: self.sole + by, ..self }
    }
}

/// Returns the world position of the sole of `leg` in `pose`: that of the toe, or of the foot without a toe.
pub fn sole(skeleton: &Skeleton, leg: &Leg, pose: &Pose) -> DVec3 {
    pose.world_from_joint(skeleton, leg.toe.unwrap_or(leg.foot)).translation
}

/// Returns the rest height of each of `legs`' soles above the lowest one, world units.
///
/// A left and a right foot share their mean, so only fore and hind feet differ. Returns 0 for all if legs have no
/// pairs, or if heights differ by more than [`REST_MAX_HEIGHT_DIFFERENCE`] of a leg, because they then stand on no
/// common ground.
pub fn sole_heights(skeleton: &Skeleton, roles: &Roles, legs: &[&Leg]) -> Vec<f64> {
    let rest = Pose::rest(skeleton);
    let height = |leg: &Leg| sole(skeleton, leg, &rest).y;
    let of_pair = |leg: &&Leg| {
        let pair = roles.pairs.iter().map(|&(left, right)| [left, right]).find(|pair| pair.contains(&leg.thigh))?;
        let other = legs.iter().find(|other| other.thigh != leg.thigh && pair.contains(&other.thigh))?;
        Some(0.5 * (height(leg) + height(other)))
    };
    let heights: Vec<f64> = legs.iter().map_while(of_pair).collect();
    let [low, high] = [f64::min, f64::max].map(|of| heights.iter().copied().reduce(of).unwrap_or(0.0));
    let length = legs.iter().map(|leg| leg_positions(skeleton, leg, &rest).length()).fold(0.0, f64::max);
    if heights.len() < legs.len() || high - low > REST_MAX_HEIGHT_DIFFERENCE * length {
        return vec![0.0; legs.len()];
    }
    heights.into_iter().map(|height| height - low).collect()
}

/// Returns the joint positions of `leg` in `pose`.
pub fn leg_positions(skeleton: &Skeleton, leg: &Leg, pose: &Pose) -> LegPositions {
    let at = |joint: usize| pose.world_from_joint(skeleton, joint).translation;
    LegPositions { hip: at(leg.thigh), knee: at(leg.shin), ankle: at(leg.foot) }
}

/// Bends `leg` of `pose` so that its foot reaches the position and rotation of `target`; returns the remaining distance, world
/// units. If the ankle is already there, nothing changes, not even the rotation.
pub fn move_foot_to(skeleton: &Skeleton, leg: &Leg, target: &FootTransform, pose: &mut Pose) -> f64 {
    let now = leg_positions(skeleton, leg, pose);
    if (target.ankle - now.ankle).length() <= 1e-7 * now.length() {
        return 0.0;
    }
    let turns = bend(skeleton, leg, target, pose);
    // A bone that its clip stretches shears its children, so the solved rotations miss the target. Corrections repeat
    // until the error is invisible; legs of constant length need none.
    let expected = target.sole + now.turned(&turns).ankle - target.ankle;
    for _ in 0..MAX_CORRECTIONS {
        let error = expected - sole(skeleton, leg, pose);
        let now = leg_positions(skeleton, leg, pose);
        if error.length() <= 1e-5 * now.length() {
            break;
        }
        bend(skeleton, leg, &FootTransform { ankle: now.ankle + error, ..*target }, pose);
    }
    turns.gap
}

/// Bends `leg` of `pose` so that its ankle reaches the position and rotation of `target`, in one step. Returns the rotations.
fn bend(skeleton: &Skeleton, leg: &Leg, target: &FootTransform, pose: &mut Pose) -> LegTurns {
    let now = leg_positions(skeleton, leg, pose);
    let thigh = pose.world_from_joint(skeleton, leg.thigh);
    let turns = solve_leg(&now, target.ankle, hinge(skeleton, leg, &thigh));
    turn_in_world(skeleton, pose, leg.thigh, turns.thigh);
    turn_in_world(skeleton, pose, leg.shin, turns.shin * turns.thigh.inverse());
    if leg.has_separate_foot(skeleton) {
        put_in_world(skeleton, pose, leg.foot, now.turned(&turns).ankle, target.turn);
    } else {
        let after = turn_of(&pose.world_from_joint(skeleton, leg.foot));
        turn_in_world(skeleton, pose, leg.foot, target.turn * after.inverse());
    }
    turns
}

/// Moves feet that are separate from their legs by `shift` (world) if `ancestor` moved the legs, so that
/// leg lengths stay.
pub fn move_separate_feet(skeleton: &Skeleton, legs: &[Leg], ancestor: usize, shift: &DAffine3, pose: &mut Pose) {
    let must_move = |leg: &&Leg| {
        leg.has_separate_foot(skeleton)
            && skeleton.is_within(leg.thigh, ancestor)
            && !skeleton.is_within(leg.foot, ancestor)
    };
    for leg in legs.iter().filter(must_move) {
        let foot = *shift * pose.world_from_joint(skeleton, leg.foot);
        put_in_world(skeleton, pose, leg.foot, foot.translation, turn_of(&foot));
    }
}

/// Maximum drop of the hips for a step, as a fraction of the leg. Tuned; no derivation recorded.
pub const STEP_MAX_DROP: f64 = 0.15;

/// Maximum drop of the hips for feet that stay apart on a steep slope, as a fraction of the leg. With the value of
/// [`STEP_MAX_DROP`] one foot hung 10 to 22 cm above the ground across slopes of 25° or more.
pub const SLOPE_MAX_DROP: f64 = 0.3;

/// Returns how far the hip of `leg` must come down so that the ankle reaches `target` without a straighter leg than
/// before, world units. Returns `None` if that exceeds `max_drop`, a fraction of the leg, or if the target is too far to the side.
pub fn drop_needed(leg: &LegPositions, target: DVec3, max_drop: f64) -> Option<f64> {
    let length = leg.length();
    let length_before = (leg.ankle - leg.hip).length();
    // A nearly straight knee snaps. A leg at its own target may stay straight; one that is moved elsewhere must bend.
    let effect = ((target - leg.ankle).length() / (FULL_EFFECT_DISTANCE * length)).min(1.0);
    let max_length = length_before - (length_before - MAX_STRAIGHTNESS * length).max(0.0) * effect;
    // 95 %: up to here the leg solver reaches its target exactly.
    let reach = max_length.max(0.95 * length) - 1e-6 * length;
    let flat = (target - leg.hip).with_y(0.0).length();
    let height = leg.hip.y - target.y;
    let down = (height - (reach * reach - flat * flat).max(0.0).sqrt()).max(0.0);
    (flat <= reach && down <= max_drop * length).then_some(down)
}

/// Smooths `needs` (one per frame, ≥ 0) without falling below them: the largest value within `width` frames on both sides,
/// averaged over as many.
pub fn smoothed_maximum(needs: &[f64], width: usize) -> Vec<f64> {
    let window = |i: usize| i.saturating_sub(width)..(i + width + 1).min(needs.len());
    let maxima: Vec<f64> = (0..needs.len()).map(|i| needs[window(i)].iter().copied().fold(0.0, f64::max)).collect();
    let mean = |i: usize| maxima[window(i)].iter().sum::<f64>() / window(i).len() as f64;
    (0..needs.len()).map(mean).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::small_inputs::{LEGGED, skeleton_of};
    use glam::Quat;

    #[test]
    fn a_foot_reaches_its_target_rotation_and_one_already_there_keeps_its_bits() {
        let mut skeleton = skeleton_of(&LEGGED);
        skeleton.joints[3].rest.translation = glam::Vec3::new(0.0, -0.45, 0.05);
        skeleton.joints[4].rest.translation = glam::Vec3::new(0.0, -0.45, -0.05);
        let leg = Leg { thigh: 2, shin: 3, foot: 4, toe: None };
        let mut pose = Pose::rest(&skeleton);
        pose.locals[1].rotation = Quat::from_rotation_y(0.4);
        let before = pose.clone();
        let place = FootTransform::from_pose(&skeleton, &leg, &pose);
        assert_eq!(move_foot_to(&skeleton, &leg, &place, &mut pose), 0.0);
        assert_eq!(pose, before);
        let place = FootTransform { turn: DQuat::from_rotation_x(0.3), ..place.moved(DVec3::new(0.1, 0.2, 0.1)) };
        assert!(move_foot_to(&skeleton, &leg, &place, &mut pose) < 1e-9);
        let result = FootTransform::from_pose(&skeleton, &leg, &pose);
        assert!(
            result.ankle.abs_diff_eq(place.ankle, 1e-6) && result.turn.angle_between(place.turn) < 1e-3,
            "{result:?}"
        );
        assert_eq!(pose.locals[5], before.locals[5]);
    }

    #[test]
    fn separate_feet_move_with_the_ancestor_of_their_legs_and_others_are_unchanged() {
        let joints = [
            ("root", None),
            ("hips", Some(0)),
            ("thigh", Some(1)),
            ("shin", Some(2)),
            ("foot", Some(0)),
            ("end", Some(3)),
        ];
        let skeleton = skeleton_of(&joints);
        let leg = |foot: usize| Leg { thigh: 2, shin: 3, foot, toe: None };
        let shift = DAffine3::from_rotation_x(0.4) * DAffine3::from_translation(DVec3::new(0.1, -0.3, 0.2));
        let moved = |foot: usize, above: usize| {
            let mut pose = Pose::rest(&skeleton);
            let before = pose.world_from_joint(&skeleton, foot);
            move_separate_feet(&skeleton, &[leg(foot)], above, &shift, &mut pose);
            (pose.world_from_joint(&skeleton, foot), before)
        };
        let (after, before) = moved(4, 1);
        assert!(after.abs_diff_eq(shift * before, 1e-6), "{after:?}");
        // The root carries the foot itself, and a foot of the chain is a child of the shin.
        for (foot, above) in [(4, 0), (5, 1)] {
            let (after, before) = moved(foot, above);
            assert_eq!(after, before);
        }
    }
}
