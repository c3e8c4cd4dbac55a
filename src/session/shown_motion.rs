//! What plays in the viewport.

use crate::document::{FileId, TakeId};

/// What plays in the viewport.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Shown {
    /// Nothing is open.
    #[default]
    Nothing,
    /// A file in its rest pose.
    File(FileId),
    /// A clip as its file has it, on a character.
    Clip {
        /// Whose skeleton moves.
        character: FileId,
        /// Where the clip is.
        file: FileId,
        /// The clip's name.
        clip: String,
    },
    /// A take of the document.
    Take(TakeId),
}
