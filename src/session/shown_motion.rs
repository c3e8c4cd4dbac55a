//! The item shown in the viewport.

use portamento_takes::document::{Document, FileId, TakeId};

/// The item shown in the viewport.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Shown {
    /// An empty view, if nothing is open.
    #[default]
    Nothing,
    /// A file in its rest pose.
    File(FileId),
    /// A source clip on a character.
    Clip {
        /// The animated character.
        character: FileId,
        /// The file of the clip.
        file: FileId,
        /// The clip's name.
        clip: String,
    },
    /// A take of the document.
    Take(TakeId),
}

impl Shown {
    /// Returns the item of `document` to show first. It is the first take, else the first file.
    pub(super) fn first(document: &Document) -> Self {
        match (document.takes.first(), document.files.first()) {
            (Some(take), _) => Self::Take(take.id),
            (None, Some(file)) => Self::File(file.id),
            (None, None) => Self::Nothing,
        }
    }

    /// Returns the file of the displayed character; `None` if nothing is displayed.
    pub fn character(&self, document: &Document) -> Option<FileId> {
        match self {
            Self::Nothing => None,
            Self::File(file) => Some(*file),
            Self::Clip { character, .. } => Some(*character),
            Self::Take(take) => document.take(*take).map(|take| take.character),
        }
    }
}
