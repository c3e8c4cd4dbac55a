//! Scale that children do not inherit as glTF joints do.
//!
//! A glTF joint inherits the whole scale of its parent.
//! An FBX node may instead apply its parent's scale along its own axes (`RrSs`), or not inherit it (`Rrs`).
//! Below a uniform scale, the inverse scale on such a child undoes the parent's.
//! Below a non-uniform scale that is impossible, because the child may be rotated.
//! The parent's scale then moves to a separate child joint, which carries its mesh and the children that inherit the scale.

use glam::{DQuat, DVec3};
use ufbx::{InheritMode, Node, Scene};

use super::prepared_stack::{PreparedStack, Stack};

/// Largest relative difference between the axes of a uniform scale, and the smallest scale that is undone.
const UNIFORM_SCALE_TOLERANCE: f64 = 1e-6;
/// Sampled fractions of each span between two keys. Two cubics that agree at them are equal.
const SAMPLE_FRACTIONS: [f64; 5] = [0.0, 0.2, 0.4, 0.6, 0.8];

/// A local transform in the precision of the file.
#[derive(Clone, Copy, Debug)]
pub(super) struct Local {
    pub translation: DVec3,
    pub rotation: DQuat,
    pub scale: DVec3,
}

impl Local {
    pub(super) const IDENTITY: Self = Self { translation: DVec3::ZERO, rotation: DQuat::IDENTITY, scale: DVec3::ONE };

    /// Converts a transform of the file.
    pub(super) fn new(found: &ufbx::Transform) -> Self {
        let ufbx::Transform { translation, rotation, scale } = found;
        Self {
            translation: vector(translation),
            rotation: DQuat::from_xyzw(rotation.x, rotation.y, rotation.z, rotation.w),
            scale: vector(scale),
        }
    }
}

/// Converts a vector of the file.
fn vector(found: &ufbx::Vec3) -> DVec3 {
    DVec3::new(found.x, found.y, found.z)
}

/// The factors of a node's scale: its own, and those of nodes whose scale it applies along its own axes.
pub(super) struct ScaleChain<'a> {
    still: DVec3,
    pub moved: Vec<&'a Node>,
}

impl<'a> ScaleChain<'a> {
    /// Collects the scale factors of `node`. `is_moved` is true for nodes with an animated scale.
    pub(super) fn new(node: &'a Node, is_moved: impl Fn(&Node) -> bool) -> Self {
        let mut chain = Self { still: DVec3::ONE, moved: Vec::new() };
        let mut next = Some(node);
        while let Some(node) = next {
            if is_moved(node) {
                chain.moved.push(node);
            } else {
                chain.still *= vector(&node.local_transform.scale);
            }
            next = node.inherit_scale_node.as_deref();
        }
        chain
    }

    /// Returns the scale when each animated node has the scale `of_node`.
    pub(super) fn scale(&self, of_node: impl Fn(&Node) -> DVec3) -> DVec3 {
        self.moved.iter().fold(self.still, |scale, node| scale * of_node(node))
    }
}

/// The nodes whose scale is on a separate joint.
pub(super) struct ScaleInheritance {
    with_scale_joint: Vec<bool>,
}

impl ScaleInheritance {
    /// Finds the nodes whose scale needs a separate joint. `stacks` are all stacks of the scene.
    pub(super) fn new(scene: &Scene, stacks: &[Stack]) -> Self {
        let mut with_scale_joint = vec![false; scene.nodes.len()];
        if scene.nodes.iter().all(|node| inherits_normally(node)) {
            return Self { with_scale_joint };
        }
        let mut uneven = with_scale_joint.clone();
        // Parents precede their children.
        for node in &scene.nodes {
            let inherits_uneven =
                node.inherit_scale_node.as_ref().is_some_and(|source| uneven[source.element.typed_id as usize]);
            uneven[node.element.typed_id as usize] = inherits_uneven || is_uneven(node, stacks);
        }
        for node in &scene.nodes {
            if let Some(parent) = node.parent.as_ref().filter(|parent| !inherits_normally(node) && !parent.is_root) {
                let parent = parent.element.typed_id as usize;
                with_scale_joint[parent] = uneven[parent];
            }
        }
        Self { with_scale_joint }
    }

    /// True if the scale of `node` is on a separate joint.
    pub(super) fn has_scale_joint(&self, node: &Node) -> bool {
        self.with_scale_joint[node.element.typed_id as usize]
    }

    /// True if the node inherits its parent's scale as in glTF.
    pub(super) fn inherits_scale(&self, node: &Node) -> bool {
        inherits_normally(node)
    }

    /// Returns the local transform of the node's joint. `own` and `parent` are the total scales of the node and its parent.
    /// `local` is the local transform of the node.
    pub(super) fn joint(&self, node: &Node, local: Local, own: DVec3, parent: DVec3) -> Local {
        let remaining = if self.has_scale_joint(node) { DVec3::ONE } else { own };
        if inherits_normally(node) {
            return Local { scale: remaining, ..local };
        }
        match node.parent.as_ref().is_some_and(|parent| self.has_scale_joint(parent)) {
            true => Local { translation: local.translation * parent, scale: remaining, ..local },
            false => Local { scale: remaining / parent, ..local },
        }
    }
}

/// True if the node inherits the whole scale of its parent.
fn inherits_normally(node: &Node) -> bool {
    node.inherit_mode == InheritMode::Normal
}

/// True if the node's own scale, at rest or in any stack, is non-uniform or nearly 0, so that it cannot be undone. Scales
/// between keys are sampled.
fn is_uneven(node: &Node, stacks: &[Stack]) -> bool {
    let cannot_be_undone = |scale: DVec3| {
        let largest = scale.abs().max_element();
        !(largest >= UNIFORM_SCALE_TOLERANCE
            && scale.max_element() - scale.min_element() <= UNIFORM_SCALE_TOLERANCE * largest)
    };
    cannot_be_undone(vector(&node.local_transform.scale))
        || stacks.iter().any(|stack| {
            let times = stack.times.of_scale(node);
            let between = |pair: &[f64]| SAMPLE_FRACTIONS.map(|fraction| pair[0] + (pair[1] - pair[0]) * fraction);
            let mut samples = times.windows(2).flat_map(between).chain(times.last().copied());
            samples.any(|time| cannot_be_undone(scale_at(&stack.prepared, node, time)))
        })
}

/// Returns the node's own scale at the absolute `time`, seconds.
pub(super) fn scale_at(prepared: &PreparedStack, node: &Node, time: f64) -> DVec3 {
    vector(&prepared.transform(node, time).scale)
}
