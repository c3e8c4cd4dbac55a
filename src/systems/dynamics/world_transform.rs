//! Joint transforms in world space, in metres and `f64`, and rotations between directions.
//!
//! Files store `f32`; chains of many joints, with a step of 1/240 s, need the digits of `f64` to keep lengths and contact exact.

use std::ops::Mul;

use glam::{Affine3A, DMat3, DQuat, DVec3};

use crate::math::Transform;

/// World transform of a joint.
///
/// Scale that differs by axis shears what rotates below it, so the linear part is a matrix; the product of the rotations is kept
/// beside it, which stays unit over long chains.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WorldTransform {
    /// Product of all rotations from the root, a unit quaternion.
    pub rotation: DQuat,
    /// Metres, world space.
    pub position: DVec3,
    /// Metres in world space from local units.
    pub linear: DMat3,
    /// Whether `linear` keeps angles: `rotation` times one factor.
    pub keeps_angles: bool,
}

/// Factors of a scale that differ by less than this share are one factor: the last digit of the `f32` in files.
pub(super) const SAME_SCALE: f64 = 2.4e-7;

impl WorldTransform {
    /// The world, in which one unit is `metres_per_unit` metres.
    #[inline]
    pub(crate) fn world(metres_per_unit: f64) -> Self {
        Self {
            rotation: DQuat::IDENTITY,
            position: DVec3::ZERO,
            linear: DMat3::from_diagonal(DVec3::splat(metres_per_unit)),
            keeps_angles: true,
        }
    }

    /// A joint at `world`, in units of which one is `metres_per_unit` metres.
    pub(crate) fn from_affine(world: &Affine3A, metres_per_unit: f64) -> Self {
        let (scale, rotation, position) = world.to_scale_rotation_translation();
        Self {
            rotation: rotation.as_dquat().normalize(),
            position: position.as_dvec3() * metres_per_unit,
            linear: DMat3::from_cols_array(&world.matrix3.to_cols_array().map(f64::from)) * metres_per_unit,
            keeps_angles: is_even(scale.as_dvec3()),
        }
    }

    /// World transform of a child with this local transform.
    pub(crate) fn child(&self, local: &Transform) -> Self {
        self.carrying(&LocalJoint::new(local))
    }

    /// World transform of the child `local`.
    #[inline]
    pub(super) fn carrying(&self, local: &LocalJoint) -> Self {
        Self {
            rotation: self.rotation * local.rotation,
            position: self.position + self.transform_vector(local.translation),
            linear: self.linear * local.linear,
            keeps_angles: self.keeps_angles && local.is_even,
        }
    }

    /// A vector in local units as metres in world space.
    #[inline]
    pub(crate) fn transform_vector(&self, local: DVec3) -> DVec3 {
        self.linear * local
    }

    /// The rigid motion that takes `self` to `to`; scale is left out.
    #[inline]
    pub(super) fn rigid_to(&self, to: &Self) -> RigidMotion {
        let rotation = to.rotation * self.rotation.conjugate();
        RigidMotion { rotation, translation: to.position - rotation * self.position }
    }
}

/// A joint relative to its parent, ready to be put on it wherever that is.
#[derive(Clone, Copy, Debug)]
pub(super) struct LocalJoint {
    /// Of length 1.
    pub rotation: DQuat,
    /// Units of the parent.
    translation: DVec3,
    /// Factors along the joint's own axes.
    pub scale: DVec3,
    /// Rotation after scale.
    linear: DMat3,
    /// Whether the factors are one.
    is_even: bool,
}

impl LocalJoint {
    /// The joint that has `local`.
    #[inline]
    pub fn new(local: &Transform) -> Self {
        let rotation = normalized_or_identity(local.rotation.as_dquat());
        let scale = local.scale.as_dvec3();
        let turn = DMat3::from_quat(rotation);
        let linear = DMat3::from_cols(turn.x_axis * scale.x, turn.y_axis * scale.y, turn.z_axis * scale.z);
        Self { rotation, translation: local.translation.as_dvec3(), scale, linear, is_even: is_even(scale) }
    }
}

