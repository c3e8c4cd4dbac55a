//! About which axes the angles of a joint turn, one after the other.
//!
//! Where the second of three angles is a right angle the other two turn about one axis, and just beside that they race: lines between
//! keys leave the arc however near the keys are. A joint that comes there in one order stays away from it in another.

use glam::{DQuat, DVec3, EulerRot};

use crate::anim::Model;

/// Second angles up to this are far enough from a right one, degrees.
const FAR_ENOUGH: f64 = 70.0;

/// An order of turns, as the format counts them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct RotationOrder {
    /// The format's number for it.
    pub number: i32,
    /// The same as a product of matrices, of which the last turns first.
    product: EulerRot,
    /// The axes, that of the first turn first.
    axes: [usize; 3],
}

impl Default for RotationOrder {
    fn default() -> Self {
        Self::ALL[0]
    }
}

impl RotationOrder {
    /// Every order, about X, Y and Z first, which all programs take for granted.
    const ALL: [Self; 6] = [
        Self { number: 0, product: EulerRot::ZYX, axes: [0, 1, 2] },
        Self { number: 1, product: EulerRot::YZX, axes: [0, 2, 1] },
        Self { number: 2, product: EulerRot::XZY, axes: [1, 2, 0] },
        Self { number: 3, product: EulerRot::ZXY, axes: [1, 0, 2] },
        Self { number: 4, product: EulerRot::YXZ, axes: [2, 0, 1] },
        Self { number: 5, product: EulerRot::XYZ, axes: [2, 1, 0] },
    ];

    /// For each joint of `model` the usual order where its second angle stays far from a right one in all clips, else the order in
    /// which it stays farthest.
    pub fn of_joints(model: &Model) -> Vec<Self> {
        (0..model.skeleton.len()).map(|joint| Self::of_turns(&turns(model, joint))).collect()
    }

    fn of_turns(turns: &[DQuat]) -> Self {
        let second = |order: &Self| turns.iter().map(|&turn| order.second(turn).abs()).fold(0.0, f64::max);
        let usual = Self::default();
        if second(&usual) <= FAR_ENOUGH {
            return usual;
        }
        Self::ALL.into_iter().min_by(|a, b| second(a).total_cmp(&second(b))).unwrap_or(usual)
    }

    /// The second angle, degrees.
    fn second(self, turn: DQuat) -> f64 {
        turn.to_euler(self.product).1.to_degrees()
    }

    /// Angles about X, Y and Z in degrees, nearest to `before`.
    pub fn angles(self, turn: DQuat, before: Option<DVec3>) -> DVec3 {
        let [x, y, z] = self.axes;
        let (last, second, first) = turn.to_euler(self.product);
        let mut angles = DVec3::ZERO;
        (angles[x], angles[y], angles[z]) = (first.to_degrees(), second.to_degrees(), last.to_degrees());
        let Some(before) = before else { return angles };
        // The same turn the other way over the pole.
        let mut other = angles + DVec3::splat(180.0);
        other[y] = 180.0 - angles[y];
        let wound = |angles: DVec3| angles - ((angles - before) / 360.0).round() * 360.0;
        let (angles, other) = (wound(angles), wound(other));
        if other.distance_squared(before) < angles.distance_squared(before) { other } else { angles }
    }

    /// The rotation that `degrees` stand for.
    pub fn rotation(self, degrees: DVec3) -> DQuat {
        let [first, second, last] = self.axes.map(|axis| degrees[axis].to_radians());
        DQuat::from_euler(self.product, last, second, first)
    }
}

/// How the joint is turned at rest, at every key of all clips and amid every two.
fn turns(model: &Model, joint: usize) -> Vec<DQuat> {
    let mut turns = vec![model.skeleton.joints[joint].rest.rotation.as_dquat().normalize()];
    for curve in model.clips.iter().filter_map(|clip| clip.tracks.get(joint)?.rotation.as_ref()) {
        let middles = curve.times.windows(2).map(|pair| 0.5 * (f64::from(pair[0]) + f64::from(pair[1])));
        let times = curve.times.iter().map(|&time| f64::from(time)).chain(middles);
        turns.extend(times.filter_map(|time| curve.sample(time)).map(|turn| turn.as_dquat().normalize()));
    }
    turns
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_order_gives_the_rotation_again_near_where_it_was() {
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
            // The first turn is about the first axis.
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
    fn a_joint_that_bends_through_a_right_angle_turns_in_another_order() {
        let bend = |degrees: f64| DQuat::from_rotation_z(0.4) * DQuat::from_rotation_y(degrees.to_radians());
        assert_eq!(RotationOrder::of_turns(&[bend(0.0), bend(60.0)]), RotationOrder::default());
        let turns: Vec<DQuat> = (0..14).map(|step| bend(10.0 * f64::from(step))).collect();
        let order = RotationOrder::of_turns(&turns);
        assert!(turns.iter().all(|&turn| order.second(turn).abs() < 45.0), "{order:?}");
    }
}
