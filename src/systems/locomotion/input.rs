//! What walks, and on what.

use glam::DVec3;

use crate::anim::{Clip, Leg, Roles, Skeleton};

/// Height of the ground in metres under a place (metres) or a step above it; `None` where there is none.
pub type GroundHeight<'a> = &'a dyn Fn(DVec3) -> Option<f64>;

/// The character that walks: its rig, its clips and the unit they are in.
#[derive(Clone, Copy)]
pub struct Input<'a> {
    /// The joints that all clips of the character move.
    pub skeleton: &'a Skeleton,
    /// All its clips; roles are given to some of them.
    pub clips: &'a [Clip],
    /// Which joint is what.
    pub roles: &'a Roles,
    /// Length of the file's unit, metres.
    pub metres_per_unit: f64,
    /// The ground under body and feet; without it they follow the heights of the way.
    pub ground: Option<GroundHeight<'a>>,
}

impl Input<'_> {
    /// The legs whose joints exist.
    pub(super) fn legs(&self) -> Vec<&Leg> {
        let count = self.skeleton.len();
        let whole = |leg: &&Leg| leg.thigh.max(leg.shin).max(leg.foot).max(leg.toe.unwrap_or(0)) < count;
        self.roles.legs.iter().filter(whole).collect()
    }

    /// The hips, what lies between them and the head and hands, and the legs: the joints that tell a pose.
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
