//! Transform of one bone, and the joint rotation that points it in a direction.
//!
//! A parent whose scale differs by axis shears the joints that rotate on it. The end of the bone then moves on an
//! ellipsoid, and its rotation is found in the parent's axes. Otherwise the ellipsoid is a sphere.

use glam::{DMat3, DQuat, DVec3};

use super::bone::{Bone, Tip};
use super::limit::Allowed;
use super::rig::DynamicsRig;
use crate::collide::contact::{Candidates, Resolved, resolve};
use crate::collide::spherical_cap::SphericalCap;
use crate::collide::world_collider::BoneReach;
use crate::settings::AngleLimit;
use crate::stepping::world_transform::{LocalJoint, WorldTransform, normalized_or_identity, renormalize, shortest_arc};
use portamento_anim::Pose;

/// Transform, direction and length of a bone.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BonePose {
    /// Joint, rotated so that its bone has this direction.
    pub joint: WorldTransform,
    /// Unit vector from the joint to the tip.
    pub direction: DVec3,
    /// Metres; 0 where the bone is carried rigidly.
    pub length: f64,
}

impl BonePose {
    /// Returns the world position of the bone's end, metres.
    #[inline]
    pub fn tip(&self) -> DVec3 {
        self.joint.position + self.direction * self.length
    }
}

/// Maximum number of rounds that solve the length of a bone under uneven scale. Tuned; no derivation recorded.
const MAX_SHEARED_ROUNDS: usize = 40;
/// Difference of length, relative to the bone, that counts as rounding.
const SAME_LENGTH_RATIO: f64 = 1e-9;

/// Animation of a bone relative to its parent.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LocalBone {
    /// Joint relative to its parent.
    joint: LocalJoint,
    /// Translation of the end, in the joint's units; unused where the end was added.
    tip: DVec3,
}

impl LocalBone {
    /// Returns `bone` as animated in `pose`.
    #[inline]
    pub fn new(bone: &Bone, pose: &Pose) -> Self {
        Self { joint: LocalJoint::new(&pose.locals[bone.joint]), tip: tip_in(bone, pose) }
    }
}

/// Returns the rotation of `bone`'s joint relative to its parent, and the bone in the parent's axes. The bone is in the
/// parent's units, or of length 1 for an added end.
pub(super) fn animated_in_parent(bone: &Bone, pose: &Pose) -> (DQuat, DVec3) {
    let local = &pose.locals[bone.joint];
    let rotation = normalized_or_identity(local.rotation.as_dquat());
    (rotation, rotation * arm(bone, local.scale.as_dvec3(), tip_in(bone, pose)))
}

/// Returns the translation of the end of `bone` in `pose`, in the joint's units; zero where the end was added.
#[inline]
fn tip_in(bone: &Bone, pose: &Pose) -> DVec3 {
    match bone.tip {
        Tip::Joint(tip) => pose.locals[tip].translation.as_dvec3(),
        Tip::Added { .. } => DVec3::ZERO,
    }
}

/// A bone as animated on its simulated parent: the starting point of a step.
pub(crate) struct AnimatedBone {
    pub joint: WorldTransform,
    /// Unit vector from the joint to the tip, as animated.
    pub direction: DVec3,
    /// Metres; 0 for a bone carried rigidly.
    pub length: f64,
    /// Radius around the tip, metres.
    radius: f64,
    /// True if the bone collides over its full length.
    full_length_contact: bool,
    limit: AngleLimit,
    /// Data for a parent that shears the joints that rotate on it.
    sheared: Option<Box<ShearedBone>>,
}

/// Data of a bone whose parent has a scale that differs by axis: its length changes as it rotates.
struct ShearedBone {
    /// Rotation of the parent.
    rotation: DQuat,
    /// Linear map from the parent's units to world metres.
    linear: DMat3,
    /// Inverse of `linear`.
    inverse: DMat3,
    /// Rotation of the joint relative to the parent.
    local: DQuat,
    /// Bone in its joint's axes before `local`: in the parent's units, or of length 1 for an added end.
    arm: DVec3,
    /// Length of an added end, metres, which no scale changes.
    fixed_length: Option<f64>,
    /// Scale of the joint itself.
    scale: DVec3,
}

