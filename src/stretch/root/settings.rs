//! Settings of a root motion change.

use serde::{Deserialize, Serialize};

/// Settings of a root motion change.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Settings {
    /// Destination of the travel.
    pub travel: RootTravel,
    /// True if the root also turns with the body, so that its heading is the character's.
    pub heading: bool,
    /// Smoothing time of the path in seconds, so that the sway of the hips stays in the body. 0 keeps the root under the hips;
    /// the clip's length or more makes the path straight.
    pub evened: f64,
}

/// Destination of a motion's travel.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RootTravel {
    /// Into the root: it moves on the ground under the hips, and the body keeps its world pose.
    #[default]
    IntoRoot,
    /// Into the hips: the root rests, and the body keeps its world pose.
    IntoHips,
    /// Removed: the body stays in place.
    Away,
    /// Computed from foot contacts: a clip that walks in place travels at the speed at which its planted feet slide back, and
    /// drift is removed.
    FromFeet,
}

impl Default for Settings {
    fn default() -> Self {
        Self { travel: RootTravel::default(), heading: true, evened: 0.0 }
    }
}

portamento_base::named!(RootTravel {
    IntoRoot: "into_root",
    IntoHips: "into_hips",
    Away: "away",
    FromFeet: "from_feet"
});

impl Settings {
    /// Longest smoothing time, seconds.
    pub const MAX_SMOOTHING_SECONDS: f64 = 60.0;
}
