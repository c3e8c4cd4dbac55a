//! Converts nodes to joints, parents first.

use std::collections::BTreeSet;

use glam::{DVec3, Quat};
use ufbx::{ElementType, Node, Scene};

use super::name::name;
use super::scale_inheritance::{Local, ScaleChain, ScaleInheritance};
use portamento_anim::math::Transform;
use portamento_anim::{Joint, Skeleton};

/// The skeleton, and the joints of each node of the file.
pub(super) struct Nodes {
    pub skeleton: Skeleton,
    pub inheritance: ScaleInheritance,
    joints: Vec<Option<NodeJoints>>,
}

/// The joints of a node.
#[derive(Clone, Copy, Debug)]
pub(super) struct NodeJoints {
    /// The joint with the node's position and rotation.
    pub placed: usize,
    /// The joint with the node's total scale: the same one, or a child of it.
    /// Meshes, skins and children that inherit the scale are attached to it.
    pub scaled: usize,
}

impl Nodes {
    /// Returns the joints of `node`, or `None` for the root of the file and nodes outside the figure.
    pub(super) fn of_node(&self, node: &Node) -> Option<NodeJoints> {
        self.joints[node.element.typed_id as usize]
    }
}

/// Converts every node except the root of the file and nodes outside the figure. Parents precede their children.
pub(super) fn load(scene: &Scene, inheritance: ScaleInheritance) -> Nodes {
    let joints = vec![None; scene.nodes.len()];
    let mut nodes = Nodes { skeleton: Skeleton::default(), inheritance, joints };
    let targets = targets(scene);
    let mut pending: Vec<&Node> = vec![&scene.root_node];
    while let Some(node) = pending.pop() {
        if !node.is_root && !is_equipment(node, &targets, !scene.bones.is_empty()) {
            nodes.add(node);
        }
        // This is a stack: push in reverse, so that the first child is popped first.
        pending.extend(node.children.iter().rev().map(|child| -> &Node { child }));
    }
    nodes
}

impl Nodes {
    /// Adds the joint of `node`, and a second one below it for a scale that its children do not inherit. The parent is added
    /// before.
    fn add(&mut self, node: &Node) {
        let parent_joints = node.parent.as_ref().and_then(|parent| self.of_node(parent));
        let inherits_scale = self.inheritance.inherits_scale(node);
        let scale = |node: &Node| ScaleChain::new(node, |_| false).scale(|_| DVec3::ONE);
        let (own, local) = (scale(node), Local::new(&node.local_transform));
        let of_parent = node.parent.as_ref().map_or(DVec3::ONE, |parent| scale(parent));
        let rest = self.inheritance.joint(node, local, own, of_parent);
        let name = name(&node.element.name, "node", self.skeleton.len());
        let parent =
            parent_joints.map(|parent_joints| if inherits_scale { parent_joints.scaled } else { parent_joints.placed });
        let placed = self.push(name.clone(), parent, rest);
        let scaled = match self.inheritance.has_scale_joint(node) {
            false => placed,
            true => self.push(format!("{name} scale"), Some(placed), Local { scale: own, ..Local::IDENTITY }),
        };
        self.joints[node.element.typed_id as usize] = Some(NodeJoints { placed, scaled });
    }

    /// Appends a joint and returns its index. A rest transform that is not finite becomes the identity.
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

/// Returns the names that 3ds Max gives to the targets of cameras and lights.
fn targets(scene: &Scene) -> BTreeSet<String> {
    let equipment = scene.nodes.iter().filter(|node| node.camera.is_some() || node.light.is_some());
    equipment.map(|node| format!("{}.Target", &*node.element.name)).collect()
}

/// True if `node` is not part of the figure: a camera, a light or its target.
/// In a file with bones also an empty top-level node without children.
fn is_equipment(node: &Node, targets: &BTreeSet<String>, has_bones: bool) -> bool {
    let kind = node.attrib_type;
    let is_camera = matches!(kind, ElementType::Camera | ElementType::StereoCamera | ElementType::CameraSwitcher);
    let is_target = targets.contains(&*node.element.name) && node.bone.is_none();
    let is_apart = has_bones && node.bone.is_none() && node.parent.as_ref().is_none_or(|parent| parent.is_root);
    (is_camera || kind == ElementType::Light || is_target || is_apart)
        && node.mesh.is_none()
        && node.children.is_empty()
}

/// Converts a transform to `f32`, or returns `None` if a value is not finite.
fn transform(found: Local) -> Option<Transform> {
    let is_turn = found.rotation.length_squared() > 0.0;
    let rotation = if is_turn { found.rotation.normalize().as_quat() } else { Quat::IDENTITY };
    let transform = Transform { translation: found.translation.as_vec3(), rotation, scale: found.scale.as_vec3() };
    transform.is_finite().then_some(transform)
}
