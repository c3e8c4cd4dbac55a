//! Commands that edit the stages of a take.

use portamento_takes::document::StageId;

/// A command that edits the stages of the shown take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StageCommand {
    /// Appends a new stage with defaults for its input.
    Add(NewStage),
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

/// Kinds of stages that can be added.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NewStage {
    /// A skill layered over the motion.
    Layer,
    /// A stretch to another target.
    Stretch,
    /// Dynamic bones.
    Dynamics,
    /// A seamless loop.
    Loop,
    /// A closed loop of the whole motion.
    Close,
    /// Time warp.
    Retime,
    /// A trim to a part of the motion.
    Trim,
    /// Ground contact correction.
    Ground,
    /// A mirror of left and right.
    Mirror,
    /// Root motion editing.
    Root,
    /// Removal of pops and jitter.
    Cleanup,
}
