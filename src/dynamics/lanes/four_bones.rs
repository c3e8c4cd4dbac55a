//! Four bones in parallel lanes: their animated transforms on their parents, and their rotation.

use super::four_joints::{FourJoints, FourLocals, FourParents};
use crate::chains::bone::Bone;
use crate::chains::bone_pose::{AnimatedBone, BonePose};
use crate::chains::rig::DynamicsRig;
use crate::stepping::world_transform::{
    ARC_SINE, COSINE, OPPOSITE_MAX_DOT, SERIES_MAX_SINE_SQUARED, SINE, shortest_arc, slerp_direction,
};
use portamento_anim::math::four::{FOUR, Four, FourRotations, FourVectors, Mask};
use portamento_anim::math::lanes::Vectors;

/// Four bones as animated on their parents.
#[derive(Clone, Copy)]
pub(super) struct FourBones<V: Vectors> {
    pub joint: FourJoints<V>,
    /// Unit vectors from the joints to the tips.
    pub direction: FourVectors<V>,
    /// Lengths, metres.
    pub length: Four<V>,
    /// Lanes whose joints preserve angles.
    keeps_angles: Mask<V>,
    /// Lanes with valid values. Bones too short to have a direction and bones with shearing parents are excluded.
    pub is_sound: Mask<V>,
}

impl<V: Vectors> FourBones<V> {
    /// Returns the bones with the animated transforms `locals` on the joints `parents`. Bones up to `min_length` metres are
    /// not sound.
    #[inline(always)]
    pub fn new(parents: &FourParents<V>, locals: &FourLocals<V>, min_length: f64) -> Self {
        let FourJoints { rotation, position, linear } = parents.joint;
        let mut joint = FourJoints { rotation: rotation * locals.rotation, position, linear: linear * locals.linear };
        match parents.start {
            Some((continues, tip)) if continues.all() => joint.position = tip,
            Some((continues, tip)) => {
                joint.position = continues.select_vector(tip, position + linear * locals.translation);
            }
            None => joint.position = position + linear * locals.translation,
        }
        let mut arm = joint.linear * locals.tip;
        let mut is_sound = locals.is_sound.and(parents.keeps_angles);
        let infinite = arm.x.like(f64::INFINITY);
        if let Some((is_added, length)) = locals.added {
            let recip = arm.length().recip();
            arm = is_added.select_vector(arm * recip * length, arm);
            is_sound = is_sound.and(recip.is_below(infinite)).and(recip.like(0.0).is_below(recip));
        }
        let length = arm.length();
        is_sound = is_sound.and(length.like(min_length).is_below(length)).and(length.is_below(infinite));
        let keeps_angles = parents.keeps_angles.and(locals.is_even);
        Self { joint, direction: arm * length.recip(), length, keeps_angles, is_sound }
    }

    /// Returns the bone of one lane; `bone` is that bone.
    #[inline(never)]
    pub fn animated_bone(&self, rig: &DynamicsRig, bone: &Bone, lane: usize) -> AnimatedBone {
        let joint = self.joint.store(self.keeps_angles.store())[lane];
        AnimatedBone::at(
            rig,
            bone,
            BonePose { joint, direction: self.direction.store()[lane], length: self.length.store()[lane] },
        )
    }

    /// Returns directions in the axes of the animated joints.
    #[inline(always)]
    pub(super) fn seen_from_joint(&self, direction: FourVectors<V>) -> FourVectors<V> {
        self.joint.rotation.conjugate().rotate(direction)
    }

    /// Returns the bones rotated to `direction` without twist. `axis` is the rotation axis to use where `direction` is
    /// opposite to the animation; it is updated to the axis of this rotation.
    #[inline(always)]
    pub fn rotated(&self, vectors: V, direction: FourVectors<V>, axis: &mut FourVectors<V>) -> FourPoses<V> {
        let swing = shortest_arcs(vectors, self.direction, direction, *axis);
        let has_axis = swing.w.like(f64::MIN_POSITIVE).is_below(swing.xyz.length_squared());
        *axis = has_axis.select_vector(swing.xyz, *axis);
        let rotation = swing * self.joint.rotation;
        let rotation = rotation * renormalizing_factor(rotation.length_squared());
        let linear = swing.matrix() * self.joint.linear;
        let joint = FourJoints { rotation, position: self.joint.position, linear };
        FourPoses { joint, keeps_angles: self.keeps_angles, direction, length: self.length }
    }
}

