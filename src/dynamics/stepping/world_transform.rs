//! Joint transforms in world space, in metres and `f64`, and rotations between directions.
//!
//! Files store `f32`; chains of many joints, with a step of 1/240 s, need the digits of `f64` to keep lengths and contact exact.

use std::ops::Mul;

use glam::{Affine3A, DMat3, DQuat, DVec3};

use portamento_anim::math::Transform;

/// World transform of a joint.
///
/// Scale that differs by axis shears child rotations, so the linear part is a matrix. The product of the rotations is
/// stored separately and stays normalised over long chains.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WorldTransform {
    /// Product of all rotations from the root, a unit quaternion.
    pub rotation: DQuat,
    /// Metres, world space.
    pub position: DVec3,
    /// Linear map from local units to world metres.
    pub linear: DMat3,
    /// True if `linear` preserves angles: it is `rotation` times one factor.
    pub keeps_angles: bool,
}

/// Relative difference below which the factors of a scale are equal: the last digit of the `f32` in files.
pub(crate) const SAME_SCALE: f64 = 2.4e-7;

impl WorldTransform {
    /// Returns the transform of the world, in which one unit is `metres_per_unit` metres.
    #[inline]
    pub fn world(metres_per_unit: f64) -> Self {
        Self {
            rotation: DQuat::IDENTITY,
            position: DVec3::ZERO,
            linear: DMat3::from_diagonal(DVec3::splat(metres_per_unit)),
            keeps_angles: true,
        }
    }

    /// Converts the world transform of a joint, in units of `metres_per_unit` metres.
    pub fn from_affine(world: &Affine3A, metres_per_unit: f64) -> Self {
        let (scale, rotation, position) = world.to_scale_rotation_translation();
        Self {
            rotation: rotation.as_dquat().normalize(),
            position: position.as_dvec3() * metres_per_unit,
            linear: DMat3::from_cols_array(&world.matrix3.to_cols_array().map(f64::from)) * metres_per_unit,
            keeps_angles: is_even(scale.as_dvec3()),
        }
    }

    /// Returns the world transform of a child with this local transform.
    pub fn child(&self, local: &Transform) -> Self {
        self.carrying(&LocalJoint::new(local))
    }

    /// Returns the world transform of the child `local`.
    #[inline]
    pub(crate) fn carrying(&self, local: &LocalJoint) -> Self {
        Self {
            rotation: self.rotation * local.rotation,
            position: self.position + self.transform_vector(local.translation),
            linear: self.linear * local.linear,
            keeps_angles: self.keeps_angles && local.is_even,
        }
    }

    /// Converts a vector in local units to metres in world space.
    #[inline]
    pub fn transform_vector(&self, local: DVec3) -> DVec3 {
        self.linear * local
    }

    /// Returns the rigid motion that takes `self` to `to`, without scale.
    #[inline]
    pub(super) fn rigid_to(&self, to: &Self) -> RigidMotion {
        let rotation = to.rotation * self.rotation.conjugate();
        RigidMotion { rotation, translation: to.position - rotation * self.position }
    }
}

/// A joint relative to its parent, prepared for [`WorldTransform::carrying`].
#[derive(Clone, Copy, Debug)]
pub(crate) struct LocalJoint {
    /// Unit quaternion.
    pub rotation: DQuat,
    /// Translation in units of the parent.
    translation: DVec3,
    /// Factors along the joint's axes.
    pub scale: DVec3,
    /// Scale followed by rotation.
    linear: DMat3,
    /// True if the factors are equal.
    is_even: bool,
}

impl LocalJoint {
    /// Converts a local transform.
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
pub(crate) struct RigidMotion {
    /// Rotation about the world's origin, a unit quaternion.
    pub rotation: DQuat,
    /// Offset added after the rotation, metres.
    pub translation: DVec3,
}

impl RigidMotion {
    /// Returns the moved world point, metres.
    pub(crate) fn apply(&self, point: DVec3) -> DVec3 {
        self.rotation * point + self.translation
    }

    /// Returns the moved joint.
    pub(super) fn apply_to_joint(&self, joint: &WorldTransform) -> WorldTransform {
        WorldTransform {
            rotation: self.rotation * joint.rotation,
            position: self.apply(joint.position),
            linear: DMat3::from_quat(self.rotation) * joint.linear,
            ..*joint
        }
    }

