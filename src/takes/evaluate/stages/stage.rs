//! The interface of all kinds of stages.

use std::sync::Arc;

use serde_json::Value;

use crate::evaluate::inputs::Inputs;
use crate::evaluate::{BuiltTake, StageResult, TakeError, memory};
use portamento_anim::Clip;
use portamento_base::progress::Progress;

/// The implementation of a kind of stage.
pub(in crate::evaluate) trait Modify {
    /// True if the stage works on joints and cannot be applied to vertices or images.
    fn needs_joints(&self) -> bool {
        true
    }

    /// True if the stage computes a correction from the motion. Its result is undone where it makes the motion worse.
    fn is_automatic(&self) -> bool {
        false
    }

    /// True if the stage may exceed the time of one frame.
    fn is_slow(&self, has_joints: bool) -> bool;

    /// Returns an estimate of the memory it needs after `before`, in bytes.
    fn bytes(&self, before: &BuiltTake) -> u64 {
        let poses = memory::of_frame_poses(&before.clip, before.fps, before.character.model.skeleton.len());
        // The poses before the stage and after it.
        poses.saturating_mul(2).max(before.clip.bytes() as u64)
    }

    /// Changes the clip, root and content of `built`, and returns the result with its report. `inputs` has the stage as the
    /// last one. Warnings are added to `built`.
    fn apply(&self, inputs: &Inputs, built: &mut BuiltTake, progress: &Progress) -> Result<StageResult, TakeError>;
}

/// The result of a kind of stage.
pub(in crate::evaluate) trait Outcome {
    /// Returns the figures for reports, measured on the output `clip` of the stage.
    fn figures(&self, take: &BuiltTake, clip: &Clip) -> Value;

    /// Returns its size in addition to the output clip of the stage, bytes.
    fn bytes(&self) -> usize;

    /// Converts input time to output time, seconds. The result may be outside the output.
    fn output_time(&self, time: f64) -> f64 {
        time
    }

    /// Converts output time to input time, seconds.
    fn input_time(&self, time: f64) -> f64 {
        time
    }

    /// Returns the incoming clip `before` with the time of the output, for stages that are applied partially.
    fn in_output_time(&self, before: &Arc<Clip>) -> Arc<Clip> {
        before.clone()
    }

    /// True if the end of the motion continues into its start.
    fn repeats(&self) -> bool {
        false
    }
}
