//! The correction of a leg as a change of its joints' rotations.
//!
//! Between two stances the correction of a swinging leg is interpolated as a rotation and a length, not as a displacement of its
//! foot: the displacement that rotates a straight leg by 10° rotates a folded one by 30°, so that a joint would turn much faster
//! than in the source.
//!
//! ```text
//! turn    rotation from the direction of hip to ankle to that of hip to goal
//! reach   =  |goal − hip| − |ankle − hip|
//! κ(d)    =  acos((a² + b² − d²) / 2ab)      interior angle of the knee with thigh a, shin b and d from hip to ankle
//! ```

use glam::{DQuat, DVec3};

use portamento_anim::chain_ik::turn_in_world;
use portamento_anim::foot_place::{FootTransform, leg_positions, move_foot_to};
use portamento_anim::ik::{LegPositions, hinge};
use portamento_anim::root_motion::turn_of;
use portamento_anim::{Leg, Pose, Skeleton};

/// The correction of a leg in one pose.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct LegBend {
    /// Rotation of the leg about the hip, a world rotation vector in radians.
    pub turn: DVec3,
    /// Change of the distance between hip and ankle, in the unit of the rig.
    pub reach: f64,
    /// Additional decrease of the interior angle of the knee, radians.
    pub knee: f64,
}

impl LegBend {
    /// Returns the correction of `leg` that moves its ankle by `shift`, as far as its length allows.
    pub fn from_shift(leg: &LegPositions, shift: DVec3) -> Self {
        let [own, moved] = [leg.ankle, leg.ankle + shift].map(|ankle| ankle - leg.hip);
        let turn = own.try_normalize().zip(moved.try_normalize());
        let turn = turn.map_or(DQuat::IDENTITY, |(own, moved)| DQuat::from_rotation_arc(own, moved));
        Self { turn: turn.to_scaled_axis(), reach: moved.length() - own.length(), knee: 0.0 }
    }

    /// Returns the displacement of the ankle of `leg` by this correction. The knee folds no further than
    /// [`LegPositions::folded`] or than it is.
    pub fn shift(&self, leg: &LegPositions) -> DVec3 {
        let own = leg.ankle - leg.hip;
        let length = own.length();
        let Some(direction) = own.try_normalize() else { return DVec3::ZERO };
        let nearest = leg.folded().min(length);
        let reached = (length + self.reach).max(nearest).min(leg.length());
        let angle = (knee_angle(leg, reached) - self.knee).max(0.0);
        let distance = if self.knee == 0.0 { reached } else { ankle_distance(leg, angle).max(nearest) };
        DQuat::from_scaled_axis(self.turn) * direction * distance - own
    }
}

/// Returns the additional bend of the knee that raises the ankle of `leg` by `height` when it is moved by `bend`, radians. The leg
/// keeps its direction, so that a nearly horizontal one is raised by less.
pub(super) fn knee_bend_for_lift(leg: &LegPositions, bend: &LegBend, height: f64) -> f64 {
    /// Smallest share of a shortening of the leg that raises the ankle: a leg at 60° to the vertical.
    const MIN_RISE_SHARE: f64 = 0.5;
    let moved = leg.ankle + bend.shift(leg) - leg.hip;
    let length = moved.length();
    let rise_share = (-moved.y / length).max(MIN_RISE_SHARE);
    let nearest = leg.folded().min(length);
    (knee_angle(leg, length) - knee_angle(leg, (length - height / rise_share).max(nearest))).max(0.0)
}

/// Returns the angle by which the knee of `leg` is bent, radians; 0 if it is straight.
pub(super) fn own_knee_bend(leg: &LegPositions) -> f64 {
    std::f64::consts::PI - knee_angle(leg, leg.hip.distance(leg.ankle))
}

