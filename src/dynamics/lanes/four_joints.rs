//! Four joints in parallel lanes, and the animation of four bones.

use crate::chains::bone::{Bone, Tip};
use crate::chains::bone_pose::BonePose;
use crate::stepping::world_transform::{MIN_QUATERNION_LENGTH, SAME_SCALE, WorldTransform};
use portamento_anim::Pose;
use portamento_anim::math::four::{FOUR, Four, FourMatrices, FourRotations, FourVectors, Mask};
use portamento_anim::math::lanes::Vectors;

/// World transforms of four joints.
#[derive(Clone, Copy)]
pub(super) struct FourJoints<V: Vectors> {
    pub rotation: FourRotations<V>,
    pub position: FourVectors<V>,
    pub linear: FourMatrices<V>,
}

impl<V: Vectors> FourJoints<V> {
    /// Loads one transform per lane.
    #[inline(always)]
    pub fn load(vectors: V, from: [&WorldTransform; FOUR]) -> Self {
        Self {
            rotation: FourRotations::from_fn(vectors, |lane| from[lane].rotation),
            position: FourVectors::from_fn(vectors, |lane| from[lane].position),
            linear: FourMatrices::load(vectors, from.map(|joint| &joint.linear)),
        }
    }

    /// Returns one [`WorldTransform`] per lane; `keeps_angles` is stored separately.
    #[inline(always)]
    pub fn store(&self, keeps_angles: [bool; FOUR]) -> [WorldTransform; FOUR] {
        let (rotation, position, linear) = (self.rotation.store(), self.position.store(), self.linear.store());
        std::array::from_fn(|lane| WorldTransform {
            rotation: rotation[lane],
            position: position[lane],
            linear: linear[lane],
            keeps_angles: keeps_angles[lane],
        })
    }
}

/// Joints that four bones hang on.
#[derive(Clone, Copy)]
pub(super) struct FourParents<V: Vectors> {
    pub joint: FourJoints<V>,
    /// Lanes whose joints preserve angles.
    pub keeps_angles: Mask<V>,
    /// Start positions of bones that start at their parents' tips, with a mask of those lanes; `None` for the first bones
    /// of trees.
    pub start: Option<(Mask<V>, FourVectors<V>)>,
}

impl<V: Vectors> FourParents<V> {
    /// Loads the joints `joints`. `parents` are their bones, each with true if the child bone starts at the parent's tip.
    #[inline(always)]
    pub fn load(vectors: V, joints: [&WorldTransform; FOUR], parents: Option<[(&BonePose, bool); FOUR]>) -> Self {
        let joint = FourJoints::load(vectors, joints);
        let mut start = None;
        if let Some(parents) = parents {
            let direction = FourVectors::from_fn(vectors, |lane| parents[lane].0.direction);
            let length = Four::from_fn(vectors, |lane| parents[lane].0.length);
            let continues = Mask::from_fn(vectors, |lane| parents[lane].1);
            start = Some((continues, joint.position + direction * length));
        }
        Self { joint, keeps_angles: Mask::from_fn(vectors, |lane| joints[lane].keeps_angles), start }
    }
}

/// Animation of four bones relative to their parents.
#[derive(Clone, Copy)]
pub(super) struct FourLocals<V: Vectors> {
    /// Rotations relative to the parents.
    pub rotation: FourRotations<V>,
    /// Translations, units of the parents.
    pub translation: FourVectors<V>,
    /// Scale followed by rotation.
    pub linear: FourMatrices<V>,
    /// Lanes whose scale is the same along all axes.
    pub is_even: Mask<V>,
    /// Translation of the end, units of the joint; for an added end its direction.
    pub tip: FourVectors<V>,
    /// Lanes with added ends, and the lengths of those in metres.
    pub added: Option<(Mask<V>, Four<V>)>,
    /// Lanes whose rotations can be normalised.
    pub is_sound: Mask<V>,
}

impl<V: Vectors> FourLocals<V> {
    /// Loads the animation of `bones` in `pose`.
    #[inline(always)]
    pub fn load(vectors: V, bones: [&Bone; FOUR], pose: &Pose) -> Self {
        let locals = bones.map(|bone| &pose.locals[bone.joint]);
        let raw = FourRotations::from_fn(vectors, |lane| locals[lane].rotation.as_dquat());
        let scale = FourVectors::from_fn(vectors, |lane| locals[lane].scale.as_dvec3());
        let length = raw.length_squared().sqrt();
        let rotation = raw * length.recip();
        let turn = rotation.matrix();
        let FourVectors { x, y, z } = scale;
        let (largest_factor, smallest_factor) = (x.max(y.max(z)), x.min(y.min(z)));
        let largest = x.abs().max(y.abs().max(z.abs()));
        let tip = |lane: usize| match bones[lane].tip {
            Tip::Joint(tip) => pose.locals[tip].translation.as_dvec3(),
            Tip::Added { direction, .. } => direction,
        };
        Self {
            rotation,
            translation: FourVectors::from_fn(vectors, |lane| locals[lane].translation.as_dvec3()),
            linear: FourMatrices { x_axis: turn.x_axis * x, y_axis: turn.y_axis * y, z_axis: turn.z_axis * z },
            is_even: (largest_factor - smallest_factor).is_at_most(largest * SAME_SCALE),
            tip: FourVectors::from_fn(vectors, tip),
            added: added_ends(vectors, bones),
            is_sound: raw
                .w
                .like(MIN_QUATERNION_LENGTH)
                .is_below(length)
                .and(length.is_below(raw.w.like(f64::INFINITY))),
        }
    }
}

/// Returns the lanes whose ends were added, and the lengths of those bones in metres; `None` if there are none.
#[inline(always)]
fn added_ends<V: Vectors>(vectors: V, bones: [&Bone; FOUR]) -> Option<(Mask<V>, Four<V>)> {
    let length = |lane: usize| match bones[lane].tip {
        Tip::Joint(_) => 0.0,
        Tip::Added { length, .. } => length,
    };
    let is_added = |lane: usize| matches!(bones[lane].tip, Tip::Added { .. });
    if !(0..FOUR).any(is_added) {
        return None;
    }
    Some((Mask::from_fn(vectors, is_added), Four::from_fn(vectors, length)))
}
