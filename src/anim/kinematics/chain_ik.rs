//! Chain IK by damped least squares: small steps with the damped inverse of the Jacobian (Wampler 1986; Buss 2009).
//!
//! With J the change of the tip per small rotation of each joint about the world axes, a step solves for the
//! rotations t that move the tip by x:
//!
//! ```text
//! t = Jᵀ·(J·Jᵀ + λ²·I)⁻¹·x
//! J·Jᵀ = Σ(|r|²·I − r·rᵀ),  Jᵀ·y = r × y      for joints at offset r from the tip, where J is ω ↦ ω × r
//! ```
//!
//! Damping limits the gain to 1/(2λ) where a stretched limb makes J singular.

use glam::{DAffine3, DMat3, DQuat, DVec3};

use crate::{Pose, Skeleton};

/// Maximum distance of a step; the linear model does not hold beyond it. Tuned; no derivation recorded.
const MAX_STEP_M: f64 = 0.1;
/// Maximum rotation of a joint in a step. Tuned; no derivation recorded.
const MAX_TURN_RADIANS: f64 = 0.35;

/// Returns the rotation vectors (radians, world axes) of the joints that move `tip` by about `offset`, clamped to
/// [`MAX_STEP_M`]; none exceeds [`MAX_TURN_RADIANS`].
/// `joints` and `tip` are world positions in metres; `damping` (metres, > 0) is λ. Non-finite input gives zero rotations.
fn damped_step(joints: &[DVec3], tip: DVec3, offset: DVec3, damping: f64) -> Vec<DVec3> {
    let offset = offset.clamp_length_max(MAX_STEP_M);
    let mut square = DMat3::from_diagonal(DVec3::splat(damping * damping));
    for &joint in joints {
        let r = tip - joint;
        let outer = DMat3::from_cols(r * r.x, r * r.y, r * r.z);
        square += DMat3::from_diagonal(DVec3::splat(r.length_squared())) - outer;
    }
    let y = square.inverse() * offset;
    let turns: Vec<DVec3> = joints.iter().map(|&joint| (tip - joint).cross(y)).collect();
    let largest = turns.iter().map(|turn| turn.length()).fold(0.0, f64::max);
    if !y.is_finite() || !largest.is_finite() {
        return vec![DVec3::ZERO; joints.len()];
    }
    let factor = if largest > MAX_TURN_RADIANS { MAX_TURN_RADIANS / largest } else { 1.0 };
    turns.into_iter().map(|turn| turn * factor).collect()
}

/// A limb: its joints from the body outwards, and its tip.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Limb {
    /// The joints that rotate, the upper one first.
    pub joints: Vec<usize>,
    /// The joint that is moved to the target; its local transform stays.
    pub tip: usize,
}

/// Moves `limb` in `pose` one step towards `target` (world, the file's unit); returns the distance before the step,
/// metres.
///
/// Leaves the pose unchanged if
/// - the limb has no joints;
/// - the target, the unit or the position of a joint is not finite.
///
/// Panics if a joint or the tip of `limb` is not a joint of `skeleton` and `pose`.
pub fn step_limb_towards(
    skeleton: &Skeleton,
    pose: &mut Pose,
    limb: &Limb,
    target: DVec3,
    metres_per_unit: f64,
) -> f64 {
    // 5 cm keeps a nearly stretched limb below the maximum rotation and costs well bent limbs 1 %.
    const DAMPING_M: f64 = 0.05;
    let positions: Vec<DVec3> =
        limb.joints.iter().map(|&joint| pose.world_from_joint(skeleton, joint).translation * metres_per_unit).collect();
    let tip = pose.world_from_joint(skeleton, limb.tip).translation * metres_per_unit;
    let offset = target * metres_per_unit - tip;
    let turns = damped_step(&positions, tip, offset, DAMPING_M);
    // From the tip inwards, so that the parents of each joint are still as measured.
    for (&joint, &turn) in limb.joints.iter().zip(&turns).rev() {
        turn_in_world(skeleton, pose, joint, DQuat::from_scaled_axis(turn));
    }
    offset.length()
}

/// Rotates `joint` by `turn` (world) about its own position.
///
/// Leaves the pose unchanged if `turn` is zero or not finite. Panics if `joint` is not a joint of `skeleton` and `pose`.
pub fn turn_in_world(skeleton: &Skeleton, pose: &mut Pose, joint: usize, turn: DQuat) {
    let parent = skeleton.joints[joint].parent.map(|parent| pose.world_from_joint(skeleton, parent));
    let parent_rotation = parent.map_or(DQuat::IDENTITY, |parent| crate::root_motion::turn_of(&parent));
    let local = parent_rotation.inverse() * turn * parent_rotation * pose.locals[joint].rotation.as_dquat();
    if local.is_finite() && local.length_squared() > 0.0 {
        pose.locals[joint].rotation = local.normalize().as_quat();
    }
}

