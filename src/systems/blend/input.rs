//! What a blend begins with.

use crate::anim::{Clip, Roles, Skeleton};

/// What is blended.
#[derive(Clone, Copy, Debug)]
pub struct Input<'a> {
    /// The skeleton that every clip must have been made for.
    pub skeleton: &'a Skeleton,
    /// Clips that nodes and events name; never changed.
    pub clips: &'a [&'a Clip],
    /// Where the body parts of masks begin.
    pub roles: &'a Roles,
    /// Foot-down times (seconds, rising, within the clip) by clip name; the first of each belongs to the same foot.
    pub markers: &'a [(&'a str, &'a [f64])],
}
