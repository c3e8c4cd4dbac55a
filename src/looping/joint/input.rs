//! Input of a skeletal loop.

use portamento_anim::{Clip, RootMotion, Skeleton};

/// Source of a skeletal loop.
#[derive(Clone, Copy, Debug)]
pub struct Input<'a> {
    /// Skeleton of the clip.
    pub skeleton: &'a Skeleton,
    /// Source clip; never changed.
    pub clip: &'a Clip,
    /// Root motion of the character; `None` treats all joints alike.
    pub root: Option<RootMotion>,
    /// Frames per second, 1 to 1000.
    pub fps: f64,
}
