//! Settings of the stride stage.

use serde::{Deserialize, Serialize};

/// Settings of a change of strides.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Settings {
    /// Factor of the length of the strides, and so of the speed.
    pub scale: f64,
}

impl Settings {
    /// Smallest factor.
    pub const MIN_SCALE: f64 = 0.1;
    /// Largest factor.
    pub const MAX_SCALE: f64 = 4.0;
}

impl Default for Settings {
    fn default() -> Self {
        Self { scale: 1.0 }
    }
}
