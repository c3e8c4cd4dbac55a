//! Settings of the ground stage.

use serde::{Deserialize, Serialize};

/// Settings of the ground stage.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Settings {
    /// True to lock planted feet horizontally too; otherwise only heights change.
    pub hold_feet: bool,
    /// True to keep the motion's own ground, such as a slope or steps, instead of the level. Only foot slide is removed.
    pub own_heights: bool,
    /// True to raise a swinging foot where it would move along the ground before it is clear of it. Only with
    /// [`Settings::hold_feet`].
    pub clear_swings: bool,
    /// Time over which the body height follows the ground, seconds, 0…60.
    pub softness: f64,
    /// Height of the lowest joint of a planted foot above the ground, metres; `None` uses the rest pose.
    pub sole: Option<f64>,
}

impl Default for Settings {
    fn default() -> Self {
        Self { hold_feet: true, own_heights: false, clear_swings: false, softness: 0.3, sole: None }
    }
}
