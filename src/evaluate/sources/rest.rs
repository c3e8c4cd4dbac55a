//! The character as it rests, for as long as wanted.

use super::source::{Source, resting};
use crate::anim::{Clip, JointTracks};
use crate::evaluate::inputs::Inputs;
use crate::evaluate::{BuiltTake, TakeError};
use crate::progress::Progress;

/// The rest pose, `seconds` long; what is not a length is none.
pub(super) struct RestSource {
    pub seconds: f64,
}

impl Source for RestSource {
    fn build(&self, inputs: &Inputs, _: &Progress) -> Result<BuiltTake, TakeError> {
        let tracks = vec![JointTracks::default(); inputs.character.model.skeleton.len()];
        let duration = if self.seconds.is_finite() { self.seconds.max(0.0) } else { 0.0 };
        Ok(resting(inputs, Clip { name: "rest".into(), duration, tracks }))
    }
}
