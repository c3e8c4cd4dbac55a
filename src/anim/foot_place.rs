//! A leg of a pose bent so that its foot comes to a place.

use glam::{DAffine3, DQuat, DVec3};

use super::chain_ik::{put_in_world, turn_in_world};
use super::ik::{LegPlace, LegTurns, hinge, solve_leg};
use super::root_motion::turn_of;
use super::{Leg, Pose, Roles, Skeleton};

/// How straight a leg gets that is led to another place than its own, as a share of its length, and how far away that is.
const STRAIGHTEST: f64 = 0.97;
const LED: f64 = 0.04;

/// Parts of a leg by which the feet of a rest pose differ in height at most where it stands.
const STANDS: f64 = 0.2;

/// How often what a stretched bone throws off is made up for at most; each time about a tenth of it is left.
const REFINEMENTS: usize = 6;

/// Where an ankle and its sole go, and how the foot is turned, in the world.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FootPlace {
    /// World place of the ankle.
    pub ankle: DVec3,
    /// World place of the toe, or of the ankle where there is none.
    pub sole: DVec3,
    /// World turn of the foot.
    pub turn: DQuat,
}

impl FootPlace {
    /// Where the foot of `leg` is in `pose`.
    pub fn from_pose(skeleton: &Skeleton, leg: &Leg, pose: &Pose) -> Self {
        let foot = pose.world_from_joint(skeleton, leg.foot);
        Self { ankle: foot.translation, sole: sole(skeleton, leg, pose), turn: turn_of(&foot) }
    }

    /// The same foot elsewhere.
    pub fn moved(self, by: DVec3) -> Self {
        Self { ankle: self.ankle + by, sole: self.sole + by, ..self }
    }
}

/// World place of the sole of `leg` in `pose`.
pub fn sole(skeleton: &Skeleton, leg: &Leg, pose: &Pose) -> DVec3 {
    pose.world_from_joint(skeleton, leg.toe.unwrap_or(leg.foot)).translation
}

/// How high the sole of each of `legs` is at rest over the lowest one, world units. A left and a right one stand alike, so that only
/// fore and hind feet differ; 0 for all where legs are no pairs, or differ by more than [`STANDS`] of a leg: they stand on no ground.
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
    let length = legs.iter().map(|leg| leg_place(skeleton, leg, &rest).length()).fold(0.0, f64::max);
    if heights.len() < legs.len() || high - low > STANDS * length {
        return vec![0.0; legs.len()];
    }
    heights.into_iter().map(|height| height - low).collect()
}

/// Where the joints of `leg` are in `pose`.
pub fn leg_place(skeleton: &Skeleton, leg: &Leg, pose: &Pose) -> LegPlace {
    let at = |joint: usize| pose.world_from_joint(skeleton, joint).translation;
    LegPlace { hip: at(leg.thigh), knee: at(leg.shin), ankle: at(leg.foot) }
}

/// Bends `leg` of `pose` so that its foot is at `place`; answers the distance that is left, world units. A foot that is there
/// already changes nothing.
pub fn put_foot(skeleton: &Skeleton, leg: &Leg, place: &FootPlace, pose: &mut Pose) -> f64 {
    let now = leg_place(skeleton, leg, pose);
    if (place.ankle - now.ankle).length() <= 1e-7 * now.length() {
        return 0.0;
    }
    let turns = bend(skeleton, leg, place, pose);
    // A bone that its clip stretches shears what hangs on it, so that turns no longer lead where they should: what is left is made
    // up for until it cannot be seen. Legs that keep their lengths are there at once.
    let wanted = place.sole + now.turned(&turns).ankle - place.ankle;
    for _ in 0..REFINEMENTS {
        let left = wanted - sole(skeleton, leg, pose);
        let now = leg_place(skeleton, leg, pose);
        if left.length() <= 1e-5 * now.length() {
            break;
        }
        bend(skeleton, leg, &FootPlace { ankle: now.ankle + left, ..*place }, pose);
    }
    turns.gap
}

/// Bends `leg` of `pose` so that its ankle comes to `place` and its foot is turned so.
fn bend(skeleton: &Skeleton, leg: &Leg, place: &FootPlace, pose: &mut Pose) -> LegTurns {
    let now = leg_place(skeleton, leg, pose);
    let thigh = pose.world_from_joint(skeleton, leg.thigh);
    let turns = solve_leg(&now, place.ankle, hinge(skeleton, leg, &thigh));
    turn_in_world(skeleton, pose, leg.thigh, turns.thigh);
    turn_in_world(skeleton, pose, leg.shin, turns.shin * turns.thigh.inverse());
    if leg.has_foot_apart(skeleton) {
        put_in_world(skeleton, pose, leg.foot, now.turned(&turns).ankle, place.turn);
    } else {
        let after = turn_of(&pose.world_from_joint(skeleton, leg.foot));
        turn_in_world(skeleton, pose, leg.foot, place.turn * after.inverse());
    }
    turns
}

