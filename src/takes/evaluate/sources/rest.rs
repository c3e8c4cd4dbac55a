//! The rest source: the character in its rest pose for a given time.

use super::source::{Source, resting};
use crate::evaluate::inputs::Inputs;
use crate::evaluate::{BuiltTake, TakeError, memory};
use portamento_anim::{Clip, JointTracks};
use portamento_base::progress::Progress;

/// Frames per second at which clips without keys are sampled.
const FRAMES_PER_SECOND: f64 = 30.0;

/// The rest pose for `seconds`; negative and non-finite values count as 0.
pub(super) struct RestSource {
    pub seconds: f64,
}

impl Source for RestSource {
    fn bytes(&self, inputs: &Inputs) -> u64 {
        memory::of_poses(self.seconds, FRAMES_PER_SECOND, inputs.character.model.skeleton.len())
    }

    fn build(&self, inputs: &Inputs, _: &Progress) -> Result<BuiltTake, TakeError> {
        let tracks = vec![JointTracks::default(); inputs.character.model.skeleton.len()];
        let duration = if self.seconds.is_finite() { self.seconds.max(0.0) } else { 0.0 };
        Ok(resting(inputs, Clip { name: "rest".into(), duration, tracks }))
    }
}
