//! Where one bone is, and how its joint rotates to point it somewhere.
//!
//! A parent whose scale differs by axis shears what rotates on it: the end of the bone then moves on an ellipsoid, and the rotation
//! that points it somewhere is found in the parent's own axes. Everywhere else the ellipsoid is a sphere.

use glam::{DMat3, DQuat, DVec3};

use super::bone::{Bone, Tip};
use super::contact::{Candidates, Resolved, resolve};
use super::limit::Allowed;
use super::rig::DynamicsRig;
use super::settings::AngleLimit;
use super::spherical_cap::SphericalCap;
use super::world_collider::BoneReach;
use super::world_transform::{LocalJoint, WorldTransform, normalized_or_identity, polished, shortest_arc};
use crate::anim::Pose;

/// Where a bone is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BonePose {
    /// The joint, rotated so that its bone has this direction.
    pub joint: WorldTransform,
    /// Unit vector from the joint to the tip.
    pub direction: DVec3,
    /// Metres; 0 where the bone is carried rigidly.
    pub length: f64,
}

impl BonePose {
    /// World position of the bone's end, metres.
    #[inline]
    pub fn tip(&self) -> DVec3 {
        self.joint.position + self.direction * self.length
    }
}

/// Rounds in which the length of a bone under uneven scale is found anew.
const SHEARED_ROUNDS: usize = 40;
/// Share of a bone's length that is rounding.
const SAME_LENGTH: f64 = 1e-9;

/// What the animation gives for a bone, wherever its parent is.
#[derive(Clone, Copy, Debug)]
pub(super) struct LocalBone {
    /// Relative to its parent.
    joint: LocalJoint,
    /// Translation of the end, units of the joint; not used where the end was added.
    tip: DVec3,
}

impl LocalBone {
    /// `bone` in `pose`.
    #[inline]
    pub fn new(bone: &Bone, pose: &Pose) -> Self {
        Self { joint: LocalJoint::new(&pose.locals[bone.joint]), tip: tip_in(bone, pose) }
    }
}

/// The rotation of `bone`'s joint in `pose`, relative to its parent, and the bone in the axes of that: in its units, or of length 1 for
/// an added end.
pub(super) fn animated_in_parent(bone: &Bone, pose: &Pose) -> (DQuat, DVec3) {
    let local = &pose.locals[bone.joint];
    let rotation = normalized_or_identity(local.rotation.as_dquat());
    (rotation, rotation * arm(bone, local.scale.as_dvec3(), tip_in(bone, pose)))
}

/// Translation of the end of `bone` in `pose`; zero where the end was added.
#[inline]
fn tip_in(bone: &Bone, pose: &Pose) -> DVec3 {
    match bone.tip {
        Tip::Joint(tip) => pose.locals[tip].translation.as_dvec3(),
        Tip::Added { .. } => DVec3::ZERO,
    }
}

/// A bone as the animation has it on its simulated parent: what a step starts from.
pub(super) struct AnimatedBone {
    pub joint: WorldTransform,
    /// Unit vector from the joint to the tip, as animated.
    pub direction: DVec3,
    /// Metres; 0 for a bone carried rigidly.
    pub length: f64,
    /// Around the tip, metres.
    radius: f64,
    /// Whether all of the bone collides.
    whole_bone: bool,
    limit: AngleLimit,
    /// Where the parent shears what rotates on it.
    sheared: Option<Box<ShearedBone>>,
}

/// What a bone needs whose parent has a scale that differs by axis: its length changes as it rotates.
struct ShearedBone {
    /// Rotation of the parent.
    rotation: DQuat,
    /// World metres from the parent's units.
    linear: DMat3,
    /// The inverse of that.
    inverse: DMat3,
    /// The joint relative to the parent.
    local: DQuat,
    /// The bone in its joint's axes before `local`, in the parent's units or, for an added end, of length 1.
    arm: DVec3,
    /// Metres of an added end, which no scale changes.
    fixed_length: Option<f64>,
    /// Scale of the joint itself.
    scale: DVec3,
}

