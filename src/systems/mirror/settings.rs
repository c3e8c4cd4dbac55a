//! What the user sets.

use serde::{Deserialize, Serialize};

/// How a motion is mirrored. Without a change the plane goes through the file's origin, between the character's left and right.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Settings {
    /// Degrees about +Y by which the plane is turned.
    pub angle: f64,
    /// Degrees by which the turned plane is then leaned to its left, about the way that it runs along the ground; at 90 the plane
    /// is the ground.
    pub tilt: f64,
    /// Metres by which it is moved along its normal, to its left.
    pub offset: f64,
}

impl Settings {
    /// Degrees that can be used.
    pub const ANGLES: std::ops::RangeInclusive<f64> = -180.0..=180.0;
    /// Metres that can be used.
    pub const OFFSETS: std::ops::RangeInclusive<f64> = -1e4..=1e4;
}
