//! Joints that move, kept from being welded.
//!
//! Blender draws a bone to where its children are on average, along its own +Y. A child that lies exactly there is connected to the
//! bone's end, and its travel is then ignored: a root would lose the travel of its hips. Such joints are bound a hair beside
//! that end, where Blender, which compares to a millionth, sees two points. A parent that is bound beside its own place takes its
//! end along, so of a chain of such joints every other one stays. The rest pose itself is not touched.

use glam::{Affine3A, DAffine3, DVec3, Vec3};

use crate::anim::{Model, Pose};

/// As a share of the bone's length: seen by Blender, and a tenth of what a reader may be off.
const BESIDE: f64 = 1e-5;

/// As a share of how far from the origin it is, in which Blender compares.
const FAR: f64 = 4e-6;

/// The part of that by which a joint is beside its parent's end at least: neighbours are not quite as far from the origin.
const ENOUGH: f64 = 0.75;

/// Places and turns that differ by less are the same: by the size of the body, and as parts of a matrix.
const NEAR: f32 = 1e-5;

/// For each joint of `model` how far beside its place it is bound, in the world; zero for most.
pub(super) fn aside(model: &Model) -> Vec<DVec3> {
    let skeleton = &model.skeleton;
    let mut world = Vec::new();
    Pose::rest(skeleton).world_from_joints(skeleton, &mut world);
    let place = |joint: usize| DAffine3 {
        matrix3: glam::Mat3::from(world[joint].matrix3).as_dmat3(),
        translation: Vec3::from(world[joint].translation).as_dvec3(),
    };
    let aside = |joint: usize, above: &[DVec3]| {
        let node = &skeleton.joints[joint];
        let parent = node.parent.filter(|_| moves(model, joint))?;
        let place = place(parent);
        let children = skeleton.children(parent).map(|child| skeleton.joints[child].rest.translation.as_dvec3());
        let (count, sum) = children.fold((0, 0.0), |(count, sum), child| (count + 1, sum + child.length()));
        let length = sum / f64::from(count.max(1));
        let end = DVec3::Y * length;
        let is_there = node.rest.translation.as_dvec3().distance(end) <= 10.0 * BESIDE * length;
        let across = place.matrix3.x_axis.try_normalize().filter(|_| is_there)?;
        let size = place.matrix3.y_axis.length() * length;
        let beside = across * (BESIDE * size + FAR * place.transform_point3(end).abs().max_element());
        let is_apart = |place: &DVec3| place.distance(above[parent]) >= ENOUGH * beside.length();
        [DVec3::ZERO, beside, -beside].into_iter().find(is_apart)
    };
    let mut found = Vec::with_capacity(skeleton.len());
    for joint in 0..skeleton.len() {
        found.push(aside(joint, &found).unwrap_or_default());
    }
    found
}

/// For each joint of `model` whether its skin was bound while it stood elsewhere under its parent than it rests.
///
/// Blender takes what clips do not move for what it was when it was bound, so these joints get keys in every clip.
pub(super) fn bound_elsewhere(model: &Model) -> Vec<bool> {
    let skeleton = &model.skeleton;
    let mut world = Vec::new();
    Pose::rest(skeleton).world_from_joints(skeleton, &mut world);
    let mut bound = world.clone();
    for skin in model.instances.iter().filter_map(|instance| model.skins.get(instance.skin?)) {
        let Some(place) = skin.joints.first().map(|&joint| world[joint] * skin.inverse_bind[0]) else { continue };
        for (&joint, inverse) in skin.joints.iter().zip(&skin.inverse_bind) {
            bound[joint] = place * inverse.inverse();
        }
    }
    let size = model.rest_bounds().size().max_element().max(1e-6);
    let is_elsewhere = |(joint, node): (usize, &crate::anim::Joint)| {
        let under = |places: &[Affine3A]| match node.parent {
            Some(parent) => places[parent].inverse() * places[joint],
            None => places[joint],
        };
        let [rests, bound] = [under(&world), under(&bound)];
        let turned =
            (rests.matrix3 - bound.matrix3).to_cols_array().into_iter().fold(0.0_f32, |most, off| most.max(off.abs()));
        let parent = node.parent.map_or(1.0, |parent| world[parent].matrix3.y_axis.length());
        (rests.translation - bound.translation).length() * parent > NEAR * size || turned > NEAR
    };
    skeleton.joints.iter().enumerate().map(is_elsewhere).collect()
}

