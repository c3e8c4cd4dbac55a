//! A setting that changes over time.

use serde::{Deserialize, Serialize};

use crate::math::key_curve::KeyCurve;

/// A setting of a stage and its keys.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct KeyedSetting {
    /// Names from the outside in within the stage as projects hold it, of lists the place from 0: `influence`,
    /// `settings/wind/strength`, `settings/chains/0/drag/value`.
    pub setting: String,
    /// Its value over time, seconds of what comes into the stage, in the setting's own unit.
    pub keys: KeyCurve,
}
