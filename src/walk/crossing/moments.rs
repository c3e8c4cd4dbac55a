//! Moments of a crossing that somebody sets by hand.

use serde::{Deserialize, Serialize};

/// Moments in seconds of the incoming motion; `None` for those that the clip shows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Moments {
    /// The last foot leaves the ground before the obstacle.
    pub take_off: Option<f64>,
    /// The obstacle or edge is reached.
    pub near: Option<f64>,
    /// The obstacle is left.
    pub far: Option<f64>,
    /// The first foot comes down behind the obstacle, or on it if the clip ends there.
    pub landing: Option<f64>,
}
