//! Report of a retime.

use serde::{Deserialize, Serialize};

/// Numbers for the panel and the command line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Report {
    /// Duration of the incoming motion, seconds.
    pub seconds_before: f64,
    /// Duration of the retimed motion, seconds.
    pub seconds_after: f64,
    /// Lowest played speed, after scaling to the target duration.
    pub slowest: f64,
    /// Highest played speed, after scaling to the target duration.
    pub fastest: f64,
    /// Number of keys in all incoming curves.
    pub keys: usize,
    /// Number of keys added where the speed changes between two keys.
    pub added_keys: usize,
    /// Largest allowed deviation of a curve from the exact motion, as a fraction of its range.
    pub bound: f64,
    /// Largest measured deviation, as a fraction of the curve's range.
    pub deviation: f64,
}
