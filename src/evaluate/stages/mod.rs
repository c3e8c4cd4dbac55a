//! Modifiers at work: each turns the clip before it into another.

mod dynamics;
mod stretch;

use std::sync::Arc;

use super::inputs::Inputs;
use super::{BuiltTake, TakeError};
use crate::document::Modifier;
use crate::progress::Progress;
use crate::systems;

/// A built modifier.
#[derive(Clone, Debug)]
pub enum Stage {
    /// Displacement stretching.
    Stretch(Arc<systems::stretch::Built>),
    /// Dynamic bones.
    Dynamics(Arc<systems::dynamics::Built>),
}

/// Adds the stage of `modifier`, the last of `inputs`, to what was built before it.
pub(super) fn apply(
    modifier: &Modifier,
    inputs: &Inputs,
    built: &mut BuiltTake,
    progress: &Progress,
) -> Result<(), TakeError> {
    let stage = match modifier {
        Modifier::Stretch(stretch) => stretch::apply(stretch, inputs, built, progress)?,
        Modifier::Dynamics(dynamics) => dynamics::apply(dynamics, inputs, built, progress)?,
    };
    built.stages.push(stage);
    Ok(())
}
