//! Modifiers at work: each turns the clip before it into another.

mod closing;
mod dynamics;
pub mod looping;
mod stretch;

use std::sync::Arc;

use super::content::{Content, LoopSource};
use super::inputs::Inputs;
use super::{BuiltTake, TakeError};
use crate::document::Modifier;
use crate::progress::Progress;
use crate::systems;
pub use looping::Looped;

/// A built modifier.
#[derive(Clone, Debug)]
pub enum Stage {
    /// Displacement stretching.
    Stretch(Arc<systems::stretch::Built>),
    /// Dynamic bones.
    Dynamics(Arc<systems::dynamics::Built>),
    /// A seamless loop.
    Loop(Arc<Looped>),
}

/// Adds the stage of `modifier`, the last of `inputs`, to what was built before it.
pub(super) fn apply(
    modifier: &Modifier,
    inputs: &Inputs,
    built: &mut BuiltTake,
    progress: &Progress,
) -> Result<(), TakeError> {
    let needs_joints = !matches!(modifier, Modifier::Loop(_));
    if needs_joints && !matches!(built.content, Content::Joints) {
        let (modifier, content) = (modifier.name(), built.content.name());
        return Err(TakeError::NeedsJoints { modifier, content });
    }
    let stage = match modifier {
        Modifier::Stretch(stretch) => stretch::apply(stretch, inputs, built, progress)?,
        Modifier::Dynamics(dynamics) => dynamics::apply(dynamics, inputs, built, progress)?,
        Modifier::Loop(looped) => looping::apply(looped, inputs, built, progress)?,
    };
    built.loop_source = Arc::new(LoopSource::new(&built.content, &built.character, &built.clip, built.fps));
    built.stages.push(stage);
    Ok(())
}
