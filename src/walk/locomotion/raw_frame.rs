//! A frame of a walk before feet are locked.

use glam::DVec3;

use portamento_anim::Pose;

/// A frame before feet are locked.
pub(super) struct RawFrame {
    pub pose: Pose,
    /// Per leg, true if the active clip plants it.
    pub standing: Vec<bool>,
    /// Ground position of the root in world space, metres.
    pub position: DVec3,
    /// Heading about the up axis, radians.
    pub heading: f64,
}
