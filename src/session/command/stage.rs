//! Commands that edit the stages of a take.

use portamento_base::message::{Message, Tell, message};
use portamento_repair::ground;
use portamento_stretch::mirror;
use portamento_takes::document::{StageId, StageType, Take};
use portamento_takes::evaluate::{Content, Frame, TakeError};

/// A command that edits the stages of the shown take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StageCommand {
    /// Appends a new stage with defaults for its input.
    Add(StageType),
    /// Duplicates the stage after itself.
    Duplicate(StageId),
    /// Removes the stage.
    Remove(StageId),
    /// Moves the stage to that index.
    Move(StageId, usize),
    /// Turns the stage on or off.
    SetOn(StageId, bool),
    /// Opens its settings.
    Open(StageId),
}

/// Returns `Err` with the reason if a stage of this `kind` cannot be added to `take`, shown in `frame`. A take that cannot be built
/// takes any stage for joints.
pub fn may_add(kind: StageType, take: Option<&Take>, frame: Option<&Frame>) -> Result<(), Message> {
    let Some(built) = frame.and_then(|frame| frame.built.as_ref()) else {
        if take.is_some_and(Take::moves_joints) {
            return Ok(());
        }
        return Err(message!("notice.nothing_shown", "No clip or take is shown. Select one in the outliner first."));
    };
    let refused = |error: TakeError| Err(error.message());
    match (kind, &built.content) {
        (StageType::Loop, Content::Vertices(vertices)) if vertices.looped.is_some() => {
            refused(TakeError::AlreadyLooped)
        }
        (StageType::Loop, Content::Images(images)) if images.looped.is_some() => refused(TakeError::AlreadyLooped),
        (StageType::Mirror, Content::Joints) if built.roles.pairs.is_empty() => {
            Err(mirror::BuildError::NoPairs.message())
        }
        (StageType::Ground, Content::Joints) if built.roles.legs.is_empty() => {
            Err(ground::BuildError::NoLegs.message())
        }
        (StageType::Loop, _) | (_, Content::Joints) => Ok(()),
        (kind, content) => refused(TakeError::NeedsJoints { stage: kind.name(), content: content.name() }),
    }
}
