//! Settings of the cycle offset stage.

use serde::{Deserialize, Serialize};

/// Settings of a cycle offset.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Settings {
    /// Moment of the incoming loop that becomes its start, as a fraction of its length. Whole cycles do not count.
    pub offset: f64,
}
