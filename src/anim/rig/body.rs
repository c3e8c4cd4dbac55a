//! The skeleton as a body: where joints stand at rest, which of them carry skin, and which limbs are twins.

use glam::DVec3;

use crate::anim::root_motion::all_at_rest;
use crate::anim::{Model, Skeleton};

/// Joints at rest and what they carry.
#[derive(Clone, Debug)]
pub(super) struct Body<'a> {
    pub(super) skeleton: &'a Skeleton,
    /// World places at rest, in the file's unit.
    pub(super) places: Vec<DVec3>,
    /// Skin carried by a joint and all below: sums of vertex weights. All ones below for a file without meshes.
    pub(super) carried: Vec<f64>,
    /// Joints that belong to the body: they or what hangs on them carry skin. Controls, targets and end tips do not.
    pub(super) is_body: Vec<bool>,
    /// Lowest and highest body joint.
    pub(super) bottom: f64,
    pub(super) height: f64,
    /// Whether some joint carries a mesh; without one, all joints count.
    pub(super) has_skin: bool,
    /// Children of each joint that belong to the body, in order.
    children: Vec<Vec<usize>>,
    /// For each joint the longest way from its parent through it to an end.
    reach: Vec<f64>,
}

/// Two limbs of the same build that hang on the same joint.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Twins {
    /// Joints of the one from its top down, along the longest way.
    pub(super) left: Vec<usize>,
    /// Those of the other.
    pub(super) right: Vec<usize>,
}

/// Bones of twins differ by at most this share of their length: rigs are mirrored to rounding, poses do not change lengths.
const ALIKE: f64 = 0.05;

/// Joints that hang on one up to which they are looked at for limbs, each against each: more are a crowd and no body.
const MOST_LIMBS: usize = 256;

impl<'a> Body<'a> {
    /// The body that `own` weights (per joint, sums over vertices) make of `skeleton`.
    pub(super) fn new(skeleton: &'a Skeleton, own: &[f64]) -> Self {
        let places: Vec<DVec3> = all_at_rest(skeleton).iter().map(|place| place.translation).collect();
        let has_skin = own.iter().any(|&weight| weight > 0.0);
        let mut carried: Vec<f64> = if has_skin { own.to_vec() } else { vec![1.0; skeleton.len()] };
        // Children come after parents, so that one pass from the end adds everything up.
        for joint in (0..skeleton.len()).rev() {
            if let Some(parent) = skeleton.joints[joint].parent {
                carried[parent] += carried[joint];
            }
        }
        let is_body: Vec<bool> = carried.iter().map(|&weight| weight > 0.0).collect();
        let heights = || places.iter().zip(&is_body).filter(|(_, body)| **body).map(|(place, _)| place.y);
        let (bottom, top) =
            heights().fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), y| (low.min(y), high.max(y)));
        let bottom = if bottom.is_finite() { bottom } else { 0.0 };
        let height = if top > bottom { top - bottom } else { 0.0 };
        let mut children = vec![Vec::new(); skeleton.len()];
        for (joint, parent) in skeleton.joints.iter().enumerate().filter_map(|(at, joint)| Some((at, joint.parent?))) {
            children[parent].extend(is_body[joint].then_some(joint));
        }
        let mut body =
            Self { skeleton, places, carried, is_body, bottom, height, has_skin, children, reach: Vec::new() };
        body.reach = body.reaches();
        body
    }

    /// Children of `joint` that belong to the body.
    pub(super) fn children(&self, joint: usize) -> impl Iterator<Item = usize> + '_ {
        self.children[joint].iter().copied()
    }

    /// Length of the bone from the parent to `joint`.
    pub(super) fn bone(&self, joint: usize) -> f64 {
        self.skeleton.joints[joint].parent.map_or(0.0, |parent| self.places[parent].distance(self.places[joint]))
    }

    /// Height of `joint` above the lowest one, as a share of the body's height.
    pub(super) fn level(&self, joint: usize) -> f64 {
        if self.height > 0.0 { (self.places[joint].y - self.bottom) / self.height } else { 0.0 }
    }

    /// `joint` and the longest way down from it.
    pub(super) fn longest_way(&self, joint: usize) -> Vec<usize> {
        let reach = &self.reach;
        let longest = |&at: &usize| self.children(at).max_by(|&a, &b| reach[a].total_cmp(&reach[b]).then(b.cmp(&a)));
        std::iter::successors(Some(joint), longest).collect()
    }

    /// What [`Self::reach`] holds.
    fn reaches(&self) -> Vec<f64> {
        let mut below = vec![0.0_f64; self.skeleton.len()];
        let mut reach = vec![0.0; self.skeleton.len()];
        for joint in (0..self.skeleton.len()).rev().filter(|&joint| self.is_body[joint]) {
            reach[joint] = self.bone(joint) + below[joint];
            if let Some(parent) = self.skeleton.joints[joint].parent {
                below[parent] = below[parent].max(reach[joint]);
            }
        }
        reach
    }

    /// All twins, those nearer to the root first.
    pub(super) fn twins(&self) -> Vec<Twins> {
        let joints = (0..self.skeleton.len()).filter(|&joint| self.is_body[joint]);
        joints.flat_map(|joint| self.twins_on(joint)).collect()
    }

    fn twins_on(&self, joint: usize) -> Vec<Twins> {
        if !(2..=MOST_LIMBS).contains(&self.children[joint].len()) {
            return Vec::new();
        }
        let ways: Vec<Vec<usize>> = self.children(joint).map(|child| self.longest_way(child)).collect();
        let mut is_free = vec![true; ways.len()];
        let mut twins = Vec::new();
        // The best mirrored ones first: horns must find each other before one of them finds the head between them.
        for (a, b) in self.alike(&ways) {
            if is_free[a] && is_free[b] {
                (is_free[a], is_free[b]) = (false, false);
                twins.push(self.sided(ways[a].clone(), ways[b].clone()));
            }
        }
        twins
    }

    /// Any two of `ways` that are alike, the second after the first, the best mirrored ones before the others.
    fn alike(&self, ways: &[Vec<usize>]) -> Vec<(usize, usize)> {
        let pairs = (0..ways.len()).flat_map(|a| (a + 1..ways.len()).map(move |b| (a, b)));
        let alike = pairs.filter(|&(a, b)| self.are_alike(&ways[a], &ways[b]));
        let mut alike: Vec<_> = alike.map(|(a, b)| (self.mismatch(&ways[a], &ways[b]), (a, b))).collect();
        alike.sort_by(|one, other| one.0.total_cmp(&other.0));
        alike.into_iter().map(|(_, pair)| pair).collect()
    }

    /// How far joints of one limb stand from the mirror images of the other's, on the whole.
    fn mismatch(&self, a: &[usize], b: &[usize]) -> f64 {
        let apart = |(&a, &b): (&usize, &usize)| {
            let mirrored = self.places[a] * DVec3::new(-1.0, 1.0, 1.0);
            mirrored.distance(self.places[b])
        };
        a.iter().zip(b).map(apart).sum()
    }

    fn are_alike(&self, a: &[usize], b: &[usize]) -> bool {
        // Exporters that keep a stretched bone in its rest pose make twins differ by a few centimetres.
        let slack = self.height * 0.04;
        let bones = a.iter().zip(b).all(|(&a, &b)| {
            let (a, b) = (self.bone(a), self.bone(b));
            (a - b).abs() <= ALIKE * a.max(b) + slack
        });
        let ends = |way: &[usize]| way.last().map_or(DVec3::ZERO, |&end| self.places[end]);
        let same_place = ends(a).distance(ends(b)) <= 1e-3 * self.height;
        a.len() == b.len() && bones && !same_place
    }

    /// The one towards +X first: where a character looks along +Z that is its left. Naming the sides is up to names and front.
    fn sided(&self, a: Vec<usize>, b: Vec<usize>) -> Twins {
        let side = |way: &[usize]| way.iter().map(|&joint| self.places[joint].x).sum::<f64>();
        if side(&a) >= side(&b) { Twins { left: a, right: b } } else { Twins { left: b, right: a } }
    }
}

