//! Settings of the cleanup stage.

use serde::{Deserialize, Serialize};

use portamento_anim::Tolerance;

/// The repairs to apply.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Settings {
    /// Repairs spikes and jumps of joints.
    pub pops: bool,
    /// Time on each side over which a jump is spread, seconds, 0…2. Large jumps use more.
    pub spread: f64,
    /// Removes jitter while the body or a single joint rests.
    pub jitter: bool,
    /// Normalises rotations that are not of unit length or flip their sign between keys.
    pub rotations: bool,
    /// Moves the motion horizontally so that the body starts at the origin.
    pub origin: bool,
    /// Resamples all curves at this rate, 1…1000 keys per second; `None` keeps the keys. With this or [`Settings::reduce`],
    /// constant curves get one key or none.
    pub rate: Option<f64>,
    /// Removes keys within this tolerance; `None` keeps all.
    pub reduce: Option<Tolerance>,
}

impl Default for Settings {
    /// All repairs that do not move the body.
    fn default() -> Self {
        Self { pops: true, spread: 0.1, jitter: true, rotations: true, origin: false, rate: None, reduce: None }
    }
}
