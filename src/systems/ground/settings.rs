//! What the user sets.

use serde::{Deserialize, Serialize};

/// All that shapes how a motion is put on the ground.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Settings {
    /// Standing feet keep to one place; otherwise only heights change.
    pub hold_feet: bool,
    /// The motion stands on its own ground, uphill or on steps, whatever lies under it: only what its feet slide is taken out.
    pub own_heights: bool,
    /// Seconds over which the body's height follows the ground.
    pub softness: f64,
    /// Metres from the ground to the lowest joint of a standing foot; as in the rest pose where there is none.
    pub sole: Option<f64>,
}

impl Default for Settings {
    fn default() -> Self {
        Self { hold_feet: true, own_heights: false, softness: 0.3, sole: None }
    }
}
