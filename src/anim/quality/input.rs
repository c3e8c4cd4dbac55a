//! What is measured.

use crate::anim::foot_shape::SolePart;
use crate::anim::{Clip, Roles, Skeleton};

/// What is measured.
#[derive(Clone, Copy, Debug)]
pub struct Input<'a> {
    /// The joints that move.
    pub skeleton: &'a Skeleton,
    /// A clip of that skeleton; never changed.
    pub clip: &'a Clip,
    /// Hips, legs and what carries the body.
    pub roles: &'a Roles,
    /// What of each leg's foot touches the ground; empty for rigs without a mesh.
    pub soles: &'a [Vec<SolePart>],
    /// Length of the file's unit in metres.
    pub metres_per_unit: f64,
}