/// Transforms, directions and lengths of four bones.
#[derive(Clone, Copy)]
pub(super) struct FourPoses<V: Vectors> {
    joint: FourJoints<V>,
    keeps_angles: Mask<V>,
    direction: FourVectors<V>,
    length: Four<V>,
}

impl<V: Vectors> FourPoses<V> {
    /// Returns one [`BonePose`] per lane.
    #[inline(always)]
    pub fn store(&self) -> [BonePose; FOUR] {
        let joint = self.joint.store(self.keeps_angles.store());
        let (direction, length) = (self.direction.store(), self.length.store());
        std::array::from_fn(|lane| BonePose { joint: joint[lane], direction: direction[lane], length: length[lane] })
    }
}

/// Returns the factor that normalises values of squared length `squared`, which are 1 except for rounding.
#[inline(always)]
pub(super) fn renormalizing_factor<V: Vectors>(squared: Four<V>) -> Four<V> {
    squared.like(1.5) - squared * 0.5
}

/// Returns [`shortest_arc`] per lane.
#[inline(always)]
fn shortest_arcs<V: Vectors>(
    vectors: V,
    from: FourVectors<V>,
    to: FourVectors<V>,
    axis: FourVectors<V>,
) -> FourRotations<V> {
    let dot = from.dot(to);
    let sum = from + to;
    let half = sum * sum.length().recip();
    let arcs = FourRotations { xyz: from.cross(half), w: from.dot(half) };
    let not_opposite = dot.like(OPPOSITE_MAX_DOT).is_below(dot);
    if not_opposite.all() { arcs } else { with_opposite(vectors, arcs, not_opposite, [from, to, axis]) }
}

/// Returns `arcs` with [`shortest_arc`] in the lanes that are not `not_opposite`.
#[cold]
#[inline(never)]
fn with_opposite<V: Vectors>(
    vectors: V,
    arcs: FourRotations<V>,
    not_opposite: Mask<V>,
    [from, to, axis]: [FourVectors<V>; 3],
) -> FourRotations<V> {
    let (arcs, not_opposite) = (arcs.store(), not_opposite.store());
    let [from, to, axis] = [from, to, axis].map(FourVectors::store);
    let arc =
        |lane: usize| if not_opposite[lane] { arcs[lane] } else { shortest_arc(from[lane], to[lane], axis[lane]) };
    FourRotations::from_fn(vectors, arc)
}

/// Returns [`slerp_direction`] per lane.
#[inline(always)]
pub(super) fn slerp_directions<V: Vectors>(
    vectors: V,
    from: FourVectors<V>,
    to: FourVectors<V>,
    fraction: f64,
) -> FourVectors<V> {
    let dot = from.dot(to);
    let flat = to - from * dot;
    let square = flat.length_squared();
    let ratio = series(&ARC_SINE, square);
    let part = ratio * fraction;
    let turned = square * part * part;
    let along = series(&SINE, turned) * ratio * fraction;
    let direction = from * series(&COSINE, turned) + flat * along;
    let direction = direction * renormalizing_factor(direction.length_squared());
    let is_small = square.is_below(square.like(SERIES_MAX_SINE_SQUARED)).and(dot.like(0.0).is_below(dot));
    if is_small.all() { direction } else { with_large(vectors, direction, is_small, [from, to], fraction) }
}

/// Returns `direction` with [`slerp_direction`] in the lanes that are not `is_small`.
#[cold]
#[inline(never)]
fn with_large<V: Vectors>(
    vectors: V,
    direction: FourVectors<V>,
    is_small: Mask<V>,
    [from, to]: [FourVectors<V>; 2],
    fraction: f64,
) -> FourVectors<V> {
    let ([direction, from, to], is_small) = ([direction, from, to].map(FourVectors::store), is_small.store());
    let turned =
        |lane: usize| if is_small[lane] { direction[lane] } else { slerp_direction(from[lane], to[lane], fraction) };
    FourVectors::from_fn(vectors, turned)
}

/// Returns Σ coefficient·xⁱ; the constant comes first.
#[inline(always)]
fn series<V: Vectors, const TERMS: usize>(coefficients: &[f64; TERMS], x: Four<V>) -> Four<V> {
    let mut sum = x.like(coefficients[TERMS - 1]);
    for coefficient in coefficients[..TERMS - 1].iter().rev() {
        sum = sum * x + *coefficient;
    }
    sum
}