impl ShearedBone {
    /// Creates the data of a bone. Returns `None` if `parent` preserves angles (no shear) or is too flat to have an inverse.
    fn new(bone: &Bone, parent: &WorldTransform, local: &LocalBone) -> Option<Box<Self>> {
        // Without shear the length does not depend on the direction.
        if parent.keeps_angles {
            return None;
        }
        // Flattened space has no inverse to work in.
        let inverse = Some(parent.linear.inverse()).filter(|inverse| inverse.is_finite())?;
        let fixed_length = match bone.tip {
            Tip::Joint(_) => None,
            Tip::Added { length, .. } => Some(length),
        };
        let scale = local.joint.scale;
        Some(Box::new(Self {
            rotation: parent.rotation,
            linear: parent.linear,
            inverse,
            local: local.joint.rotation,
            arm: arm(bone, scale, local.tip),
            fixed_length,
            scale,
        }))
    }

    /// Returns the length of the bone in metres along unit vector `direction`: its end lies on an ellipsoid.
    fn length_along(&self, direction: DVec3) -> f64 {
        self.fixed_length.unwrap_or_else(|| self.arm.length() / (self.inverse * direction).length())
    }

    /// Returns an upper bound of [`ShearedBone::length_along`], metres.
    fn max_length(&self) -> f64 {
        // The Frobenius norm, which no stretch exceeds.
        let columns = [self.linear.x_axis, self.linear.y_axis, self.linear.z_axis].map(DVec3::length_squared);
        self.fixed_length.unwrap_or_else(|| self.arm.length() * columns.iter().sum::<f64>().sqrt())
    }

    /// Returns the rotation relative to the parent that takes the bone to world direction `direction` without twist. `axis`
    /// is the world axis to use where `direction` is opposite to the animation.
    fn local_rotation(&self, direction: DVec3, axis: DVec3) -> DQuat {
        let from = (self.local * self.arm).normalize_or(DVec3::Y);
        let to = (self.inverse * direction).try_normalize().unwrap_or(from);
        shortest_arc(from, to, self.rotation.conjugate() * axis) * self.local
    }
}

impl AnimatedBone {
    /// Returns `bone` as animated on `parent`. `start` overrides the world position (metres) where the bone starts. A bone
    /// too short to have a direction gets length 0.
    #[inline]
    pub fn new(
        rig: &DynamicsRig,
        bone: &Bone,
        parent: &WorldTransform,
        start: Option<DVec3>,
        local: &LocalBone,
    ) -> Self {
        let mut joint = parent.carrying(&local.joint);
        joint.position = start.unwrap_or(joint.position);
        let arm = match bone.tip {
            Tip::Joint(_) => joint.transform_vector(local.tip),
            Tip::Added { direction, length } => (joint.linear * direction).normalize_or(DVec3::Y) * length,
        };
        let (radius, full_length_contact, limit) = (bone.radius, rig.segment_contact, bone.limit);
        let rigid = Self { joint, direction: DVec3::Y, length: 0.0, radius, full_length_contact, limit, sheared: None };
        let length = arm.length();
        if rig.is_rigid(length) || !length.is_finite() {
            return rigid;
        }
        Self { direction: arm * length.recip(), length, sheared: ShearedBone::new(bone, parent, local), ..rigid }
    }

    /// Returns `bone` with the animated transform `at`, on a parent that preserves angles.
    pub fn at(rig: &DynamicsRig, bone: &Bone, at: BonePose) -> Self {
        let BonePose { joint, direction, length } = at;
        let (radius, full_length_contact, limit) = (bone.radius, rig.segment_contact, bone.limit);
        Self { joint, direction, length, radius, full_length_contact, limit, sheared: None }
    }

    /// Returns the bone as animated.
    #[inline]
    pub fn pose(&self) -> BonePose {
        BonePose { joint: self.joint, direction: self.direction, length: self.length }
    }

    /// Returns the sphere that the end of this bone can reach.
    #[inline]
    fn reach(&self) -> BoneReach {
        BoneReach {
            start: self.joint.position,
            length: self.length,
            radius: self.radius,
            full_length_contact: self.full_length_contact,
        }
    }

    /// Returns the directions that the angle limit allows.
    #[inline]
    pub fn allowed(&self) -> Allowed {
        Allowed::new(self.limit, self.joint.rotation, self.direction)
    }

    /// Returns the length of the bone in metres along unit vector `direction`.
    #[inline]
    pub(crate) fn length_along(&self, direction: DVec3) -> f64 {
        self.sheared.as_ref().map_or(self.length, |sheared| sheared.length_along(direction))
    }

