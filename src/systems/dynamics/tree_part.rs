//! The bones of one tree alone: trees do not touch each other, so each is simulated, and kept, by itself.

use super::rig::{Bone, DynamicsRig};

/// A tree of bones as a rig of its own.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct TreePart {
    /// Has the bones of the tree alone, and nothing that concerns other chains.
    pub rig: DynamicsRig,
    /// Which bones of the whole rig they are, ascending.
    pub bones: Vec<usize>,
}

impl DynamicsRig {
    /// The trees, each by itself.
    pub(super) fn tree_parts(&self) -> Vec<TreePart> {
        (0..self.anchors.len()).map(|tree| self.tree_part(tree)).collect()
    }

    fn tree_part(&self, tree: usize) -> TreePart {
        let bones: Vec<usize> = (0..self.bones.len()).filter(|&index| self.bones[index].tree == tree).collect();
        let within = |parent: usize| bones.binary_search(&parent).ok();
        let own = |&index: &usize| Bone { parent: self.bones[index].parent.and_then(within), ..self.bones[index] };
        let has_chain = |chain: usize| bones.iter().any(|&index| self.bones[index].chain == chain);
        // What concerns other chains is left out, so that a change of it leaves this tree equal to what it was.
        let anchors = self.anchors.iter().enumerate().map(|(i, anchor)| anchor.filter(|_| i == tree)).collect();
        let centers = self.centers.iter().enumerate().map(|(chain, center)| center.filter(|_| has_chain(chain)));
        let collides = self.collides.iter().enumerate();
        let collides =
            collides.map(|(chain, collides)| if has_chain(chain) { collides.clone() } else { Vec::new() }).collect();
        let rig = Self {
            bones: bones.iter().map(own).collect(),
            anchors,
            centers: centers.collect(),
            collides,
            stability: 0.0,
            ..self.clone()
        };
        TreePart { rig, bones }
    }
}
