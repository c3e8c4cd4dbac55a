//! Evaluation of an additive node: a base layer plus the weighted difference of another layer from a reference.
//!
//! A base need not cover every joint. With w the weight on a joint, b and d the coverage of it by base and delta, and ⊕ the
//! addition of a difference:
//!
//! ```text
//! coverage = max(b, min(1, w·d))
//! layer    = mix(rest, base, b / coverage) ⊕ (w·d / coverage)·(delta − reference)
//! ```
//!
//! So a joint that the base does not cover is `rest ⊕ w·d·(delta − reference)` after the layer is filled up with the rest pose, and
//! its coverage fades with w.

use glam::{Quat, Vec3};

use super::weight_track::WeightTrack;
use crate::clips::layer::PoseLayer;
use crate::clips::mix::mix;
use portamento_anim::Skeleton;
use portamento_anim::math::Transform;

/// A base layer plus the weighted difference of a delta layer from its reference.
#[derive(Clone, Debug)]
pub(crate) struct AdditiveStep {
    /// Index of the base layer.
    pub base: usize,
    /// Index of the layer whose difference is added.
    pub delta: usize,
    /// Reference transform per joint.
    pub reference: Vec<Transform>,
    /// w over time.
    pub weight: WeightTrack,
    /// Factor of w per joint.
    pub mask: Vec<f32>,
}

/// The inputs of an additive step on one joint.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct AdditiveShares {
    /// Share of the base, 0…1; the rest pose has the remaining share.
    pub base: f32,
    /// Factor of the difference.
    pub delta: f32,
    /// Coverage of the joint by the layer, 0…1.
    pub coverage: f32,
}

impl AdditiveStep {
    /// Returns the shares of base and delta in the layer on `joint` at `time` (seconds), and the coverage of the joint by the layer.
    /// `base` and `delta` are the coverage of the joint by the two inputs, 0…1.
    pub(crate) fn shares_on(&self, joint: usize, time: f64, base: f32, delta: f32) -> AdditiveShares {
        let added = self.mask[joint] * self.weight.at(time) * delta;
        let coverage = base.max(added.min(1.0));
        match coverage > 0.0 {
            true => AdditiveShares { base: base / coverage, delta: added / coverage, coverage },
            false => AdditiveShares::default(),
        }
    }

    /// Writes the base at `time` (seconds) with the difference of the delta added, and the coverage.
    pub fn run(&self, skeleton: &Skeleton, done: &[PoseLayer], time: f64, out: &mut PoseLayer) {
        let (base, delta) = (&done[self.base], &done[self.delta]);
        out.morphs.copy_from_slice(&base.morphs);
        for (joint, row) in skeleton.joints.iter().enumerate() {
            let shares = self.shares_on(joint, time, base.coverage[joint], delta.coverage[joint]);
            let morphs = row.first_morph..row.first_morph + row.morph_count;
            let mut local = base.get(joint);
            if shares.delta > 0.0 {
                if shares.base < 1.0 {
                    local = mix(&row.rest, &local, shares.base, None);
                    let fill = |i: usize| {
                        let rest = skeleton.rest_morphs[i];
                        out.morphs[i] = rest + (out.morphs[i] - rest) * shares.base;
                    };
                    morphs.clone().for_each(fill);
                }
                local = add_difference(local, delta.get(joint), self.reference[joint], shares.delta);
            }
            out.set(joint, local);
            out.coverage[joint] = shares.coverage;
            for i in morphs {
                out.morphs[i] += shares.delta * (delta.morphs[i] - skeleton.rest_morphs[i]);
            }
        }
    }
}

/// Adds `weight` times the difference of `delta` from `reference` to `base`. Scale is changed by its ratio.
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
