//! Evaluation of an additive node: a base layer plus the weighted difference of another layer from a reference.

use glam::{Quat, Vec3};

use super::weight_track::WeightTrack;
use crate::clips::layer::PoseLayer;
use crate::clips::mix::mix;
use portamento_anim::Skeleton;
use portamento_anim::math::Transform;

/// A base layer plus the weighted difference of a delta layer from its reference.
#[derive(Clone, Debug)]
pub(crate) struct AdditiveStep {
    pub base: usize,
    pub delta: usize,
    /// Reference transform per joint.
    pub reference: Vec<Transform>,
    /// w over time.
    pub weight: WeightTrack,
    /// Factor of w per joint.
    pub mask: Vec<f32>,
}

impl AdditiveStep {
    /// Returns w on `joint` at `time` (seconds).
    pub(crate) fn weight_on(&self, joint: usize, time: f64) -> f32 {
        self.mask[joint] * self.weight.at(time)
    }

    /// Writes the base with the difference of the delta added, weighted by w and the delta's coverage.
    pub fn run(&self, skeleton: &Skeleton, done: &[PoseLayer], time: f64, out: &mut PoseLayer) {
        let (base, delta) = (&done[self.base], &done[self.delta]);
        out.morphs.copy_from_slice(&base.morphs);
        for (joint, row) in skeleton.joints.iter().enumerate() {
            let weight = self.weight_on(joint, time) * delta.coverage[joint];
            let (base_local, delta_local, reference) = (base.get(joint), delta.get(joint), self.reference[joint]);
            out.set(
                joint,
                if weight > 0.0 { add_difference(base_local, delta_local, reference, weight) } else { base_local },
            );
            for i in row.first_morph..row.first_morph + row.morph_count {
                out.morphs[i] += weight * (delta.morphs[i] - skeleton.rest_morphs[i]);
            }
        }
    }
}

/// Adds `weight` times the difference of `delta` from `reference` to `base`.
fn add_difference(base: Transform, delta: Transform, reference: Transform, weight: f32) -> Transform {
    let rotation = reference.rotation.conjugate() * delta.rotation;
    let rotation = if weight < 1.0 {
        mix(&Transform::IDENTITY, &Transform { rotation, ..Transform::IDENTITY }, weight, None).rotation
    } else {
        repeated_rotation(rotation, weight)
    };
    // A reference scale of 0 has no ratio, so the base scale is kept.
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

/// Returns the rotation applied `times` times, for `times` ≥ 1.
fn repeated_rotation(rotation: Quat, times: f32) -> Quat {
    if times == 1.0 {
        return rotation;
    }
    let rotation = if rotation.w < 0.0 { -rotation } else { rotation };
    Quat::from_scaled_axis(rotation.to_scaled_axis() * times)
}
