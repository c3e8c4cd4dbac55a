//! Input of a retime.

use portamento_anim::{Clip, Skeleton};

/// The motion whose speed is changed, with its skeleton.
#[derive(Clone, Copy, Debug)]
pub struct Input<'a> {
    /// Skeleton of the clip.
    pub skeleton: &'a Skeleton,
    /// The incoming motion.
    pub clip: &'a Clip,
}
