//! Where the document stands on disk, and where what is not saved yet is kept.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::lock::ProjectLock;
use super::recovery::{self, Home, RecoverableWork, Recovery};
use crate::document::Document;
use crate::export::ExportError;
use crate::export::file_system::FileSystem;
use crate::message::{Message, message};

/// The file of the document in this window.
#[derive(Debug, Default)]
pub struct ProjectFile {
    /// Where the project was opened or saved last.
    pub path: Option<PathBuf>,
    /// Fingerprint of the file as it was opened or saved last.
    pub(super) saved_as: Option<String>,
    /// The file that others changed, while nobody said whether it may be replaced.
    pub(super) changed: Option<PathBuf>,
    pub(super) recovery: Recovery,
    /// Where unsaved work is kept; nowhere for the command line.
    recovery_folder: Option<PathBuf>,
    /// Keeps other windows from editing the project.
    lock: Option<ProjectLock>,
}

impl ProjectFile {
    /// Keeps unsaved work in `folder` from now on, and locks the projects that are edited. For windows: the command line has no
    /// work that anybody would come back to.
    pub fn keep_work(&mut self, folder: &Path) {
        self.recovery = Recovery::keep_in(folder);
        self.recovery_folder = Some(folder.to_owned());
    }

    /// What its file is called, without extension.
    pub fn stem(&self) -> Option<String> {
        let stem = self.path.as_deref().and_then(Path::file_stem);
        stem.map(|stem| stem.to_string_lossy().into_owned())
    }

    /// Where unsaved work is kept; nowhere for the command line.
    pub fn recovery_folder(&self) -> Option<&Path> {
        self.recovery_folder.as_deref()
    }

    /// Work of windows that are gone and that is newer than its project, newest first.
    pub fn recoverable(&self) -> Vec<RecoverableWork> {
        self.recovery_folder.as_deref().map(recovery::recoverable).unwrap_or_default()
    }

    /// The user gave up what is not saved.
    pub fn discard_autosave(&mut self) {
        self.recovery.discard(self.path.as_deref());
    }

    /// How long after `now` unsaved work is to be kept that is kept once in `interval`, if there is any: a window must wake then.
    pub fn autosave_due(&self, interval: Duration, now: Instant) -> Option<Duration> {
        self.recovery.due_in(interval, now)
    }

    /// The file that others changed since it was opened or saved, while nobody said whether it may be replaced.
    pub fn changed_on_disk(&self) -> Option<&Path> {
        self.changed.as_deref()
    }

    /// Keeps `document` aside unless this very state is kept already; answers where.
    pub(super) fn keep(
        &mut self,
        disk: &Arc<dyn FileSystem>,
        document: &Document,
    ) -> Result<Option<PathBuf>, ExportError> {
        let home = Home { project: self.path.as_deref(), base: self.saved_as.as_deref() };
        self.recovery.keep(disk, document, home)
    }

    /// Whether `path` is where this window keeps its own work.
    pub(super) fn keeps(&self, path: &Path) -> bool {
        self.recovery_folder.as_deref().is_some_and(|folder| path.parent() == Some(folder))
    }

    /// Another document is edited from now on, which is nowhere on disk yet.
    pub(super) fn leave(&mut self) {
        (self.path, self.saved_as, self.lock) = (None, None, None);
        self.recovery.begin();
    }

    /// Locks `project` for this window; answers who edits it where somebody does.
    pub(super) fn lock(&mut self, project: &Path) -> Result<(), Message> {
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
                    "%{project} is open in another window (by %{user}, process %{process}, for %{minutes} %{minutes|minute|minutes}).",
                    project = project.display().to_string(),
                    user = user,
                    process = holder.process.to_string(),
                    minutes = holder.minutes().to_string(),
                ))
            }
        }
    }
}
