//! Settings of the align stage.

use serde::{Deserialize, Serialize};

/// The end of a clip whose pose and velocity another clip takes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ClipEnd {
    /// Its first frame.
    #[default]
    Start,
    /// Its last frame.
    End,
}

portamento_base::named!(ClipEnd { Start: "start", End: "end" });

/// Settings of the align stage.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Settings {
    /// Clip whose pose the motion begins with; empty for the motion's own.
    pub begin: String,
    /// The end of that clip.
    pub begin_at: ClipEnd,
    /// Clip whose pose the motion ends with; empty for the motion's own.
    pub end: String,
    /// The end of that clip.
    pub end_at: ClipEnd,
    /// Length of the changed part at each end in seconds, from [`Settings::MIN_SECONDS`]; at most half of the motion is changed.
    pub seconds: f64,
    /// True if planted feet stay planted.
    pub feet: bool,
}

impl Settings {
    /// Smallest length of a changed part, seconds.
    pub const MIN_SECONDS: f64 = 0.05;
    /// Largest length of a changed part, seconds.
    pub const MAX_SECONDS: f64 = 60.0;
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            begin: String::new(),
            begin_at: ClipEnd::End,
            end: String::new(),
            end_at: ClipEnd::Start,
            seconds: 0.3,
            feet: true,
        }
    }
}
