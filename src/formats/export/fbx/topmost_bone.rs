//! Removes joints above the root, so that the root is the topmost bone.
//!
//! Many files put the character's root below a joint for the whole object, such as Blender's "Armature".
//! Unreal takes the topmost bone as the root and reads root motion from it, and that joint never moves.

use glam::{Quat, Vec3, Vec4};

use super::rest_scale::uniform_scale;
use portamento_anim::curve::Animated;
use portamento_anim::math::Transform;
use portamento_anim::{Clip, Curve, Interpolation, Model};

/// Tolerance for equal transforms: relative to the body size for positions, absolute for rotation and scale.
const TRANSFORM_TOLERANCE: f32 = 1e-6;

/// Returns the joint at or above `root` above which all joints can be left out.
/// They must not be animated, carry no mesh and have uniform scale.
/// Their other descendants must not be animated nor carry a mesh.
pub fn topmost_kept_joint(model: &Model, root: usize) -> usize {
    let skeleton = &model.skeleton;
    let is_idle = idle_joints(model);
    let can_be_left_out = |joint: usize, below: usize| {
        let other_descendants =
            skeleton.children(joint).filter(|&other| other != below).flat_map(|child| skeleton.subtree(child));
        let is_even = uniform_scale(skeleton.joints[joint].rest.scale).is_some();
        is_even && is_idle[joint] && other_descendants.into_iter().all(|joint| is_idle[joint])
    };
    let mut path: Vec<usize> = skeleton.ancestors(root).collect();
    path.reverse();
    path.windows(2).find(|pair| !can_be_left_out(pair[0], pair[1])).map_or(root, |pair| pair[0])
}

/// Makes `top` a root at its world rest transform and changes its clips accordingly. Returns for each joint whether it is
/// left out: the joints above `top`, and other trees that are not animated and carry no mesh. Joints left out lose their
/// curves. Joints above `top` must have scale 1.
pub(super) fn make_topmost(model: &mut Model, top: usize) -> Vec<bool> {
    let skeleton = &model.skeleton;
    let is_idle = idle_joints(model);
    let mut is_left_out = vec![false; skeleton.len()];
    for tree in skeleton.roots().map(|root| skeleton.subtree(root)) {
        let has_top = tree.contains(&top);
        let can_be_left_out = has_top || tree.iter().all(|&joint| is_idle[joint]);
        tree.iter()
            .for_each(|&joint| is_left_out[joint] = can_be_left_out && !(has_top && skeleton.is_within(joint, top)));
    }
    let ancestors = skeleton.ancestors(top).skip(1).map(|joint| skeleton.joints[joint].rest);
    let parent_world = ancestors.fold(Transform::IDENTITY, |below, rest| combine(&rest, &below));
    let node = &mut model.skeleton.joints[top];
    (node.parent, node.rest) = (None, combine(&parent_world, &node.rest));
    for clip in &mut model.clips {
        let Some(tracks) = clip.tracks.get_mut(top) else { continue };
        tracks
            .rotation
            .iter_mut()
            .flat_map(|curve| &mut curve.values)
            .for_each(|turn| *turn = parent_world.rotation * *turn);
        tracks.translation.iter_mut().for_each(|curve| rotate_and_translate(curve, &parent_world));
    }
    let all = model.clips.iter_mut().flat_map(|clip| clip.tracks.iter_mut().zip(&is_left_out));
    for (tracks, _) in all.filter(|(_, is_left_out)| **is_left_out) {
        (tracks.translation, tracks.rotation, tracks.scale) = (None, None, None);
    }
    is_left_out
}

/// True for each joint that every clip leaves at rest and that carries no mesh.
fn idle_joints(model: &Model) -> Vec<bool> {
    let near = TRANSFORM_TOLERANCE * model.rest_bounds().size().max_element();
    let mut carries = model.mesh_joints();
    model.instances.iter().filter(|instance| instance.skin.is_none()).for_each(|rigid| carries[rigid.joint] = true);
    let is_idle = |joint: usize| !carries[joint] && model.clips.iter().all(|clip| is_at_rest(model, clip, joint, near));
    (0..model.skeleton.len()).map(is_idle).collect()
}

