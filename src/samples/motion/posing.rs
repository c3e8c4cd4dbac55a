//! A body pose by the angles an animator would name, and its conversion to joint rotations.

use glam::{DQuat, DVec3};

use crate::hero::rig;

/// Number of values in a posing.
pub const CHANNELS: usize = 31;

/// The angles of one arm, degrees.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Arm {
    /// Upper arm forward (+) or backward from hanging.
    pub swing: f64,
    /// Upper arm away from the body.
    pub spread: f64,
    /// Upper arm about its own axis, inwards.
    pub twist: f64,
    /// Bend of the elbow, 0 if straight.
    pub elbow: f64,
    /// Hand forward (+) or backward in the plane of the elbow.
    pub wrist: f64,
    /// Rotation of the palm backwards (+) about the forearm.
    pub palm: f64,
    /// Shoulder up from hanging.
    pub shrug: f64,
    /// Shoulder forward from hanging.
    pub reach: f64,
}

/// The pose of the body except legs, hair and cape. Degrees unless stated otherwise; rotations are (forward, left, right tilt).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Posing {
    /// Offset of the pelvis from its standing position in the frame of the root, metres.
    pub hips: [f64; 3],
    /// Rotation of the pelvis in the frame of the root.
    pub hips_turn: [f64; 3],
    /// Bend from pelvis to chest.
    pub torso: [f64; 3],
    /// Bend from chest to head.
    pub head: [f64; 3],
    /// The left arm and shoulder.
    pub left: Arm,
    /// The right arm and shoulder.
    pub right: Arm,
    /// Knees outwards, left and right.
    pub knees: [f64; 2],
    /// Height of the body above the ground in flight, metres.
    pub lift: f64,
}

impl Arm {
    fn channels(&self) -> [f64; 8] {
        [self.swing, self.spread, self.twist, self.elbow, self.wrist, self.palm, self.shrug, self.reach]
    }

    fn from_channels(c: &[f64]) -> Self {
        Self { swing: c[0], spread: c[1], twist: c[2], elbow: c[3], wrist: c[4], palm: c[5], shrug: c[6], reach: c[7] }
    }
}

impl Posing {
    /// Returns every value in a fixed order.
    pub fn channels(&self) -> [f64; CHANNELS] {
        let groups: [&[f64]; 8] = [
            &self.hips,
            &self.hips_turn,
            &self.torso,
            &self.head,
            &self.left.channels(),
            &self.right.channels(),
            &self.knees,
            &[self.lift],
        ];
        let mut out = [0.0; CHANNELS];
        out.iter_mut().zip(groups.concat()).for_each(|(slot, value)| *slot = value);
        out
    }

    /// Creates a posing from the values of [`Posing::channels`].
    pub(super) fn from_channels(c: &[f64; CHANNELS]) -> Self {
        let three = |i: usize| [c[i], c[i + 1], c[i + 2]];
        Self {
            hips: three(0),
            hips_turn: three(3),
            torso: three(6),
            head: three(9),
            left: Arm::from_channels(&c[12..20]),
            right: Arm::from_channels(&c[20..28]),
            knees: [c[28], c[29]],
            lift: c[30],
        }
    }

    /// Returns the pose with left and right exchanged.
    pub fn mirrored(self) -> Self {
        let flip = |[a, b, c]: [f64; 3]| [a, -b, -c];
        Self {
            hips: [-self.hips[0], self.hips[1], self.hips[2]],
            hips_turn: flip(self.hips_turn),
            torso: flip(self.torso),
            head: flip(self.head),
            left: self.right,
            right: self.left,
            knees: [self.knees[1], self.knees[0]],
            lift: self.lift,
        }
    }

    /// Writes the local rotations of hips, spine, neck, head and arms.
    pub fn write(&self, turns: &mut [DQuat]) {
        turns[rig::HIPS] = turn(self.hips_turn, 1.0);
        turns[rig::SPINE] = turn(self.torso, 0.45);
        turns[rig::CHEST] = turn(self.torso, 0.55);
        turns[rig::NECK] = turn(self.head, 0.4);
        turns[rig::HEAD] = turn(self.head, 0.6);
        for (side, arm) in [self.left, self.right].into_iter().enumerate() {
            arm.write(side, turns);
        }
    }
}

impl Arm {
    /// Writes the local rotations of shoulder, upper arm, forearm and hand of `side` (0 is left) to `turns`.
    fn write(&self, side: usize, turns: &mut [DQuat]) {
        let out = if side == 0 { 1.0 } else { -1.0 };
        let [swing, spread, twist, elbow] = [self.swing, self.spread, self.twist, self.elbow].map(f64::to_radians);
        let [wrist, palm, shrug, reach] = [self.wrist, self.palm, self.shrug, self.reach].map(f64::to_radians);
        // Angles are relative to an arm that hangs straight down, but the rig rests with its arms spread.
        let rest = DQuat::from_rotation_z(out * rig::ARM_SPREAD);
        let upper = DQuat::from_rotation_x(-swing)
            * DQuat::from_rotation_z(out * spread)
            * DQuat::from_rotation_y(-out * twist);
        let lower = DQuat::from_rotation_x(-elbow) * DQuat::from_rotation_y(-out * palm * 0.5);
        let hand = DQuat::from_rotation_y(-out * palm * 0.5) * DQuat::from_rotation_x(-wrist);
        let girdle = DQuat::from_rotation_y(-out * reach) * DQuat::from_rotation_z(out * shrug);
        turns[rig::SHOULDER[side]] = girdle;
        turns[rig::UPPER_ARM[side]] = upper * rest.inverse();
        turns[rig::LOWER_ARM[side]] = rest * lower * rest.inverse();
        turns[rig::HAND[side]] = rest * hand * rest.inverse();
    }
}

/// Returns a (forward, left, right tilt) rotation in degrees, scaled by `part`.
pub fn turn(degrees: [f64; 3], part: f64) -> DQuat {
    let [forward, left, tilt] = degrees.map(|angle| (angle * part).to_radians());
    DQuat::from_rotation_y(left) * DQuat::from_rotation_x(forward) * DQuat::from_rotation_z(tilt)
}

/// Returns the position of the pelvis in the frame of the root.
pub(super) fn hips_position(posing: &Posing, standing: DVec3) -> DVec3 {
    standing + DVec3::from_array(posing.hips) + DVec3::Y * posing.lift
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::dvec3;

    #[test]
    fn a_posing_round_trips_through_its_channels_and_two_mirrors() {
        let mut channels = [0.0; CHANNELS];
        channels.iter_mut().enumerate().for_each(|(i, value)| *value = i as f64 + 1.0);
        let posing = Posing::from_channels(&channels);
        assert_eq!(posing.channels(), channels);
        assert_eq!(posing.mirrored().mirrored(), posing);
    }

    #[test]
    fn an_arm_swung_by_a_quarter_points_forward() {
        let mut turns = vec![DQuat::IDENTITY; 42];
        Posing { left: Arm { swing: 90.0, ..Arm::default() }, ..Posing::default() }.write(&mut turns);
        let at = rig::positions();
        let rest = (at[rig::LOWER_ARM[0]] - at[rig::UPPER_ARM[0]]).normalize();
        assert!((turns[rig::UPPER_ARM[0]] * rest).abs_diff_eq(DVec3::Z, 0.05));
        assert!(turn([90.0, 0.0, 0.0], 1.0).mul_vec3(DVec3::Y).abs_diff_eq(dvec3(0.0, 0.0, 1.0), 1e-9));
    }
}
