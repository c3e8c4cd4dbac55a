//! Settings of a cut.

use serde::{Deserialize, Serialize};

/// The two cuts of a motion.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Settings {
    /// Incoming time of the new start, seconds.
    pub from: f64,
    /// Incoming time of the new end, seconds; `None` for the end of the motion. Equal to `from` for a single pose.
    pub to: Option<f64>,
}
