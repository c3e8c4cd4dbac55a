//! Two-bone inverse kinematics: hip and ankle given, the knee follows from the law of cosines.

use glam::{DMat3, DQuat, DVec3};

use crate::samples::hero::rig;

/// Thigh and shin turns in the frame of the pelvis' parent.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Leg {
    /// Turn of the thigh.
    pub thigh: DQuat,
    /// Turn of the shin.
    pub shin: DQuat,
    /// Distance from hip to ankle over the leg's length; above 1 the ankle is out of reach.
    pub reach: f64,
}

/// The leg of `side` from `hip` to `ankle` with the knee towards `knee_side`; all in one frame, knees bend forward at rest.
pub fn leg(side: usize, places: &[DVec3], hip: DVec3, ankle: DVec3, knee_side: DVec3) -> Leg {
    let [rest_hip, rest_knee, rest_ankle] = [rig::THIGH, rig::SHIN, rig::FOOT].map(|pair| places[pair[side]]);
    let (thigh, shin) = (rest_hip.distance(rest_knee), rest_knee.distance(rest_ankle));
    let way = ankle - hip;
    let reach = way.length() / (thigh + shin);
    let length = way.length().clamp((thigh - shin).abs() + 1e-3, (thigh + shin) * 0.9999);
    let down = way.normalize_or(DVec3::NEG_Y);
    let front = (knee_side - down * knee_side.dot(down)).normalize_or(DVec3::Z);
    let along = (thigh * thigh + length * length - shin * shin) / (2.0 * length);
    let knee = hip + down * along + front * (thigh * thigh - along * along).max(0.0).sqrt();
    let end = hip + down * length;
    let hinge = front.cross(down);
    let rest_hinge = DVec3::Z.cross((rest_ankle - rest_hip).normalize()).normalize();
    let turn = |rest: DVec3, now: DVec3| DQuat::from_mat3(&(frame(now, hinge) * frame(rest, rest_hinge).transpose()));
    Leg { thigh: turn(rest_knee - rest_hip, knee - hip), shin: turn(rest_ankle - rest_knee, end - knee), reach }
}

/// Axes with `along` first and `hinge` as nearly as possible second.
fn frame(along: DVec3, hinge: DVec3) -> DMat3 {
    let x = along.normalize();
    let y = (hinge - x * hinge.dot(x)).normalize();
    DMat3::from_cols(x, y, x.cross(y))
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::dvec3;

    #[test]
    fn the_ankle_arrives_and_the_knee_points_forward() {
        let at = rig::places();
        let ankle = dvec3(0.14, 0.2, 0.25);
        let hip = at[rig::THIGH[0]];
        let leg = leg(0, &at, hip, ankle, DVec3::Z);
        let knee = hip + leg.thigh * (at[rig::SHIN[0]] - hip);
        let end = knee + leg.shin * (at[rig::FOOT[0]] - at[rig::SHIN[0]]);
        assert!(end.distance(ankle) < 1e-9, "{end}");
        assert!(knee.z > 0.2 && leg.reach < 1.0);
    }
}
