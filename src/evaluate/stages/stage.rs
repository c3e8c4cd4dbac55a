//! What every kind of stage can do.

use crate::evaluate::inputs::Inputs;
use crate::evaluate::{BuiltTake, StageResult, TakeError, memory};
use crate::progress::Progress;

/// A kind of stage at work.
pub(in crate::evaluate) trait Modify {
    /// Whether it moves joints, and so cannot follow vertices or images.
    fn needs_joints(&self) -> bool {
        true
    }

    /// Whether it may take longer than a picture should wait.
    fn is_slow(&self, has_joints: bool) -> bool;

    /// Bytes that it takes after `before`, as far as a setting or the size of a file decides.
    fn bytes(&self, before: &BuiltTake) -> u64 {
        memory::of_poses(before.clip.duration, before.fps, before.character.model.skeleton.len())
    }

    /// Changes the clip, root and content of `built` and gives the stage with its numbers.
    fn apply(&self, inputs: &Inputs, built: &mut BuiltTake, progress: &Progress) -> Result<StageResult, TakeError>;
}
