//! Keeps Blender from connecting moving joints to their parents.
//!
//! Blender draws a bone towards the mean position of its children, along its own +Y.
//! A child exactly at that point is connected to the bone's end, and Blender then ignores its translation.
//! A root would lose the travel of its hips.
//! Such joints are bound slightly off that end, more than the millionth within which Blender compares.
//! A parent bound off its position takes its end along, so in a chain of such joints only every other one is offset.
//! The rest pose itself is not changed.

use glam::{Affine3A, DAffine3, DVec3, Vec3};

use portamento_anim::{Model, Pose};

/// Offset relative to the length of the bone: visible to Blender, and a tenth of the error allowed for a reader.
const OFFSET_PER_BONE_LENGTH: f64 = 1e-5;

/// Offset relative to the distance from the origin, to exceed the precision of Blender's comparison there.
const OFFSET_PER_WORLD_DISTANCE: f64 = 4e-6;

/// Smallest fraction of the offset by which a joint must differ from its parent's end.
/// Below 1 because neighbours are not equally far from the origin.
const MIN_OFFSET_FRACTION: f64 = 0.75;

/// Tolerance for equal transforms: relative to the body size for positions, absolute for matrix entries.
const TRANSFORM_TOLERANCE: f32 = 1e-5;

/// Returns the translation that is added to each joint's bind position, in world axes and the unit of `model`. It is zero except
/// for moving joints at the end of their parent's bone.
pub(super) fn bind_offsets(model: &Model) -> Vec<DVec3> {
    let skeleton = &model.skeleton;
    let mut world = Vec::new();
    Pose::rest(skeleton).world_from_joints(skeleton, &mut world);
    let world_of = |joint: usize| DAffine3 {
        matrix3: glam::Mat3::from(world[joint].matrix3).as_dmat3(),
        translation: Vec3::from(world[joint].translation).as_dvec3(),
    };
    let offset_of = |joint: usize, offsets: &[DVec3]| {
        let node = &skeleton.joints[joint];
        let parent = node.parent.filter(|_| moves(model, joint))?;
        let parent_world = world_of(parent);
        let children = skeleton.children(parent).map(|child| skeleton.joints[child].rest.translation.as_dvec3());
        let (count, sum) = children.fold((0, 0.0), |(count, sum), child| (count + 1, sum + child.length()));
        let length = sum / f64::from(count.max(1));
        let end = DVec3::Y * length;
        let is_there = node.rest.translation.as_dvec3().distance(end) <= 10.0 * OFFSET_PER_BONE_LENGTH * length;
        let across = parent_world.matrix3.x_axis.try_normalize().filter(|_| is_there)?;
        let size = parent_world.matrix3.y_axis.length() * length;
        let offset = across
            * (OFFSET_PER_BONE_LENGTH * size
                + OFFSET_PER_WORLD_DISTANCE * parent_world.transform_point3(end).abs().max_element());
        let is_apart = |candidate: &DVec3| candidate.distance(offsets[parent]) >= MIN_OFFSET_FRACTION * offset.length();
        [DVec3::ZERO, offset, -offset].into_iter().find(is_apart)
    };
    let mut found = Vec::with_capacity(skeleton.len());
    for joint in 0..skeleton.len() {
        found.push(offset_of(joint, &found).unwrap_or_default());
    }
    found
}

/// True for each joint of `model` whose local transform at bind time differs from its rest transform.
///
/// Blender uses the bind transform of joints that a clip does not animate, so these joints get keys in every clip.
pub(super) fn bound_off_rest(model: &Model) -> Vec<bool> {
    let skeleton = &model.skeleton;
    let mut world = Vec::new();
    Pose::rest(skeleton).world_from_joints(skeleton, &mut world);
    let mut bound = world.clone();
    for skin in model.instances.iter().filter_map(|instance| model.skins.get(instance.skin?)) {
        let Some(mesh_world) = skin.joints.first().map(|&joint| world[joint] * skin.inverse_bind[0]) else { continue };
        for (&joint, inverse) in skin.joints.iter().zip(&skin.inverse_bind) {
            bound[joint] = mesh_world * inverse.inverse();
        }
    }
    let size = model.rest_bounds().size().max_element().max(1e-6);
    let is_off_rest = |(joint, node): (usize, &portamento_anim::Joint)| {
        let local = |worlds: &[Affine3A]| match node.parent {
            Some(parent) => worlds[parent].inverse() * worlds[joint],
            None => worlds[joint],
        };
        let [rests, bound] = [local(&world), local(&bound)];
        let turned = (rests.matrix3 - bound.matrix3)
            .to_cols_array()
            .into_iter()
            .fold(0.0_f32, |largest, difference| largest.max(difference.abs()));
        let parent = node.parent.map_or(1.0, |parent| world[parent].matrix3.y_axis.length());
        (rests.translation - bound.translation).length() * parent > TRANSFORM_TOLERANCE * size
            || turned > TRANSFORM_TOLERANCE
    };
    skeleton.joints.iter().enumerate().map(is_off_rest).collect()
}

