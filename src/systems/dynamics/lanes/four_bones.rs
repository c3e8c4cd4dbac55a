//! Four bones side by side as the animation has them on their parents, and how they rotate.

use super::four_joints::{FourAbove, FourJoints, FourLocals};
use crate::math::four::{FOUR, Four, FourRotations, FourVectors, Mask};
use crate::math::lanes::Vectors;
use crate::systems::dynamics::bone::Bone;
use crate::systems::dynamics::bone_pose::{AnimatedBone, BonePose};
use crate::systems::dynamics::rig::DynamicsRig;
use crate::systems::dynamics::world_transform::{
    ARC_SINE, COSINE, OPPOSITE, SINE, SMALL, shortest_arc, slerp_direction,
};

/// Four bones as the animation has them.
#[derive(Clone, Copy)]
pub(super) struct FourBones<V: Vectors> {
    pub joint: FourJoints<V>,
    /// Unit vectors from the joints to the tips.
    pub direction: FourVectors<V>,
    /// Metres.
    pub length: Four<V>,
    /// Whether the joints keep angles.
    keeps_angles: Mask<V>,
    /// Where all this holds: not for bones that are too short to have a direction, or whose parents shear them.
    pub is_sound: Mask<V>,
}

impl<V: Vectors> FourBones<V> {
    /// The bones that the animation has as `locals`, on what they hang on.
    #[inline(always)]
    pub fn new(above: &FourAbove<V>, locals: &FourLocals<V>, shortest: f64) -> Self {
        let FourJoints { rotation, position, linear } = above.joint;
        let mut joint = FourJoints { rotation: rotation * locals.rotation, position, linear: linear * locals.linear };
        match above.start {
            Some((continues, tip)) if continues.all() => joint.position = tip,
            Some((continues, tip)) => {
                joint.position = continues.select_vector(tip, position + linear * locals.translation);
            }
            None => joint.position = position + linear * locals.translation,
        }
        let mut arm = joint.linear * locals.tip;
        let mut is_sound = locals.is_sound.and(above.keeps_angles);
        let infinite = arm.x.like(f64::INFINITY);
        if let Some((is_added, length)) = locals.added {
            let recip = arm.length().recip();
            arm = is_added.select_vector(arm * recip * length, arm);
            is_sound = is_sound.and(recip.is_below(infinite)).and(recip.like(0.0).is_below(recip));
        }
        let length = arm.length();
        is_sound = is_sound.and(length.like(shortest).is_below(length)).and(length.is_below(infinite));
        let keeps_angles = above.keeps_angles.and(locals.is_even);
        Self { joint, direction: arm * length.recip(), length, keeps_angles, is_sound }
    }

    /// One of them by itself; `bone` is that one.
    #[inline(never)]
    pub fn alone(&self, rig: &DynamicsRig, bone: &Bone, lane: usize) -> AnimatedBone {
        let joint = self.joint.store(self.keeps_angles.store())[lane];
        AnimatedBone::at(
            rig,
            bone,
            BonePose { joint, direction: self.direction.store()[lane], length: self.length.store()[lane] },
        )
    }

    /// Directions as seen from the animated joints.
    #[inline(always)]
    pub(super) fn seen_from_joint(&self, direction: FourVectors<V>) -> FourVectors<V> {
        self.joint.rotation.conjugate().rotate(direction)
    }

    /// The bones rotated without twist to `direction`; `axis` decides where that is straight against the animation, and then
    /// becomes the axis of the rotation.
    #[inline(always)]
    pub fn rotated(&self, vectors: V, direction: FourVectors<V>, axis: &mut FourVectors<V>) -> FourPoses<V> {
        let swing = shortest_arcs(vectors, self.direction, direction, *axis);
        let has_axis = swing.w.like(f64::MIN_POSITIVE).is_below(swing.xyz.length_squared());
        *axis = has_axis.select_vector(swing.xyz, *axis);
        let rotation = swing * self.joint.rotation;
        let rotation = rotation * polish(rotation.length_squared());
        let linear = swing.matrix() * self.joint.linear;
        let joint = FourJoints { rotation, position: self.joint.position, linear };
        FourPoses { joint, keeps_angles: self.keeps_angles, direction, length: self.length }
    }
}

/// Where four bones are.
#[derive(Clone, Copy)]
pub(super) struct FourPoses<V: Vectors> {
    joint: FourJoints<V>,
    keeps_angles: Mask<V>,
    direction: FourVectors<V>,
    length: Four<V>,
}

impl<V: Vectors> FourPoses<V> {
    /// Lane for lane.
    #[inline(always)]
    pub fn store(&self) -> [BonePose; FOUR] {
        let joint = self.joint.store(self.keeps_angles.store());
        let (direction, length) = (self.direction.store(), self.length.store());
        std::array::from_fn(|lane| BonePose { joint: joint[lane], direction: direction[lane], length: length[lane] })
    }
}

/// What brings to length 1 what is of length 1 but for rounding.
#[inline(always)]
pub(super) fn polish<V: Vectors>(squared: Four<V>) -> Four<V> {
    squared.like(1.5) - squared * 0.5
}

/// Each lane is a [`shortest_arc`].
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
    let apart = dot.like(OPPOSITE).is_below(dot);
    if apart.all() { arcs } else { with_opposite(vectors, arcs, apart, [from, to, axis]) }
}

#[cold]
#[inline(never)]
fn with_opposite<V: Vectors>(
    vectors: V,
    arcs: FourRotations<V>,
    apart: Mask<V>,
    [from, to, axis]: [FourVectors<V>; 3],
) -> FourRotations<V> {
    let (arcs, apart) = (arcs.store(), apart.store());
    let [from, to, axis] = [from, to, axis].map(FourVectors::store);
    let arc = |lane: usize| if apart[lane] { arcs[lane] } else { shortest_arc(from[lane], to[lane], axis[lane]) };
    FourRotations::from_fn(vectors, arc)
}

/// Each lane is a [`slerp_direction`].
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
    let direction = direction * polish(direction.length_squared());
    let is_small = square.is_below(square.like(SMALL)).and(dot.like(0.0).is_below(dot));
    if is_small.all() { direction } else { with_large(vectors, direction, is_small, [from, to], fraction) }
}

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

/// Σ coefficient·xⁱ, the constant first.
#[inline(always)]
fn series<V: Vectors, const TERMS: usize>(coefficients: &[f64; TERMS], x: Four<V>) -> Four<V> {
    let mut sum = x.like(coefficients[TERMS - 1]);
    for coefficient in coefficients[..TERMS - 1].iter().rev() {
        sum = sum * x + *coefficient;
    }
    sum
}
