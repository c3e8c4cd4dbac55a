//! What the user sets.

use serde::{Deserialize, Serialize};

/// Where a motion is cut.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Settings {
    /// Second of the incoming motion that becomes the first.
    pub from: f64,
    /// Second of the incoming motion that becomes the last; its end where there is none.
    pub to: Option<f64>,
}
