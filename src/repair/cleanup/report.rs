//! The report of a cleanup.

use serde::{Deserialize, Serialize};

use portamento_anim::quality::Quality;
use portamento_anim::reduce::KeyReduction;

/// Figures for panels and reports.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Report {
    /// Quality of the input; `None` if it cannot be measured.
    pub before: Option<Quality>,
    /// Quality of the output.
    pub after: Option<Quality>,
    /// Number of rotation keys that were normalised or flipped to the hemisphere of the previous key.
    pub rotations: usize,
    /// Horizontal distance by which the motion was moved to start at the origin, metres.
    pub moved: f64,
    /// Result of resampling or reduction; `None` if neither was requested.
    pub keys: Option<KeyReduction>,
    /// Changed joints, largest change first.
    pub changed: Vec<ChangedJoint>,
}

/// A joint whose rotation was changed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ChangedJoint {
    /// Name of the joint.
    pub joint: String,
    /// Number of changed frames. All other frames are bit-identical.
    pub frames: usize,
    /// Largest change, degrees.
    pub degrees: f64,
}