/// True if any clip moves the joint from its rest position. It compares the keys, not the times between them.
fn moves(model: &Model, joint: usize) -> bool {
    let rest = model.skeleton.joints[joint].rest.translation;
    let curves = model.clips.iter().filter_map(|clip| clip.tracks.get(joint)?.translation.as_ref());
    let near = 1e-6 * rest.length();
    curves.into_iter().any(|curve| (0..curve.times.len()).any(|key| curve.key(key).distance(rest) > near))
}

#[cfg(test)]
mod tests {
    use super::*;
    use portamento_anim::{Clip, Curve, JointTracks};
    use portamento_test_support::skeleton_of;

    #[test]
    fn a_joint_bound_in_another_pose_has_keys_in_every_clip() {
        let mut model = crate::import::gltf::tests::small_model();
        let mut world = Vec::new();
        Pose::rest(&model.skeleton).world_from_joints(&model.skeleton, &mut world);
        for (slot, inverse) in model.skins[0].inverse_bind.iter_mut().enumerate() {
            *inverse = world[slot].inverse();
        }
        assert_eq!(bound_off_rest(&model), [false; 4]);
        model.clips[0].tracks[2] = JointTracks::default();
        assert_eq!(curves(&model), 0);
        model.skins[0].inverse_bind[2].translation.x += 0.01;
        assert_eq!(bound_off_rest(&model), [false, false, true, false]);
        assert_eq!(curves(&model), 1);
    }

    /// Returns the number of curves of the third joint in the file written for `model`.
    fn curves(model: &Model) -> usize {
        let bytes = crate::export::fbx::to_bytes(model, &["0.png".into()], &Default::default()).unwrap();
        let scene = ufbx::load_memory(&bytes, ufbx::LoadOpts::default()).unwrap();
        let node = scene.nodes.iter().find(|node| *node.element.name == *"joint 2").unwrap();
        let of_node = |prop: &&ufbx::AnimProp| prop.element.element_id == node.element.element_id;
        scene.anim_layers[0].anim_props.iter().filter(of_node).count()
    }

    #[test]
    fn in_a_chain_of_moving_joints_each_is_bound_off_the_end_of_its_parent() {
        let names = [("a", None), ("b", Some(0)), ("c", Some(1)), ("d", Some(2)), ("e", Some(3))];
        let skeleton = skeleton_of(&names);
        let longer = Some(Curve::linear(vec![0.0], vec![Vec3::Y * 1.1]));
        let mut clip = Clip { name: "longer".into(), duration: 1.0, tracks: vec![JointTracks::default(); 5] };
        clip.tracks[1..].iter_mut().for_each(|tracks| tracks.translation = longer.clone());
        let model = Model { skeleton, clips: vec![clip], ..Model::default() };
        let bind_offsets = bind_offsets(&model);
        // Position of a joint and of the end of its parent's bone, relative to their original position.
        for (joint, height) in (1..5).zip(1..) {
            let apart = bind_offsets[joint].distance(bind_offsets[joint - 1]);
            assert!(apart > 2e-6 * f64::from(height) && apart < 4e-5, "{joint}: {bind_offsets:?}");
        }
    }

    #[test]
    fn only_a_moving_joint_at_the_end_of_its_parents_bone_is_bound_off_it() {
        let mut skeleton = skeleton_of(&[("root", None), ("hips", Some(0)), ("spine", Some(1)), ("prop", Some(2))]);
        skeleton.joints[3].rest.translation = Vec3::new(0.2, 0.8, 0.0);
        let moved = |joint: usize| Some(Curve::linear(vec![0.0, 1.0], vec![Vec3::ZERO, Vec3::splat(joint as f32)]));
        let mut clip = Clip { name: "go".into(), duration: 1.0, tracks: vec![JointTracks::default(); 4] };
        let still = Model { skeleton: skeleton.clone(), clips: vec![clip.clone()], ..Model::default() };
        assert_eq!(bind_offsets(&still), [DVec3::ZERO; 4]);
        for joint in [1, 3] {
            clip.tracks[joint].translation = moved(joint);
        }
        let model = Model { skeleton, clips: vec![clip], ..Model::default() };
        let bind_offsets = bind_offsets(&model);
        assert!(
            bind_offsets[1].length() > 1e-6 && bind_offsets[1].length() < 3e-5 && bind_offsets[1].y == 0.0,
            "{bind_offsets:?}"
        );
        assert_eq!([bind_offsets[0], bind_offsets[2], bind_offsets[3]], [DVec3::ZERO; 3]);
    }
}
