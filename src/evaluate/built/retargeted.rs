//! A motion of another rig, put on the character.

use std::sync::Arc;

use crate::anim::Clip;
use crate::document::{Asset, Loaded};
use crate::systems::retarget;

/// A motion of another rig, put on the character.
#[derive(Clone, Debug)]
pub struct Retargeted {
    /// The motion with its numbers.
    pub built: retarget::Built,
    /// The file whose rig it was made for.
    pub source: Asset<Loaded>,
    /// The motion as it came in.
    pub clip: Arc<Clip>,
    /// Metres per unit of that file.
    pub metres_per_unit: f64,
}
