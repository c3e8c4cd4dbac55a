//! The bones of some trees alone: trees do not touch each other, so each is kept by itself.

use super::bone::Bone;
use super::bone_group::BoneGroup;
use super::rig::DynamicsRig;

/// Trees of bones as a rig of their own.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct TreePart {
    /// Has the bones of the trees alone, and nothing that concerns other chains.
    pub rig: DynamicsRig,
    /// Which bones of the whole rig they are, ascending.
    pub bones: Vec<usize>,
}

impl DynamicsRig {
    /// The trees, each by itself.
    pub(super) fn tree_parts(&self) -> Vec<TreePart> {
        (0..self.anchors.len()).map(|tree| self.part_of(&[tree])).collect()
    }

    /// Some trees together.
    pub(super) fn part_of(&self, trees: &[usize]) -> TreePart {
        let bones: Vec<usize> =
            (0..self.bones.len()).filter(|&index| trees.contains(&self.bones[index].tree)).collect();
        let within = |parent: usize| bones.binary_search(&parent).ok();
        let own = |&index: &usize| Bone { parent: self.bones[index].parent.and_then(within), ..self.bones[index] };
        let has_chain = |chain: usize| bones.iter().any(|&index| self.bones[index].chain == chain);
        // What concerns other chains is left out, so that a change of it leaves this tree equal to what it was.
        let anchors =
            self.anchors.iter().enumerate().map(|(i, anchor)| anchor.filter(|_| trees.contains(&i))).collect();
        let centers = self.centers.iter().enumerate().map(|(chain, center)| center.filter(|_| has_chain(chain)));
        let collides = self.collides.iter().enumerate();
        let collides =
            collides.map(|(chain, collides)| if has_chain(chain) { collides.clone() } else { Vec::new() }).collect();
        let own: Vec<Bone> = bones.iter().map(own).collect();
        let rig = Self {
            groups: BoneGroup::all(own.iter().map(|bone| bone.parent)),
            bones: own,
            anchors,
            centers: centers.collect(),
            collides,
            stability: 0.0,
            ..self.clone()
        };
        TreePart { rig, bones }
    }
}
