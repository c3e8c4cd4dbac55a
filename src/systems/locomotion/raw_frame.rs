//! A frame of a walk before feet are locked.

use glam::DVec3;

use crate::anim::Pose;

/// A frame before feet are locked.
pub(super) struct RawFrame {
    pub pose: Pose,
    /// Per leg whether what plays lets it stand.
    pub standing: Vec<bool>,
    /// Where the root stands in world space, metres.
    pub place: DVec3,
    /// Heading about the up axis, radians.
    pub heading: f64,
}
