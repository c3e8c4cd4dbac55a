//! Four joints side by side, and what the animation gives for them.

use crate::anim::Pose;
use crate::math::four::{FOUR, Four, FourMatrices, FourRotations, FourVectors, Mask};
use crate::math::lanes::Vectors;
use crate::systems::dynamics::bone::{Bone, Tip};
use crate::systems::dynamics::bone_pose::BonePose;
use crate::systems::dynamics::world_transform::{SAME_SCALE, SHORTEST_ROTATION, WorldTransform};

/// The world places of four joints.
#[derive(Clone, Copy)]
pub(super) struct FourJoints<V: Vectors> {
    pub rotation: FourRotations<V>,
    pub position: FourVectors<V>,
    pub linear: FourMatrices<V>,
}

impl<V: Vectors> FourJoints<V> {
    #[inline(always)]
    pub fn load(vectors: V, from: [&WorldTransform; FOUR]) -> Self {
        Self {
            rotation: FourRotations::from_fn(vectors, |lane| from[lane].rotation),
            position: FourVectors::from_fn(vectors, |lane| from[lane].position),
            linear: FourMatrices::load(vectors, from.map(|joint| &joint.linear)),
        }
    }

    /// Lane for lane; `keeps_angles` is known apart.
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

/// What bones hang on.
#[derive(Clone, Copy)]
pub(super) struct FourAbove<V: Vectors> {
    pub joint: FourJoints<V>,
    /// Whether those joints keep angles.
    pub keeps_angles: Mask<V>,
    /// Where bones start that go on from their parents' tips, and which do; none of the first bones of trees does.
    pub start: Option<(Mask<V>, FourVectors<V>)>,
}

impl<V: Vectors> FourAbove<V> {
    /// The joints `above`; `parents` are the bones that those belong to, and whether the bone below starts at the parent's tip.
    #[inline(always)]
    pub fn load(vectors: V, above: [&WorldTransform; FOUR], parents: Option<[(&BonePose, bool); FOUR]>) -> Self {
        let joint = FourJoints::load(vectors, above);
        let mut start = None;
        if let Some(parents) = parents {
            let direction = FourVectors::from_fn(vectors, |lane| parents[lane].0.direction);
            let length = Four::from_fn(vectors, |lane| parents[lane].0.length);
            let continues = Mask::from_fn(vectors, |lane| parents[lane].1);
            start = Some((continues, joint.position + direction * length));
        }
        Self { joint, keeps_angles: Mask::from_fn(vectors, |lane| above[lane].keeps_angles), start }
    }
}

/// What the animation gives for four bones, wherever their parents are.
#[derive(Clone, Copy)]
pub(super) struct FourLocals<V: Vectors> {
    /// Relative to the parents.
    pub rotation: FourRotations<V>,
    /// Units of the parents.
    pub translation: FourVectors<V>,
    /// Rotation after scale.
    pub linear: FourMatrices<V>,
    /// Whether the factors along the joint's axes are one.
    pub is_even: Mask<V>,
    /// Translation of the end, units of the joint, or direction of an added end.
    pub tip: FourVectors<V>,
    /// Which ends are added ones, and their lengths, metres.
    pub added: Option<(Mask<V>, Four<V>)>,
    /// Where the rotations are ones.
    pub is_sound: Mask<V>,
}

impl<V: Vectors> FourLocals<V> {
    /// `bones` in `pose`.
    #[inline(always)]
    pub fn load(vectors: V, bones: [&Bone; FOUR], pose: &Pose) -> Self {
        let locals = bones.map(|bone| &pose.locals[bone.joint]);
        let raw = FourRotations::from_fn(vectors, |lane| locals[lane].rotation.as_dquat());
        let scale = FourVectors::from_fn(vectors, |lane| locals[lane].scale.as_dvec3());
        let length = raw.length_squared().sqrt();
        let rotation = raw * length.recip();
        let turn = rotation.matrix();
        let FourVectors { x, y, z } = scale;
        let (most, least) = (x.max(y.max(z)), x.min(y.min(z)));
        let largest = x.abs().max(y.abs().max(z.abs()));
        let tip = |lane: usize| match bones[lane].tip {
            Tip::Joint(tip) => pose.locals[tip].translation.as_dvec3(),
            Tip::Added { direction, .. } => direction,
        };
        Self {
            rotation,
            translation: FourVectors::from_fn(vectors, |lane| locals[lane].translation.as_dvec3()),
            linear: FourMatrices { x_axis: turn.x_axis * x, y_axis: turn.y_axis * y, z_axis: turn.z_axis * z },
            is_even: (most - least).is_at_most(largest * SAME_SCALE),
            tip: FourVectors::from_fn(vectors, tip),
            added: added_ends(vectors, bones),
            is_sound: raw.w.like(SHORTEST_ROTATION).is_below(length).and(length.is_below(raw.w.like(f64::INFINITY))),
        }
    }
}

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