/// Moves feet that hang beside their legs by `shift` (world), as `above` did with the legs: else these would be longer or shorter.
pub fn carry_feet_apart(skeleton: &Skeleton, legs: &[Leg], above: usize, shift: &DAffine3, pose: &mut Pose) {
    let is_left = |leg: &&Leg| {
        leg.has_foot_apart(skeleton) && skeleton.is_within(leg.thigh, above) && !skeleton.is_within(leg.foot, above)
    };
    for leg in legs.iter().filter(is_left) {
        let foot = *shift * pose.world_from_joint(skeleton, leg.foot);
        put_in_world(skeleton, pose, leg.foot, foot.translation, turn_of(&foot));
    }
}

/// How far a body stoops for a step, as a share of the leg.
pub const STOOP: f64 = 0.15;

/// How far it crouches for feet that stay apart on a steep slope, as a share of the leg.
pub const CROUCH: f64 = 0.3;

/// How far the hip of `leg` has to come down so that its ankle reaches `target` without the leg getting straighter than it was,
/// world units; `None` where that is more than `most_down`, a share of the leg.
pub fn drop_needed(leg: &LegPlace, target: DVec3, most_down: f64) -> Option<f64> {
    let length = leg.length();
    let own = (leg.ankle - leg.hip).length();
    // Next to straight a knee snaps: a leg that is there itself may stay, what is led elsewhere has to come down.
    let led = ((target - leg.ankle).length() / (LED * length)).min(1.0);
    let most = own - (own - STRAIGHTEST * length).max(0.0) * led;
    // 95 %: up to here the leg solver goes exactly where it is told.
    let reach = most.max(0.95 * length) - 1e-6 * length;
    let flat = (target - leg.hip).with_y(0.0).length();
    let height = leg.hip.y - target.y;
    let down = (height - (reach * reach - flat * flat).max(0.0).sqrt()).max(0.0);
    (flat <= reach && down <= most_down * length).then_some(down)
}

/// `needs` (one per frame, ≥ 0) met everywhere by what changes slowly: the largest within `width` frames, evened over as many.
pub fn evened(needs: &[f64], width: usize) -> Vec<f64> {
    let around = |i: usize| i.saturating_sub(width)..(i + width + 1).min(needs.len());
    let widest: Vec<f64> = (0..needs.len()).map(|i| needs[around(i)].iter().copied().fold(0.0, f64::max)).collect();
    let mean = |i: usize| widest[around(i)].iter().sum::<f64>() / around(i).len() as f64;
    (0..needs.len()).map(mean).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::anim::skeleton::tests::{LEGGED, skeleton_of};
    use glam::Quat;

    #[test]
    fn a_foot_arrives_turned_as_asked_and_one_that_is_there_keeps_its_bits() {
        let mut skeleton = skeleton_of(&LEGGED);
        skeleton.joints[3].rest.translation = glam::Vec3::new(0.0, -0.45, 0.05);
        skeleton.joints[4].rest.translation = glam::Vec3::new(0.0, -0.45, -0.05);
        let leg = Leg { thigh: 2, shin: 3, foot: 4, toe: None };
        let mut pose = Pose::rest(&skeleton);
        pose.locals[1].rotation = Quat::from_rotation_y(0.4);
        let before = pose.clone();
        let place = FootPlace::from_pose(&skeleton, &leg, &pose);
        assert_eq!(put_foot(&skeleton, &leg, &place, &mut pose), 0.0);
        assert_eq!(pose, before);
        let place = FootPlace { turn: DQuat::from_rotation_x(0.3), ..place.moved(DVec3::new(0.1, 0.2, 0.1)) };
        assert!(put_foot(&skeleton, &leg, &place, &mut pose) < 1e-9);
        let there = FootPlace::from_pose(&skeleton, &leg, &pose);
        assert!(there.ankle.abs_diff_eq(place.ankle, 1e-6) && there.turn.angle_between(place.turn) < 1e-3, "{there:?}");
        assert_eq!(pose.locals[5], before.locals[5]);
    }

    #[test]
    fn feet_apart_go_with_what_carries_their_legs_and_others_are_carried_anyway() {
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
            carry_feet_apart(&skeleton, &[leg(foot)], above, &shift, &mut pose);
            (pose.world_from_joint(&skeleton, foot), before)
        };
        let (after, before) = moved(4, 1);
        assert!(after.abs_diff_eq(shift * before, 1e-6), "{after:?}");
        // The root carries the foot itself, and a foot of the chain hangs on the shin.
        for (foot, above) in [(4, 0), (5, 1)] {
            let (after, before) = moved(foot, above);
            assert_eq!(after, before);
        }
    }
}
