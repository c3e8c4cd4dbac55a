//! What plays in the viewport.

use crate::document::{Document, FileId, TakeId};

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

impl Shown {
    /// What is seen first of `document`.
    pub(super) fn first(document: &Document) -> Self {
        match (document.takes.first(), document.files.first()) {
            (Some(take), _) => Self::Take(take.id),
            (None, Some(file)) => Self::File(file.id),
            (None, None) => Self::Nothing,
        }
    }

    /// The file of the character that is seen, as `document` has it.
    pub fn character(&self, document: &Document) -> Option<FileId> {
        match self {
            Self::Nothing => None,
            Self::File(file) => Some(*file),
            Self::Clip { character, .. } => Some(*character),
            Self::Take(take) => document.take(*take).map(|take| take.character),
        }
    }
}
