//! One simulated joint and its values: those of its chain at its depth, or the overrides of the joint.

use glam::DVec3;

use crate::settings::{AngleLimit, JointOverride, LengthCorrection, Profile, Settings};

/// End of a bone.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Tip {
    /// Another joint.
    Joint(usize),
    /// A point that the skeleton does not have.
    Added {
        /// Unit vector in the joint's local space.
        direction: DVec3,
        /// Distance from the joint, metres.
        length: f64,
    },
}

/// One joint that is simulated, and the end that its rotation moves.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bone {
    /// The joint that is rotated.
    pub joint: usize,
    /// The end that the rotation moves.
    pub tip: Tip,
    /// The bone of the joint's parent; `None` for the first joint of a tree.
    pub parent: Option<usize>,
    /// Index into [`crate::DynamicsRig::anchors`].
    pub tree: usize,
    /// Index of its chain in the settings.
    pub chain: usize,
    /// Depth in the chain: 0 at its first joint, 1 at its last.
    pub depth: f64,
    /// Share of the speed lost per 1/60 s, 0…1.
    pub drag: f64,
    /// Pull towards the animated direction, m/s².
    pub stiffness: f64,
    /// Factor on gravity.
    pub gravity: f64,
    /// Radius around the tip, metres.
    pub radius: f64,
    /// Limit of the rotation away from the animated direction.
    pub limit: AngleLimit,
    /// Projection of the tip back to the bone's length.
    pub length_correction: LengthCorrection,
}

impl Bone {
    /// Sets the values that `settings` have for this bone, scaled to the character's size. Negative values of stiffness and
    /// radius count as 0, and drag is clamped to 0…1.
    pub(crate) fn take_values(&mut self, settings: &Settings) {
        let (chain, scale) = (&settings.chains[self.chain], settings.scale);
        let joint_override = chain.overrides.iter().find(|joint_override| joint_override.joint == self.joint);
        let value = |profile: &Profile, pick: fn(&JointOverride) -> Option<f64>| {
            joint_override.and_then(pick).unwrap_or_else(|| profile.at(self.depth))
        };
        let drag = value(&chain.drag, |values| values.drag).clamp(0.0, 1.0);
        let stiffness = value(&chain.stiffness, |values| values.stiffness).max(0.0) * scale;
        let gravity = value(&chain.gravity, |values| values.gravity);
        let radius = value(&chain.radius, |values| values.radius).max(0.0) * scale;
        let limit = joint_override.and_then(|values| values.limit).unwrap_or(chain.limit);
        *self = Self { drag, stiffness, gravity, radius, limit, ..*self };
    }
}
