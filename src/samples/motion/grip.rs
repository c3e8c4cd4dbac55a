//! A hand that holds a level edge: it stands still in the world while the body moves.

use glam::{DAffine3, DMat3, DQuat, DVec3};

use super::limb::arm;
use crate::hero::rig;

/// Share of the twist between forearm and hand that the forearm takes.
const FOREARM_TWIST_SHARE: f64 = 0.5;
/// Inverse of the part of a fade in which the solved arm replaces the posed one.
const SOLVED_BY: f64 = 2.0;

/// A hold of a hand with its palm down. Times are frames.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Grip {
    /// Frame from which the hand stands still.
    pub from: f64,
    /// Frame until which the hand stands still.
    pub to: f64,
    /// Frames in which the hand reaches for its position, and in which it leaves it.
    pub fades: [f64; 2],
    /// Height by which the path of the wrist rises over a straight line while it reaches and leaves, metres.
    pub arc: f64,
    /// World position of the wrist, metres.
    pub wrist: [f64; 3],
    /// Direction of the fingers from straight ahead: degrees inwards and degrees downwards.
    pub fingers: [f64; 2],
    /// Direction of the elbow from straight back, degrees outwards.
    pub elbow: f64,
}

/// Returns the grip with an effect at `frame` and its part, 0 … 1: 1 while the hand holds.
pub fn active(grips: &[Grip], frame: f64) -> Option<(&Grip, f64)> {
    grips.iter().map(|grip| (grip, grip.part(frame))).find(|(_, part)| *part > 0.0)
}

impl Grip {
    /// Returns 1 while the hand holds, and less while it reaches and leaves.
    fn part(&self, frame: f64) -> f64 {
        let [reach, leave] = self.fades;
        (1.0 - (self.from - frame) / reach).min(1.0 - (frame - self.to) / leave).clamp(0.0, 1.0)
    }

    /// Rotates the arm of `side` (0 is left) so that the wrist is `part` of the way to the grip. `world` are the world
    /// transforms of all joints before that.
    pub fn hold(&self, side: usize, part: f64, positions: &[DVec3], world: &[DAffine3], turns: &mut [DQuat]) {
        let out = if side == 0 { 1.0 } else { -1.0 };
        let [shoulder, elbow, wrist] =
            [rig::UPPER_ARM, rig::LOWER_ARM, rig::HAND].map(|pair| world[pair[side]].translation);
        let rotation = |joint: usize| world[joint].to_scale_rotation_translation().1;
        let weight = smooth(part);
        let arc = DVec3::Y * self.arc * 4.0 * weight * (1.0 - weight);
        let target = wrist.lerp(DVec3::from_array(self.wrist), weight) + arc;
        let back = DQuat::from_rotation_y(-out * self.elbow.to_radians()) * DVec3::NEG_Z;
        let elbow_side = (elbow - shoulder.midpoint(wrist)).normalize_or(back).lerp(back, weight);
        let arm = arm(side, positions, shoulder, target, elbow_side);
        let hand = rotation(rig::HAND[side]).slerp(self.hand(out), weight);
        let along = (positions[rig::HAND[side]] - positions[rig::LOWER_ARM[side]]).normalize();
        let twist = twist(arm.lower.inverse() * hand, along);
        let lower = arm.lower * DQuat::from_axis_angle(along, twist * FOREARM_TWIST_SHARE);
        let wanted = [
            (rig::UPPER_ARM[side], rotation(rig::SHOULDER[side]).inverse() * arm.upper),
            (rig::LOWER_ARM[side], arm.upper.inverse() * lower),
            (rig::HAND[side], lower.inverse() * hand),
        ];
        // The solved arm may have another twist than the posed one, so it fades in.
        let solved = smooth((part * SOLVED_BY).min(1.0));
        for (joint, turn) in wanted {
            turns[joint] = turns[joint].slerp(turn, solved);
        }
    }

    /// Returns the world rotation of the hand. `out` is 1 for the left hand and −1 for the right.
    fn hand(&self, out: f64) -> DQuat {
        let [inwards, downwards] = self.fingers.map(f64::to_radians);
        let (sin, cos) = rig::ARM_SPREAD.sin_cos();
        let axes = |along: DVec3, palm: DVec3| DMat3::from_cols(along, palm, along.cross(palm));
        let rest = axes(DVec3::new(out * sin, -cos, 0.0), DVec3::new(-out * cos, -sin, 0.0));
        let flat = DQuat::from_mat3(&(axes(DVec3::Z, DVec3::NEG_Y) * rest.transpose()));
        DQuat::from_rotation_y(-out * inwards) * DQuat::from_rotation_x(downwards) * flat
    }
}

/// Returns a smooth step from 0 to 1.
fn smooth(part: f64) -> f64 {
    part * part * (3.0 - 2.0 * part)
}

/// Returns the angle of `turn` about `axis`, radians.
fn twist(turn: DQuat, axis: DVec3) -> f64 {
    let angle = 2.0 * turn.xyz().dot(axis).atan2(turn.w);
    (angle + std::f64::consts::PI).rem_euclid(std::f64::consts::TAU) - std::f64::consts::PI
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grip([from, to]: [f64; 2], fades: [f64; 2]) -> Grip {
        Grip { from, to, fades, arc: 0.0, wrist: [0.0; 3], fingers: [0.0; 2], elbow: 0.0 }
    }

    #[test]
    fn a_hand_lies_on_its_palm_with_the_thumb_inwards() {
        let grip = grip([0.0, 1.0], [1.0; 2]);
        let at = rig::positions();
        for (side, out) in [(0, 1.0), (1, -1.0)] {
            let hand = grip.hand(out);
            let along = (at[rig::HAND[side]] - at[rig::LOWER_ARM[side]]).normalize();
            assert!((hand * along).abs_diff_eq(DVec3::Z, 0.01));
            // At rest the thumb is in front.
            assert!((hand * DVec3::Z).abs_diff_eq(DVec3::X * -out, 0.01));
        }
    }

    #[test]
    fn a_grip_is_full_while_it_holds_and_fades_outside() {
        let grip = grip([10.0, 14.0], [4.0, 2.0]);
        let parts = [5.0, 6.0, 8.0, 10.0, 14.0, 15.0, 16.0].map(|frame| grip.part(frame));
        assert_eq!(parts, [0.0, 0.0, 0.5, 1.0, 1.0, 0.5, 0.0]);
    }
}
