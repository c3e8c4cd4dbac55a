//! An additive node at work: a base with the difference of another layer from a reference on top.

use glam::{Quat, Vec3};

use super::layer::PoseLayer;
use super::mix::mix;
use super::weight_track::WeightTrack;
use crate::anim::Skeleton;
use crate::math::Transform;

/// A base layer with the difference of another from its reference on top.
#[derive(Clone, Debug)]
pub(super) struct AdditiveStep {
    pub base: usize,
    pub delta: usize,
    /// Per joint, what the difference is measured from.
    pub reference: Vec<Transform>,
    /// w over time.
    pub weight: WeightTrack,
    /// Factor of w per joint.
    pub mask: Vec<f32>,
}

impl AdditiveStep {
    /// w on `joint` at `time` (seconds).
    pub(super) fn weight_on(&self, joint: usize, time: f64) -> f32 {
        self.mask[joint] * self.weight.at(time)
    }

    /// The base with the weighted difference of the delta, as far as that has the joint, after it.
    pub fn run(&self, skeleton: &Skeleton, done: &[PoseLayer], time: f64, out: &mut PoseLayer) {
        let (base, delta) = (&done[self.base], &done[self.delta]);
        out.morphs.copy_from_slice(&base.morphs);
        for (joint, row) in skeleton.joints.iter().enumerate() {
            let weight = self.weight_on(joint, time) * delta.coverage[joint];
            let (below, above, reference) = (base.get(joint), delta.get(joint), self.reference[joint]);
            out.set(joint, if weight > 0.0 { add_difference(below, above, reference, weight) } else { below });
            for i in row.first_morph..row.first_morph + row.morph_count {
                out.morphs[i] += weight * (delta.morphs[i] - skeleton.rest_morphs[i]);
            }
        }
    }
}

/// `base` with the difference of `delta` from `reference` on top, `weight` times.
fn add_difference(base: Transform, delta: Transform, reference: Transform, weight: f32) -> Transform {
    let rotation = reference.rotation.conjugate() * delta.rotation;
    let rotation = if weight < 1.0 {
        mix(&Transform::IDENTITY, &Transform { rotation, ..Transform::IDENTITY }, weight, None).rotation
    } else {
        multiplied(rotation, weight)
    };
    // A reference scale of 0 has no ratio: the scale then stays.
    let factor = |from: f32, to: f32| if from.abs() > f32::EPSILON { 1.0 + weight * (to / from - 1.0) } else { 1.0 };
    Transform {
        translation: base.translation + weight * (delta.translation - reference.translation),
        rotation: (base.rotation * rotation).normalize(),
        scale: Vec3::new(
            base.scale.x * factor(reference.scale.x, delta.scale.x),
            base.scale.y * factor(reference.scale.y, delta.scale.y),
            base.scale.z * factor(reference.scale.z, delta.scale.z),
        ),
    }
}

/// A rotation made `times` ≥ 1 times.
fn multiplied(rotation: Quat, times: f32) -> Quat {
    if times == 1.0 {
        return rotation;
    }
    let rotation = if rotation.w < 0.0 { -rotation } else { rotation };
    Quat::from_scaled_axis(rotation.to_scaled_axis() * times)
}
