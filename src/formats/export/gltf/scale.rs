//! Scales a model to another unit, because glTF stores metres.

use glam::Vec3;

use portamento_anim::{Clip, Curve, Model};

/// Returns the model with every length multiplied by `factor`: joints, vertices, bind matrices and clips.
pub fn scaled_model(model: &Model, factor: f32) -> Model {
    let mut model = model.clone();
    model.skeleton.joints.iter_mut().for_each(|joint| joint.rest.translation *= factor);
    model.clips = model.clips.iter().map(|clip| scaled_clip(clip, factor)).collect();
    for matrix in model.skins.iter_mut().flat_map(|skin| &mut skin.inverse_bind) {
        matrix.translation *= factor;
    }
    for part in model.meshes.iter_mut().flat_map(|mesh| &mut mesh.primitives) {
        let offsets = part.morphs.iter_mut().flat_map(|target| &mut target.positions);
        part.positions.iter_mut().chain(offsets).for_each(|point| *point *= factor);
    }
    model
}

/// Returns the clip with every translation multiplied by `factor`. Times are unchanged.
pub fn scaled_clip(clip: &Clip, factor: f32) -> Clip {
    let mut clip = clip.clone();
    let positions = clip.tracks.iter_mut().filter_map(|tracks| tracks.translation.as_mut());
    positions.for_each(|curve: &mut Curve<Vec3>| curve.values.iter_mut().for_each(|position| *position *= factor));
    clip
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::import::gltf::tests::small_model;

    #[test]
    fn every_joint_and_vertex_position_is_multiplied_by_the_factor() {
        let (model, centimetres) = (small_model(), scaled_model(&small_model(), 100.0));
        let positions = |model: &Model| {
            let mut world = Vec::new();
            model.clips[0].pose_at(&model.skeleton, 0.3).world_from_joints(&model.skeleton, &mut world);
            world.iter().map(|joint| Vec3::from(joint.translation)).collect::<Vec<_>>()
        };
        for (small, large) in positions(&model).into_iter().zip(positions(&centimetres)) {
            assert!((small * 100.0).abs_diff_eq(large, 1e-3), "{small} {large}");
        }
        let part = |model: &Model| model.meshes[0].primitives[0].clone();
        assert_eq!(part(&centimetres).positions[3], 100.0 * part(&model).positions[3]);
        assert_eq!(part(&centimetres).morphs[1].positions[0], 100.0 * part(&model).morphs[1].positions[0]);
        assert_eq!(centimetres.rest_bounds().high, 100.0 * model.rest_bounds().high);
    }
}
