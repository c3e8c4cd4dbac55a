//! What can be asked of the document and its files without changing either.

use super::{Session, Shown};
use crate::anim::Footage;
use crate::document::{Document, FileId, Library, Take, TakeId, TakeSource};

/// The document with the files that are open.
#[derive(Clone, Copy, Debug)]
pub struct OpenDocument<'a> {
    /// What the user is making.
    pub document: &'a Document,
    /// The opened files.
    pub library: &'a Library,
}

impl Session {
    /// The document with the files that are open, to ask about.
    pub fn opened(&self) -> OpenDocument<'_> {
        OpenDocument { document: &self.document, library: &self.library }
    }
}

impl<'a> OpenDocument<'a> {
    /// The recipe of what plays of `shown`: the take, or the clip, cache or images as a take without stages.
    pub(super) fn take_of(self, shown: &Shown) -> Option<Take> {
        match shown {
            Shown::Take(id) => self.document.take(*id).cloned(),
            Shown::Clip { character, file, clip } => {
                let source = TakeSource::Clip { file: *file, clip: clip.clone() };
                Some(Take { id: TakeId(0), name: clip.clone(), character: *character, source, stages: Vec::new() })
            }
            Shown::File(id) => self.library.get(*id)?.footage.as_ref().map(|footage| self.playing(*id, footage)),
            Shown::Nothing => None,
        }
    }

    /// The frames of file `id` as a take without stages.
    fn playing(self, id: FileId, footage: &Footage) -> Take {
        let name = match footage {
            Footage::Vertices(clip) => clip.name.clone(),
            Footage::Images(clip) => clip.name.clone(),
        };
        Take { id: TakeId(0), name, character: id, source: self.source_of(id, footage), stages: Vec::new() }
    }
}
