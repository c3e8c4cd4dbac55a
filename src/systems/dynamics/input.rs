//! What drives dynamic bones.

use crate::anim::{Pose, Skeleton};

/// What drives the bones.
#[derive(Clone, Copy)]
pub struct Input<'a> {
    /// The skeleton that the rig was made from.
    pub skeleton: &'a Skeleton,
    /// Writes the animated pose at a time in seconds over the rest pose it is given.
    pub driver: &'a (dyn Fn(f64, &mut Pose) + Sync),
    /// Length of the animation, seconds.
    pub duration: f64,
    /// Whether the end runs on into the start.
    pub looping: bool,
    /// Length of the file's unit in metres.
    pub metres_per_unit: f64,
}
