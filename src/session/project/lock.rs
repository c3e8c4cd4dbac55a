//! Project locks: one window at a time edits a project, marked by a lock file next to it.
//!
//! The operating system holds the lock and releases it when the process ends. A leftover file therefore locks
//! nothing.

use std::fs::{File, TryLockError};
use std::io::{Read as _, Seek as _, Write as _};
use std::path::{Path, PathBuf};

use portamento_base::regular_file;
use serde::{Deserialize, Serialize};

/// The lock of a project that this window edits.
#[derive(Debug)]
pub(crate) struct ProjectLock {
    path: PathBuf,
    _file: File,
}

/// The owner of a project lock.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Holder {
    /// The user's name.
    pub user: String,
    /// Id of the process that owns the lock.
    pub process: u32,
    /// Time of locking, seconds since 1970.
    pub since: u64,
}

impl ProjectLock {
    /// Locks `project` until the result is dropped; returns `Err` with the owner if it is locked. Returns `Ok(None)` if no
    /// lock file can be created, for example in a read-only folder.
    pub fn take(project: &Path) -> Result<Option<Self>, Holder> {
        let path = lock_path(project);
        let opened =
            regular_file::open_with(File::options().create(true).truncate(false).read(true).write(true), &path);
        let Ok((mut file, _)) = opened else { return Ok(None) };
        match file.try_lock() {
            Err(TryLockError::WouldBlock) => {
                let mut text = String::new();
                let _ = file.read_to_string(&mut text);
                Err(portamento_base::json::parse(text.as_bytes()).unwrap_or_default())
            }
            Err(TryLockError::Error(_)) => Ok(None),
            Ok(()) => {
                let text = serde_json::to_string(&Holder::current()).unwrap_or_default();
                // The owner is only displayed, so errors are ignored.
                let _ = file.set_len(0).and_then(|()| file.rewind()).and_then(|()| file.write_all(text.as_bytes()));
                Ok(Some(Self { path, _file: file }))
            }
        }
    }

    /// True if this is the lock of `project`.
    pub fn is_of(&self, project: &Path) -> bool {
        self.path == lock_path(project)
    }
}

impl Drop for ProjectLock {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.path);
    }
}

impl Holder {
    /// Returns this process as the owner, with the present time. The user is empty if unknown.
    fn current() -> Self {
        let user = ["USER", "USERNAME"].iter().find_map(|name| std::env::var(name).ok()).unwrap_or_default();
        let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default().as_secs();
        Self { user, process: std::process::id(), since }
    }

    /// Returns the minutes since locking.
    pub fn minutes(&self) -> u64 {
        Self::current().since.saturating_sub(self.since) / 60
    }
}

/// Returns the path of the lock: a hidden file in the folder of `project`.
fn lock_path(project: &Path) -> PathBuf {
    let name = project.file_name().unwrap_or_default().to_string_lossy();
    project.with_file_name(format!(".{name}.lock"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_project_is_locked_until_release_and_a_leftover_file_locks_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let project = folder.path().join("a.portamento");
        let lock = ProjectLock::take(&project).unwrap().unwrap();
        let holder = ProjectLock::take(&project).unwrap_err();
        assert_eq!((holder.process, holder.minutes()), (std::process::id(), 0));
        assert!(lock.is_of(&project));
        drop(lock);
        std::fs::write(lock_path(&project), "left by a process that died").unwrap();
        assert!(ProjectLock::take(&project).unwrap().is_some());
        assert!(!lock_path(&project).exists());
        assert!(ProjectLock::take(&folder.path().join("no/such.portamento")).unwrap().is_none());
    }
}
