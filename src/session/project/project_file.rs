//! The project file of the document, and its recovery data.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::lock::ProjectLock;
use super::recovery::{self, RecoverableWork, Recovery, WorkOrigin};
use crate::ExportChoice;
use portamento_base::message::{Message, message};
use portamento_formats::export::ExportError;
use portamento_formats::export::file_system::FileSystem;
use portamento_takes::document::Document;
use portamento_takes::document::file::WindowState;

/// The project file of the document, its lock and its recovery data.
#[derive(Debug, Default)]
pub struct ProjectFile {
    /// The path where the project was last opened or saved.
    pub path: Option<PathBuf>,
    /// Fingerprint of the file when it was last opened or saved.
    pub(super) saved_as: Option<String>,
    /// The export settings in that file.
    pub(super) saved_export: ExportChoice,
    /// The file that changed on disk, while the prompt to replace it is open.
    pub(super) changed: Option<PathBuf>,
    pub(super) recovery: Recovery,
    /// Folder for unsaved work; `None` on the command line.
    recovery_folder: Option<PathBuf>,
    /// The lock that keeps other windows from editing the project.
    lock: Option<ProjectLock>,
}

impl ProjectFile {
    /// Stores unsaved work in `folder` from now on and locks edited projects. For windows only; the command line has
    /// no unsaved work.
    pub fn keep_work(&mut self, folder: &Path) {
        self.recovery = Recovery::keep_in(folder);
        self.recovery_folder = Some(folder.to_owned());
    }

    /// Returns the file name without extension; `None` for a project that was never saved.
    pub fn stem(&self) -> Option<String> {
        let stem = self.path.as_deref().and_then(Path::file_stem);
        stem.map(|stem| stem.to_string_lossy().into_owned())
    }

    /// Returns the folder for unsaved work; `None` on the command line.
    pub fn recovery_folder(&self) -> Option<&Path> {
        self.recovery_folder.as_deref()
    }

    /// Returns the work of closed windows that is newer than its project, newest first. Reads the folder on every call.
    /// Empty on the command line.
    pub fn recoverable(&self) -> Vec<RecoverableWork> {
        self.recovery_folder.as_deref().map(recovery::recoverable).unwrap_or_default()
    }

    /// Deletes this window's unsaved work on the project from disk. The document stays.
    pub fn discard_autosave(&mut self) {
        self.recovery.discard(self.path.as_deref());
    }

    /// Returns the time from `now` until unsaved work is stored, if there is any; the window must wake then.
    pub fn autosave_due(&self, interval: Duration, now: Instant) -> Option<Duration> {
        self.recovery.due_in(interval, now)
    }

    /// Returns the project file that changed on disk, while the prompt to replace it is open.
    pub fn changed_on_disk(&self) -> Option<&Path> {
        self.changed.as_deref()
    }

    /// True if the project has a file with other export settings than `choice`, see [`ExportChoice::has_settings_of`].
    pub(crate) fn exports_otherwise(&self, choice: &ExportChoice) -> bool {
        self.path.is_some() && !self.saved_export.has_settings_of(choice)
    }

    /// Stores `document` in the recovery folder, with a window state for that folder; returns the path. `None` if this state is
    /// already stored or there is no folder.
    pub(super) fn keep(
        &mut self,
        disk: &Arc<dyn FileSystem>,
        document: &Document,
        window: WindowState,
    ) -> Result<Option<PathBuf>, ExportError> {
        let origin = WorkOrigin { project: self.path.as_deref(), base: self.saved_as.as_deref() };
        self.recovery.keep(disk, document, window, origin)
    }

    /// True if `path` is directly in the recovery folder of this window. The file need not exist.
    pub(super) fn keeps(&self, path: &Path) -> bool {
        self.recovery_folder.as_deref().is_some_and(|folder| path.parent() == Some(folder))
    }

    /// Detaches from the file and unlocks it, for a document that is not on disk yet. Stored work stays.
    pub(super) fn leave(&mut self) {
        (self.path, self.saved_as, self.lock) = (None, None, None);
        self.saved_export = ExportChoice::default();
        self.recovery.begin();
    }

    /// Locks `project` for this window, instead of the project locked before; returns `Err` with the owner if it is locked.
    /// Does nothing on the command line.
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
                let unknown_user = message!("notice.somebody", "another user");
                let user = if holder.user.is_empty() { unknown_user } else { Message::verbatim(&holder.user) };
                Err(message!(
                    "notice.locked",
                    "%{project} is open in another window (%{user}, process %{process}, for %{minutes} %{minutes|minute|minutes}).",
                    project = project.display().to_string(),
                    user = user,
                    process = holder.process.to_string(),
                    minutes = holder.minutes().to_string(),
                ))
            }
        }
    }
}
