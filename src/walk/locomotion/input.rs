//! Input of a walk: the character and the ground.

use glam::DVec3;

use super::WalkError;
use portamento_anim::{Clip, Leg, Roles, Skeleton};
use portamento_base::message::Message;

/// Returns the ground height in metres at a position (metres), or at most a step above it; `None` where there is no
/// ground.
pub type GroundHeight<'a> = &'a dyn Fn(DVec3) -> Option<f64>;

/// The character that walks: its rig, its clips and their unit.
#[derive(Clone, Copy)]
pub struct Input<'a> {
    /// The skeleton that all clips animate.
    pub skeleton: &'a Skeleton,
    /// All clips of the character.
    pub clips: &'a [Clip],
    /// Joint roles (hips, legs, head …).
    pub roles: &'a Roles,
    /// Length of the file's unit, metres.
    pub metres_per_unit: f64,
    /// Ground under body and feet. Without it, heights come from the path.
    pub ground: Option<GroundHeight<'a>>,
}

impl<'a> Input<'a> {
    /// Returns the clip called `name`. `Err` names the `role` that requested it.
    pub(super) fn clip(&self, name: &str, role: Message) -> Result<&'a Clip, WalkError> {
        let missing = || WalkError::NoSuchClip { name: name.to_owned(), role: role.into() };
        self.clips.iter().find(|clip| clip.name == name).ok_or_else(missing)
    }

    /// Returns the legs whose joints exist.
    pub(super) fn legs(&self) -> Vec<&'a Leg> {
        let count = self.skeleton.len();
        let exists = |leg: &&Leg| leg.thigh.max(leg.shin).max(leg.foot).max(leg.toe.unwrap_or(0)) < count;
        self.roles.legs.iter().filter(exists).collect()
    }

    /// Returns the joints from the hips to the head, hands and feet: those that define a pose.
    pub(super) fn body_joints(&self) -> Vec<usize> {
        let legs = self.roles.legs.iter().map(|leg| leg.foot);
        let ends = self.roles.head.into_iter().chain(self.roles.hands.iter().copied()).chain(legs);
        let hips = self.roles.hips.unwrap_or(0);
        let inside = |joint: &usize| *joint < self.skeleton.len();
        let mut joints: Vec<usize> = ends.filter(inside).flat_map(|end| self.skeleton.ancestors(end)).collect();
        joints.retain(|&joint| hips < self.skeleton.len() && self.skeleton.is_within(joint, hips));
        joints.sort_unstable();
        joints.dedup();
        joints
    }
}
