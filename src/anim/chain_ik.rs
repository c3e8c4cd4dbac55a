//! Chains of joints led to a target in small steps by the damped inverse of their Jacobian (Wampler 1986; Buss 2009).
//!
//! With J the change of the tip per small turn of each joint about the world's axes, a step solves
//! t = Jᵀ·(J·Jᵀ + λ²·I)⁻¹·x for the turns t that move the tip by x. For a joint at distance r from the tip J is ω ↦ ω × r, so
//! J·Jᵀ = Σ(|r|²·I − r·rᵀ) and Jᵀ·y = r × y. Damping bounds the gain by 1/(2λ) where a stretched limb makes J singular.

use glam::{DAffine3, DMat3, DQuat, DVec3};

use super::{Pose, Skeleton};

/// Farthest a tip is asked to move in one step, metres: beyond it the linear model no longer holds.
const LONGEST_STEP: f64 = 0.1;
/// Farthest a joint turns in one step, radians.
const LARGEST_TURN: f64 = 0.35;

/// Turns (rotation vectors, radians, world axes) of the joints that move `tip` by about `wanted`, which is shortened to
/// [`LONGEST_STEP`]; none exceeds [`LARGEST_TURN`]. `damping` (metres, > 0) is λ. Not finite input gives no turns.
fn damped_step(joints: &[DVec3], tip: DVec3, wanted: DVec3, damping: f64) -> Vec<DVec3> {
    let wanted = wanted.clamp_length_max(LONGEST_STEP);
    let mut square = DMat3::from_diagonal(DVec3::splat(damping * damping));
    for &joint in joints {
        let r = tip - joint;
        let outer = DMat3::from_cols(r * r.x, r * r.y, r * r.z);
        square += DMat3::from_diagonal(DVec3::splat(r.length_squared())) - outer;
    }
    let y = square.inverse() * wanted;
    let turns: Vec<DVec3> = joints.iter().map(|&joint| (tip - joint).cross(y)).collect();
    let largest = turns.iter().map(|turn| turn.length()).fold(0.0, f64::max);
    if !y.is_finite() || !largest.is_finite() {
        return vec![DVec3::ZERO; joints.len()];
    }
    let factor = if largest > LARGEST_TURN { LARGEST_TURN / largest } else { 1.0 };
    turns.into_iter().map(|turn| turn * factor).collect()
}

/// A limb: joints from the body outwards, and the joint that is to be led.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Limb {
    /// Joints that turn, the upper one first.
    pub joints: Vec<usize>,
    /// The joint that is led; it keeps its own place relative to its parent.
    pub tip: usize,
}

/// One step of `limb` in `pose` towards `target` (world, the file's unit); answers the metres that were left before the step.
pub fn lead(skeleton: &Skeleton, pose: &mut Pose, limb: &Limb, target: DVec3, metres_per_unit: f64) -> f64 {
    // 5 % of a metre keeps a nearly stretched limb below the largest turn and costs well bent limbs a hundredth.
    const DAMPING: f64 = 0.05;
    let places: Vec<DVec3> =
        limb.joints.iter().map(|&joint| pose.world_from_joint(skeleton, joint).translation * metres_per_unit).collect();
    let tip = pose.world_from_joint(skeleton, limb.tip).translation * metres_per_unit;
    let wanted = target * metres_per_unit - tip;
    let turns = damped_step(&places, tip, wanted, DAMPING);
    // From the tip inwards, so that the parents each turn is seen from are still where they were measured.
    for (&joint, &turn) in limb.joints.iter().zip(&turns).rev() {
        turn_in_world(skeleton, pose, joint, DQuat::from_scaled_axis(turn));
    }
    wanted.length()
}

/// Turns `joint` by `turn` (world) about its own place.
pub fn turn_in_world(skeleton: &Skeleton, pose: &mut Pose, joint: usize, turn: DQuat) {
    let parent = skeleton.joints[joint].parent.map(|parent| pose.world_from_joint(skeleton, parent));
    let above = parent.map_or(DQuat::IDENTITY, |parent| super::root_motion::turn_of(&parent));
    let local = above.inverse() * turn * above * pose.locals[joint].rotation.as_dquat();
    if local.is_finite() && local.length_squared() > 0.0 {
        pose.locals[joint].rotation = local.normalize().as_quat();
    }
}

