//! Saving the project: never over a source, never over what others wrote meanwhile without asking.

use std::path::{Path, PathBuf};

use super::backups;
use crate::document::file;
use crate::session::{Level, Session};

impl Session {
    /// Saves the project to `path`; where its file was changed by others since it was opened, [`Session::changed_on_disk`] asks
    /// first.
    pub(super) fn save(&mut self, path: &Path) {
        let is_ours = self.project_path.as_deref() == Some(path);
        let there = fingerprint(path);
        if is_ours && there.is_some() && there != self.saved_as {
            self.changed_on_disk = Some(path.to_owned());
            return;
        }
        self.save_now(path);
    }

    /// The project file that others changed since it was opened or saved, while nobody said whether it may be replaced.
    pub fn changed_on_disk(&self) -> Option<&Path> {
        self.changed_on_disk.as_deref()
    }

    /// Answers for [`Session::changed_on_disk`]: replaces what others wrote, which becomes a backup, or saves nothing.
    pub(super) fn answer_changed(&mut self, saves: bool) {
        if let Some(path) = self.changed_on_disk.take().filter(|_| saves) {
            self.save_now(&path);
        }
    }

    fn save_now(&mut self, path: &Path) {
        let path = &absolute(path);
        if let Err(sentence) = self.lock_project(path) {
            let text = format!("The project was not saved: {sentence} Save it under another name.");
            return self.notices.say(Level::Error, text);
        }
        let bytes = file::to_bytes(&self.document, path);
        match backups::save(&self.disk, self.file_sources(), path, &bytes) {
            Ok(()) => {
                self.project_path = Some(path.clone());
                self.saved_as = Some(file::fingerprint(&bytes));
                self.recovery.saved(&self.disk, &self.document, path);
                self.history.observe(&self.document);
                self.history.mark_saved();
                self.preferences.remember(path);
                self.notices.say(Level::Done, format!("Saved {}.", path.display()));
            }
            Err(error) => self.notices.say(Level::Error, format!("The project was not saved: {error}")),
        }
    }

    /// The project is at `path` from now on, where another window does not have it; else it becomes a copy without a place.
    pub(super) fn settle_at(&mut self, path: &Path) {
        let path = absolute(path);
        match self.lock_project(&path) {
            Ok(()) => {
                self.saved_as = fingerprint(&path);
                self.project_path = Some(path);
            }
            Err(sentence) => {
                let text = format!("{sentence} This is a copy of it: save it under another name.");
                self.notices.say(Level::Warning, text);
            }
        }
    }
}

fn absolute(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned())
}

/// Of the bytes on disk, if there are any.
fn fingerprint(path: &Path) -> Option<String> {
    std::fs::read(path).ok().map(|bytes| file::fingerprint(&bytes))
}
