//! Changes to the stages of a take.

use crate::document::StageId;

/// A change to the stages of the shown take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StageCommand {
    /// One more at the end, set up for what comes in.
    Add(NewStage),
    /// The same once more, right after it.
    Duplicate(StageId),
    /// Takes it out.
    Remove(StageId),
    /// Puts it at that place in the order.
    Move(StageId, usize),
    /// Applies it, or not.
    SetOn(StageId, bool),
    /// Opens its settings.
    Open(StageId),
}

/// The kinds of stages that can be added.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NewStage {
    /// A skill over the motion.
    Layer,
    /// Another end of the way.
    Stretch,
    /// Bones that swing.
    Dynamics,
    /// A seamless loop.
    Loop,
    /// Made to repeat.
    Close,
    /// Parts faster or slower.
    Retime,
    /// A part of it.
    Trim,
    /// Back on the ground.
    Ground,
    /// Left and right changed.
    Mirror,
    /// The travel elsewhere.
    Root,
    /// Jumps and trembling mended.
    Cleanup,
}
