//! The character as it rests, for as long as wanted.

use super::source::{Source, resting};
use crate::anim::{Clip, JointTracks};
use crate::evaluate::inputs::Inputs;
use crate::evaluate::{BuiltTake, TakeError, memory};
use crate::progress::Progress;

/// Frames per second at which clips without keys are sampled.
const SAMPLED: f64 = 30.0;

/// The rest pose, `seconds` long; what is not a length is none.
pub(super) struct RestSource {
    pub seconds: f64,
}

impl Source for RestSource {
    fn bytes(&self, inputs: &Inputs) -> u64 {
        memory::of_poses(self.seconds, SAMPLED, inputs.character.model.skeleton.len())
    }

    fn build(&self, inputs: &Inputs, _: &Progress) -> Result<BuiltTake, TakeError> {
        let tracks = vec![JointTracks::default(); inputs.character.model.skeleton.len()];
        let duration = if self.seconds.is_finite() { self.seconds.max(0.0) } else { 0.0 };
        Ok(resting(inputs, Clip { name: "rest".into(), duration, tracks }))
    }
}