    /// Returns the world point (metres) that the motion takes to `point`.
    #[inline]
    pub(super) fn undo(&self, point: DVec3) -> DVec3 {
        self.rotation.conjugate() * (point - self.translation)
    }
}

/// Length below which a quaternion counts as zero.
pub(crate) const MIN_QUATERNION_LENGTH: f64 = 1e-12;

/// Returns `q` normalised; the identity if it is zero or not finite.
#[inline]
pub(crate) fn normalized_or_identity(q: DQuat) -> DQuat {
    let length = q.length();
    if length > MIN_QUATERNION_LENGTH && length.is_finite() { q * length.recip() } else { DQuat::IDENTITY }
}

/// Normalises a value whose length is 1 except for rounding: one Newton step, without a square root or division.
///
/// `squared` is its squared length.
#[inline]
pub(crate) fn renormalize<V: Copy + Mul<f64, Output = V>>(unit: V, squared: f64) -> V {
    unit * (1.5 - 0.5 * squared)
}

/// Scalar product below which two unit vectors are opposite except for rounding.
pub(crate) const OPPOSITE_MAX_DOT: f64 = -1.0 + 1e-12;

/// Returns the rotation without twist that takes unit vector `from` to unit vector `to`; `axis` is used if they are
/// opposite.
#[inline]
pub(crate) fn shortest_arc(from: DVec3, to: DVec3, axis: DVec3) -> DQuat {
    let dot = from.dot(to);
    if dot > OPPOSITE_MAX_DOT {
        // |from + to| gives a well-conditioned half angle, even for tiny rotations.
        let half = (from + to).normalize();
        let cross = from.cross(half);
        return DQuat::from_xyzw(cross.x, cross.y, cross.z, from.dot(half));
    }
    let flat = axis - from * axis.dot(from);
    let axis = flat.try_normalize().unwrap_or_else(|| from.any_orthonormal_vector());
    DQuat::from_xyzw(axis.x, axis.y, axis.z, 0.0)
}

/// Squared sine up to which the series of [`slerp_direction`] are exact to the last digit: a rotation of 11.5°.
pub(crate) const SERIES_MAX_SINE_SQUARED: f64 = 0.04;

/// Returns the direction on the great circle from unit vector `from` (`fraction` 0) to `to` (1).
#[inline]
pub(crate) fn slerp_direction(from: DVec3, to: DVec3, fraction: f64) -> DVec3 {
    let dot = from.dot(to);
    let flat = to - from * dot;
    let square = flat.length_squared();
    // The usual case: the shown bone is close to the simulated one.
    if square < SERIES_MAX_SINE_SQUARED && dot > 0.0 {
        let ratio = series(&ARC_SINE, square);
        let turned = square * (ratio * fraction) * (ratio * fraction);
        let along = series(&SINE, turned) * ratio * fraction;
        let direction = from * series(&COSINE, turned) + flat * along;
        return renormalize(direction, direction.length_squared());
    }
    // The arc tangent keeps its digits; an arc cosine near 1 would lose half of them.
    let angle = from.cross(to).length().atan2(dot);
    let opposite = || if angle > 1.0 { from.any_orthonormal_vector() } else { DVec3::ZERO };
    let side = flat.try_normalize().unwrap_or_else(opposite);
    let (sin, cos) = (angle * fraction).sin_cos();
    (from * cos + side * sin).normalize_or(to)
}

/// Coefficients of asin(x)/x in powers of x².
pub(crate) const ARC_SINE: [f64; 10] = [
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
/// Coefficients of sin(x)/x in powers of x².
pub(crate) const SINE: [f64; 6] = [1.0, -1.0 / 6.0, 1.0 / 120.0, -1.0 / 5040.0, 1.0 / 362_880.0, -1.0 / 39_916_800.0];
/// Coefficients of cos x in powers of x².
pub(crate) const COSINE: [f64; 7] =
    [1.0, -0.5, 1.0 / 24.0, -1.0 / 720.0, 1.0 / 40_320.0, -1.0 / 3_628_800.0, 1.0 / 479_001_600.0];

/// Returns Σ coefficient·xⁱ; the constant comes first.
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
