//! A skeleton as a body: joint positions in the rest pose, the skin that each joint carries, and mirrored limbs.

use glam::DVec3;

use crate::root_motion::all_at_rest;
use crate::{Model, Skeleton};

/// Rest positions of joints and the skin that they carry.
#[derive(Clone, Debug)]
pub(super) struct Body<'a> {
    /// The skeleton of the joints.
    pub(super) skeleton: &'a Skeleton,
    /// World positions in the rest pose, in the file's unit.
    pub(super) positions: Vec<DVec3>,
    /// Skin carried by each joint and its descendants: sums of vertex weights. A file without meshes counts 1 per
    /// joint.
    pub(super) carried: Vec<f64>,
    /// True for joints of the body: they or their descendants carry skin. Controls, targets and end tips do not.
    pub(super) is_body: Vec<bool>,
    /// Height of the lowest body joint, and the height of the body above it, in the file's unit.
    pub(super) bottom: f64,
    pub(super) height: f64,
    /// True if some joint carries a mesh; without one, all joints count.
    pub(super) has_skin: bool,
    /// Children of each joint that belong to the body, in order.
    children: Vec<Vec<usize>>,
    /// For each joint the length of the longest chain from its parent through it to an end, in the file's unit.
    reach: Vec<f64>,
}

/// Two limbs of the same build with the same parent.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Twins {
    /// Joints of the limb towards +X, from its top along the longest chain.
    pub(super) left: Vec<usize>,
    /// Joints of the other limb.
    pub(super) right: Vec<usize>,
}

/// Maximum difference of two twin bones, as a fraction of their length: rigs are mirrored up to rounding, and poses
/// do not change lengths.
const TWIN_MAX_DIFFERENCE: f64 = 0.05;

/// Maximum number of children among which limbs are compared pairwise; more are a crowd and not a body.
const MAX_COMPARED_CHILDREN: usize = 256;