/// Puts `joint` at a place in the world, turned by `turn` there.
pub fn put_in_world(skeleton: &Skeleton, pose: &mut Pose, joint: usize, place: DVec3, turn: DQuat) {
    let parent = skeleton.joints[joint].parent.map(|parent| pose.world_from_joint(skeleton, parent));
    let parent = parent.unwrap_or(DAffine3::IDENTITY);
    let translation = parent.inverse().transform_point3(place);
    let rotation = super::root_motion::turn_of(&parent).inverse() * turn;
    if translation.is_finite() && rotation.is_finite() && rotation.length_squared() > 0.0 {
        pose.locals[joint].translation = translation.as_vec3();
        pose.locals[joint].rotation = rotation.normalize().as_quat();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::anim::skeleton::tests::skeleton_of;
    use proptest::prelude::*;

    fn bent() -> (Vec<DVec3>, DVec3) {
        (vec![DVec3::Y, DVec3::new(0.05, 0.55, 0.12), DVec3::new(0.02, 0.3, 0.3)], DVec3::new(0.0, 0.1, 0.05))
    }

    /// The tip after joint `k` turned by `turn`.
    fn tip_after(joints: &[DVec3], tip: DVec3, k: usize, turn: DVec3) -> DVec3 {
        joints[k] + DQuat::from_scaled_axis(turn) * (tip - joints[k])
    }

    /// The change of `tip` per radian that joint `k` turns about each world axis, as columns, by central differences.
    fn measured(joints: &[DVec3], tip: DVec3, k: usize) -> DMat3 {
        let slope = |axis: DVec3| {
            let moved = |turn: f64| tip_after(joints, tip, k, axis * turn);
            (moved(1e-5) - moved(-1e-5)) / 2e-5
        };
        DMat3::from_cols(slope(DVec3::X), slope(DVec3::Y), slope(DVec3::Z))
    }

    proptest! {
        #[test]
        fn a_step_is_the_damped_inverse_of_what_finite_differences_measure(
            tip in (-1.0..1.0, -1.0..1.0, -1.0..1.0),
            wanted in (-0.2..0.2, -0.2..0.2, -0.2..0.2),
            damping in 0.02..0.5,
        ) {
            let (joints, tip, wanted) = (bent().0, DVec3::from(tip), DVec3::from(wanted));
            let columns: Vec<DMat3> = (0..joints.len()).map(|k| measured(&joints, tip, k)).collect();
            let square: DMat3 = columns.iter().map(|j| *j * j.transpose()).sum();
            let square = square + DMat3::from_diagonal(DVec3::splat(damping * damping));
            let y = square.inverse() * wanted.clamp_length_max(LONGEST_STEP);
            let mut expected: Vec<DVec3> = columns.iter().map(|j| j.transpose() * y).collect();
            let largest = expected.iter().map(|turn| turn.length()).fold(0.0, f64::max);
            expected.iter_mut().for_each(|turn| *turn *= (LARGEST_TURN / largest).min(1.0));
            let turns = damped_step(&joints, tip, wanted, damping);
            prop_assert!(turns.iter().zip(&expected).all(|(a, b)| a.abs_diff_eq(*b, 1e-6)), "{turns:?} {expected:?}");
            prop_assert!(turns.iter().all(|turn| turn.length() <= LARGEST_TURN + 1e-12));
        }

        #[test]
        fn the_gain_is_bounded_even_where_the_limb_is_stretched(bend in 0.0..0.1, x in -3.0..3.0, y in -3.0..3.0) {
            let joints = [DVec3::Y, DVec3::new(0.0, 0.5, bend)];
            let turns = damped_step(&joints, DVec3::ZERO, DVec3::new(x, y, 0.0), 0.05);
            prop_assert!(turns.iter().all(|turn| turn.is_finite() && turn.length() <= LARGEST_TURN + 1e-12));
            let whole: f64 = turns.iter().map(|turn| turn.length_squared()).sum();
            prop_assert!(whole.sqrt() <= LONGEST_STEP / (2.0 * 0.05) + 1e-9);
        }
    }

    #[test]
    fn a_nearly_straight_leg_turns_little_where_the_undamped_one_would_spin() {
        let angle = 2_f64.to_radians();
        let joints = [DVec3::Y * 0.9, DVec3::new(0.0, 0.45, 0.45 * angle.sin())];
        let wanted = DVec3::NEG_Y * 0.05;
        let undamped = damped_step(&joints, DVec3::ZERO, wanted, 1e-6);
        assert!((undamped[1].length() - LARGEST_TURN).abs() < 1e-9 || undamped[0].length() > 0.3, "{undamped:?}");
        let damped = damped_step(&joints, DVec3::ZERO, wanted, 0.05);
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
        let left: Vec<f64> = (0..60).map(|_| lead(&skeleton, &mut pose, &limb, target, 1.0)).collect();
        assert!(left[59] < 1e-3 && left.windows(2).all(|pair| pair[1] <= pair[0] + 1e-6), "{left:?}");
        let far = DVec3::new(9.0, 2.0, 4.0);
        (0..200).for_each(|_| {
            lead(&skeleton, &mut pose, &limb, far, 1.0);
        });
        let tip = pose.world_from_joint(&skeleton, 3).translation;
        let hip = pose.world_from_joint(&skeleton, 1).translation;
        assert!((tip - hip).normalize().dot((far - hip).normalize()) > 0.995);
        assert!(pose.locals.iter().all(|local| local.is_finite()));
    }
}
