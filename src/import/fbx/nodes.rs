//! Nodes as joints, parents first.

use std::collections::BTreeSet;

use glam::{DVec3, Quat};
use ufbx::{ElementType, Node, Scene};

use super::name::name;
use super::scale_inheritance::{Local, ScaleChain, ScaleInheritance};
use crate::anim::{Joint, Skeleton};
use crate::math::Transform;

/// The skeleton, and where each node of the file went.
pub(super) struct Nodes {
    pub skeleton: Skeleton,
    pub inheritance: ScaleInheritance,
    joints: Vec<Option<NodeJoints>>,
}

/// The joints that stand for a node.
#[derive(Clone, Copy, Debug)]
pub(super) struct NodeJoints {
    /// Where the node is.
    pub placed: usize,
    /// What has all its scale: the same joint, or one on it. Surfaces, skins and children that take the scale over hang on this one.
    pub scaled: usize,
}

impl Nodes {
    /// `None` for the root of the file and what stands beside the figure.
    pub(super) fn of_node(&self, node: &Node) -> Option<NodeJoints> {
        self.joints[node.element.typed_id as usize]
    }
}

/// Every node but the file's own root and what stands beside the figure.
pub(super) fn load(scene: &Scene, inheritance: ScaleInheritance) -> Nodes {
    let joints = vec![None; scene.nodes.len()];
    let mut nodes = Nodes { skeleton: Skeleton::default(), inheritance, joints };
    let targets = targets(scene);
    let mut ahead: Vec<&Node> = vec![&scene.root_node];
    while let Some(node) = ahead.pop() {
        if !node.is_root && !is_equipment(node, &targets, !scene.bones.is_empty()) {
            nodes.add(node);
        }
        // A stack: the first child is to come out first.
        ahead.extend(node.children.iter().rev().map(|child| -> &Node { child }));
    }
    nodes
}

impl Nodes {
    fn add(&mut self, node: &Node) {
        let above = node.parent.as_ref().and_then(|parent| self.of_node(parent));
        let takes_over = self.inheritance.takes_scale_over(node);
        let scale = |node: &Node| ScaleChain::new(node, |_| false).scale(|_| DVec3::ONE);
        let (own, local) = (scale(node), Local::new(&node.local_transform));
        let of_parent = node.parent.as_ref().map_or(DVec3::ONE, |parent| scale(parent));
        let rest = self.inheritance.joint(node, local, own, of_parent);
        let name = name(&node.element.name, "node", self.skeleton.len());
        let parent = above.map(|above| if takes_over { above.scaled } else { above.placed });
        let placed = self.push(name.clone(), parent, rest);
        let scaled = match self.inheritance.is_apart(node) {
            false => placed,
            true => self.push(format!("{name} scale"), Some(placed), Local { scale: own, ..Local::IDENTITY }),
        };
        self.joints[node.element.typed_id as usize] = Some(NodeJoints { placed, scaled });
    }

    fn push(&mut self, name: String, parent: Option<usize>, rest: Local) -> usize {
        let index = self.skeleton.len();
        self.skeleton.joints.push(Joint {
            name,
            parent,
            rest: transform(rest).unwrap_or(Transform::IDENTITY),
            node: index,
            first_morph: 0,
            morph_count: 0,
        });
        index
    }
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

/// The transform in our own numbers; `None` where one of them is not finite.
fn transform(found: Local) -> Option<Transform> {
    let is_turn = found.rotation.length_squared() > 0.0;
    let rotation = if is_turn { found.rotation.normalize().as_quat() } else { Quat::IDENTITY };
    let transform = Transform { translation: found.translation.as_vec3(), rotation, scale: found.scale.as_vec3() };
    transform.is_finite().then_some(transform)
}
