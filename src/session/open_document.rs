//! Read-only queries on the document and its open files.

use super::{Session, Shown};
use portamento_anim::Footage;
use portamento_takes::document::{Document, FileId, Library, Take, TakeId, TakeSource};

/// The document with its open files.
#[derive(Clone, Copy, Debug)]
pub struct OpenDocument<'a> {
    /// The current project.
    pub document: &'a Document,
    /// The opened files.
    pub library: &'a Library,
}

impl Session {
    /// Returns the document with its open files.
    pub fn opened(&self) -> OpenDocument<'_> {
        OpenDocument { document: &self.document, library: &self.library }
    }
}

impl<'a> OpenDocument<'a> {
    /// Returns the take that plays for `shown`: the take itself, or a clip, cache or images as a take without stages.
    /// `None` for a file without frames and for a take that is gone.
    pub(super) fn take_of(self, shown: &Shown) -> Option<Take> {
        match shown {
            Shown::Take(id) => self.document.take(*id).cloned(),
            Shown::Clip { character, file, clip } => {
                let source = TakeSource::Clip { file: *file, clip: clip.clone() };
                Some(Take {
                    id: TakeId(0),
                    name: clip.clone(),
                    character: *character,
                    source,
                    stages: Vec::new(),
                    loops: None,
                })
            }
            Shown::File(id) => self.library.get(*id)?.footage.as_ref().map(|footage| self.footage_take(*id, footage)),
            Shown::Nothing => None,
        }
    }

    /// Returns the frames of file `id` as a take without stages.
    fn footage_take(self, id: FileId, footage: &Footage) -> Take {
        let name = match footage {
            Footage::Vertices(clip) => clip.name.clone(),
            Footage::Images(clip) => clip.name.clone(),
        };
        Take {
            id: TakeId(0),
            name,
            character: id,
            source: self.source_of(id, footage),
            stages: Vec::new(),
            loops: None,
        }
    }
}
