//! Input of the quality measurement.

use crate::foot_shape::SolePart;
use crate::{Clip, Roles, Skeleton};

/// Input of the quality measurement.
#[derive(Clone, Copy, Debug)]
pub struct Input<'a> {
    /// The skeleton that the clip moves.
    pub skeleton: &'a Skeleton,
    /// A clip of that skeleton.
    pub clip: &'a Clip,
    /// Hips, legs and root joint of the rig.
    pub roles: &'a Roles,
    /// Sole geometry of each leg's foot; empty for rigs without a mesh.
    pub soles: &'a [Vec<SolePart>],
    /// Length of one file unit, metres.
    pub metres_per_unit: f64,
}
