//! What a skeletal loop begins with.

use crate::anim::{Clip, RootMotion, Skeleton};

/// What is looped.
#[derive(Clone, Copy, Debug)]
pub struct Input<'a> {
    /// The rig.
    pub skeleton: &'a Skeleton,
    /// The source; never changed.
    pub clip: &'a Clip,
    /// What carries the character; `None` treats every joint alike.
    pub root: Option<RootMotion>,
    /// Frames per second, 1 to 1000.
    pub fps: f64,
}
