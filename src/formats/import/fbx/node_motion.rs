//! The motion of one node in one stack, as a joint.

use std::cell::RefCell;

use glam::{DQuat, DVec3};
use ufbx::Node;

use super::keyframe_fit::{KeyTime, Row};
use super::prepared_stack::Stack;
use super::properties::PROPERTIES;
use super::scale_inheritance::{Local, ScaleChain, ScaleInheritance, scale_at};
use portamento_anim::math::Transform;

/// A node and the data needed to evaluate its joint.
pub(super) struct NodeMotion<'a> {
    stack: &'a Stack<'a>,
    node: &'a Node,
    inheritance: &'a ScaleInheritance,
    rest: Transform,
    own: ScaleChain<'a>,
    /// The parent's scale, if the node does not inherit it.
    parent: Option<ScaleChain<'a>>,
    sampled: RefCell<Sampled>,
}

/// The joint at the times at which the first animated property was sampled, in that order. The other properties are sampled at
/// nearly the same times, and the evaluation of a node is slow.
#[derive(Default)]
struct Sampled {
    /// Times, and the joint at each; `None` if a value of the file is not finite.
    joints: Vec<(f64, Option<Local>)>,
    /// Index after the joint that was asked for last.
    next: usize,
}

/// Number of joints in which a time is looked for. A property whose spans are split elsewhere asks for a few more or fewer times.
const LOOK_AHEAD: usize = 8;

impl Sampled {
    /// Returns the joint at the absolute `time`, seconds, sampled before or now. `None` if a value of the file is not
    /// finite then. `sample` is called only for a time that was not sampled before.
    fn at(&mut self, time: f64, sample: impl FnOnce() -> Option<Local>) -> Option<Local> {
        let first = self.next.saturating_sub(1);
        let near = &self.joints[first..self.joints.len().min(self.next + LOOK_AHEAD)];
        if let Some(index) = near.iter().position(|(known, _)| *known == time) {
            self.next = first + index + 1;
            return near[index].1;
        }
        let joint = sample();
        if self.next == self.joints.len() {
            self.joints.push((time, joint));
            self.next += 1;
        }
        joint
    }
}

impl<'a> NodeMotion<'a> {
    /// Prepares the evaluation of the joint of `node` in `stack`. `rest` is the rest transform of the joint.
    pub(super) fn new(stack: &'a Stack, node: &'a Node, inheritance: &'a ScaleInheritance, rest: Transform) -> Self {
        let is_moved = |node: &Node| stack.times.moves(node.element.element_id, PROPERTIES[2]);
        let parent = node.parent.as_deref().filter(|_| !inheritance.inherits_scale(node));
        Self {
            stack,
            node,
            inheritance,
            rest,
            own: ScaleChain::new(node, is_moved),
            parent: parent.map(|parent| ScaleChain::new(parent, is_moved)),
            sampled: RefCell::default(),
        }
    }

    /// Returns the key times of the joint's offset (0), rotation (1) or scale (2); empty if it is not animated. Its samples
    /// follow. Asking for keys restarts the search in the samples, so ask for the values of a property right after its
    /// keys.
    pub(super) fn keys(&self, property: usize) -> Vec<KeyTime> {
        self.sampled.borrow_mut().next = 0;
        let own = self.node.element.element_id;
        let is_below_scale_joint =
            self.node.parent.as_ref().is_some_and(|parent| self.inheritance.has_scale_joint(parent));
        let parents = self.parent.iter().flat_map(|parent| scaled_by(parent));
        let moved: Vec<(u32, &str)> = match property {
            // Rotation or scale about a pivot also moves the node.
            0 if self.has_pivot() => PROPERTIES.map(|name| (own, name)).into_iter().chain(parents).collect(),
            0 if is_below_scale_joint => [(own, PROPERTIES[0])].into_iter().chain(parents).collect(),
            0 | 1 => vec![(own, PROPERTIES[property])],
            _ if self.inheritance.has_scale_joint(self.node) => parents.collect(),
            _ => scaled_by(&self.own).chain(parents).collect(),
        };
        self.stack.times.at(&moved)
    }

    /// Returns the key times of the node's scale joint.
    pub(super) fn keys_of_scale(&self) -> Vec<KeyTime> {
        self.stack.times.at(&scaled_by(&self.own).collect::<Vec<_>>())
    }

    /// Returns the joint's offset (0), rotation (1) or scale (2) at `time`, seconds from the stack's beginning.
    /// If a value of the file is not finite, returns the rest value.
    pub(super) fn at(&self, time: f64, property: usize) -> Row {
        let time = self.stack.times.begin + time;
        let joint = self.sampled.borrow_mut().at(time, || self.joint(time));
        let Some(Local { translation, rotation, scale }) = joint else { return self.at_rest(property) };
        match property {
            0 => translation.to_array().to_vec(),
            1 if rotation.length_squared() > 0.0 => rotation.to_array().to_vec(),
            1 => DQuat::IDENTITY.to_array().to_vec(),
            _ => scale.to_array().to_vec(),
        }
    }

    /// Returns the joint at the absolute `time`, seconds; `None` if a value of the file is not finite.
    fn joint(&self, time: f64) -> Option<Local> {
        let local = Local::new(&self.stack.prepared.transform(self.node, time));
        let parent = self.parent.as_ref().map_or(DVec3::ONE, |parent| self.scale(parent, time));
        let scale_of = |node: &Node| match std::ptr::eq(node, self.node) {
            true => local.scale,
            false => scale_at(&self.stack.prepared, node, time),
        };
        let joint = self.inheritance.joint(self.node, local, self.own.scale(scale_of), parent);
        let is_finite = [joint.translation, joint.scale].iter().all(|part| part.as_vec3().is_finite());
        (is_finite && joint.rotation.is_finite()).then_some(joint)
    }

    /// Returns the node's total scale at `time`, seconds from the stack's beginning; 1 if it is not finite.
    pub(super) fn scale_at(&self, time: f64) -> Row {
        let scale = self.scale(&self.own, self.stack.times.begin + time);
        let scale = if scale.as_vec3().is_finite() { scale } else { DVec3::ONE };
        scale.to_array().to_vec()
    }

    /// Returns the total scale of `chain` at the absolute `time`, seconds.
    fn scale(&self, chain: &ScaleChain, time: f64) -> DVec3 {
        chain.scale(|node| scale_at(&self.stack.prepared, node, time))
    }

    /// Returns the rest value of `property`. `property` is 0 for the offset, 1 for the rotation and 2 for the scale.
    fn at_rest(&self, property: usize) -> Row {
        let Transform { translation, rotation, scale } = self.rest;
        let rest = [translation.to_array().to_vec(), rotation.to_array().to_vec(), scale.to_array().to_vec()];
        rest[property].iter().copied().map(f64::from).collect()
    }

    /// True if the node has a rotation or scaling pivot.
    fn has_pivot(&self) -> bool {
        ["RotationPivot", "ScalingPivot"].iter().any(|name| {
            let found = ufbx::find_prop(&self.node.element.props, name);
            found.is_some_and(|pivot| {
                [pivot.value_vec4.x, pivot.value_vec4.y, pivot.value_vec4.z].iter().any(|part| *part != 0.0)
            })
        })
    }
}

/// Returns the elements and names of the properties whose keys change the scale of `chain`.
fn scaled_by<'b>(chain: &'b ScaleChain) -> impl Iterator<Item = (u32, &'static str)> + 'b {
    chain.moved.iter().map(|node| (node.element.element_id, PROPERTIES[2]))
}