/// Moves `joint` to the world position `position` with the world rotation `turn`.
///
/// Leaves the pose unchanged if
/// - `turn` is zero, or `turn` or `position` is not finite;
/// - the parent is scaled to zero.
///
/// Panics if `joint` is not a joint of `skeleton` and `pose`.
pub fn put_in_world(skeleton: &Skeleton, pose: &mut Pose, joint: usize, position: DVec3, turn: DQuat) {
    let parent = skeleton.joints[joint].parent.map(|parent| pose.world_from_joint(skeleton, parent));
    let parent = parent.unwrap_or(DAffine3::IDENTITY);
    let translation = parent.inverse().transform_point3(position);
    let rotation = crate::root_motion::turn_of(&parent).inverse() * turn;
    if translation.is_finite() && rotation.is_finite() && rotation.length_squared() > 0.0 {
        pose.locals[joint].translation = translation.as_vec3();
        pose.locals[joint].rotation = rotation.normalize().as_quat();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::small_inputs::skeleton_of;
    use proptest::prelude::*;

    fn bent_limb() -> (Vec<DVec3>, DVec3) {
        (vec![DVec3::Y, DVec3::new(0.05, 0.55, 0.12), DVec3::new(0.02, 0.3, 0.3)], DVec3::new(0.0, 0.1, 0.05))
    }

    /// Returns the tip after joint `k` rotated by `turn`.
    fn tip_after(joints: &[DVec3], tip: DVec3, k: usize, turn: DVec3) -> DVec3 {
        joints[k] + DQuat::from_scaled_axis(turn) * (tip - joints[k])
    }

    /// Returns the change of `tip` per radian of rotation of joint `k` about each world axis, as columns, by central
    /// differences.
    fn measured(joints: &[DVec3], tip: DVec3, k: usize) -> DMat3 {
        let slope = |axis: DVec3| {
            let moved = |turn: f64| tip_after(joints, tip, k, axis * turn);
            (moved(1e-5) - moved(-1e-5)) / 2e-5
        };
        DMat3::from_cols(slope(DVec3::X), slope(DVec3::Y), slope(DVec3::Z))
    }

    proptest! {
        #[test]
        fn a_step_is_the_damped_inverse_of_the_jacobian_by_finite_differences(
            tip in (-1.0..1.0, -1.0..1.0, -1.0..1.0),
            offset in (-0.2..0.2, -0.2..0.2, -0.2..0.2),
            damping in 0.02..0.5,
        ) {
            let (joints, tip, offset) = (bent_limb().0, DVec3::from(tip), DVec3::from(offset));
            let columns: Vec<DMat3> = (0..joints.len()).map(|k| measured(&joints, tip, k)).collect();
            let square: DMat3 = columns.iter().map(|j| *j * j.transpose()).sum();
            let square = square + DMat3::from_diagonal(DVec3::splat(damping * damping));
            let y = square.inverse() * offset.clamp_length_max(MAX_STEP_M);
            let mut expected: Vec<DVec3> = columns.iter().map(|j| j.transpose() * y).collect();
            let largest = expected.iter().map(|turn| turn.length()).fold(0.0, f64::max);
            expected.iter_mut().for_each(|turn| *turn *= (MAX_TURN_RADIANS / largest).min(1.0));
            let turns = damped_step(&joints, tip, offset, damping);
            prop_assert!(turns.iter().zip(&expected).all(|(a, b)| a.abs_diff_eq(*b, 1e-6)), "{turns:?} {expected:?}");
            prop_assert!(turns.iter().all(|turn| turn.length() <= MAX_TURN_RADIANS + 1e-12));
        }

        #[test]
        fn the_gain_is_bounded_even_for_a_stretched_limb(bend in 0.0..0.1, x in -3.0..3.0, y in -3.0..3.0) {
            let joints = [DVec3::Y, DVec3::new(0.0, 0.5, bend)];
            let turns = damped_step(&joints, DVec3::ZERO, DVec3::new(x, y, 0.0), 0.05);
            prop_assert!(turns.iter().all(|turn| turn.is_finite() && turn.length() <= MAX_TURN_RADIANS + 1e-12));
            let total: f64 = turns.iter().map(|turn| turn.length_squared()).sum();
            prop_assert!(total.sqrt() <= MAX_STEP_M / (2.0 * 0.05) + 1e-9);
        }
    }

    #[test]
    fn a_nearly_straight_leg_rotates_little_although_undamped_it_would_spin() {
        let angle = 2_f64.to_radians();
        let joints = [DVec3::Y * 0.9, DVec3::new(0.0, 0.45, 0.45 * angle.sin())];
        let offset = DVec3::NEG_Y * 0.05;
        let undamped = damped_step(&joints, DVec3::ZERO, offset, 1e-6);
        assert!((undamped[1].length() - MAX_TURN_RADIANS).abs() < 1e-9 || undamped[0].length() > 0.3, "{undamped:?}");
        let damped = damped_step(&joints, DVec3::ZERO, offset, 0.05);
        assert!(damped.iter().all(|turn| turn.length() < 0.35), "{damped:?}");
        assert!(damped_step(&joints, DVec3::ZERO, DVec3::NAN, 0.05).iter().all(|turn| *turn == DVec3::ZERO));
    }

    #[test]
    fn steps_lead_a_limb_to_its_target_and_point_at_one_out_of_reach() {
        let skeleton = skeleton_of(&[("hips", None), ("thigh", Some(0)), ("shin", Some(1)), ("foot", Some(2))]);
        let limb = Limb { joints: vec![1, 2], tip: 3 };
        let mut pose = Pose::rest(&skeleton);
        pose.locals[2].rotation = glam::Quat::from_rotation_x(0.6);
        let target = DVec3::new(0.5, 3.0, 1.0);
        let distances: Vec<f64> =
            (0..60).map(|_| step_limb_towards(&skeleton, &mut pose, &limb, target, 1.0)).collect();
        assert!(distances[59] < 1e-3 && distances.windows(2).all(|pair| pair[1] <= pair[0] + 1e-6), "{distances:?}");
        let unreachable = DVec3::new(9.0, 2.0, 4.0);
        (0..200).for_each(|_| {
            step_limb_towards(&skeleton, &mut pose, &limb, unreachable, 1.0);
        });
        let tip = pose.world_from_joint(&skeleton, 3).translation;
        let hip = pose.world_from_joint(&skeleton, 1).translation;
        assert!((tip - hip).normalize().dot((unreachable - hip).normalize()) > 0.995);
        assert!(pose.locals.iter().all(|local| local.is_finite()));
    }

    fn leg() -> (Skeleton, Limb, Pose) {
        let skeleton = skeleton_of(&[("hips", None), ("thigh", Some(0)), ("shin", Some(1)), ("foot", Some(2))]);
        let mut pose = Pose::rest(&skeleton);
        pose.locals[2].rotation = glam::Quat::from_rotation_x(0.6);
        (skeleton, Limb { joints: vec![1, 2], tip: 3 }, pose)
    }

    #[test]
    fn a_limb_without_joints_or_with_broken_numbers_leaves_the_pose_unchanged() {
        let (skeleton, limb, rest) = leg();
        let target = DVec3::new(0.5, 3.0, 1.0);
        let mut torn = rest.clone();
        torn.locals[1].translation.x = f32::NAN;
        let no_joints = Limb { joints: Vec::new(), tip: 3 };
        let infinite = DVec3::new(0.0, f64::INFINITY, 0.0);
        let cases = [
            (&rest, &no_joints, target, 1.0),
            (&rest, &limb, DVec3::NAN, 1.0),
            (&rest, &limb, infinite, 1.0),
            (&rest, &limb, target, f64::NAN),
            (&rest, &limb, target, f64::INFINITY),
            (&torn, &limb, target, 1.0),
        ];
        for (i, (before, limb, target, metres_per_unit)) in cases.into_iter().enumerate() {
            let mut pose = before.clone();
            step_limb_towards(&skeleton, &mut pose, limb, target, metres_per_unit);
            let rotations = |pose: &Pose| pose.locals.iter().map(|local| local.rotation).collect::<Vec<_>>();
            assert_eq!(rotations(&pose), rotations(before), "{i}");
        }
    }

    #[test]
    fn a_joint_keeps_its_place_if_the_wanted_one_is_no_number_or_its_parent_has_no_size() {
        let (mut skeleton, _, rest) = leg();
        let [zero, nan] = [DQuat::from_xyzw(0.0, 0.0, 0.0, 0.0), DQuat::from_xyzw(f64::NAN, 0.0, 0.0, 1.0)];
        let mut pose = rest.clone();
        for turn in [zero, nan] {
            turn_in_world(&skeleton, &mut pose, 2, turn);
            put_in_world(&skeleton, &mut pose, 2, DVec3::ONE, turn);
        }
        put_in_world(&skeleton, &mut pose, 2, DVec3::NAN, DQuat::IDENTITY);
        assert_eq!(pose, rest);
        skeleton.joints[1].rest.scale = glam::Vec3::ZERO;
        pose.locals[1].scale = glam::Vec3::ZERO;
        let flat = pose.clone();
        put_in_world(&skeleton, &mut pose, 2, DVec3::ONE, DQuat::IDENTITY);
        assert_eq!(pose, flat);
        let moved = DVec3::new(0.2, 2.5, 0.1);
        let mut pose = rest;
        put_in_world(&skeleton, &mut pose, 2, moved, DQuat::from_rotation_x(0.3));
        assert!(pose.world_from_joint(&skeleton, 2).translation.abs_diff_eq(moved, 1e-6));
    }

    #[test]
    #[should_panic(expected = "index out of bounds")]
    fn a_joint_that_the_skeleton_does_not_have_panics() {
        let (skeleton, _, mut pose) = leg();
        turn_in_world(&skeleton, &mut pose, 4, DQuat::IDENTITY);
    }

    #[test]
    #[should_panic(expected = "index out of bounds")]
    fn a_tip_that_the_skeleton_does_not_have_panics() {
        let (skeleton, limb, mut pose) = leg();
        step_limb_towards(&skeleton, &mut pose, &Limb { tip: 4, ..limb }, DVec3::ZERO, 1.0);
    }
}
