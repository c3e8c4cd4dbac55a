//! Where all bones are, and what one step hands to the next.

use glam::{DQuat, DVec3, Quat};

use super::bone::{Bone, Tip};
use super::bone_pose::{AnimatedBone, BonePose, LocalBone, animated_in_parent};
use super::broadphase::Broadphase;
use super::contact::{Candidates, Contact, Resolved};
use super::rig::{DynamicsRig, KinematicJoint, RigCollider};
use super::spherical_cap::SphericalCap;
use super::world_collider::WorldCollider;
use super::world_transform::{RigidMotion, WorldTransform, normalized_or_identity};
use crate::anim::Pose;

/// Everything that one step hands to the next.
#[derive(Clone, Debug, PartialEq)]
pub struct State {
    /// Tips before the last step, metres.
    pub previous_tips: Vec<DVec3>,
    /// Simulated bones, in the order of [`DynamicsRig::bones`].
    pub bones: Vec<BonePose>,
    /// Bones as shown: smoothed where the settings ask for it.
    pub shown: Vec<BonePose>,
    /// Direction of each shown bone in the axes of its joint as animated: what the slerp buffer carries along.
    pub(super) buffered: Vec<DVec3>,
    /// What each bone touched in the last step.
    pub contacts: Vec<Contact>,
    /// Axis of each bone's last rotation, which decides where a bone points straight against its animation.
    pub(super) axes: Vec<DVec3>,
    /// In the order of [`DynamicsRig::kinematic`].
    pub(super) kinematic: Vec<WorldTransform>,
    /// In the order of the settings, where they were at the last step.
    pub(super) colliders: Vec<WorldCollider>,
    /// Where they were at the step before.
    pub(super) old: Surroundings,
    pub(super) broadphase: Broadphase,
    pub(super) caps: Vec<SphericalCap>,
    /// Scratch memory: what acts on each chain in a step.
    pub(super) forces: Vec<ChainForces>,
    /// Scratch memory: the places of a step that is driven by hand.
    pub(super) next: Surroundings,
    /// Scratch memory: the share of the speed that each bone keeps in such a step.
    pub(super) kept_speed: Vec<f64>,
    /// Step bones one after the other: the plain way, for comparison.
    #[cfg(test)]
    pub(super) one_by_one: bool,
}

/// What acts on all bones of a chain in a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct ChainForces {
    /// Acceleration by the moving air, m/s².
    pub wind: DVec3,
    /// How the joint moved from which inertia is seen.
    pub center_motion: Option<RigidMotion>,
}

/// What bones hang on and collide with.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Surroundings {
    /// In the order of [`DynamicsRig::kinematic`].
    pub kinematic: Vec<WorldTransform>,
    /// In the order of the settings.
    pub colliders: Vec<WorldCollider>,
}

/// How a bone is turned against its animation, as parts of a quaternion, which compare without an arc tangent.
#[derive(Clone, Copy, Debug)]
pub(super) struct BoneTurn {
    /// Of the axis, times the sine of half the angle: what lies along the bone, as a length.
    pub along: f64,
    /// Cosine of half the angle, 0…1.
    pub cosine: f64,
}

impl BoneTurn {
    pub const NONE: Self = Self { along: 0.0, cosine: 1.0 };

    /// The one with more twist.
    pub(super) fn more_twisted(self, other: Self) -> Self {
        if self.along * other.cosine < other.along * self.cosine { other } else { self }
    }

    /// Angle about the bone's own axis, radians, 0…π.
    pub fn twist(self) -> f64 {
        // Rotated by half a turn, twist about the bone cannot be told from the choice of the axis.
        if self.along.max(self.cosine) < 1e-6 { 0.0 } else { 2.0 * self.along.atan2(self.cosine) }
    }
}

