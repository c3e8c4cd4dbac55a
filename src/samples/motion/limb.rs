//! Two-bone inverse kinematics: knee and elbow follow from the ends of the limb by the law of cosines.

use glam::{DMat3, DQuat, DVec3};

use crate::hero::rig;

/// Rotations of the two bones of a limb in the frame in which it was solved.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limb {
    /// Rotation of the upper bone: thigh or upper arm.
    pub upper: DQuat,
    /// Rotation of the lower bone: shin or forearm.
    pub lower: DQuat,
    /// Distance between the ends relative to the length of the limb. Above 1 the end is out of reach.
    pub reach: f64,
}

/// Solves the leg of `side` from `hip` to `ankle` with the knee towards `knee_side`, all in one frame.
/// At rest the knee bends forward.
pub fn leg(side: usize, positions: &[DVec3], hip: DVec3, ankle: DVec3, knee_side: DVec3) -> Limb {
    let rest = [rig::THIGH, rig::SHIN, rig::FOOT].map(|pair| positions[pair[side]]);
    limb(rest, DVec3::Z, [hip, ankle], knee_side)
}

/// Solves the arm of `side` from `shoulder` to `wrist` with the elbow towards `elbow_side`, all in one frame.
/// At rest the elbow bends backward.
pub fn arm(side: usize, positions: &[DVec3], shoulder: DVec3, wrist: DVec3, elbow_side: DVec3) -> Limb {
    let rest = [rig::UPPER_ARM, rig::LOWER_ARM, rig::HAND].map(|pair| positions[pair[side]]);
    limb(rest, DVec3::NEG_Z, [shoulder, wrist], elbow_side)
}

/// Solves a limb between `ends` with its middle joint towards `middle_side`. `rest` are its joints at rest, where the
/// middle joint bends towards `rest_side`.
fn limb(rest: [DVec3; 3], rest_side: DVec3, ends: [DVec3; 2], middle_side: DVec3) -> Limb {
    let [rest_root, rest_middle, rest_end] = rest;
    let (upper, lower) = (rest_root.distance(rest_middle), rest_middle.distance(rest_end));
    let [root, wanted] = ends;
    let to_end = wanted - root;
    let reach = to_end.length() / (upper + lower);
    let length = to_end.length().clamp((upper - lower).abs() + 1e-3, (upper + lower) * 0.9999);
    let down = to_end.normalize_or(DVec3::NEG_Y);
    let front = (middle_side - down * middle_side.dot(down)).normalize_or(DVec3::Z);
    let along = (upper * upper + length * length - lower * lower) / (2.0 * length);
    let middle = root + down * along + front * (upper * upper - along * along).max(0.0).sqrt();
    let end = root + down * length;
    let hinge = front.cross(down);
    let rest_hinge = rest_side.cross((rest_end - rest_root).normalize()).normalize();
    let turn = |rest: DVec3, now: DVec3| DQuat::from_mat3(&(frame(now, hinge) * frame(rest, rest_hinge).transpose()));
    Limb {
        upper: turn(rest_middle - rest_root, middle - root),
        lower: turn(rest_end - rest_middle, end - middle),
        reach,
    }
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
        let knee = hip + leg.upper * (at[rig::SHIN[0]] - hip);
        let end = knee + leg.lower * (at[rig::FOOT[0]] - at[rig::SHIN[0]]);
        assert!(end.distance(ankle) < 1e-9, "{end}");
        assert!(knee.z > 0.2 && leg.reach < 1.0);
    }

    #[test]
    fn the_wrist_reaches_its_target_and_the_elbow_points_backward() {
        let at = rig::positions();
        for side in 0..2 {
            let out = if side == 0 { 1.0 } else { -1.0 };
            let (shoulder, wrist) = (at[rig::UPPER_ARM[side]], dvec3(out * 0.2, 1.1, 0.25));
            let arm = arm(side, &at, shoulder, wrist, DVec3::NEG_Z);
            let elbow = shoulder + arm.upper * (at[rig::LOWER_ARM[side]] - shoulder);
            let end = elbow + arm.lower * (at[rig::HAND[side]] - at[rig::LOWER_ARM[side]]);
            assert!(end.distance(wrist) < 1e-9, "{end}");
            let middle = shoulder.midpoint(wrist);
            assert!(elbow.z < middle.z - 0.05 && elbow.y < middle.y, "{elbow}");
        }
    }
}
