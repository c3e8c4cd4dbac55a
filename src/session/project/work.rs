//! Autosave of unsaved work.

use std::path::PathBuf;
use std::time::Instant;

use crate::{Session, Severity};
use portamento_base::message::{Tell, message};

impl Session {
    /// Stores unsaved work if it is due at `now`; returns the path. Call it also while the window is hidden. `None` if
    /// nothing was stored.
    pub fn autosave_tick(&mut self, now: Instant) -> Option<PathBuf> {
        let (is_unsaved, every) = (self.is_unsaved(), self.preferences.autosave_interval());
        if self.project.recovery.is_due(is_unsaved, every, now) { self.autosave_now() } else { None }
    }

    /// Stores unsaved work unless this state is already stored; returns the path. `None` if there is nothing to store or it
    /// fails, which adds a notice.
    pub fn autosave_now(&mut self) -> Option<PathBuf> {
        if !self.is_unsaved() {
            return None;
        }
        let folder = self.project.recovery_folder().map(|folder| folder.join("work"));
        let window = folder.map(|path| self.window_state(&path)).unwrap_or_default();
        match self.project.keep(&self.disk, &self.document, window) {
            Ok(path) => path,
            Err(error) => {
                let message = message!(
                    "notice.autosave",
                    "Autosave failed: %{reason} Save the project elsewhere.",
                    reason = error.message(),
                );
                self.notices.add(Severity::Warning, message);
                None
            }
        }
    }
}
