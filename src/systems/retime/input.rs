//! What a retime begins with.

use crate::anim::{Clip, Skeleton};

/// What is played at another speed.
#[derive(Clone, Copy, Debug)]
pub struct Input<'a> {
    /// The skeleton that the clip was made for.
    pub skeleton: &'a Skeleton,
    /// The incoming motion; never changed.
    pub clip: &'a Clip,
}