impl<'a> Body<'a> {
    /// Builds the body of `skeleton` from `own`, the sums of vertex weights per joint.
    pub(super) fn new(skeleton: &'a Skeleton, own: &[f64]) -> Self {
        let positions: Vec<DVec3> = all_at_rest(skeleton).iter().map(|position| position.translation).collect();
        let has_skin = own.iter().any(|&weight| weight > 0.0);
        let mut carried: Vec<f64> = if has_skin { own.to_vec() } else { vec![1.0; skeleton.len()] };
        // Children come after parents, so one pass from the end accumulates everything.
        for joint in (0..skeleton.len()).rev() {
            if let Some(parent) = skeleton.joints[joint].parent {
                carried[parent] += carried[joint];
            }
        }
        let is_body: Vec<bool> = carried.iter().map(|&weight| weight > 0.0).collect();
        let heights = || positions.iter().zip(&is_body).filter(|(_, body)| **body).map(|(position, _)| position.y);
        let (bottom, top) =
            heights().fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), y| (low.min(y), high.max(y)));
        let bottom = if bottom.is_finite() { bottom } else { 0.0 };
        let height = if top > bottom { top - bottom } else { 0.0 };
        let mut children = vec![Vec::new(); skeleton.len()];
        for (joint, parent) in skeleton.joints.iter().enumerate().filter_map(|(at, joint)| Some((at, joint.parent?))) {
            children[parent].extend(is_body[joint].then_some(joint));
        }
        let mut body =
            Self { skeleton, positions, carried, is_body, bottom, height, has_skin, children, reach: Vec::new() };
        body.reach = body.reaches();
        body
    }

    /// Returns the children of `joint` that belong to the body, in order.
    pub(super) fn children(&self, joint: usize) -> impl Iterator<Item = usize> + '_ {
        self.children[joint].iter().copied()
    }

    /// Returns the length of the bone from the parent to `joint`, world units; 0 for a root.
    pub(super) fn bone_length(&self, joint: usize) -> f64 {
        self.skeleton.joints[joint].parent.map_or(0.0, |parent| self.positions[parent].distance(self.positions[joint]))
    }

    /// Returns the height of `joint` above the lowest one, as a fraction of the body's height.
    pub(super) fn level(&self, joint: usize) -> f64 {
        if self.height > 0.0 { (self.positions[joint].y - self.bottom) / self.height } else { 0.0 }
    }

    /// Returns `joint` and the longest chain of descendants.
    pub(super) fn longest_chain(&self, joint: usize) -> Vec<usize> {
        let reach = &self.reach;
        let longest = |&at: &usize| self.children(at).max_by(|&a, &b| reach[a].total_cmp(&reach[b]).then(b.cmp(&a)));
        std::iter::successors(Some(joint), longest).collect()
    }

    /// Returns for each joint the length of the longest chain from its parent through it to an end, in the file's unit; 0 outside
    /// the body.
    fn reaches(&self) -> Vec<f64> {
        let mut longest_below = vec![0.0_f64; self.skeleton.len()];
        let mut reach = vec![0.0; self.skeleton.len()];
        for joint in (0..self.skeleton.len()).rev().filter(|&joint| self.is_body[joint]) {
            reach[joint] = self.bone_length(joint) + longest_below[joint];
            if let Some(parent) = self.skeleton.joints[joint].parent {
                longest_below[parent] = longest_below[parent].max(reach[joint]);
            }
        }
        reach
    }

    /// Returns all twins, those nearer to the root first.
    pub(super) fn twins(&self) -> Vec<Twins> {
        let joints = (0..self.skeleton.len()).filter(|&joint| self.is_body[joint]);
        joints.flat_map(|joint| self.twins_on(joint)).collect()
    }

    /// Returns the twins among the children of `joint`, best mirrored first. Returns none for more than
    /// [`MAX_COMPARED_CHILDREN`] children.
    fn twins_on(&self, joint: usize) -> Vec<Twins> {
        if !(2..=MAX_COMPARED_CHILDREN).contains(&self.children[joint].len()) {
            return Vec::new();
        }
        let chains: Vec<Vec<usize>> = self.children(joint).map(|child| self.longest_chain(child)).collect();
        let mut is_free = vec![true; chains.len()];
        let mut twins = Vec::new();
        // The best mirrored pairs come first: horns must match each other before one of them matches the head between
        // them.
        for (a, b) in self.alike(&chains) {
            if is_free[a] && is_free[b] {
                (is_free[a], is_free[b]) = (false, false);
                twins.push(self.sided(chains[a].clone(), chains[b].clone()));
            }
        }
        twins
    }

    /// Returns the index pairs of alike chains in `chains`, best mirrored first.
    fn alike(&self, chains: &[Vec<usize>]) -> Vec<(usize, usize)> {
        let pairs = (0..chains.len()).flat_map(|a| (a + 1..chains.len()).map(move |b| (a, b)));
        let alike = pairs.filter(|&(a, b)| self.are_alike(&chains[a], &chains[b]));
        let mut alike: Vec<_> = alike.map(|(a, b)| (self.mismatch(&chains[a], &chains[b]), (a, b))).collect();
        alike.sort_by(|one, other| one.0.total_cmp(&other.0));
        alike.into_iter().map(|(_, pair)| pair).collect()
    }

    /// Returns the sum of distances between the joints of the limb `a` and those of the limb `b` mirrored at x = 0, in the file's
    /// unit.
    fn mismatch(&self, a: &[usize], b: &[usize]) -> f64 {
        let apart = |(&a, &b): (&usize, &usize)| {
            let mirrored = self.positions[a] * DVec3::new(-1.0, 1.0, 1.0);
            mirrored.distance(self.positions[b])
        };
        a.iter().zip(b).map(apart).sum()
    }

    /// True if two chains have the same number of bones, about equal lengths of each, and different ends. Their positions need
    /// not be mirrored.
    fn are_alike(&self, a: &[usize], b: &[usize]) -> bool {
        // Exporters that keep a stretched bone in the rest pose make twins differ by a few centimetres.
        let slack = self.height * 0.04;
        let bones = a.iter().zip(b).all(|(&a, &b)| {
            let (a, b) = (self.bone_length(a), self.bone_length(b));
            (a - b).abs() <= TWIN_MAX_DIFFERENCE * a.max(b) + slack
        });
        let ends = |chain: &[usize]| chain.last().map_or(DVec3::ZERO, |&end| self.positions[end]);
        let share_end = ends(a).distance(ends(b)) <= 1e-3 * self.height;
        a.len() == b.len() && bones && !share_end
    }

    /// Returns the twins with the one towards +X first, which is the left of a character that faces +Z. Names and
    /// facing direction decide the final sides.
    fn sided(&self, a: Vec<usize>, b: Vec<usize>) -> Twins {
        let side = |chain: &[usize]| chain.iter().map(|&joint| self.positions[joint].x).sum::<f64>();
        if side(&a) >= side(&b) { Twins { left: a, right: b } } else { Twins { left: b, right: a } }
    }
}