impl State {
    /// The animated pose, at rest and out of all colliders.
    pub fn at(rig: &DynamicsRig, pose: &Pose) -> Self {
        let mut state = Self {
            previous_tips: Vec::new(),
            bones: Vec::new(),
            shown: Vec::new(),
            buffered: vec![DVec3::Y; rig.bones.len()],
            contacts: vec![Contact::default(); rig.bones.len()],
            axes: vec![DVec3::X; rig.bones.len()],
            kinematic: Vec::new(),
            colliders: Vec::new(),
            old: Surroundings::default(),
            broadphase: Broadphase::default(),
            caps: Vec::new(),
            forces: Vec::new(),
            next: Surroundings::default(),
            kept_speed: Vec::new(),
            #[cfg(test)]
            one_by_one: false,
        };
        state.place_kinematic(rig, pose);
        state.place_colliders(rig);
        for (index, bone) in rig.bones.iter().enumerate() {
            let animated = state.animated_bone(rig, bone, &state.bones, pose);
            // Pushed first, so that `lay_at_rest` finds the bone in its place.
            let bone = animated.pose();
            state.bones.push(bone);
            state.shown.push(bone);
            state.lay_at_rest(rig, index, &animated);
        }
        state.previous_tips = state.bones.iter().map(BonePose::tip).collect();
        state
    }

    /// Puts kinematic joints where the animation has them.
    pub(super) fn place_kinematic(&mut self, rig: &DynamicsRig, pose: &Pose) {
        place_kinematic(&rig.kinematic, rig.metres_per_unit, pose, &mut self.kinematic);
    }

    /// Puts colliders where their kinematic joints are.
    pub(super) fn place_colliders(&mut self, rig: &DynamicsRig) {
        place_colliders(&rig.colliders, &self.kinematic, &mut self.colliders);
    }

    /// `bone` as the animation has it where its parent is in `parents`, which are the simulated or the shown bones.
    pub(super) fn animated_bone(
        &self,
        rig: &DynamicsRig,
        bone: &Bone,
        parents: &[BonePose],
        pose: &Pose,
    ) -> AnimatedBone {
        self.placed_bone(rig, bone, parents, &LocalBone::new(bone, pose))
    }

    /// `bone`, which the animation has as `local`, where its parent is in `parents`.
    #[inline]
    pub(super) fn placed_bone(
        &self,
        rig: &DynamicsRig,
        bone: &Bone,
        parents: &[BonePose],
        local: &LocalBone,
    ) -> AnimatedBone {
        let world = WorldTransform::world(rig.metres_per_unit);
        let above = self.above(rig, bone, parents, &world);
        // The same point as the parent's tip, without the rounding of the way around.
        let continues = |parent: usize| rig.bones[parent].tip == Tip::Joint(bone.joint);
        let start = bone.parent.filter(|&parent| continues(parent)).map(|parent| parents[parent].tip());
        AnimatedBone::new(rig, bone, above, start, local)
    }

