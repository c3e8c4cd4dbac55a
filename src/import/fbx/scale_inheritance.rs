//! Scale that children do not take over as joints of glTF do.
//!
//! A joint of glTF is scaled by all that scales its parent. A node of an FBX may take its parent's scale along its own axes instead
//! (`RrSs`), or not at all (`Rrs`). Below an even scale such a child's own scale undoes the parent's. Below an uneven one none could, as
//! the child is turned against it: there the parent's scale goes to a joint of its own, which carries its surface and those
//! children that do take it over.

use glam::{DQuat, DVec3};
use ufbx::{InheritMode, Node, Scene};

use super::played::{Played, Stack};

/// How far the three numbers of an even scale may differ, by the largest; and the smallest scale that is undone.
const EVEN: f64 = 1e-6;
/// Places in each span between two keys at which a scale is looked at: two cubics that agree there agree everywhere.
const PLACES: [f64; 5] = [0.0, 0.2, 0.4, 0.6, 0.8];

/// A node's place below its parent, in the file's own precision.
#[derive(Clone, Copy, Debug)]
pub(super) struct Local {
    pub translation: DVec3,
    pub rotation: DQuat,
    pub scale: DVec3,
}

impl Local {
    pub(super) const IDENTITY: Self = Self { translation: DVec3::ZERO, rotation: DQuat::IDENTITY, scale: DVec3::ONE };

    pub(super) fn new(found: &ufbx::Transform) -> Self {
        let ufbx::Transform { translation, rotation, scale } = found;
        Self {
            translation: vector(translation),
            rotation: DQuat::from_xyzw(rotation.x, rotation.y, rotation.z, rotation.w),
            scale: vector(scale),
        }
    }
}

fn vector(found: &ufbx::Vec3) -> DVec3 {
    DVec3::new(found.x, found.y, found.z)
}

/// Where the scale of a node comes from: itself, and those whose scale it takes along its own axes.
pub(super) struct ScaleChain<'a> {
    still: DVec3,
    pub moved: Vec<&'a Node>,
}

impl<'a> ScaleChain<'a> {
    /// The scale of `node`, of which `is_moved` tells those that change.
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

    /// The scale where each of those that change has the scale `of_node`.
    pub(super) fn scale(&self, of_node: impl Fn(&Node) -> DVec3) -> DVec3 {
        self.moved.iter().fold(self.still, |scale, node| scale * of_node(node))
    }
}

/// Which nodes have their scale on a joint of its own.
pub(super) struct ScaleInheritance {
    apart: Vec<bool>,
}

impl ScaleInheritance {
    /// `stacks` are all that the scene has.
    pub(super) fn new(scene: &Scene, stacks: &[Stack]) -> Self {
        let mut apart = vec![false; scene.nodes.len()];
        if scene.nodes.iter().all(|node| is_plain(node)) {
            return Self { apart };
        }
        let mut uneven = apart.clone();
        // Parents come first.
        for node in &scene.nodes {
            let above = node.inherit_scale_node.as_ref().is_some_and(|above| uneven[above.element.typed_id as usize]);
            uneven[node.element.typed_id as usize] = above || is_uneven(node, stacks);
        }
        for node in &scene.nodes {
            if let Some(parent) = node.parent.as_ref().filter(|parent| !is_plain(node) && !parent.is_root) {
                let parent = parent.element.typed_id as usize;
                apart[parent] = uneven[parent];
            }
        }
        Self { apart }
    }

    pub(super) fn is_apart(&self, node: &Node) -> bool {
        self.apart[node.element.typed_id as usize]
    }

    /// Whether the node hangs on its parent's scale rather than beside it.
    pub(super) fn takes_scale_over(&self, node: &Node) -> bool {
        is_plain(node)
    }

    /// The place of the node's joint below its parent's, where the whole scales of both are `own` and `parent`.
    pub(super) fn joint(&self, node: &Node, local: Local, own: DVec3, parent: DVec3) -> Local {
        let kept = if self.is_apart(node) { DVec3::ONE } else { own };
        if is_plain(node) {
            return Local { scale: kept, ..local };
        }
        match node.parent.as_ref().is_some_and(|parent| self.is_apart(parent)) {
            true => Local { translation: local.translation * parent, scale: kept, ..local },
            false => Local { scale: kept / parent, ..local },
        }
    }
}

/// Whether the node is scaled by all that scales its parent.
fn is_plain(node: &Node) -> bool {
    node.inherit_mode == InheritMode::Normal
}

/// Whether the node's own scale, at rest or in any stack, cannot be undone below a turn.
fn is_uneven(node: &Node, stacks: &[Stack]) -> bool {
    let cannot_be_undone = |scale: DVec3| {
        let largest = scale.abs().max_element();
        !(largest >= EVEN && scale.max_element() - scale.min_element() <= EVEN * largest)
    };
    cannot_be_undone(vector(&node.local_transform.scale))
        || stacks.iter().any(|stack| {
            let times = stack.times.of_scale(node);
            let between = |pair: &[f64]| PLACES.map(|place| pair[0] + (pair[1] - pair[0]) * place);
            let mut looked_at = times.windows(2).flat_map(between).chain(times.last().copied());
            looked_at.any(|time| cannot_be_undone(scale_at(&stack.played, node, time)))
        })
}

/// The node's own scale at an absolute time.
pub(super) fn scale_at(played: &Played, node: &Node, time: f64) -> DVec3 {
    vector(&played.transform(node, time).scale)
}