/// Moves the foot of `leg` in `pose` to `goal` with the knee bent by `knee` (radians) more. Returns the remaining distance, world
/// units. The shin turns the shortest way from where it was: bends about two axes would twist it.
pub(super) fn bend_leg(skeleton: &Skeleton, leg: &Leg, knee: f64, goal: &FootTransform, pose: &mut Pose) -> f64 {
    if knee <= 0.0 {
        return move_foot_to(skeleton, leg, goal, pose);
    }
    let shin = |pose: &Pose| {
        let at = leg_positions(skeleton, leg, pose);
        ((at.ankle - at.knee).normalize_or_zero(), turn_of(&pose.world_from_joint(skeleton, leg.shin)))
    };
    let (from, before) = shin(pose);
    bend_knee(skeleton, leg, knee, pose);
    let gap = move_foot_to(skeleton, leg, goal, pose);
    let (to, after) = shin(pose);
    turn_in_world(skeleton, pose, leg.shin, DQuat::from_rotation_arc(from, to) * before * after.inverse());
    let foot = turn_of(&pose.world_from_joint(skeleton, leg.foot));
    turn_in_world(skeleton, pose, leg.foot, goal.turn * foot.inverse());
    gap
}

/// Bends the knee of `leg` in `pose` by `angle` (radians) more: about its own hinge if the leg hangs nearly straight, whose side noise
/// may decide. A bent leg and one that lies keep their side.
///
/// ```text
/// bend  =  own·side + angle·lerp(side, hinge, share)      rotation vectors
/// ```
fn bend_knee(skeleton: &Skeleton, leg: &Leg, angle: f64, pose: &mut Pose) {
    let at = leg_positions(skeleton, leg, pose);
    let own = own_knee_bend(&at);
    let hangs = ((at.hip - at.ankle).normalize_or_zero().y - 0.5) / 0.2;
    let is_straight = (0.7 - own) / 0.3;
    let share = hangs.clamp(0.0, 1.0) * is_straight.clamp(0.0, 1.0);
    let hinge = hinge(skeleton, leg, &pose.world_from_joint(skeleton, leg.thigh));
    let side = (at.knee - at.hip).cross(at.ankle - at.knee).normalize_or(hinge);
    // The sum turns continuously from the source's side to the hinge as the knee bends.
    let axis = (side * own + side.lerp(hinge, share) * angle).normalize_or(hinge);
    let turn = DQuat::from_axis_angle(axis, own + angle) * DQuat::from_axis_angle(side, -own);
    turn_in_world(skeleton, pose, leg.shin, turn);
}

/// Returns the interior angle of the knee of `leg` at which hip and ankle are `distance` apart, radians; π beyond its length.
fn knee_angle(leg: &LegPositions, distance: f64) -> f64 {
    let [thigh, shin] = lengths(leg);
    let cosine = (thigh * thigh + shin * shin - distance * distance) / (2.0 * thigh * shin);
    if cosine.is_finite() { cosine.clamp(-1.0, 1.0).acos() } else { std::f64::consts::PI }
}

/// Returns the distance between hip and ankle with the interior angle `angle` of the knee, radians.
fn ankle_distance(leg: &LegPositions, angle: f64) -> f64 {
    let [thigh, shin] = lengths(leg);
    (thigh * thigh + shin * shin - 2.0 * thigh * shin * angle.cos()).max(0.0).sqrt()
}

