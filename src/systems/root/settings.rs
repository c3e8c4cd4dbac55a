//! What the user sets.

use serde::{Deserialize, Serialize};

/// What carries the character along.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Settings {
    /// What becomes of the travel.
    pub travel: RootTravel,
    /// Whether the root turns with the body, so that its facing is the character's.
    pub heading: bool,
    /// Seconds over which the path is evened, so that the sway of the hips stays in the body; 0 keeps the root under the hips, as long as
    /// the clip or longer makes it straight.
    pub evened: f64,
}

/// What becomes of the travel of a motion.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RootTravel {
    /// Into the root: it goes on the ground under the hips, and the body stays where it is in the world.
    #[default]
    IntoRoot,
    /// Into the hips: the root rests, and the body stays where it is in the world.
    IntoHips,
    /// Away: the body stays on the spot.
    Away,
    /// From the feet: a clip that walks on the spot goes as fast as its standing feet slide back, and what drifts is taken back.
    FromFeet,
}

impl Default for Settings {
    fn default() -> Self {
        Self { travel: RootTravel::default(), heading: true, evened: 0.0 }
    }
}

impl RootTravel {
    /// All of them, in the order menus show them.
    pub const ALL: [Self; 4] = [Self::IntoRoot, Self::IntoHips, Self::Away, Self::FromFeet];

    /// As recipes write it.
    pub fn name(self) -> &'static str {
        match self {
            Self::IntoRoot => "into_root",
            Self::IntoHips => "into_hips",
            Self::Away => "away",
            Self::FromFeet => "from_feet",
        }
    }
}

impl Settings {
    /// The longest time to even a path over, seconds.
    pub const LONGEST: f64 = 60.0;
}
