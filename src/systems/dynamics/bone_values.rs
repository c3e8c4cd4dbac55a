//! What a bone swings like: the values of its chain at its depth, or those that its joint has of its own.

use super::rig::{Bone, DynamicsRig, Tip};
use super::settings::{AngleLimit, JointOverride, Profile, Settings, Wind};

/// Where a bone is in its tree, before it has values.
#[derive(Clone, Copy)]
pub(super) struct BonePlace {
    pub joint: usize,
    pub tip: Tip,
    pub parent: Option<usize>,
    pub tree: usize,
    pub chain: usize,
    /// 0 at the chain's first joint, 1 at its last.
    pub depth: f64,
}

impl Bone {
    /// The bone at `place` with the values of `settings`.
    pub(super) fn new(place: BonePlace, settings: &Settings) -> Self {
        let BonePlace { joint, tip, parent, tree, chain, depth } = place;
        let (drag, stiffness, gravity, radius, limit) = (0.0, 0.0, 0.0, 0.0, AngleLimit::Free);
        let mut bone = Self { joint, tip, parent, tree, chain, depth, drag, stiffness, gravity, radius, limit };
        bone.take_values(settings);
        bone
    }

    fn take_values(&mut self, settings: &Settings) {
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

impl DynamicsRig {
    /// Takes over the numbers of `settings` that may change from step to step; which bones and colliders there are stays, and with
    /// what period the wind repeats.
    pub(super) fn take_values(&mut self, settings: &Settings) {
        let scale = settings.scale;
        self.gravity = settings.gravity * scale;
        let (strength, period) = (settings.wind.strength * scale, self.wind.period);
        self.wind = Wind { strength, period, ..settings.wind };
        (self.slerp_buffer, self.smoothing) = (settings.slerp_buffer, settings.smoothing);
        self.bones.iter_mut().for_each(|bone| bone.take_values(settings));
    }
}
