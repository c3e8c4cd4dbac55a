//! The mirror image of single values of a joint.

use glam::{DMat3, DQuat, DVec3};

use super::{Map, Plane, RigidTransform, partners};
use portamento_anim::{Front, Skeleton};

/// The map from the local values of a joint to those of its partner on the other side, at the plane between left and right.
#[derive(Debug)]
pub struct JointMirror {
    /// The joint on the other side; a joint without a partner is its own.
    pub partner: usize,
    plane: Plane,
    /// Left factor of the rotation map.
    before: DQuat,
    /// Right factor of the rotation map.
    after: DQuat,
    /// Matrix from offsets of the joint to offsets of its partner.
    offset: DMat3,
    /// Rest translations of the joint and of its partner.
    rests: [DVec3; 2],
}

impl JointMirror {
    /// Returns the map of `joint`. `pairs` are the left and right joints of `skeleton`, which faces `front` at rest.
    ///
    /// Panics if `joint` is not a joint of `skeleton`.
    pub fn new(skeleton: &Skeleton, pairs: &[(usize, usize)], front: Front, joint: usize) -> Self {
        let partner = partners(pairs, skeleton.len())[joint];
        let plane = Plane::from_front(front);
        let map = Map::new(skeleton, &plane, &RigidTransform::IDENTITY, [joint, partner]);
        let (before, after, offset) = (map.before, map.after, map.offset);
        Self { partner, before, after, offset, rests: map.rests.map(|rest| rest.as_dvec3()), plane }
    }

    /// Returns the local rotation of the partner for the local `rotation` of the joint.
    pub fn rotation(&self, rotation: DQuat) -> DQuat {
        self.before * self.plane.rotation(rotation) * self.after
    }

    /// Returns the local translation of the partner for the local `translation` of the joint.
    pub fn translation(&self, translation: DVec3) -> DVec3 {
        self.rests[1] + self.offset * (translation - self.rests[0])
    }

    /// Returns the turn about the axes of the partner for a `turn` about the axes of the joint.
    pub fn turn(&self, turn: DQuat) -> DQuat {
        self.after.inverse() * self.plane.rotation(turn) * self.after
    }

    /// Returns the displacement of the partner for a displacement of the joint, each along the axes of its parent.
    pub fn displacement(&self, displacement: DVec3) -> DVec3 {
        self.offset * displacement
    }
}