    /// The joint that `bone` hangs on where its parent is in `parents`; that is `world` where there is none.
    #[inline(always)]
    pub(super) fn above<'a>(
        &'a self,
        rig: &DynamicsRig,
        bone: &Bone,
        parents: &'a [BonePose],
        world: &'a WorldTransform,
    ) -> &'a WorldTransform {
        match (bone.parent, rig.anchors[bone.tree]) {
            (Some(parent), _) => &parents[parent].joint,
            (None, Some(anchor)) => &self.kinematic[anchor],
            (None, None) => world,
        }
    }

    /// Lays and shows a bone along its animated direction, or beside the colliders that are in its way.
    pub(super) fn lay_at_rest(&mut self, rig: &DynamicsRig, index: usize, animated: &AnimatedBone) {
        self.lay(rig, index, animated, animated.direction, DVec3::X);
    }

    /// Lays a bone along `wanted`, or beside the colliders that are in its way; `hint` decides where all sides are equally far.
    fn lay(&mut self, rig: &DynamicsRig, index: usize, animated: &AnimatedBone, wanted: DVec3, hint: DVec3) {
        let bone = &rig.bones[index];
        let (mut direction, mut contact) = (animated.direction, Contact::default());
        // A rigid bone has no direction that contact could change.
        if animated.length > 0.0 {
            let collides = &rig.collides[bone.chain];
            let indices: Vec<usize> = (0..self.colliders.len()).filter(|&index| collides[index]).collect();
            let any_elongated = self.colliders.iter().any(WorldCollider::is_elongated);
            let candidates = Candidates { colliders: &self.colliders, indices: &indices, any_elongated };
            Resolved { direction, contact } =
                animated.resolve(&candidates, &animated.allowed(), wanted, hint, &mut self.caps);
        }
        self.contacts[index] = contact;
        self.bones[index] = animated.rotated(direction, &mut self.axes[index]);
        self.show(index, animated, self.bones[index]);
    }

    /// Shows a bone as `pose`; `animated` is what it was rotated from.
    #[inline]
    pub(super) fn show(&mut self, index: usize, animated: &AnimatedBone, pose: BonePose) {
        self.shown[index] = pose;
        self.buffered[index] = animated.joint.rotation.conjugate() * pose.direction;
    }

    /// Puts the bones where joints have the rotations `local` (one per bone, relative to its parent), out of all colliders.
    pub(super) fn lay_all(&mut self, rig: &DynamicsRig, pose: &Pose, local: &[Quat]) {
        self.place_kinematic(rig, pose);
        self.place_colliders(rig);
        for (index, (bone, local)) in rig.bones.iter().zip(local).enumerate() {
            let animated = self.animated_bone(rig, bone, &self.bones, pose);
            let in_parent = normalized_or_identity(pose.locals[bone.joint].rotation.as_dquat());
            let wanted = animated.direction_of(normalized_or_identity(local.as_dquat()), in_parent);
            let before = self.bones[index];
            self.lay(rig, index, &animated, wanted, before.direction);
            self.previous_tips[index] = before.tip();
        }
    }

    /// The colliders at the last step, metres, in the order of the settings.
    pub(super) fn colliders(&self) -> &[WorldCollider] {
        &self.colliders
    }

    /// The shown rotation of a bone's joint relative to its parent.
    pub(super) fn local_rotation(&self, rig: &DynamicsRig, index: usize) -> DQuat {
        let bone = &rig.bones[index];
        let above = match (bone.parent, rig.anchors[bone.tree]) {
            (Some(parent), _) => self.shown[parent].joint.rotation,
            (None, Some(anchor)) => self.kinematic[anchor].rotation,
            (None, None) => DQuat::IDENTITY,
        };
        above.conjugate() * self.shown[index].joint.rotation
    }

    /// How a bone, whose joint has the rotation `shown` relative to its parent, is turned against the animation, which has `pose`.
    pub(super) fn turn(rig: &DynamicsRig, index: usize, shown: DQuat, pose: &Pose) -> BoneTurn {
        // Twist is measured about the bone as animated, in the space of its parent.
        let (animated, bone) = animated_in_parent(&rig.bones[index], pose);
        let turn = shown * animated.conjugate();
        BoneTurn { along: turn.xyz().dot(bone.normalize_or(DVec3::Y)).abs(), cosine: turn.w.abs() }
    }

    /// The state for changed settings: as it is where the bones are the same, else the bones that both have keep their motion.
    pub(super) fn adapted(self, old: &DynamicsRig, new: &DynamicsRig, pose: &Pose) -> Self {
        let same = old.bones.len() == new.bones.len() && old.colliders.len() == new.colliders.len();
        if same && old.kinematic == new.kinematic && old.bones.iter().zip(&new.bones).all(|(a, b)| a.joint == b.joint) {
            return self;
        }
        let mut fresh = Self::at(new, pose);
        for (index, bone) in new.bones.iter().enumerate() {
            if let Some(before) = old.bones.iter().position(|known| known.joint == bone.joint) {
                fresh.previous_tips[index] = self.previous_tips[before];
                fresh.bones[index] = self.bones[before];
                fresh.shown[index] = self.shown[before];
                fresh.buffered[index] = self.buffered[before];
                fresh.axes[index] = self.axes[before];
            }
        }
        fresh
    }
}

/// Writes the world places of `joints` (parents first) in `pose`, whose unit is `metres_per_unit` metres.
pub(super) fn place_kinematic(
    joints: &[KinematicJoint],
    metres_per_unit: f64,
    pose: &Pose,
    out: &mut Vec<WorldTransform>,
) {
    out.clear();
    for each in joints {
        let above = each.parent.map_or_else(|| WorldTransform::world(metres_per_unit), |parent| out[parent]);
        out.push(above.child(&pose.locals[each.joint]));
    }
}

/// Writes the world places of `colliders` where the joints that carry them are at `kinematic`.
pub(super) fn place_colliders(colliders: &[RigCollider], kinematic: &[WorldTransform], out: &mut Vec<WorldCollider>) {
    let world = WorldTransform::world(1.0);
    let placed = |collider: &RigCollider| {
        let carrier = collider.carrier.map_or(&world, |index| &kinematic[index]);
        WorldCollider::new(&collider.shape, carrier)
    };
    out.clear();
    out.extend(colliders.iter().map(placed));
}
