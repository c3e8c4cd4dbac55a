//! Skeletons whose joints rest at their true size.
//!
//! Files of some programs hang a whole skeleton under a joint that is a hundred times as large. Blender's bones have no size at rest, so
//! it puts what such a joint moves a hundredth as far, and Unity keeps the size on its node. Sizes that are alike along all axes are
//! therefore handed on to offsets, skins and meshes; every point stays where it is.

use glam::{Affine3A, Mat3A, Vec3, Vec3A};

use crate::anim::{Curve, Model};

/// Sizes nearer to each other than this are the same, as a share.
const SAME: f32 = 1e-5;

/// A model and what was taken out of it.
pub(super) struct Unscaled {
    pub model: Model,
    /// How large each joint was at rest, with all above it: meshes that it carries are to be as large.
    pub sizes: Vec<f32>,
}

/// `model` without sizes of joints at rest.
pub(super) fn unscaled(mut model: Model) -> Unscaled {
    let own: Vec<f32> = model.skeleton.joints.iter().map(|joint| size(joint.rest.scale)).collect();
    let mut sizes: Vec<f32> = Vec::with_capacity(own.len());
    for (joint, node) in model.skeleton.joints.iter_mut().enumerate() {
        let above = node.parent.map_or(1.0, |parent| sizes[parent]);
        sizes.push(above * own[joint]);
        node.rest.translation *= above;
        node.rest.scale /= own[joint];
    }
    let parents: Vec<Option<usize>> = model.skeleton.joints.iter().map(|joint| joint.parent).collect();
    for clip in &mut model.clips {
        for (joint, tracks) in clip.tracks.iter_mut().enumerate() {
            times(&mut tracks.translation, parents[joint].map_or(1.0, |parent| sizes[parent]));
            times(&mut tracks.scale, 1.0 / own[joint]);
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

/// The size that all axes share, where they do and it is one.
pub(super) fn even_size(scale: Vec3) -> Option<f32> {
    let size = scale.x;
    let is_even = size.is_finite() && size > 0.0 && (scale - Vec3::splat(size)).abs().max_element() <= SAME * size;
    is_even.then_some(size)
}

/// What is taken out of `scale`: 1 where its axes differ, and where it is so near that nobody sees it.
fn size(scale: Vec3) -> f32 {
    even_size(scale).filter(|size| (size - 1.0).abs() > SAME).unwrap_or(1.0)
}

fn times(curve: &mut Option<Curve<Vec3>>, factor: f32) {
    if factor != 1.0 {
        curve.iter_mut().flat_map(|curve| &mut curve.values).for_each(|value| *value *= factor);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::anim::{Pose, skinning};
    use crate::import::gltf::tests::small_model;

    #[test]
    fn every_joint_and_vertex_stays_where_it_is() {
        let mut model = small_model();
        assert_eq!(unscaled(model.clone()).model, model, "what has no sizes is left alone");
        model.skeleton.joints[1].rest.scale = Vec3::splat(100.0);
        model.skeleton.joints[2].rest.scale = Vec3::new(1.0, 2.0, 1.0);
        let Unscaled { model: made, sizes } = unscaled(model.clone());
        assert_eq!(sizes, [1.0, 100.0, 100.0, 1.0]);
        assert_eq!(made.skeleton.joints[1].rest.scale, Vec3::ONE);
        for time in [0.0, 0.3, 0.9] {
            let placed = |model: &Model| {
                let pose: Pose = model.clips[0].pose_at(&model.skeleton, time);
                let (mut world, mut palette) = (Vec::new(), Vec::new());
                pose.world_from_joints(&model.skeleton, &mut world);
                skinning::palette(&model.skins[0], &world, &mut palette);
                let places: Vec<Vec3> = world.iter().map(|place| place.translation.into()).collect();
                (places, palette.into_iter().map(Affine3A::from).collect::<Vec<_>>())
            };
            let [(a, skin_a), (b, skin_b)] = [placed(&model), placed(&made)];
            assert!(a.iter().zip(&b).all(|(a, b)| a.distance(*b) <= 1e-4 * a.length().max(1.0)), "{a:?} {b:?}");
            assert!(skin_a.iter().zip(&skin_b).all(|(a, b)| a.abs_diff_eq(*b, 1e-3)), "{skin_a:?} {skin_b:?}");
        }
    }

    #[test]
    fn what_is_scaled_to_nothing_keeps_its_scale() {
        let mut model = small_model();
        model.skeleton.joints[0].rest.scale = Vec3::ZERO;
        assert_eq!(unscaled(model.clone()).model, model);
        assert_eq!((even_size(Vec3::ZERO), even_size(Vec3::splat(-2.0))), (None, None));
    }
}
