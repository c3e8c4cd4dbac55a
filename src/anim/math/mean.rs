//! Means of rotations.

use glam::Quat;

use super::great_arc::GreatArc;

/// Returns the rotation at `fraction` between `a` (0) and `b` (1) along the shortest arc; exact at both ends.
/// Fractions outside 0…1 are clamped.
pub fn slerp(a: Quat, b: Quat, fraction: f32) -> Quat {
    if fraction >= 1.0 {
        return b;
    }
    Quat::from_array(GreatArc::between(a.to_array(), b.to_array()).at(fraction.max(0.0)))
}

/// Returns `q` or −`q`, whichever is in the hemisphere of `reference`; both are the same rotation.
pub fn aligned(q: Quat, reference: Quat) -> Quat {
    if q.dot(reference) < 0.0 { -q } else { q }
}

/// Returns the angle of the rotation from `a` to `b`, radians, 0…π; accurate for tiny angles too.
pub fn angle_between(a: Quat, b: Quat) -> f64 {
    let turn = a.as_dquat().normalize().conjugate() * b.as_dquat().normalize();
    2.0 * turn.xyz().length().atan2(turn.w.abs())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sign_affects_neither_the_angle_nor_the_path() {
        let a = Quat::from_rotation_y(0.2);
        let b = Quat::from_rotation_y(1.2);
        assert!((angle_between(a, -b) - 1.0).abs() < 1e-6);
        assert!(slerp(a, -b, 0.5).dot(Quat::from_rotation_y(0.7)).abs() > 0.999_999);
        assert_eq!(slerp(a, -b, 1.0), -b);
        assert!(aligned(-a, a).dot(a) > 0.0);
    }
}