/// Returns the transform `below`, given relative to `parent`, relative to the parent of `parent`. `parent` has scale 1.
fn combine(parent: &Transform, below: &Transform) -> Transform {
    Transform {
        translation: parent.translation + parent.rotation * below.translation,
        rotation: (parent.rotation * below.rotation).normalize(),
        scale: below.scale,
    }
}

/// Applies the rotation and translation of `transform` to the values of `curve`; its scale is 1. Tangents of splines are only
/// rotated.
fn rotate_and_translate(curve: &mut Curve<Vec3>, transform: &Transform) {
    let is_spline = curve.interpolation == Interpolation::CubicSpline;
    for (at, value) in curve.values.iter_mut().enumerate() {
        let is_point = !is_spline || at % 3 == 1;
        *value = transform.rotation * *value + if is_point { transform.translation } else { Vec3::ZERO };
    }
}

/// True if `clip` leaves the joint at its rest transform. `near` is the position tolerance in the model's unit.
fn is_at_rest(model: &Model, clip: &Clip, joint: usize, near: f32) -> bool {
    let rest = &model.skeleton.joints[joint].rest;
    let Some(tracks) = clip.tracks.get(joint) else { return true };
    let turned = |turn: Quat| {
        let [rest, turn] = [rest.rotation, turn].map(|rotation| Vec4::from(rotation.normalize()));
        (rest - turn).length().min((rest + turn).length()) > TRANSFORM_TOLERANCE
    };
    tracks.translation.as_ref().is_none_or(|curve| keys(curve).all(|key| key.distance(rest.translation) <= near))
        && tracks
            .scale
            .as_ref()
            .is_none_or(|curve| keys(curve).all(|key| key.distance(rest.scale) <= TRANSFORM_TOLERANCE))
        && !tracks.rotation.as_ref().is_some_and(|curve| keys(curve).any(turned))
}

/// Returns the value at every key of a curve.
fn keys<T: Animated>(curve: &Curve<T>) -> impl Iterator<Item = T> {
    (0..curve.times.len()).map(|key| curve.key(key))
}

#[cfg(test)]
mod tests {
    use glam::Affine3A;

    use super::*;
    use crate::import::gltf::tests::small_model;
    use portamento_anim::geometry::MeshInstance;
    use portamento_anim::{JointTracks, Pose, skinning};
    use portamento_test_support::skeleton_of;

    /// Returns a figure whose mesh hangs below a rotated, displaced joint of scale 100; its root moves along a spline.
    fn figure() -> Model {
        let mut model = small_model();
        let names = [
            ("Rig", None),
            ("Body", Some(0)),
            ("root", Some(0)),
            ("hips", Some(2)),
            ("spine", Some(3)),
            ("head", Some(4)),
            ("Shapes", None),
        ];
        model.skeleton = skeleton_of(&names);
        model.skeleton.rest_morphs = vec![0.0, 0.5];
        model.skeleton.joints[1].morph_count = 2;
        model.skeleton.joints[0].rest = Transform {
            translation: Vec3::new(0.5, 0.25, -1.0),
            rotation: Quat::from_rotation_x(-1.2),
            scale: Vec3::splat(100.0),
        };
        let mut world = Vec::new();
        Pose::rest(&model.skeleton).world_from_joints(&model.skeleton, &mut world);
        model.skins[0].joints = vec![2, 3, 4, 5];
        model.skins[0].inverse_bind = (2..6).map(|joint: usize| world[joint].inverse()).collect();
        model.instances = vec![MeshInstance { joint: 1, mesh: 0, skin: Some(0) }];
        let old = std::mem::take(&mut model.clips[0].tracks);
        let mut tracks = vec![JointTracks::default(); 7];
        tracks[0].translation = Some(Curve::linear(vec![0.0], vec![model.skeleton.joints[0].rest.translation]));
        tracks[1].morphs = old[3].morphs.clone();
        tracks[2].rotation = old[1].rotation.clone();
        tracks[2].translation = Some(Curve {
            interpolation: Interpolation::CubicSpline,
            times: vec![0.0, 1.0].into(),
            values: vec![Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z, Vec3::ONE, Vec3::ZERO].into(),
        });
        tracks[3].rotation = old[1].rotation.clone();
        model.clips[0].tracks = tracks;
        model
    }

