//! Joints and their hierarchy.

use crate::math::Transform;

/// One joint. Every node of a file is a joint, so that clips which move plain nodes need no second mechanism.
#[derive(Clone, Debug, PartialEq)]
pub struct Joint {
    /// The name in the file, or `node 12` if it has none.
    pub name: String,
    /// Index of the parent in [`Skeleton::joints`]; always smaller than the joint's own.
    pub parent: Option<usize>,
    /// Rest transform relative to the parent.
    pub rest: Transform,
    /// Index of the node in the source file.
    pub node: usize,
    /// First entry of this joint's morph weights in [`super::Pose::morphs`].
    pub first_morph: usize,
    /// Number of morph weights of the joint's mesh; usually 0.
    pub morph_count: usize,
}

/// Joints in an order with parents before children; several roots are possible.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Skeleton {
    /// The joints, parents first.
    pub joints: Vec<Joint>,
    /// Morph weights of all joints in the rest pose, laid out as [`super::Pose::morphs`].
    pub rest_morphs: Vec<f32>,
}

impl Skeleton {
    /// Returns the number of joints.
    pub fn len(&self) -> usize {
        self.joints.len()
    }

    /// True if there are no joints.
    pub fn is_empty(&self) -> bool {
        self.joints.is_empty()
    }

    /// Returns the first joint with exactly that name; `None` if there is none.
    pub fn find(&self, name: &str) -> Option<usize> {
        self.joints.iter().position(|joint| joint.name == name)
    }

    /// Returns the joint of node `node` of the source file; `None` if that node is no joint.
    pub fn joint_of_node(&self, node: usize) -> Option<usize> {
        self.joints.iter().position(|joint| joint.node == node)
    }

    /// Returns the direct children of `joint`, in order.
    pub fn children(&self, joint: usize) -> impl Iterator<Item = usize> + '_ {
        (joint + 1..self.len()).filter(move |&child| self.joints[child].parent == Some(joint))
    }

    /// Returns the joints without a parent.
    pub fn roots(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.len()).filter(|&joint| self.joints[joint].parent.is_none())
    }

    /// Returns `joint`, its parent, and so on up to a root.
    pub fn ancestors(&self, joint: usize) -> impl Iterator<Item = usize> + '_ {
        std::iter::successors(Some(joint), |&joint| self.joints[joint].parent)
    }

    /// Returns the number of joints on the longest path from a root to a leaf.
    pub fn depth(&self) -> usize {
        let mut depths: Vec<usize> = Vec::with_capacity(self.len());
        for joint in &self.joints {
            depths.push(1 + joint.parent.map_or(0, |parent| depths[parent]));
        }
        depths.into_iter().max().unwrap_or(0)
    }

    /// True if `joint` is `ancestor` or one of its descendants.
    pub fn is_within(&self, joint: usize, ancestor: usize) -> bool {
        self.ancestors(joint).any(|joint| joint == ancestor)
    }

    /// Returns `joint` and all its descendants, parents first.
    pub fn subtree(&self, joint: usize) -> Vec<usize> {
        let mut inside = vec![false; self.len()];
        (joint..self.len())
            .filter(|&each| {
                inside[each] = each == joint || self.joints[each].parent.is_some_and(|parent| inside[parent]);
                inside[each]
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::small_inputs::skeleton_of;

    #[test]
    fn a_subtree_is_the_joint_and_its_descendants_parents_first() {
        let tree = skeleton_of(&[("a", None), ("b", Some(0)), ("c", Some(0)), ("d", Some(1)), ("e", Some(3))]);
        assert_eq!(tree.subtree(1), [1, 3, 4]);
        assert_eq!(tree.children(0).collect::<Vec<_>>(), [1, 2]);
        assert_eq!(tree.ancestors(4).collect::<Vec<_>>(), [4, 3, 1, 0]);
        assert!(tree.is_within(4, 1) && !tree.is_within(2, 1));
        assert_eq!((tree.depth(), Skeleton::default().depth()), (4, 0));
    }
}