    /// Returns an upper bound of the length of the bone in any direction, metres.
    #[inline]
    pub fn max_length(&self) -> f64 {
        self.sheared.as_ref().map_or(self.length, |sheared| sheared.max_length())
    }

    /// Returns the bone rotated to the world unit vector `direction` without twist; a bone of length 0 stays as animated.
    /// `axis` is the rotation axis to use where `direction` is opposite to the animation; it is updated to the axis of this
    /// rotation.
    #[inline]
    pub fn rotated(&self, direction: DVec3, axis: &mut DVec3) -> BonePose {
        if self.length == 0.0 {
            return self.pose();
        }
        if let Some(sheared) = &self.sheared {
            return self.rotated_in_sheared(sheared, direction, axis);
        }
        let swing = shortest_arc(self.direction, direction, *axis);
        store_axis(axis, swing);
        let rotation = swing * self.joint.rotation;
        let rotation = renormalize(rotation, rotation.length_squared());
        let linear = DMat3::from_quat(swing) * self.joint.linear;
        let joint = WorldTransform { rotation, linear, ..self.joint };
        BonePose { joint, direction, length: self.length }
    }

    /// Returns the result of [`AnimatedBone::rotated`] for a bone whose parent shears it. The length follows the direction.
    fn rotated_in_sheared(&self, sheared: &ShearedBone, direction: DVec3, axis: &mut DVec3) -> BonePose {
        let local = sheared.local_rotation(direction, *axis);
        let rotation = normalized_or_identity(sheared.rotation * local);
        let swing = rotation * self.joint.rotation.conjugate();
        store_axis(axis, swing);
        let linear = sheared.linear * (DMat3::from_quat(local) * DMat3::from_diagonal(sheared.scale));
        let joint = WorldTransform { rotation, linear, ..self.joint };
        BonePose { joint, direction, length: sheared.length_along(direction) }
    }

    /// Returns the allowed direction nearest to `wanted` in which the bone touches none of `candidates`. `hint` selects the
    /// side if all sides are equally far.
    ///
    /// `allowed` is the result of [`AnimatedBone::allowed`]; `caps` is scratch memory. All directions are world unit vectors.
    #[inline]
    pub fn resolve(
        &self,
        candidates: &Candidates,
        allowed: &Allowed,
        wanted: DVec3,
        hint: DVec3,
        caps: &mut Vec<SphericalCap>,
    ) -> Resolved {
        let mut reach = self.reach();
        let mut found = resolve(candidates, &reach, allowed, wanted, hint, caps);
        // The reach of a sheared bone is an ellipsoid: each round solves contact on the sphere through the last end
        // found.
        for _ in 0..MAX_SHEARED_ROUNDS {
            let length = self.length_along(found.direction);
            if (length - reach.length).abs() <= SAME_LENGTH_RATIO * length {
                break;
            }
            // Half of the difference, since full corrections can oscillate without end.
            reach.length = 0.5 * (reach.length + length);
            found = resolve(candidates, &reach, allowed, wanted, hint, caps);
        }
        found
    }

    /// Returns the world unit direction of the bone if its joint has the rotation `local` relative to the parent.
    /// `animated_local` is that rotation as animated.
    pub(super) fn direction_of(&self, local: DQuat, animated_local: DQuat) -> DVec3 {
        if let Some(sheared) = &self.sheared {
            return (sheared.linear * (local * sheared.arm)).try_normalize().unwrap_or(self.direction);
        }
        // Both rotations are relative to the same parent: their difference is the swing in the axes of the animated
        // joint.
        let swing = animated_local.conjugate() * local;
        let seen = self.joint.rotation.conjugate() * self.direction;
        self.joint.rotation * (swing * seen)
    }
}

/// Stores the axis of `swing` in `axis`, not normalised, unless `swing` is the identity. [`AnimatedBone::rotated`]
/// normalises it only where it is needed.
#[inline]
fn store_axis(axis: &mut DVec3, swing: DQuat) {
    if swing.xyz().length_squared() > f64::MIN_POSITIVE {
        *axis = swing.xyz();
    }
}

/// Returns the bone in its joint's axes before the joint's rotation, for an end with the translation `tip`. In the
/// parent's units, or of length 1 for an added end.
fn arm(bone: &Bone, scale: DVec3, tip: DVec3) -> DVec3 {
    match bone.tip {
        Tip::Joint(_) => scale * tip,
        Tip::Added { direction, .. } => (scale * direction).normalize_or(direction),
    }
}