/// Whether any clip takes the joint away from its rest place.
fn moves(model: &Model, joint: usize) -> bool {
    let rest = model.skeleton.joints[joint].rest.translation;
    let curves = model.clips.iter().filter_map(|clip| clip.tracks.get(joint)?.translation.as_ref());
    let near = 1e-6 * rest.length();
    curves.into_iter().any(|curve| (0..curve.times.len()).any(|key| curve.key(key).distance(rest) > near))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::anim::skeleton::tests::skeleton_of;
    use crate::anim::{Clip, Curve, JointTracks};

    #[test]
    fn a_joint_that_was_bound_elsewhere_has_keys_in_every_clip() {
        let mut model = crate::import::gltf::tests::small_model();
        let mut world = Vec::new();
        Pose::rest(&model.skeleton).world_from_joints(&model.skeleton, &mut world);
        for (slot, inverse) in model.skins[0].inverse_bind.iter_mut().enumerate() {
            *inverse = world[slot].inverse();
        }
        assert_eq!(bound_elsewhere(&model), [false; 4]);
        model.clips[0].tracks[2] = JointTracks::default();
        assert_eq!(curves(&model), 0);
        model.skins[0].inverse_bind[2].translation.x += 0.01;
        assert_eq!(bound_elsewhere(&model), [false, false, true, false]);
        assert_eq!(curves(&model), 1);
    }

    /// How many of what it can do the third joint has keys for in the file made of `model`.
    fn curves(model: &Model) -> usize {
        let bytes = crate::export::fbx::to_bytes(model, &["0.png".into()], &Default::default()).unwrap();
        let scene = ufbx::load_memory(&bytes, ufbx::LoadOpts::default()).unwrap();
        let node = scene.nodes.iter().find(|node| *node.element.name == *"joint 2").unwrap();
        let of_node = |prop: &&ufbx::AnimProp| prop.element.element_id == node.element.element_id;
        scene.anim_layers[0].anim_props.iter().filter(of_node).count()
    }

    #[test]
    fn in_a_chain_of_moving_joints_each_is_bound_beside_the_end_of_the_one_above() {
        let names = [("a", None), ("b", Some(0)), ("c", Some(1)), ("d", Some(2)), ("e", Some(3))];
        let skeleton = skeleton_of(&names);
        let longer = Some(Curve::linear(vec![0.0], vec![Vec3::Y * 1.1]));
        let mut clip = Clip { name: "longer".into(), duration: 1.0, tracks: vec![JointTracks::default(); 5] };
        clip.tracks[1..].iter_mut().for_each(|tracks| tracks.translation = longer.clone());
        let model = Model { skeleton, clips: vec![clip], ..Model::default() };
        let aside = aside(&model);
        // Where a joint and the end of its parent's bone are, beside where both were.
        for (joint, height) in (1..5).zip(1..) {
            let apart = aside[joint].distance(aside[joint - 1]);
            assert!(apart > 2e-6 * f64::from(height) && apart < 4e-5, "{joint}: {aside:?}");
        }
    }

    #[test]
    fn only_a_moving_joint_at_the_end_of_its_parents_bone_is_bound_beside_it() {
        let mut skeleton = skeleton_of(&[("root", None), ("hips", Some(0)), ("spine", Some(1)), ("prop", Some(2))]);
        skeleton.joints[3].rest.translation = Vec3::new(0.2, 0.8, 0.0);
        let moved = |joint: usize| Some(Curve::linear(vec![0.0, 1.0], vec![Vec3::ZERO, Vec3::splat(joint as f32)]));
        let mut clip = Clip { name: "go".into(), duration: 1.0, tracks: vec![JointTracks::default(); 4] };
        let still = Model { skeleton: skeleton.clone(), clips: vec![clip.clone()], ..Model::default() };
        assert_eq!(aside(&still), [DVec3::ZERO; 4]);
        for joint in [1, 3] {
            clip.tracks[joint].translation = moved(joint);
        }
        let model = Model { skeleton, clips: vec![clip], ..Model::default() };
        let aside = aside(&model);
        assert!(aside[1].length() > 1e-6 && aside[1].length() < 3e-5 && aside[1].y == 0.0, "{aside:?}");
        assert_eq!([aside[0], aside[2], aside[3]], [DVec3::ZERO; 3]);
    }
}