impl ShearedBone {
    /// `None` where the parent keeps angles, or is squashed so flat that no rotation can be told from the bone's direction.
    fn new(bone: &Bone, above: &WorldTransform, local: &LocalBone) -> Option<Box<Self>> {
        // Without shear the length does not depend on the direction.
        if above.keeps_angles {
            return None;
        }
        // Flattened space has no inverse to work in.
        let inverse = Some(above.linear.inverse()).filter(|inverse| inverse.is_finite())?;
        let fixed_length = match bone.tip {
            Tip::Joint(_) => None,
            Tip::Added { length, .. } => Some(length),
        };
        let scale = local.joint.scale;
        Some(Box::new(Self {
            rotation: above.rotation,
            linear: above.linear,
            inverse,
            local: local.joint.rotation,
            arm: arm(bone, scale, local.tip),
            fixed_length,
            scale,
        }))
    }

    /// Metres of the bone where it points along unit vector `direction`: its end lies on an ellipsoid.
    fn length_along(&self, direction: DVec3) -> f64 {
        self.fixed_length.unwrap_or_else(|| self.arm.length() / (self.inverse * direction).length())
    }

    fn longest(&self) -> f64 {
        // The Frobenius norm, which no stretch exceeds.
        let columns = [self.linear.x_axis, self.linear.y_axis, self.linear.z_axis].map(DVec3::length_squared);
        self.fixed_length.unwrap_or_else(|| self.arm.length() * columns.iter().sum::<f64>().sqrt())
    }

    /// The rotation relative to the parent that takes the bone to `direction` without twist.
    fn local_rotation(&self, direction: DVec3, axis: DVec3) -> DQuat {
        let from = (self.local * self.arm).normalize_or(DVec3::Y);
        let to = (self.inverse * direction).try_normalize().unwrap_or(from);
        shortest_arc(from, to, self.rotation.conjugate() * axis) * self.local
    }
}

impl AnimatedBone {
    /// `bone` on a parent that is at `above`; `start`, if given, is where it starts.
    #[inline]
    pub fn new(
        rig: &DynamicsRig,
        bone: &Bone,
        above: &WorldTransform,
        start: Option<DVec3>,
        local: &LocalBone,
    ) -> Self {
        let mut joint = above.carrying(&local.joint);
        joint.position = start.unwrap_or(joint.position);
        let arm = match bone.tip {
            Tip::Joint(_) => joint.transform_vector(local.tip),
            Tip::Added { direction, length } => (joint.linear * direction).normalize_or(DVec3::Y) * length,
        };
        let (radius, whole_bone, limit) = (bone.radius, rig.segment_contact, bone.limit);
        let rigid = Self { joint, direction: DVec3::Y, length: 0.0, radius, whole_bone, limit, sheared: None };
        let length = arm.length();
        if rig.is_rigid(length) || !length.is_finite() {
            return rigid;
        }
        Self { direction: arm * length.recip(), length, sheared: ShearedBone::new(bone, above, local), ..rigid }
    }

    /// `bone` where the animation has it at `at`, its parent keeping angles.
    pub fn at(rig: &DynamicsRig, bone: &Bone, at: BonePose) -> Self {
        let BonePose { joint, direction, length } = at;
        let (radius, whole_bone, limit) = (bone.radius, rig.segment_contact, bone.limit);
        Self { joint, direction, length, radius, whole_bone, limit, sheared: None }
    }

    /// The bone as animated.
    #[inline]
    pub fn pose(&self) -> BonePose {
        BonePose { joint: self.joint, direction: self.direction, length: self.length }
    }

    /// What the end of this bone can reach.
    #[inline]
    fn reach(&self) -> BoneReach {
        BoneReach { start: self.joint.position, length: self.length, radius: self.radius, whole_bone: self.whole_bone }
    }

    /// What the angle limit of this bone allows.
    #[inline]
    pub fn allowed(&self) -> Allowed {
        Allowed::new(self.limit, self.joint.rotation, self.direction)
    }

