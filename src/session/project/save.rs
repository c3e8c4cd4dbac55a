//! Saving the project: never over a source, never over what others wrote meanwhile without asking.

use std::path::Path;

use super::backups;
use crate::document::file::{self, ProjectError};
use crate::message::{Tell, message};
use crate::regular_file;
use crate::session::{Session, Severity};

impl Session {
    /// Saves the project to `path`; where its file was changed by others since it was opened,
    /// [`ProjectFile::changed_on_disk`](super::ProjectFile::changed_on_disk) asks first.
    pub(super) fn save(&mut self, path: &Path) {
        let is_ours = self.project.path.as_deref() == Some(path);
        let there = fingerprint(path);
        if is_ours && there.is_some() && there != self.project.saved_as {
            self.project.changed = Some(path.to_owned());
            return;
        }
        self.save_now(path);
    }

    /// Answers for [`ProjectFile::changed_on_disk`](super::ProjectFile::changed_on_disk): replaces what others wrote, which becomes a backup, or saves nothing.
    pub(super) fn answer_changed(&mut self, saves: bool) {
        if let Some(path) = self.project.changed.take().filter(|_| saves) {
            self.save_now(&path);
        }
    }

    fn save_now(&mut self, path: &Path) {
        let path = &file::absolute(path);
        if is_newer(path) {
            let message = message!(
                "notice.not_saved_newer",
                "The project was not saved: %{file} was saved by a newer Portamento and would lose what that added. Save it \
                 under another name.",
                file = path.display().to_string(),
            );
            return self.notices.say(Severity::Error, message);
        }
        if let Err(holder) = self.project.lock(path) {
            let message = message!(
                "notice.not_saved_locked",
                "The project was not saved: %{holder} Save it under another name.",
                holder = holder,
            );
            return self.notices.say(Severity::Error, message);
        }
        let bytes = file::to_bytes(&self.document, path);
        match backups::save(&self.disk, self.opened().file_sources(&self.read), path, &bytes) {
            Ok(()) => {
                self.project.path = Some(path.clone());
                self.project.saved_as = Some(file::fingerprint(&bytes));
                self.project.recovery.saved(&self.disk, &self.document, path);
                self.history.observe(&self.document);
                self.history.mark_saved();
                self.preferences.remember(path);
                let path = path.display().to_string();
                self.notices.say(Severity::Done, message!("notice.saved", "Saved %{path}.", path = path));
            }
            Err(error) => {
                let reason = error.message();
                let message = message!("notice.not_saved", "The project was not saved: %{reason}", reason = reason);
                self.notices.say(Severity::Error, message);
            }
        }
    }

    /// The project is at `path` from now on, where another window does not have it; else it becomes a copy without a place.
    pub(super) fn settle_at(&mut self, path: &Path) {
        let path = file::absolute(path);
        match self.project.lock(&path) {
            Ok(()) => {
                self.project.saved_as = fingerprint(&path);
                self.project.path = Some(path);
            }
            Err(holder) => {
                let message = message!(
                    "notice.copy_of_locked",
                    "%{holder} This is a copy of it: save it under another name.",
                    holder = holder,
                );
                self.notices.say(Severity::Warning, message);
            }
        }
    }
}

/// Whether a newer program saved what is at `path`.
fn is_newer(path: &Path) -> bool {
    let there = regular_file::all(path).ok().map(|bytes| file::from_bytes(&bytes, path));
    matches!(there, Some(Err(ProjectError::Newer(..))))
}

/// Of the bytes on disk, if there are any.
fn fingerprint(path: &Path) -> Option<String> {
    regular_file::all(path).ok().map(|bytes| file::fingerprint(&bytes))
}
