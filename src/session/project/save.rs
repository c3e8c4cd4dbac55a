//! Saving the project: never over a source, and over external changes only after asking.

use std::path::Path;

use super::backups;
use crate::{Session, Severity, Shown, Topic};
use portamento_base::message::{Tell, message};
use portamento_base::regular_file;
use portamento_takes::document::file::{self, ProjectError, WindowState};

impl Session {
    /// Saves the project to `path` and adds a notice with the result. If the file was changed by another program,
    /// [`ProjectFile::changed_on_disk`](super::ProjectFile::changed_on_disk) is set instead and the user is asked.
    pub(super) fn save(&mut self, path: &Path) {
        let is_ours = self.project.path.as_deref() == Some(path);
        let on_disk = fingerprint(path);
        if is_ours && on_disk.is_some() && on_disk != self.project.saved_as {
            self.project.changed = Some(path.to_owned());
            return;
        }
        self.save_now(path);
    }

    /// Answers the prompt of [`ProjectFile::changed_on_disk`](super::ProjectFile::changed_on_disk): overwrites the
    /// external changes, which become a backup, or saves nothing.
    pub(super) fn answer_changed(&mut self, saves: bool) {
        if let Some(path) = self.project.changed.take().filter(|_| saves) {
            self.save_now(&path);
        }
    }

    /// Writes the project to `path` and makes it the project's file. Adds an error instead if a newer version saved that file,
    /// another window has locked it or it cannot be written. Keeps the previous file as a backup and removes autosaves of
    /// this state.
    fn save_now(&mut self, path: &Path) {
        let path = &file::absolute(path);
        if is_newer(path) {
            let message = message!(
                "notice.not_saved_newer",
                "The project was not saved: %{file} was saved by a newer version of Portamento and would lose data. Save it \
                 under another name.",
                file = path.display().to_string(),
            );
            return self.notices.fail(Topic::SaveProject, message);
        }
        if let Err(holder) = self.project.lock(path) {
            let message = message!(
                "notice.not_saved_locked",
                "The project was not saved: %{holder} Save it under another name.",
                holder = holder,
            );
            return self.notices.fail(Topic::SaveProject, message);
        }
        let bytes = file::to_bytes_with(&self.document, path, self.window_state(path));
        match backups::save(&self.disk, self.opened().file_sources(&self.read), path, &bytes) {
            Ok(()) => {
                self.project.path = Some(path.clone());
                self.project.saved_as = Some(file::fingerprint(&bytes));
                self.project.saved_export = self.exports.choice.clone();
                self.project.recovery.saved(&self.disk, &self.document, path);
                self.history.observe(&self.document);
                self.history.mark_saved();
                self.preferences.remember(path);
                self.notices.succeed(&Topic::SaveProject);
                let path = path.display().to_string();
                self.notices.add(Severity::Done, message!("notice.saved", "Saved %{path}.", path = path));
            }
            Err(error) => {
                let reason = error.message();
                let message = message!("notice.not_saved", "The project was not saved: %{reason}", reason = reason);
                self.notices.fail(Topic::SaveProject, message);
            }
        }
    }

    /// Returns the window state that a project file at `path` keeps.
    pub(super) fn window_state(&self, path: &Path) -> WindowState {
        let shown = match self.selection.shown {
            Shown::Take(take) => Some(take),
            _ => self.selection.last_take,
        };
        WindowState { shown, export: self.exports.choice.to_stored(path) }
    }

    /// Makes `path` the file of the project and locks it. If another window has locked it, the document becomes an unsaved
    /// copy, with a notice.
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
                    "%{holder} You are editing a copy; save it under another name.",
                    holder = holder,
                );
                self.notices.add(Severity::Warning, message);
            }
        }
    }
}

/// True if a newer version of the program saved the file at `path`.
fn is_newer(path: &Path) -> bool {
    let on_disk = regular_file::all(path).ok().map(|bytes| file::from_bytes(&bytes, path));
    matches!(on_disk, Some(Err(ProjectError::Newer(..))))
}

/// Returns the fingerprint of the file at `path`, if it can be read.
fn fingerprint(path: &Path) -> Option<String> {
    regular_file::all(path).ok().map(|bytes| file::fingerprint(&bytes))
}