    /// Metres of the bone where it points along unit vector `direction`.
    #[inline]
    pub(super) fn length_along(&self, direction: DVec3) -> f64 {
        self.sheared.as_ref().map_or(self.length, |sheared| sheared.length_along(direction))
    }

    /// Metres that the bone is long at most, wherever it points.
    #[inline]
    pub fn longest(&self) -> f64 {
        self.sheared.as_ref().map_or(self.length, |sheared| sheared.longest())
    }

    /// The bone rotated without twist to `direction`; `axis` decides where that is straight against the animation, and then
    /// becomes the axis of the rotation.
    #[inline]
    pub fn rotated(&self, direction: DVec3, axis: &mut DVec3) -> BonePose {
        if self.length == 0.0 {
            return self.pose();
        }
        if let Some(sheared) = &self.sheared {
            return self.rotated_in_sheared(sheared, direction, axis);
        }
        let swing = shortest_arc(self.direction, direction, *axis);
        keep_axis(axis, swing);
        let rotation = swing * self.joint.rotation;
        let rotation = polished(rotation, rotation.length_squared());
        let linear = DMat3::from_quat(swing) * self.joint.linear;
        let joint = WorldTransform { rotation, linear, ..self.joint };
        BonePose { joint, direction, length: self.length }
    }

    fn rotated_in_sheared(&self, sheared: &ShearedBone, direction: DVec3, axis: &mut DVec3) -> BonePose {
        let local = sheared.local_rotation(direction, *axis);
        let rotation = normalized_or_identity(sheared.rotation * local);
        let swing = rotation * self.joint.rotation.conjugate();
        keep_axis(axis, swing);
        let linear = sheared.linear * (DMat3::from_quat(local) * DMat3::from_diagonal(sheared.scale));
        let joint = WorldTransform { rotation, linear, ..self.joint };
        BonePose { joint, direction, length: sheared.length_along(direction) }
    }

    /// The allowed direction nearest to `wanted` in which the bone touches none of `candidates`.
    ///
    /// `allowed` is what [`AnimatedBone::allowed`] gives.
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
        // The reach of a sheared bone is an ellipsoid: its contact is solved on the sphere through the end found last.
        for _ in 0..SHEARED_ROUNDS {
            let length = self.length_along(found.direction);
            if (length - reach.length).abs() <= SAME_LENGTH * length {
                break;
            }
            // Half the way, as whole ones may go to and fro for ever.
            reach.length = 0.5 * (reach.length + length);
            found = resolve(candidates, &reach, allowed, wanted, hint, caps);
        }
        found
    }

    /// The direction of the bone where its joint has the rotation `local` relative to its parent.
    pub(super) fn direction_of(&self, local: DQuat, animated_local: DQuat) -> DVec3 {
        if let Some(sheared) = &self.sheared {
            return (sheared.linear * (local * sheared.arm)).try_normalize().unwrap_or(self.direction);
        }
        // Both rotations are relative to the same parent: what lies between them is the swing, seen from the animated joint.
        let swing = animated_local.conjugate() * local;
        let seen = self.joint.rotation.conjugate() * self.direction;
        self.joint.rotation * (swing * seen)
    }
}

/// Makes the axis of `swing` the next one where it has one; of any length, which only a bone that points straight against its
/// animation makes 1.
#[inline]
fn keep_axis(axis: &mut DVec3, swing: DQuat) {
    if swing.xyz().length_squared() > f64::MIN_POSITIVE {
        *axis = swing.xyz();
    }
}

/// The bone in its joint's axes before the joint's rotation, whose end has the translation `tip`: in the parent's units, or of
/// length 1 for an added end.
fn arm(bone: &Bone, scale: DVec3, tip: DVec3) -> DVec3 {
    match bone.tip {
        Tip::Joint(_) => scale * tip,
        Tip::Added { direction, .. } => (scale * direction).normalize_or(direction),
    }
}
