//! What the user sets.

use serde::{Deserialize, Serialize};

/// All that shapes how a motion is put on the ground.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Settings {
    /// Standing feet keep to one place; otherwise only heights change.
    pub hold_feet: bool,
    /// Seconds over which the body's height follows the ground.
    pub softness: f64,
    /// Metres from the ground to the lowest joint of a standing foot; as in the rest pose where there is none.
    pub sole: Option<f64>,
}

impl Default for Settings {
    fn default() -> Self {
        Self { hold_feet: true, softness: 0.3, sole: None }
    }
}
