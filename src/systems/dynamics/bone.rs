//! One simulated joint: where it is, and what it swings like: the values of its chain at its depth, or those that its joint has of its own.

use glam::DVec3;

use super::settings::{AngleLimit, JointOverride, Profile, Settings};

/// Where a bone ends.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Tip {
    /// At this joint.
    Joint(usize),
    /// At a made-up point.
    Added {
        /// Unit vector in the joint's own space.
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
    /// Index into [`super::DynamicsRig::anchors`].
    pub tree: usize,
    /// Index of its chain in the settings.
    pub chain: usize,
    /// 0 at the chain's first joint, 1 at its last.
    pub depth: f64,
    /// Share of the speed lost per 1/60 s, 0…1.
    pub drag: f64,
    /// Pull towards the animated direction, m/s².
    pub stiffness: f64,
    /// Factor on gravity.
    pub gravity: f64,
    /// Radius around the tip, metres.
    pub radius: f64,
    /// How far it may rotate.
    pub limit: AngleLimit,
}

impl Bone {
    /// Takes over the values that `settings` give it.
    pub(super) fn take_values(&mut self, settings: &Settings) {
        let (chain, scale) = (&settings.chains[self.chain], settings.scale);
        let own = chain.overrides.iter().find(|own| own.joint == self.joint);
        let value = |profile: &Profile, pick: fn(&JointOverride) -> Option<f64>| {
            own.and_then(pick).unwrap_or_else(|| profile.at(self.depth))
        };
        let drag = value(&chain.drag, |own| own.drag).clamp(0.0, 1.0);
        let stiffness = value(&chain.stiffness, |own| own.stiffness).max(0.0) * scale;
        let gravity = value(&chain.gravity, |own| own.gravity);
        let radius = value(&chain.radius, |own| own.radius).max(0.0) * scale;
        let limit = own.and_then(|own| own.limit).unwrap_or(chain.limit);
        *self = Self { drag, stiffness, gravity, radius, limit, ..*self };
    }
}
