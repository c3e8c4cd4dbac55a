//! Settings of a mirroring.

use serde::{Deserialize, Serialize};

/// The mirror plane. By default it is the plane through the file's origin between the character's left and right.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Settings {
    /// Rotation of the plane about +Y, degrees.
    pub angle: f64,
    /// Tilt of the rotated plane to the left about its ground line, degrees. At 90° the plane is the ground.
    pub tilt: f64,
    /// Translation of the plane along its normal (to the left), metres.
    pub offset: f64,
}

impl Settings {
    /// Range of angles, degrees.
    pub const ANGLES: std::ops::RangeInclusive<f64> = -180.0..=180.0;
    /// Range of offsets, metres.
    pub const OFFSETS: std::ops::RangeInclusive<f64> = -1e4..=1e4;
}