/// Returns the sums of vertex weights that each joint carries itself.
///
/// Vertices of rigid meshes count fully, and belong to the nearest ancestor that is more than a mesh node.
pub(super) fn own_weights(model: &Model) -> Vec<f64> {
    let skeleton = &model.skeleton;
    let mut in_skin = vec![false; skeleton.len()];
    model.skins.iter().flat_map(|skin| &skin.joints).for_each(|&joint| in_skin[joint] = true);
    let mut own = vec![0.0; skeleton.len()];
    for instance in &model.instances {
        let Some(mesh) = model.meshes.get(instance.mesh) else { continue };
        match instance.skin.and_then(|skin| model.skins.get(skin)) {
            Some(skin) => {
                for part in &mesh.primitives {
                    let rows = part.joints.iter().zip(&part.weights);
                    let known =
                        rows.filter_map(|(&slot, &weight)| Some((*skin.joints.get(usize::from(slot))?, weight)));
                    known
                        .filter(|(_, weight)| *weight > 0.0)
                        .for_each(|(joint, weight)| own[joint] += f64::from(weight));
                }
            }
            None => {
                own[instance.joint] += mesh.primitives.iter().map(|part| part.positions.len()).sum::<usize>() as f64
            }
        }
    }
    move_to_skinned_ancestors(model, &in_skin, &mut own);
    own
}

/// Moves the weights `own` of plain nodes (a sword in a hand, a face plate) to the nearest ancestor that is in a skin, if the
/// file has a skin.
fn move_to_skinned_ancestors(model: &Model, in_skin: &[bool], own: &mut [f64]) {
    if model.skins.is_empty() {
        return;
    }
    let joints = &model.skeleton.joints;
    let mut carries_joints = in_skin.to_vec();
    let mut skinned_ancestor: Vec<Option<usize>> = Vec::with_capacity(joints.len());
    for joint in joints {
        skinned_ancestor
            .push(joint.parent.and_then(|parent| Some(parent).filter(|&up| in_skin[up]).or(skinned_ancestor[parent])));
    }
    for joint in (0..joints.len()).rev() {
        match (skinned_ancestor[joint], joints[joint].parent) {
            (_, Some(parent)) if carries_joints[joint] => carries_joints[parent] = true,
            (Some(ancestor), _) if !carries_joints[joint] => own[ancestor] += std::mem::take(&mut own[joint]),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::small_inputs::skeleton_of;
    use glam::Vec3;

    #[test]
    fn the_longest_chain_counts_all_its_bones_and_not_only_the_first() {
        let rows = [("hips", None), ("stub", Some(0)), ("leg", Some(0)), ("shin", Some(2)), ("foot", Some(3))];
        let mut skeleton = skeleton_of(&rows);
        skeleton.joints[1].rest.translation = Vec3::X * 1.5;
        assert_eq!(Body::new(&skeleton, &[0.0; 5]).longest_chain(0), [0, 2, 3, 4]);
        skeleton.joints[1].rest.translation = Vec3::X * 3.5;
        assert_eq!(Body::new(&skeleton, &[0.0; 5]).longest_chain(0), [0, 1]);
    }

    #[test]
    fn a_held_object_counts_for_the_hand_and_a_joint_above_the_skin_keeps_its_own() {
        let rows = [("rig", None), ("hips", Some(0)), ("hand", Some(1)), ("sword", Some(2)), ("gem", Some(3))];
        let mut model = Model { skeleton: skeleton_of(&rows), ..Model::default() };
        let weights = |model: &Model| {
            let mut own = [1.0, 2.0, 3.0, 4.0, 5.0];
            move_to_skinned_ancestors(model, &[false, true, true, false, false], &mut own);
            own
        };
        assert_eq!(weights(&model), [1.0, 2.0, 3.0, 4.0, 5.0], "without a skin");
        model.skins.push(Default::default());
        assert_eq!(weights(&model), [1.0, 2.0, 12.0, 0.0, 0.0]);
    }
}
