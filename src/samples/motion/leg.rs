//! Two-bone inverse kinematics: the knee follows from hip and ankle by the law of cosines.

use glam::{DMat3, DQuat, DVec3};

use crate::hero::rig;

/// Rotations of thigh and shin in the frame of the pelvis' parent.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Leg {
    /// Rotation of the thigh.
    pub thigh: DQuat,
    /// Rotation of the shin.
    pub shin: DQuat,
    /// Distance from hip to ankle relative to the length of the leg. Above 1 the ankle is out of reach.
    pub reach: f64,
}

/// Solves the leg of `side` from `hip` to `ankle` with the knee towards `knee_side`, all in one frame.
/// At rest the knee bends forward.
pub fn leg(side: usize, positions: &[DVec3], hip: DVec3, ankle: DVec3, knee_side: DVec3) -> Leg {
    let [rest_hip, rest_knee, rest_ankle] = [rig::THIGH, rig::SHIN, rig::FOOT].map(|pair| positions[pair[side]]);
    let (thigh, shin) = (rest_hip.distance(rest_knee), rest_knee.distance(rest_ankle));
    let to_ankle = ankle - hip;
    let reach = to_ankle.length() / (thigh + shin);
    let length = to_ankle.length().clamp((thigh - shin).abs() + 1e-3, (thigh + shin) * 0.9999);
    let down = to_ankle.normalize_or(DVec3::NEG_Y);
    let front = (knee_side - down * knee_side.dot(down)).normalize_or(DVec3::Z);
    let along = (thigh * thigh + length * length - shin * shin) / (2.0 * length);
    let knee = hip + down * along + front * (thigh * thigh - along * along).max(0.0).sqrt();
    let end = hip + down * length;
    let hinge = front.cross(down);
    let rest_hinge = DVec3::Z.cross((rest_ankle - rest_hip).normalize()).normalize();
    let turn = |rest: DVec3, now: DVec3| DQuat::from_mat3(&(frame(now, hinge) * frame(rest, rest_hinge).transpose()));
    Leg { thigh: turn(rest_knee - rest_hip, knee - hip), shin: turn(rest_ankle - rest_knee, end - knee), reach }
}

/// Returns orthonormal axes with `along` as the first and the second as near to `hinge` as possible.
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
    fn the_ankle_reaches_its_target_and_the_knee_points_forward() {
        let at = rig::positions();
        let ankle = dvec3(0.14, 0.2, 0.25);
        let hip = at[rig::THIGH[0]];
        let leg = leg(0, &at, hip, ankle, DVec3::Z);
        let knee = hip + leg.thigh * (at[rig::SHIN[0]] - hip);
        let end = knee + leg.shin * (at[rig::FOOT[0]] - at[rig::SHIN[0]]);
        assert!(end.distance(ankle) < 1e-9, "{end}");
        assert!(knee.z > 0.2 && leg.reach < 1.0);
    }
}