/// Per joint, the skin it carries by itself: sums of vertex weights; vertices of rigid meshes count whole, and go to the
/// nearest joint above that is more than a holder of meshes.
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
    hand_up(model, &in_skin, &mut own);
    own
}

/// Gives what plain nodes hold (a sword in a hand, a face plate) to the joint above, as long as the file has a skin.
fn hand_up(model: &Model, in_skin: &[bool], own: &mut [f64]) {
    if model.skins.is_empty() {
        return;
    }
    let joints = &model.skeleton.joints;
    let mut holds_joints = in_skin.to_vec();
    let mut skinned_above: Vec<Option<usize>> = Vec::with_capacity(joints.len());
    for joint in joints {
        skinned_above
            .push(joint.parent.and_then(|parent| Some(parent).filter(|&up| in_skin[up]).or(skinned_above[parent])));
    }
    for joint in (0..joints.len()).rev() {
        match (skinned_above[joint], joints[joint].parent) {
            (_, Some(parent)) if holds_joints[joint] => holds_joints[parent] = true,
            (Some(above), _) if !holds_joints[joint] => own[above] += std::mem::take(&mut own[joint]),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::anim::skeleton::tests::skeleton_of;
    use glam::Vec3;

    #[test]
    fn the_longest_way_is_that_of_all_its_bones_and_not_of_the_first() {
        let rows = [("hips", None), ("stub", Some(0)), ("leg", Some(0)), ("shin", Some(2)), ("foot", Some(3))];
        let mut skeleton = skeleton_of(&rows);
        skeleton.joints[1].rest.translation = Vec3::X * 1.5;
        assert_eq!(Body::new(&skeleton, &[0.0; 5]).longest_way(0), [0, 2, 3, 4]);
        skeleton.joints[1].rest.translation = Vec3::X * 3.5;
        assert_eq!(Body::new(&skeleton, &[0.0; 5]).longest_way(0), [0, 1]);
    }

    #[test]
    fn what_a_hand_holds_is_counted_to_it_and_a_joint_above_the_skin_keeps_its_own() {
        let rows = [("rig", None), ("hips", Some(0)), ("hand", Some(1)), ("sword", Some(2)), ("gem", Some(3))];
        let mut model = Model { skeleton: skeleton_of(&rows), ..Model::default() };
        let held = |model: &Model| {
            let mut own = [1.0, 2.0, 3.0, 4.0, 5.0];
            hand_up(model, &[false, true, true, false, false], &mut own);
            own
        };
        assert_eq!(held(&model), [1.0, 2.0, 3.0, 4.0, 5.0], "without a skin");
        model.skins.push(Default::default());
        assert_eq!(held(&model), [1.0, 2.0, 12.0, 0.0, 0.0]);
    }
}
