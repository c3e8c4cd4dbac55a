//! Rotations as three angles, for numbers that people type.

use glam::{DQuat, EulerRot};

/// Returns the rotation by `degrees` about the fixed axes X, Y and Z, applied in this order.
pub fn rotation(degrees: [f64; 3]) -> DQuat {
    let [x, y, z] = degrees.map(f64::to_radians);
    DQuat::from_rotation_z(z) * DQuat::from_rotation_y(y) * DQuat::from_rotation_x(x)
}

/// Returns the degrees about X, Y and Z of a unit `rotation`, the inverse of [`rotation()`]. Y is within ±90°.
pub fn degrees(rotation: DQuat) -> [f64; 3] {
    let (z, y, x) = rotation.to_euler(EulerRot::ZYX);
    [x, y, z].map(f64::to_degrees)
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::DVec3;

    #[test]
    fn x_is_applied_first_and_the_angles_return() {
        // A quarter turn about X takes Y to Z; the quarter turn about Y that follows takes Z to X.
        let turned = rotation([90.0, 90.0, 0.0]) * DVec3::Y;
        assert!(turned.abs_diff_eq(DVec3::X, 1e-12), "{turned}");
        for i in 0..500 {
            let angle = |factor: f64, most: f64| (f64::from(i) * factor).rem_euclid(2.0 * most) - most;
            let wanted = rotation([angle(37.7, 180.0), angle(11.3, 90.0), angle(53.1, 180.0)]);
            let again = rotation(degrees(wanted));
            assert!(again.dot(wanted).abs() > 1.0 - 1e-12, "{i}");
        }
    }
}
