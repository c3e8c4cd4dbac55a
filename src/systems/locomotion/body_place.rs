//! Where a character is on its way.

use glam::DVec3;

/// Where a character is, and which way it goes.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct BodyPlace {
    /// On the ground below it, metres.
    pub at: DVec3,
    /// Radians about +Y from +Z towards +X.
    pub heading: f64,
}
