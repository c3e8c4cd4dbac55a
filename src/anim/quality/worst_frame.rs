//! The frame at which a figure is worst.

use serde::{Deserialize, Serialize};

/// The frame at which a figure is worst.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct WorstFrame {
    /// Index of the joint in the skeleton.
    pub joint: usize,
    /// Time of the frame, seconds.
    pub time: f64,
}
