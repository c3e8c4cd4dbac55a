//! Settings of a retime.

use serde::{Deserialize, Serialize};

/// Interpolation of the speed between two knots.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SpeedEase {
    /// Smooth: the slowness has zero slope at both knots.
    #[default]
    Eased,
    /// The slowness (1/speed) changes linearly up to the next knot.
    Linear,
    /// Constant speed up to the next knot.
    Stepped,
}

/// A speed at a time of the incoming motion.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct SpeedKnot {
    /// Incoming time, seconds.
    pub time: f64,
    /// Playback speed: 2 plays twice as fast. From [`Settings::MIN_SPEED`] to [`Settings::MAX_SPEED`].
    pub speed: f64,
    /// Interpolation up to the next knot.
    #[serde(default)]
    pub ease: SpeedEase,
}

/// All settings of a retime.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Settings {
    /// Speed knots. The speed is constant before the first and after the last one. Without knots it is 1.
    pub knots: Vec<SpeedKnot>,
    /// Target duration in seconds; all speeds are scaled by the same factor to reach it.
    pub length: Option<f64>,
}

impl SpeedEase {
    /// Every option, in menu order.
    pub const ALL: [Self; 3] = [Self::Eased, Self::Linear, Self::Stepped];
}

impl Settings {
    /// Lowest speed of a knot.
    pub const MIN_SPEED: f64 = 1e-3;
    /// Highest speed of a knot.
    pub const MAX_SPEED: f64 = 1e3;

    /// Adds a knot and sorts the knots by time. Replaces a knot within 1 ms.
    pub fn set_knot(&mut self, knot: SpeedKnot) {
        match self.knots.iter_mut().find(|known| (known.time - knot.time).abs() < 1e-3) {
            Some(known) => *known = knot,
            None => self.knots.push(knot),
        }
        self.knots.sort_by(|a, b| a.time.total_cmp(&b.time));
    }
}
