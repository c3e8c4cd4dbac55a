//! What is put on the ground, and the ground.

use glam::DVec3;

use crate::anim::foot_shape::SolePart;
use crate::anim::{Clip, Roles, RootMotion, Skeleton};

/// Height of the ground in metres at a place of the world (metres); `None` where there is none to stand on. The place's own height
/// tells which of two floors is meant.
pub type GroundHeight<'a> = dyn Fn(DVec3) -> Option<f64> + 'a;

/// The level plane at height 0.
pub fn level(_: DVec3) -> Option<f64> {
    Some(0.0)
}

/// A motion and what it shall stand on.
#[derive(Clone, Copy)]
pub struct Input<'a> {
    /// The skeleton that the clip was made for.
    pub skeleton: &'a Skeleton,
    /// The incoming motion; never changed.
    pub clip: &'a Clip,
    /// What carries the character.
    pub root: RootMotion,
    /// Hips and legs.
    pub roles: &'a Roles,
    /// What of each leg's foot touches the ground; empty for rigs without a mesh.
    pub soles: &'a [Vec<SolePart>],
    /// Frames per second where keys are further apart, 1 to 1000.
    pub fps: f64,
    /// Length of the file's unit in metres.
    pub metres_per_unit: f64,
    /// Feet that stand outside these seconds are left alone.
    pub within: [f64; 2],
    /// The ground; [`level`] without a level.
    pub ground: &'a GroundHeight<'a>,
}
