//! Nodes as joints, parents first.

use std::collections::BTreeSet;

use glam::{Quat, Vec3};
use ufbx::{ElementType, Node, Scene};

use crate::anim::{Joint, Skeleton};
use crate::math::Transform;

/// The skeleton, and where each node of the file went.
pub(super) struct Nodes {
    pub skeleton: Skeleton,
    /// For each node of the file its joint; `None` for the root of the file and what stands beside the figure.
    pub joint_of_node: Vec<Option<usize>>,
}

/// Every node but the file's own root and what stands beside the figure.
pub(super) fn load(scene: &Scene) -> Nodes {
    let mut joint_of_node = vec![None; scene.nodes.len()];
    let mut skeleton = Skeleton::default();
    let targets = targets(scene);
    let mut ahead: Vec<&Node> = vec![&scene.root_node];
    while let Some(node) = ahead.pop() {
        if !node.is_root && !is_equipment(node, &targets, !scene.bones.is_empty()) {
            let parent = node.parent.as_ref().and_then(|parent| joint_of_node[parent.element.typed_id as usize]);
            let index = skeleton.len();
            joint_of_node[node.element.typed_id as usize] = Some(index);
            skeleton.joints.push(Joint {
                name: name(&node.element.name, "node", index),
                parent,
                rest: transform(&node.local_transform).unwrap_or(Transform::IDENTITY),
                node: index,
                first_morph: 0,
                morph_count: 0,
            });
        }
        // A stack: the first child is to come out first.
        ahead.extend(node.children.iter().rev().map(|child| -> &Node { child }));
    }
    Nodes { skeleton, joint_of_node }
}

/// What 3ds Max calls the points that cameras and lights look at.
fn targets(scene: &Scene) -> BTreeSet<String> {
    let equipment = scene.nodes.iter().filter(|node| node.camera.is_some() || node.light.is_some());
    equipment.map(|node| format!("{}.Target", &*node.element.name)).collect()
}

/// What stands in the scene beside the figure: cameras, lights and what they look at; and in a file with bones, single empty nodes at
/// the top.
fn is_equipment(node: &Node, targets: &BTreeSet<String>, has_bones: bool) -> bool {
    let kind = node.attrib_type;
    let looks = matches!(kind, ElementType::Camera | ElementType::StereoCamera | ElementType::CameraSwitcher);
    let is_target = targets.contains(&*node.element.name) && node.bone.is_none();
    let is_apart = has_bones && node.bone.is_none() && node.parent.as_ref().is_none_or(|parent| parent.is_root);
    (looks || kind == ElementType::Light || is_target || is_apart) && node.mesh.is_none() && node.children.is_empty()
}

/// The element's name, else `kind 3`.
pub(super) fn name(given: &str, kind: &str, index: usize) -> String {
    if given.is_empty() { format!("{kind} {index}") } else { given.to_owned() }
}

/// The transform in our own numbers; `None` where one of them is not finite.
pub(super) fn transform(found: &ufbx::Transform) -> Option<Transform> {
    let rotation = glam::DQuat::from_xyzw(found.rotation.x, found.rotation.y, found.rotation.z, found.rotation.w);
    let rotation = if rotation.length_squared() > 0.0 { rotation.normalize().as_quat() } else { Quat::IDENTITY };
    let transform = Transform { translation: vec3(&found.translation), rotation, scale: vec3(&found.scale) };
    transform.is_finite().then_some(transform)
}

pub(super) fn vec3(vector: &ufbx::Vec3) -> Vec3 {
    glam::DVec3::new(vector.x, vector.y, vector.z).as_vec3()
}
