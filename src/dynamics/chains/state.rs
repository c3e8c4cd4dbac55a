//! State of all bones, passed from one step to the next.

use glam::{DQuat, DVec3, Quat};

use super::bone::{Bone, Tip};
use super::bone_pose::{AnimatedBone, BonePose, LocalBone, animated_in_parent};
use super::rig::{DynamicsRig, KinematicJoint, RigCollider};
use crate::collide::broadphase::Broadphase;
use crate::collide::contact::{Candidates, Contact, Resolved};
use crate::collide::spherical_cap::SphericalCap;
use crate::collide::world_collider::WorldCollider;
use crate::stepping::world_transform::{RigidMotion, WorldTransform, normalized_or_identity};
use portamento_anim::Pose;

/// Everything that one step passes to the next.
#[derive(Clone, Debug, PartialEq)]
pub struct State {
    /// Tips before the last step, metres, world space.
    pub previous_tips: Vec<DVec3>,
    /// Simulated bones, in the order of [`DynamicsRig::bones`].
    pub bones: Vec<BonePose>,
    /// Bones as shown: smoothed if the settings ask for it.
    pub shown: Vec<BonePose>,
    /// Direction of each shown bone in the axes of its animated joint; the slerp buffer starts from it.
    pub(crate) buffered: Vec<DVec3>,
    /// Contact of each bone in the last step.
    pub contacts: Vec<Contact>,
    /// Axis of each bone's last rotation; used where a bone points straight against its animation.
    pub(crate) axes: Vec<DVec3>,
    /// In the order of [`DynamicsRig::kinematic`].
    pub(crate) kinematic: Vec<WorldTransform>,
    /// Colliders at the last step, in the order of the settings.
    pub(crate) colliders: Vec<WorldCollider>,
    /// Kinematic joints and colliders one step earlier.
    pub(crate) old: Surroundings,
    pub(crate) broadphase: Broadphase,
    pub(crate) caps: Vec<SphericalCap>,
    /// Scratch memory: forces on each chain in a step.
    pub(crate) forces: Vec<ChainForces>,
    /// Scratch memory: kinematic joints and colliders of a step that the caller drives directly.
    pub(crate) next: Surroundings,
    /// Scratch memory: share of its speed that each bone retains in such a step.
    pub(crate) retained_speed: Vec<f64>,
    /// True to step bones one after the other, as the reference for the parallel lanes.
    #[cfg(test)]
    pub(crate) one_by_one: bool,
}

/// Forces on all bones of a chain in a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct ChainForces {
    /// Acceleration by the moving air, m/s².
    pub wind: DVec3,
    /// Motion of the chain's center joint in this step.
    pub center_motion: Option<RigidMotion>,
}

/// Joints that bones hang on, and colliders.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Surroundings {
    /// In the order of [`DynamicsRig::kinematic`].
    pub kinematic: Vec<WorldTransform>,
    /// In the order of the settings.
    pub colliders: Vec<WorldCollider>,
}

/// Rotation of a bone relative to its animation, as quaternion components that compare without an arc tangent.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BoneTurn {
    /// Absolute component of the quaternion's vector part along the bone: sin(angle/2) times the axis along the bone.
    pub along: f64,
    /// Cosine of half the angle, 0…1.
    pub cosine: f64,
}

impl BoneTurn {
    pub const NONE: Self = Self { along: 0.0, cosine: 1.0 };

    /// Returns the turn with more twist.
    pub(crate) fn with_more_twist(self, other: Self) -> Self {
        if self.along * other.cosine < other.along * self.cosine { other } else { self }
    }

    /// Returns the angle about the bone's own axis, radians, 0…π.
    pub fn twist(self) -> f64 {
        // After half a turn, twist about the bone cannot be distinguished from the choice of the axis.
        if self.along.max(self.cosine) < 1e-6 { 0.0 } else { 2.0 * self.along.atan2(self.cosine) }
    }
}

