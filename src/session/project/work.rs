//! Keeping unsaved work aside, and what a session says about it.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::lock::ProjectLock;
use super::recovery::{self, Home, RecoverableWork, Recovery};
use crate::message::{Message, Tell, message};
use crate::session::{Session, Severity};

impl Session {
    /// Keeps unsaved work in `folder` from now on, and locks the projects that are edited. For windows: the command line has no
    /// work that anybody would come back to.
    pub fn keep_work(&mut self, folder: &Path) {
        self.recovery = Recovery::keep_in(folder);
        self.recovery_folder = Some(folder.to_owned());
    }

    /// Where unsaved work is kept; nowhere for the command line.
    pub fn recovery_folder(&self) -> Option<&Path> {
        self.recovery_folder.as_deref()
    }

    /// Keeps the unsaved work if that is due at `now`; answers where. Call it also while the window is hidden.
    pub fn autosave_tick(&mut self, now: Instant) -> Option<PathBuf> {
        let (is_unsaved, every) = (self.is_unsaved(), self.autosave_interval());
        if self.recovery.is_due(is_unsaved, every, now) { self.autosave_now() } else { None }
    }

    /// How long after `now` the next state is due, if there is unsaved work: a window must wake then.
    pub fn autosave_due(&self, now: Instant) -> Option<Duration> {
        self.recovery.due_in(self.autosave_interval(), now)
    }

    /// Keeps the unsaved work unless this very state is kept already; answers where.
    pub fn autosave_now(&mut self) -> Option<PathBuf> {
        if !self.is_unsaved() {
            return None;
        }
        let home = Home { project: self.project_path.as_deref(), base: self.saved_as.as_deref() };
        match self.recovery.keep(&self.disk, &self.document, home) {
            Ok(path) => path,
            Err(error) => {
                let message = message!(
                    "notice.autosave",
                    "Autosave failed: %{reason} Save the project elsewhere.",
                    reason = error.message(),
                );
                self.notices.say(Severity::Warning, message);
                None
            }
        }
    }

    /// The user gave up what is not saved.
    pub fn discard_autosave(&mut self) {
        self.recovery.discard(self.project_path.as_deref());
    }

    /// Work of windows that are gone and that is newer than its project, newest first.
    pub fn recoverable(&self) -> Vec<RecoverableWork> {
        self.recovery_folder.as_deref().map(recovery::recoverable).unwrap_or_default()
    }

    fn autosave_interval(&self) -> Duration {
        Duration::try_from_secs_f64(self.preferences.autosave_seconds).unwrap_or_default()
    }

    /// Locks `project` for this window; answers who edits it where somebody does.
    pub(super) fn lock_project(&mut self, project: &Path) -> Result<(), Message> {
        if self.recovery_folder.is_none() || self.lock.as_ref().is_some_and(|lock| lock.is_of(project)) {
            return Ok(());
        }
        match ProjectLock::take(project) {
            Ok(lock) => {
                self.lock = lock;
                Ok(())
            }
            Err(holder) => {
                let somebody = message!("notice.somebody", "somebody");
                let user = if holder.user.is_empty() { somebody } else { Message::verbatim(&holder.user) };
                Err(message!(
                    "notice.locked",
                    "%{project} is open in another window (by %{user}, process %{process}, for %{minutes} minutes).",
                    project = project.display().to_string(),
                    user = user,
                    process = holder.process.to_string(),
                    minutes = holder.minutes().to_string(),
                ))
            }
        }
    }
}
