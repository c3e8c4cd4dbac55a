//! What the user sets.

use serde::{Deserialize, Serialize};

/// How the speed goes on to the next knot.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SpeedEase {
    /// Softly: without a kink at either knot.
    #[default]
    Eased,
    /// The time that a second takes goes straight to the next knot's.
    Linear,
    /// This speed until the next knot.
    Stepped,
}

/// A speed at a moment of the incoming motion.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct SpeedKnot {
    /// Seconds of the incoming motion.
    pub time: f64,
    /// Seconds of it that pass in a second: 2 plays twice as fast. From [`Settings::SLOWEST`] to [`Settings::FASTEST`].
    pub speed: f64,
    /// How the speed goes on from here.
    #[serde(default)]
    pub ease: SpeedEase,
}

/// All that shapes a retime.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Settings {
    /// Before the first its speed holds, after the last the last's. None play as they come.
    pub knots: Vec<SpeedKnot>,
    /// Seconds that the whole shall last: all speeds are scaled alike.
    pub length: Option<f64>,
}

impl SpeedEase {
    /// Every way, in the order menus show them.
    pub const ALL: [Self; 3] = [Self::Eased, Self::Linear, Self::Stepped];
}

impl Settings {
    /// The lowest speed of a knot.
    pub const SLOWEST: f64 = 1e-3;
    /// The highest speed of a knot.
    pub const FASTEST: f64 = 1e3;

    /// Adds a knot in order of time; one that is within a millisecond gets the new speed.
    pub fn set_knot(&mut self, knot: SpeedKnot) {
        match self.knots.iter_mut().find(|known| (known.time - knot.time).abs() < 1e-3) {
            Some(known) => *known = knot,
            None => self.knots.push(knot),
        }
        self.knots.sort_by(|a, b| a.time.total_cmp(&b.time));
    }
}