impl State {
    /// Returns the state in which all bones are at rest as animated in `pose`, moved out of the colliders.
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
            retained_speed: Vec::new(),
            #[cfg(test)]
            one_by_one: false,
        };
        state.place_kinematic(rig, pose);
        state.place_colliders(rig);
        for (index, bone) in rig.bones.iter().enumerate() {
            let animated = state.animated_bone(rig, bone, &state.bones, pose);
            // Pushed first because `pose_at_rest` overwrites the entry.
            let bone = animated.pose();
            state.bones.push(bone);
            state.shown.push(bone);
            state.pose_at_rest(rig, index, &animated);
        }
        state.previous_tips = state.bones.iter().map(BonePose::tip).collect();
        state
    }

    /// Computes the world transforms of the kinematic joints in `pose`, positions in metres.
    pub(crate) fn place_kinematic(&mut self, rig: &DynamicsRig, pose: &Pose) {
        place_kinematic(&rig.kinematic, rig.metres_per_unit, pose, &mut self.kinematic);
    }

    /// Computes the world shapes of the colliders from the kinematic joints.
    pub(crate) fn place_colliders(&mut self, rig: &DynamicsRig) {
        place_colliders(&rig.colliders, &self.kinematic, &mut self.colliders);
    }

    /// Returns `bone` as animated in `pose` on its parent in `parents`: the simulated or the shown bones.
    pub(crate) fn animated_bone(
        &self,
        rig: &DynamicsRig,
        bone: &Bone,
        parents: &[BonePose],
        pose: &Pose,
    ) -> AnimatedBone {
        self.placed_bone(rig, bone, parents, &LocalBone::new(bone, pose))
    }

    /// Returns `bone` as animated by `local` on its parent in `parents`.
    #[inline]
    pub(crate) fn placed_bone(
        &self,
        rig: &DynamicsRig,
        bone: &Bone,
        parents: &[BonePose],
        local: &LocalBone,
    ) -> AnimatedBone {
        let world = WorldTransform::world(rig.metres_per_unit);
        let parent_joint = self.parent_joint(rig, bone, parents, &world);
        // The start is the parent's tip; taking that avoids the rounding of the longer computation.
        let continues = |parent: usize| rig.bones[parent].tip == Tip::Joint(bone.joint);
        let start = bone.parent.filter(|&parent| continues(parent)).map(|parent| parents[parent].tip());
        AnimatedBone::new(rig, bone, parent_joint, start, local)
    }

    /// Returns the transform of the joint that `bone` hangs on: its parent bone, its anchor, or `world` where it has
    /// neither.
    #[inline(always)]
    pub(crate) fn parent_joint<'a>(
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

    /// Sets and shows a bone in its animated direction, or next to the colliders in its way.
    pub(crate) fn pose_at_rest(&mut self, rig: &DynamicsRig, index: usize, animated: &AnimatedBone) {
        self.pose_towards(rig, index, animated, animated.direction, DVec3::X);
    }

    /// Sets a bone to the allowed direction nearest to `wanted`, and shows it. Where several are equally near, `hint` selects
    /// one. Both are world unit vectors.
    fn pose_towards(&mut self, rig: &DynamicsRig, index: usize, animated: &AnimatedBone, wanted: DVec3, hint: DVec3) {
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

    /// Sets the shown bone to `pose`, which was rotated from `animated`.
    #[inline]
    pub(crate) fn show(&mut self, index: usize, animated: &AnimatedBone, pose: BonePose) {
        self.shown[index] = pose;
        self.buffered[index] = animated.joint.rotation.conjugate() * pose.direction;
    }

    /// Sets all bones from the joint rotations `local` (one per bone, relative to its parent), and moves them out of all
    /// colliders. The tips so far become those before the step.
    pub(crate) fn pose_from_rotations(&mut self, rig: &DynamicsRig, pose: &Pose, local: &[Quat]) {
        self.place_kinematic(rig, pose);
        self.place_colliders(rig);
        for (index, (bone, local)) in rig.bones.iter().zip(local).enumerate() {
            let animated = self.animated_bone(rig, bone, &self.bones, pose);
            let in_parent = normalized_or_identity(pose.locals[bone.joint].rotation.as_dquat());
            let wanted = animated.direction_of(normalized_or_identity(local.as_dquat()), in_parent);
            let before = self.bones[index];
            self.pose_towards(rig, index, &animated, wanted, before.direction);
            self.previous_tips[index] = before.tip();
        }
    }

    /// Returns the colliders at the last step, metres, in the order of the settings.
    pub(crate) fn colliders(&self) -> &[WorldCollider] {
        &self.colliders
    }

    /// Returns the shown rotation of a bone's joint relative to its parent.
    pub(crate) fn local_rotation(&self, rig: &DynamicsRig, index: usize) -> DQuat {
        let bone = &rig.bones[index];
        let parent_rotation = match (bone.parent, rig.anchors[bone.tree]) {
            (Some(parent), _) => self.shown[parent].joint.rotation,
            (None, Some(anchor)) => self.kinematic[anchor].rotation,
            (None, None) => DQuat::IDENTITY,
        };
        parent_rotation.conjugate() * self.shown[index].joint.rotation
    }

    /// Returns the turn of a bone relative to the animation in `pose`. `shown` is the rotation of its joint relative to
    /// the parent.
    pub(crate) fn turn(rig: &DynamicsRig, index: usize, shown: DQuat, pose: &Pose) -> BoneTurn {
        // Twist is measured about the bone as animated, in the space of its parent.
        let (animated, bone) = animated_in_parent(&rig.bones[index], pose);
        let turn = shown * animated.conjugate();
        BoneTurn { along: turn.xyz().dot(bone.normalize_or(DVec3::Y)).abs(), cosine: turn.w.abs() }
    }

    /// Converts the state to changed settings. Bones that both rigs have keep their motion; the others start at rest in
    /// `pose`.
    pub(crate) fn adapt_to(self, old: &DynamicsRig, new: &DynamicsRig, pose: &Pose) -> Self {
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

/// Computes the world transforms of `joints` (parents first) in `pose`, whose unit is `metres_per_unit` metres.
pub(crate) fn place_kinematic(
    joints: &[KinematicJoint],
    metres_per_unit: f64,
    pose: &Pose,
    out: &mut Vec<WorldTransform>,
) {
    out.clear();
    for each in joints {
        let parent = each.parent.map_or_else(|| WorldTransform::world(metres_per_unit), |parent| out[parent]);
        out.push(parent.child(&pose.locals[each.joint]));
    }
}

/// Computes the world shapes of `colliders` from the transforms `kinematic` of the joints that carry them.
pub(crate) fn place_colliders(colliders: &[RigCollider], kinematic: &[WorldTransform], out: &mut Vec<WorldCollider>) {
    let world = WorldTransform::world(1.0);
    let placed = |collider: &RigCollider| {
        let carrier = collider.carrier.map_or(&world, |index| &kinematic[index]);
        WorldCollider::new(&collider.shape, carrier)
    };
    out.clear();
    out.extend(colliders.iter().map(placed));
}