    /// Returns the model after an FBX round trip, in metres.
    fn again(model: &Model, top: Option<usize>) -> Model {
        let options = super::super::Options { top, ..Default::default() };
        let bytes = super::super::to_bytes(model, &["0.png".into()], &options).unwrap();
        crate::import::fbx::from_bytes(std::path::Path::new("again.fbx"), &bytes).unwrap().model
    }

    /// Returns the positions of the joints `names` and of all vertices of the first mesh at `time`.
    fn positions(model: &Model, names: &[&str], time: f64) -> Vec<Vec3> {
        let pose = model.clips[0].pose_at(&model.skeleton, time);
        let (mut world, mut palette): (Vec<Affine3A>, _) = (Vec::new(), Vec::new());
        pose.world_from_joints(&model.skeleton, &mut world);
        let position_of = |name: &&str| Vec3::from(world[model.skeleton.find(name).unwrap()].translation);
        let mut all: Vec<Vec3> = names.iter().map(position_of).collect();
        let instance = &model.instances[0];
        skinning::palette(&model.skins[instance.skin.unwrap()], &world, &mut palette);
        let part = &model.meshes[0].primitives[0];
        let (mut points, mut normals) = (Vec::new(), Vec::new());
        let morphs = skinning::morphs_of(model, instance, &pose.morphs);
        let carrier = skinning::MeshTransform::Skinned(&palette);
        skinning::deform(part, carrier, morphs, &mut points, &mut normals);
        all.extend(part.indices.iter().map(|&index| points[index as usize]));
        all
    }

    #[test]
    fn idle_joints_above_the_root_are_left_out_and_all_others_stay_in_place() {
        let model = figure();
        let body = ["root", "hips", "spine", "head"];
        let (with, without) = (again(&model, None), again(&model, Some(2)));
        assert!(with.skeleton.find("Rig").is_some() && with.skeleton.find("Body").is_some());
        assert!(["Rig", "Body", "Shapes"].iter().all(|name| without.skeleton.find(name).is_none()));
        assert_eq!(without.skeleton.joints[without.skeleton.find("root").unwrap()].parent, None);
        for time in [0.0, 0.2, 0.55, 1.0] {
            let wanted = positions(&model, &body, time);
            for read in [&with, &without] {
                let found = positions(read, &body, time);
                let far = wanted.iter().zip(&found).map(|(a, b)| a.distance(*b)).fold(0.0, f32::max);
                assert!(wanted.len() == found.len() && far < 1e-4 * 300.0, "{far} at {time}: {wanted:?} {found:?}");
            }
        }
    }

    #[test]
    fn an_animated_mesh_carrying_or_non_uniformly_scaled_joint_stays_above_the_root() {
        let model = figure();
        assert_eq!(
            (topmost_kept_joint(&model, 2), topmost_kept_joint(&model, 3), topmost_kept_joint(&model, 0)),
            (2, 2, 0)
        );
        let changed = |change: &dyn Fn(&mut Model)| {
            let mut model = model.clone();
            change(&mut model);
            topmost_kept_joint(&model, 2)
        };
        let moved = Some(Curve::linear(vec![0.0, 1.0], vec![Vec3::ZERO, Vec3::X]));
        assert_eq!(changed(&|model| model.clips[0].tracks[0].translation = moved.clone()), 0);
        assert_eq!(changed(&|model| model.clips[0].tracks[1].translation = moved.clone()), 0, "beside the root");
        assert_eq!(changed(&|model| model.skeleton.joints[0].rest.scale.y = 50.0), 0);
        assert_eq!(changed(&|model| model.skins[0].joints[3] = 1), 0, "a second tree of bones");
        assert_eq!(changed(&|model| model.instances.push(MeshInstance { joint: 1, mesh: 0, skin: None })), 0);
        let turned = |turn: Quat| Some(Curve::linear(vec![0.0], vec![turn]));
        let rest = model.skeleton.joints[0].rest.rotation;
        assert_eq!(changed(&|model| model.clips[0].tracks[0].rotation = turned(-rest)), 2, "the same turn");
        assert_eq!(changed(&|model| model.clips[0].tracks[0].rotation = turned(Quat::IDENTITY)), 0);
    }
}
