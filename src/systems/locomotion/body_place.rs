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

impl BodyPlace {
    /// Unit, horizontal: which way it goes.
    pub(super) fn ahead(&self) -> DVec3 {
        DVec3::new(self.heading.sin(), 0.0, self.heading.cos())
    }
}
