//! What was mended.

use serde::{Deserialize, Serialize};

use crate::anim::quality::Quality;
use crate::anim::reduce::LeftOut;

/// Numbers for panels and reports.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Report {
    /// What came in, measured; `None` where it cannot be.
    pub before: Option<Quality>,
    /// What came out, measured.
    pub after: Option<Quality>,
    /// Keys whose rotation was made one of length 1 or brought into the hemisphere of the one before.
    pub rotations: usize,
    /// How far the motion was moved to start over the origin, metres.
    pub moved: f64,
    /// What other keys did, where a rate or fewer of them were asked for.
    pub keys: Option<LeftOut>,
    /// Joints that were changed, those changed most first.
    pub changed: Vec<ChangedJoint>,
}

/// A joint that turns otherwise than it did.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ChangedJoint {
    /// Name of the joint.
    pub joint: String,
    /// In how many frames; in all others it is what it was, bit for bit.
    pub frames: usize,
    /// By how many degrees at most.
    pub degrees: f64,
}
