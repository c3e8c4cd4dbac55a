//! A keyed setting.

use serde::{Deserialize, Serialize};

use portamento_anim::math::key_curve::KeyCurve;

/// A setting of a stage and its keys.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct KeyedSetting {
    /// The path of the setting inside the stage, as in project files, list indices counted from 0: `influence`,
    /// `settings/wind/strength`, `settings/chains/0/drag/value`.
    pub setting: String,
    /// The value over time: seconds of the incoming motion, values in the unit of the setting.
    pub keys: KeyCurve,
}
