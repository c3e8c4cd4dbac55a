//! What a closing begins with.

use crate::anim::{Clip, Roles, RootMotion, Skeleton};

/// What is made to repeat.
#[derive(Clone, Copy, Debug)]
pub struct Input<'a> {
    /// The skeleton that the clip was made for.
    pub skeleton: &'a Skeleton,
    /// The incoming motion; never changed.
    pub clip: &'a Clip,
    /// What carries the character, if anything does.
    pub root: Option<RootMotion>,
    /// Legs, for feet that stand in the seam.
    pub roles: &'a Roles,
    /// Frames per second where keys are further apart, 1 to 1000.
    pub fps: f64,
    /// Length of the file's unit in metres.
    pub metres_per_unit: f64,
}
