//! Trial opening: files are read and checked together with the open files before any of them is added.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::opened::{Opened, Unread, read_all};
use crate::{JobKey, OpenDocument, Session};
use portamento_anim::Rig;
use portamento_base::progress::Progress;
use portamento_takes::document::{Character, Document, FileId, Library, SourceFile};

/// The document as it would be with additional files.
pub(crate) struct Trial {
    document: Document,
    library: Library,
    read: Vec<(FileId, Opened)>,
}

impl Trial {
    /// Returns a copy of the document to which the files `read` are added under new IDs. The session stays as it is.
    fn of(session: &Session, read: Vec<Opened>) -> Self {
        let (mut document, mut library) = (session.document.clone(), session.library.clone());
        let add = |opened: Opened| {
            let id = FileId(document.fresh_id());
            let Opened { path, hash, metres_per_unit, loaded, .. } = opened.clone();
            document.characters.push(Character { file: id, roles: Rig::of_model(&loaded.model).roles });
            document.files.push(SourceFile { id, path, hash, metres_per_unit, up: None, fps: None, sheet: None });
            library.insert(id, loaded);
            (id, opened)
        };
        let read = read.into_iter().map(add).collect();
        Self { document, library, read }
    }

    /// Returns the document including the additional files.
    pub fn opened(&self) -> OpenDocument<'_> {
        OpenDocument { document: &self.document, library: &self.library }
    }

    /// Returns the file at `path`, already open or additional; `None` if it could not be read.
    pub fn file(&self, path: &Path) -> Option<FileId> {
        self.document.files.iter().find(|file| file.path == path).map(|file| file.id)
    }

    /// Adds the additional files in `wanted` to the session, where they get new ids. The last one is shown.
    pub fn add(self, session: &mut Session, wanted: &BTreeSet<FileId>) {
        let has_other_files = !session.document.files.is_empty();
        let wanted = self.read.into_iter().filter(|(id, _)| wanted.contains(id));
        session.add_files(wanted.map(|(_, opened)| Ok(opened)).collect(), has_other_files);
    }
}

impl Session {
    /// Reads the files of `paths` that are not open in a job, reports unreadable ones, and passes the others to `done`
    /// before they are added. Calls `done` at once if all are open.
    pub(crate) fn try_files(
        &mut self,
        mut paths: Vec<PathBuf>,
        done: impl FnOnce(&mut Session, Trial) + Send + 'static,
    ) {
        paths.retain(|path| self.document.files.iter().all(|file| file.path != *path));
        if paths.is_empty() {
            let trial = Trial::of(self, Vec::new());
            return done(self, trial);
        }
        let check = move |session: &mut Session, read: Vec<Result<Opened, Unread>>| {
            let mut readable = Vec::new();
            for opened in read {
                match opened {
                    Ok(opened) => readable.push(opened),
                    Err(unread) => session.report_unread(unread),
                }
            }
            let trial = Trial::of(session, readable);
            done(session, trial);
        };
        self.jobs.start(JobKey::Open(paths.clone()), move |progress: &Progress| read_all(&paths, progress), check);
    }
}
