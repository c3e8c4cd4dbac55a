//! What a retime did, as numbers.

use serde::{Deserialize, Serialize};

/// Everything the panel and the command line tell.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Report {
    /// Seconds that came in.
    pub seconds_before: f64,
    /// Seconds that come out.
    pub seconds_after: f64,
    /// The lowest speed that is played, with the scaling to a wanted length.
    pub slowest: f64,
    /// The highest one.
    pub fastest: f64,
    /// Keys of all curves that came in; each has its own moment in what comes out.
    pub keys: usize,
    /// Keys added where the speed changes between two keys.
    pub added_keys: usize,
    /// The farthest that a curve may leave the exact motion, in parts of its own range.
    pub bound: f64,
    /// The farthest that one does, measured between all keys.
    pub deviation: f64,
}