#[inline]
fn is_even(scale: DVec3) -> bool {
    scale.max_element() - scale.min_element() <= SAME_SCALE * scale.abs().max_element()
}

/// A rotation about the world's origin, then a translation in metres.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct RigidMotion {
    /// Rotation about the world's origin, a unit quaternion.
    pub rotation: DQuat,
    /// Offset added after the rotation, metres.
    pub translation: DVec3,
}

impl RigidMotion {
    /// Where the motion takes a point.
    pub(super) fn apply(&self, point: DVec3) -> DVec3 {
        self.rotation * point + self.translation
    }

    /// Where the motion takes a joint.
    pub(super) fn apply_to_joint(&self, joint: &WorldTransform) -> WorldTransform {
        WorldTransform {
            rotation: self.rotation * joint.rotation,
            position: self.apply(joint.position),
            linear: DMat3::from_quat(self.rotation) * joint.linear,
            ..*joint
        }
    }

    /// The point that the motion takes to `point`.
    #[inline]
    pub(super) fn undo(&self, point: DVec3) -> DVec3 {
        self.rotation.conjugate() * (point - self.translation)
    }
}

/// Quaternions shorter than this are no rotations.
pub(super) const SHORTEST_ROTATION: f64 = 1e-12;

/// `q` at length 1; the identity where it is zero or not finite.
#[inline]
pub(super) fn normalized_or_identity(q: DQuat) -> DQuat {
    let length = q.length();
    if length > SHORTEST_ROTATION && length.is_finite() { q * length.recip() } else { DQuat::IDENTITY }
}

/// What is of length 1 but for rounding, at length 1: a step of Newton's method, which waits for no root and no division.
#[inline]
pub(super) fn polished<V: Copy + Mul<f64, Output = V>>(unit: V, squared: f64) -> V {
    unit * (1.5 - 0.5 * squared)
}

/// Unit vectors with this scalar product are opposite but for rounding.
pub(super) const OPPOSITE: f64 = -1.0 + 1e-12;

/// The rotation without twist that takes unit vector `from` to unit vector `to`; `axis` decides where they are opposite.
#[inline]
pub(super) fn shortest_arc(from: DVec3, to: DVec3, axis: DVec3) -> DQuat {
    let dot = from.dot(to);
    if dot > OPPOSITE {
        // |from + to| is the well-conditioned way to the half angle, also for tiny turns.
        let half = (from + to).normalize();
        let cross = from.cross(half);
        return DQuat::from_xyzw(cross.x, cross.y, cross.z, from.dot(half));
    }
    let flat = axis - from * axis.dot(from);
    let axis = flat.try_normalize().unwrap_or_else(|| from.any_orthonormal_vector());
    DQuat::from_xyzw(axis.x, axis.y, axis.z, 0.0)
}

/// Squared sine up to which the series of [`slerp_direction`] have all digits: a turn of 11.5°.
pub(super) const SMALL: f64 = 0.04;

/// The direction part-way from unit vector `from` (`fraction` 0) to `to` (1), along the great circle.
#[inline]
pub(super) fn slerp_direction(from: DVec3, to: DVec3, fraction: f64) -> DVec3 {
    let dot = from.dot(to);
    let flat = to - from * dot;
    let square = flat.length_squared();
    // Nearly every step: what is shown is close to what is simulated.
    if square < SMALL && dot > 0.0 {
        let ratio = series(&ARC_SINE, square);
        let turned = square * (ratio * fraction) * (ratio * fraction);
        let along = series(&SINE, turned) * ratio * fraction;
        let direction = from * series(&COSINE, turned) + flat * along;
        return polished(direction, direction.length_squared());
    }
    // The arc tangent keeps its digits where an arc cosine of nearly 1 loses half of them.
    let angle = from.cross(to).length().atan2(dot);
    let opposite = || if angle > 1.0 { from.any_orthonormal_vector() } else { DVec3::ZERO };
    let side = flat.try_normalize().unwrap_or_else(opposite);
    let (sin, cos) = (angle * fraction).sin_cos();
    (from * cos + side * sin).normalize_or(to)
}

