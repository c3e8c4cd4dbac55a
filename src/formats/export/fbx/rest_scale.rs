//! Moves the rest scale of joints into offsets, skins and meshes.
//!
//! Some programs put a whole skeleton below a joint of scale 100.
//! Blender's bones have no rest scale, so it moves the descendants a hundredth as far; Unity keeps the scale on the node.
//! Uniform rest scales are therefore moved to offsets, skins and meshes. The positions of all points are unchanged.

use glam::{Affine3A, Mat3A, Vec3, Vec3A};

use portamento_anim::{Curve, Model};

/// Relative difference below which scales are equal.
const SCALE_TOLERANCE: f32 = 1e-5;

/// A model without rest scales, and the scales that were removed.
pub(super) struct Unscaled {
    pub model: Model,
    /// The total rest scale that each joint had. Meshes on it are scaled by it.
    pub sizes: Vec<f32>,
}

/// Moves the uniform rest scales of `model` to offsets, skins and meshes. Joints whose scale differs between the axes keep
/// it.
pub(super) fn unscaled(mut model: Model) -> Unscaled {
    let own: Vec<f32> = model.skeleton.joints.iter().map(|joint| removed_scale(joint.rest.scale)).collect();
    let mut sizes: Vec<f32> = Vec::with_capacity(own.len());
    for (joint, node) in model.skeleton.joints.iter_mut().enumerate() {
        let parent_size = node.parent.map_or(1.0, |parent| sizes[parent]);
        sizes.push(parent_size * own[joint]);
        node.rest.translation *= parent_size;
        node.rest.scale /= own[joint];
    }
    let parents: Vec<Option<usize>> = model.skeleton.joints.iter().map(|joint| joint.parent).collect();
    for clip in &mut model.clips {
        for (joint, tracks) in clip.tracks.iter_mut().enumerate() {
            multiply(&mut tracks.translation, parents[joint].map_or(1.0, |parent| sizes[parent]));
            multiply(&mut tracks.scale, 1.0 / own[joint]);
        }
    }
    for skin in &mut model.skins {
        for (&joint, inverse) in skin.joints.iter().zip(&mut skin.inverse_bind) {
            let larger =
                Affine3A { matrix3: Mat3A::from_diagonal(Vec3::splat(sizes[joint])), translation: Vec3A::ZERO };
            *inverse = larger * *inverse;
        }
    }
    Unscaled { model, sizes }
}

/// Returns the scale if all axes share it, and it is finite and positive; else `None`.
pub(super) fn uniform_scale(scale: Vec3) -> Option<f32> {
    let size = scale.x;
    let is_even =
        size.is_finite() && size > 0.0 && (scale - Vec3::splat(size)).abs().max_element() <= SCALE_TOLERANCE * size;
    is_even.then_some(size)
}

/// Returns the uniform scale to remove: 1 if the axes differ or the scale is nearly 1.
fn removed_scale(scale: Vec3) -> f32 {
    uniform_scale(scale).filter(|size| (size - 1.0).abs() > SCALE_TOLERANCE).unwrap_or(1.0)
}

/// Multiplies all values of the curve, also tangents, by `factor`.
fn multiply(curve: &mut Option<Curve<Vec3>>, factor: f32) {
    if factor != 1.0 {
        curve.iter_mut().flat_map(|curve| &mut curve.values).for_each(|value| *value *= factor);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::import::gltf::tests::small_model;
    use portamento_anim::{Pose, skinning};

    #[test]
    fn every_joint_and_vertex_keeps_its_position() {
        let mut model = small_model();
        assert_eq!(unscaled(model.clone()).model, model, "what has no sizes is left alone");
        model.skeleton.joints[1].rest.scale = Vec3::splat(100.0);
        model.skeleton.joints[2].rest.scale = Vec3::new(1.0, 2.0, 1.0);
        let Unscaled { model: converted, sizes } = unscaled(model.clone());
        assert_eq!(sizes, [1.0, 100.0, 100.0, 1.0]);
        assert_eq!(converted.skeleton.joints[1].rest.scale, Vec3::ONE);
        for time in [0.0, 0.3, 0.9] {
            let placed = |model: &Model| {
                let pose: Pose = model.clips[0].pose_at(&model.skeleton, time);
                let (mut world, mut palette) = (Vec::new(), Vec::new());
                pose.world_from_joints(&model.skeleton, &mut world);
                skinning::palette(&model.skins[0], &world, &mut palette);
                let positions: Vec<Vec3> = world.iter().map(|transform| transform.translation.into()).collect();
                (positions, palette.into_iter().map(Affine3A::from).collect::<Vec<_>>())
            };
            let [(a, skin_a), (b, skin_b)] = [placed(&model), placed(&converted)];
            assert!(a.iter().zip(&b).all(|(a, b)| a.distance(*b) <= 1e-4 * a.length().max(1.0)), "{a:?} {b:?}");
            assert!(skin_a.iter().zip(&skin_b).all(|(a, b)| a.abs_diff_eq(*b, 1e-3)), "{skin_a:?} {skin_b:?}");
        }
    }

    #[test]
    fn a_scale_of_zero_is_kept() {
        let mut model = small_model();
        model.skeleton.joints[0].rest.scale = Vec3::ZERO;
        assert_eq!(unscaled(model.clone()).model, model);
        assert_eq!((uniform_scale(Vec3::ZERO), uniform_scale(Vec3::splat(-2.0))), (None, None));
    }
}
