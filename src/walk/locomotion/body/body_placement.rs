//! Position and heading of a character on its path.

use glam::DVec3;

/// Position and heading of a character.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct BodyPlacement {
    /// Position on the ground below the character, metres.
    pub at: DVec3,
    /// Heading, radians about +Y from +Z towards +X.
    pub heading: f64,
}

impl BodyPlacement {
    /// Returns the horizontal unit vector of the heading.
    pub(crate) fn ahead(&self) -> DVec3 {
        DVec3::new(self.heading.sin(), 0.0, self.heading.cos())
    }
}
