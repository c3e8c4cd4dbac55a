//! Settings of the close stage.

use serde::{Deserialize, Serialize};

/// The side of the loop point that is changed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ChangedSide {
    /// The side with the least visible change: without foot slide if possible, then where the motion is fastest.
    #[default]
    Least,
    /// The end is changed.
    End,
    /// Half of the seam is before the end and half after the start.
    Both,
    /// The start is changed.
    Start,
}

/// The transform of one cycle.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Cycle {
    /// Travel, rotation and climb from start to end, detected automatically. Small sway and drift are removed.
    #[default]
    Found,
    /// All of the difference, however small.
    Kept,
    /// None: the character ends at its start.
    InPlace,
}

/// Settings of the seam.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Settings {
    /// Length of the changed part in seconds, from [`Settings::MIN_SEAM_SECONDS`] to half of the motion. The default length
    /// and shorter ones shrink to half of a short motion.
    pub seam: f64,
    /// The side that is changed.
    pub side: ChangedSide,
    /// The transform of one cycle.
    pub cycle: Cycle,
    /// True if feet planted in the seam are locked by leg IK.
    pub feet: bool,
}

impl Settings {
    /// Minimum length of a seam, seconds.
    pub const MIN_SEAM_SECONDS: f64 = 0.1;

    /// Minimum number of frames of a motion.
    pub const MIN_FRAMES: usize = 6;
}

impl Default for Settings {
    fn default() -> Self {
        Self { seam: 0.3, side: ChangedSide::default(), cycle: Cycle::default(), feet: true }
    }
}

impl ChangedSide {
    /// Every choice, in the order menus show them.
    pub const ALL: [Self; 4] = [Self::Least, Self::End, Self::Both, Self::Start];

    /// Returns the fraction of the correction on the start side.
    pub(super) fn weight(self) -> f64 {
        match self {
            Self::Start => 1.0,
            Self::Both => 0.5,
            Self::End | Self::Least => 0.0,
        }
    }
}

impl Cycle {
    /// Every choice, in the order menus show them.
    pub const ALL: [Self; 3] = [Self::Found, Self::Kept, Self::InPlace];
}
