//! What the user sets.

use serde::{Deserialize, Serialize};

/// How a motion is mirrored.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Settings {
    /// Degrees about +Y by which the plane is turned from the one between the character's left and right.
    pub angle: f64,
}
