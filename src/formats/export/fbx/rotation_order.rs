//! Rotation orders of Euler angles.
//!
//! At a second angle of 90° the other two rotate about the same axis (gimbal lock), and nearby they change very fast.
//! Linear keys then leave the arc however dense they are. Another order avoids this for the joint.

use glam::{DQuat, DVec3, EulerRot};

use portamento_anim::Model;

/// Largest second angle, in degrees, that is safe from gimbal lock. Tuned; no derivation recorded.
const MAX_SAFE_SECOND_DEGREES: f64 = 70.0;

/// A rotation order of Euler angles.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct RotationOrder {
    /// The number of the order in FBX.
    pub number: i32,
    /// The order as a product of matrices, in which the last rotates first.
    product: EulerRot,
    /// The axes in order of rotation.
    axes: [usize; 3],
}

impl Default for RotationOrder {
    fn default() -> Self {
        Self::ALL[0]
    }
}

impl RotationOrder {
    /// All orders. The first, XYZ, is the default of all programs.
    const ALL: [Self; 6] = [
        Self { number: 0, product: EulerRot::ZYX, axes: [0, 1, 2] },
        Self { number: 1, product: EulerRot::YZX, axes: [0, 2, 1] },
        Self { number: 2, product: EulerRot::XZY, axes: [1, 2, 0] },
        Self { number: 3, product: EulerRot::ZXY, axes: [1, 0, 2] },
        Self { number: 4, product: EulerRot::YXZ, axes: [2, 0, 1] },
        Self { number: 5, product: EulerRot::XYZ, axes: [2, 1, 0] },
    ];

    /// Chooses the order of each joint: XYZ if its second angle stays within [`MAX_SAFE_SECOND_DEGREES`] in all clips.
    /// Otherwise the order with the smallest second angle. The angles between keys are sampled midway only.
    pub fn of_joints(model: &Model) -> Vec<Self> {
        (0..model.skeleton.len()).map(|joint| Self::choose(&sampled_rotations(model, joint))).collect()
    }

    /// Chooses the order for the rotations of one joint: the usual one, unless its second angle exceeds
    /// [`MAX_SAFE_SECOND_DEGREES`]. Then it is the order with the smallest second angle.
    fn choose(sampled_rotations: &[DQuat]) -> Self {
        let second = |order: &Self| sampled_rotations.iter().map(|&turn| order.second(turn).abs()).fold(0.0, f64::max);
        let usual = Self::default();
        if second(&usual) <= MAX_SAFE_SECOND_DEGREES {
            return usual;
        }
        Self::ALL.into_iter().min_by(|a, b| second(a).total_cmp(&second(b))).unwrap_or(usual)
    }

    /// Returns the second angle in degrees.
    fn second(self, turn: DQuat) -> f64 {
        turn.to_euler(self.product).1.to_degrees()
    }

    /// Returns the angles about X, Y and Z in degrees: those nearest to `before`, which may exceed 180°, or within ±180°
    /// without it.
    pub fn angles(self, turn: DQuat, before: Option<DVec3>) -> DVec3 {
        let [x, y, z] = self.axes;
        let (last, second, first) = turn.to_euler(self.product);
        let mut angles = DVec3::ZERO;
        (angles[x], angles[y], angles[z]) = (first.to_degrees(), second.to_degrees(), last.to_degrees());
        let Some(before) = before else { return angles };
        // The alternative angles of the same rotation beyond the pole.
        let mut other = angles + DVec3::splat(180.0);
        other[y] = 180.0 - angles[y];
        let unwrap = |angles: DVec3| angles - ((angles - before) / 360.0).round() * 360.0;
        let (angles, other) = (unwrap(angles), unwrap(other));
        if other.distance_squared(before) < angles.distance_squared(before) { other } else { angles }
    }

    /// Returns the rotation of the angles `degrees`.
    pub fn rotation(self, degrees: DVec3) -> DQuat {
        let [first, second, last] = self.axes.map(|axis| degrees[axis].to_radians());
        DQuat::from_euler(self.product, last, second, first)
    }
}

/// Returns the joint's local rotations at rest, and at and midway between all keys of all clips.
fn sampled_rotations(model: &Model, joint: usize) -> Vec<DQuat> {
    let mut sampled_rotations = vec![model.skeleton.joints[joint].rest.rotation.as_dquat().normalize()];
    for curve in model.clips.iter().filter_map(|clip| clip.tracks.get(joint)?.rotation.as_ref()) {
        let middles = curve.times.windows(2).map(|pair| 0.5 * (f64::from(pair[0]) + f64::from(pair[1])));
        let times = curve.times.iter().map(|&time| f64::from(time)).chain(middles);
        sampled_rotations.extend(times.filter_map(|time| curve.sample(time)).map(|turn| turn.as_dquat().normalize()));
    }
    sampled_rotations
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_order_round_trips_to_the_nearest_angles() {
        let turn = DQuat::from_euler(EulerRot::XYZ, 2.0, -1.1, 0.7);
        for order in RotationOrder::ALL {
            let angles = order.angles(turn, None);
            assert!(order.rotation(angles).angle_between(turn) < 1e-6, "{order:?}");
            let before = angles + DVec3::new(200.0, -170.0, 400.0);
            let near = order.angles(turn, Some(before));
            assert!(
                order.rotation(near).angle_between(turn) < 1e-6 && near.distance(before) < 320.0,
                "{order:?} {near}"
            );
            // The first rotation is about the first axis.
            let mut about = DVec3::ZERO;
            about[order.axes[0]] = 90.0;
            let (first, mut axis) = (order.rotation(about + DVec3::ONE), DVec3::ZERO);
            axis[order.axes[2]] = 1.0;
            let last = order.rotation(about + DVec3::ONE + 90.0 * axis);
            let by = DQuat::from_axis_angle(axis, std::f64::consts::FRAC_PI_2);
            assert!(last.angle_between(by * first) < 1e-6, "{order:?}");
        }
    }

    #[test]
    fn a_joint_that_bends_through_a_right_angle_gets_another_order() {
        let bend = |degrees: f64| DQuat::from_rotation_z(0.4) * DQuat::from_rotation_y(degrees.to_radians());
        assert_eq!(RotationOrder::choose(&[bend(0.0), bend(60.0)]), RotationOrder::default());
        let sampled_rotations: Vec<DQuat> = (0..14).map(|step| bend(10.0 * f64::from(step))).collect();
        let order = RotationOrder::choose(&sampled_rotations);
        assert!(sampled_rotations.iter().all(|&turn| order.second(turn).abs() < 45.0), "{order:?}");
    }
}
