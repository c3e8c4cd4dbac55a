//! Parts of a rig with some of its trees: trees do not touch each other, so each is recorded and cached separately.

use super::bone::Bone;
use super::bone_group::BoneGroup;
use super::rig::DynamicsRig;

/// A rig with some trees of another rig.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct TreePart {
    /// Rig with only the bones of these trees and only the data that concerns their chains.
    pub rig: DynamicsRig,
    /// Indices of the bones in the complete rig, ascending.
    pub bones: Vec<usize>,
}

impl DynamicsRig {
    /// Returns one part for each tree.
    pub(crate) fn tree_parts(&self) -> Vec<TreePart> {
        (0..self.anchors.len()).map(|tree| self.part_of(&[tree])).collect()
    }

    /// Returns the part with the bones of `trees`. Trees, chains and colliders keep their indices.
    pub(crate) fn part_of(&self, trees: &[usize]) -> TreePart {
        let bones: Vec<usize> =
            (0..self.bones.len()).filter(|&index| trees.contains(&self.bones[index].tree)).collect();
        let within = |parent: usize| bones.binary_search(&parent).ok();
        let own = |&index: &usize| Bone { parent: self.bones[index].parent.and_then(within), ..self.bones[index] };
        let has_chain = |chain: usize| bones.iter().any(|&index| self.bones[index].chain == chain);
        // Data of other chains is removed, so that a change to them leaves this part equal.
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
