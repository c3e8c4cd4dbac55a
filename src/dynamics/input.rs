//! Input of the dynamic bones.

use portamento_anim::{Pose, Skeleton};

/// Animation that drives the bones.
#[derive(Clone, Copy)]
pub struct Input<'a> {
    /// Skeleton that the rig was created from.
    pub skeleton: &'a Skeleton,
    /// Writes the animated pose at a time in seconds. The pose passed in is the rest pose.
    pub driver: &'a (dyn Fn(f64, &mut Pose) + Sync),
    /// Length of the animation, seconds.
    pub duration: f64,
    /// True if the end of the animation continues at its start.
    pub looping: bool,
    /// Length of the file's unit, metres.
    pub metres_per_unit: f64,
}