fn lengths(leg: &LegPositions) -> [f64; 2] {
    [leg.hip.distance(leg.knee), leg.knee.distance(leg.ankle)]
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::{Quat, Vec3};
    use portamento_test_support::skeleton_of;

    fn leg(knee: DVec3, ankle: DVec3) -> LegPositions {
        LegPositions { hip: DVec3::Y, knee, ankle }
    }

    #[test]
    fn a_correction_moves_the_ankle_by_the_shift_it_was_made_from() {
        let bent = leg(DVec3::new(0.0, 0.5, 0.2), DVec3::new(0.0, 0.1, -0.05));
        for shift in [DVec3::ZERO, DVec3::new(0.05, 0.02, -0.1), DVec3::new(0.0, 0.3, 0.1)] {
            let moved = LegBend::from_shift(&bent, shift).shift(&bent);
            assert!(moved.distance(shift) < 1e-9, "{shift} {moved}");
        }
        // A goal beyond the leg is approached with a straight knee.
        let down = LegBend::from_shift(&bent, DVec3::new(0.0, -1.0, 0.0));
        let reached = bent.ankle + down.shift(&bent) - bent.hip;
        assert!((reached.length() - bent.length()).abs() < 1e-6);
        assert_eq!(LegBend::default().shift(&bent), DVec3::ZERO);
    }

    #[test]
    fn equal_corrections_turn_a_straight_and_a_folded_leg_alike() {
        let straight = leg(DVec3::new(0.0, 0.5, 0.01), DVec3::new(0.0, 0.02, 0.0));
        let folded = leg(DVec3::new(0.0, 0.55, 0.2), DVec3::new(0.0, 0.6, -0.25));
        let bend = LegBend { turn: DVec3::X * 0.2, ..LegBend::default() };
        for leg in [straight, folded] {
            let [own, moved] = [leg.ankle, leg.ankle + bend.shift(&leg)].map(|ankle| ankle - leg.hip);
            assert!((own.angle_between(moved) - 0.2).abs() < 1e-6 && (own.length() - moved.length()).abs() < 1e-9);
        }
    }

    #[test]
    fn a_knee_bends_as_far_as_a_lift_needs_and_folds_no_further_than_it_can() {
        let leg = leg(DVec3::new(0.0, 0.5, 0.1), DVec3::ZERO);
        let raised = |height: f64| {
            let knee = knee_bend_for_lift(&leg, &LegBend::default(), height);
            LegBend { knee, ..LegBend::default() }.shift(&leg).y
        };
        assert!((raised(0.1) - 0.1).abs() < 1e-9 && raised(0.0).abs() < 1e-9);
        let highest = (leg.ankle - leg.hip).length() - leg.folded();
        assert!((raised(0.9) - highest).abs() < 1e-6, "{} {highest}", raised(0.9));
    }

    #[test]
    fn a_knee_that_bends_more_turns_from_its_side_to_its_hinge_without_a_jump_or_twist() {
        let rows = [("hips", None), ("thigh", Some(0)), ("shin", Some(1)), ("foot", Some(2))];
        let mut skeleton = skeleton_of(&rows);
        for (joint, height) in skeleton.joints.iter_mut().zip([2.0, 0.0, -1.0, -1.0]) {
            joint.rest.translation = Vec3::Y * height;
        }
        let leg = Leg { thigh: 1, shin: 2, foot: 3, toe: None };
        // The shin leans sideways by 17°; the hinge bends it backwards.
        let mut start = Pose::rest(&skeleton);
        start.locals[2].rotation = Quat::from_rotation_z(0.3);
        let shin = |pose: &Pose| turn_of(&pose.world_from_joint(&skeleton, 2));
        let positions = leg_positions(&skeleton, &leg, &start);
        let mut before = shin(&start);
        for step in 1..=80 {
            let knee = f64::from(step) * 0.02;
            let shift = LegBend { knee, ..LegBend::default() }.shift(&positions);
            let goal = FootTransform::from_pose(&skeleton, &leg, &start).moved(shift);
            let mut pose = start.clone();
            let gap = bend_leg(&skeleton, &leg, knee, &goal, &mut pose);
            assert!(gap < 1e-6, "{knee}: {gap}");
            let now = shin(&pose);
            assert!(now.angle_between(before) < 0.04, "{knee}: {}", now.angle_between(before));
            before = now;
            let along = leg_positions(&skeleton, &leg, &pose);
            let turn = now * shin(&start).inverse();
            let twist = 2.0 * DVec3::new(turn.x, turn.y, turn.z).dot((along.ankle - along.knee).normalize());
            assert!(twist.abs() < 1e-3, "{knee}: {twist}");
            assert!(FootTransform::from_pose(&skeleton, &leg, &pose).turn.angle_between(goal.turn) < 1e-3);
        }
        let side = (before * DVec3::NEG_Y).z;
        assert!(side < -0.5, "{side}");
    }
}
