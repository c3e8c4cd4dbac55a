//! What the user sets.

use serde::{Deserialize, Serialize};

use crate::anim::Tolerance;

/// What is mended.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Settings {
    /// Joints that jump in single frames.
    pub pops: bool,
    /// Seconds on both sides of a jump to another place over which its turn is shared out, 0…2; a wide one takes longer.
    pub spread: f64,
    /// Trembling while the body, or a joint by itself, rests.
    pub jitter: bool,
    /// Rotations that are not of length 1 or change their sign from key to key.
    pub rotations: bool,
    /// The body starts over the origin, as far as the ground goes.
    pub origin: bool,
    /// Keys on every frame at this rate, 1…1000 a second; `None` leaves them where they are. With this and the next, curves that
    /// never move have one key or none.
    pub rate: Option<f64>,
    /// Keys are left out within this error; `None` keeps all.
    pub reduce: Option<Tolerance>,
}

impl Default for Settings {
    /// All that leaves the way of the body as it is.
    fn default() -> Self {
        Self { pops: true, spread: 0.1, jitter: true, rotations: true, origin: false, rate: None, reduce: None }
    }
}
