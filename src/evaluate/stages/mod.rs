//! Modifiers at work, one file per kind: each turns the clip before it into another.

mod closing;
mod dynamics;
mod looping;
mod stage;
mod stretch;

use std::sync::Arc;

use super::content::Content;
use super::inputs::Inputs;
use super::loop_source::LoopSource;
use super::{BuiltTake, TakeError};
use crate::document::Modifier;
use crate::progress::Progress;
pub(super) use stage::Modify;

/// `modifier` at work.
pub(super) fn stage(modifier: &Modifier) -> &dyn Modify {
    match modifier {
        Modifier::Stretch(stretch) => &**stretch,
        Modifier::Dynamics(dynamics) => &**dynamics,
        Modifier::Loop(looped) => &**looped,
    }
}

/// Adds the stage of `modifier`, the last of `inputs`, to what was built before it.
pub(super) fn apply(
    modifier: &Modifier,
    inputs: &Inputs,
    built: &mut BuiltTake,
    progress: &Progress,
) -> Result<(), TakeError> {
    let kind = stage(modifier);
    if kind.needs_joints() && !matches!(built.content, Content::Joints) {
        let (modifier, content) = (modifier.name(), built.content.name());
        return Err(TakeError::NeedsJoints { modifier, content });
    }
    let stage = kind.apply(inputs, built, progress)?;
    built.loop_source = Arc::new(LoopSource::new(&built.content, &built.character, &built.clip, built.fps));
    built.stages.push(stage);
    built.stage_clips.push(built.clip.clone());
    Ok(())
}