/// asin(x)/x by x².
pub(super) const ARC_SINE: [f64; 10] = [
    1.0,
    1.0 / 6.0,
    3.0 / 40.0,
    5.0 / 112.0,
    35.0 / 1152.0,
    63.0 / 2816.0,
    231.0 / 13_312.0,
    143.0 / 10_240.0,
    6435.0 / 557_056.0,
    12_155.0 / 1_245_184.0,
];
/// sin(x)/x by x².
pub(super) const SINE: [f64; 6] = [1.0, -1.0 / 6.0, 1.0 / 120.0, -1.0 / 5040.0, 1.0 / 362_880.0, -1.0 / 39_916_800.0];
/// cos x by x².
pub(super) const COSINE: [f64; 7] =
    [1.0, -0.5, 1.0 / 24.0, -1.0 / 720.0, 1.0 / 40_320.0, -1.0 / 3_628_800.0, 1.0 / 479_001_600.0];

/// Σ coefficient·xⁱ, the constant first.
#[inline]
fn series<const TERMS: usize>(coefficients: &[f64; TERMS], x: f64) -> f64 {
    coefficients.iter().rev().fold(0.0, |sum, coefficient| sum * x + coefficient)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shortest_arc_has_no_twist_and_reaches_its_goal() {
        let from = DVec3::new(0.6, 0.8, 0.0);
        for to in [DVec3::new(0.0, 0.6, 0.8), from, (from + DVec3::Z * 1e-9).normalize(), -from, DVec3::NEG_Y] {
            let q = shortest_arc(from, to, DVec3::Z);
            assert!((q * from).abs_diff_eq(to, 1e-12), "{to}");
            assert!(q.xyz().dot(from).abs() < 1e-12);
        }
    }

    #[test]
    fn half_a_turn_goes_about_the_axis_as_far_as_it_is_across() {
        let from = DVec3::new(0.6, 0.8, 0.0);
        let across = DVec3::new(0.8, -0.6, 2.0).normalize();
        let turned = shortest_arc(from, -from, 3.0 * across + 5.0 * from);
        assert!((turned * from).abs_diff_eq(-from, 1e-12) && turned.xyz().abs_diff_eq(across, 1e-12), "{turned}");
    }

    #[test]
    fn small_turns_by_series_are_those_by_angles() {
        let from = DVec3::new(0.6, 0.0, 0.8);
        for i in 0..400 {
            let angle = 0.0006 * f64::from(i);
            let to = from * angle.cos() + DVec3::Y * angle.sin();
            for fraction in [0.0, 0.1, 0.5, 0.93, 1.0] {
                let wanted = from * (angle * fraction).cos() + DVec3::Y * (angle * fraction).sin();
                assert!(slerp_direction(from, to, fraction).distance(wanted) < 1e-15, "{angle} {fraction}");
            }
        }
    }

    #[test]
    fn the_buffer_goes_63_percent_of_the_way_in_one_time_constant_whatever_the_step() {
        let (from, to, tau) = (DVec3::X, DVec3::Y, 0.1);
        for steps in [3, 24, 100] {
            let alpha = 1.0 - (-(tau / f64::from(steps)) / tau).exp();
            let end = (0..steps).fold(from, |u, _| slerp_direction(u, to, alpha));
            let share = 1.0 - end.angle_between(to) / from.angle_between(to);
            assert!((share - 0.632_120_558).abs() < 1e-6, "{share}");
        }
    }
}
