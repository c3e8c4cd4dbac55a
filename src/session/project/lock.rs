//! One window at a time edits a project: a lock file beside it says who and since when.
//!
//! The lock is the system's, so it goes with the process, however that ends; a file that is left over locks nobody out.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read as _, Seek as _, Write as _};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

/// A project that this window edits.
#[derive(Debug)]
pub(in crate::session) struct ProjectLock {
    path: PathBuf,
    _file: File,
}

/// Who edits a project.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(in crate::session) struct Holder {
    /// The user's name on that machine.
    pub user: String,
    /// Its process.
    pub process: u32,
    /// Since when, seconds since 1970.
    pub since: u64,
}

impl ProjectLock {
    /// Takes the lock of `project`; answers who has it where somebody has. Where no lock can be made at all, as in a folder that
    /// is only to be read, nobody is kept out.
    pub fn take(project: &Path) -> Result<Option<Self>, Holder> {
        let path = lock_path(project);
        let Ok(mut file) = OpenOptions::new().create(true).truncate(false).read(true).write(true).open(&path) else {
            return Ok(None);
        };
        match file.try_lock() {
            Err(TryLockError::WouldBlock) => {
                let mut text = String::new();
                let _ = file.read_to_string(&mut text);
                Err(serde_json::from_str(&text).unwrap_or_default())
            }
            Err(TryLockError::Error(_)) => Ok(None),
            Ok(()) => {
                let text = serde_json::to_string(&Holder::here()).unwrap_or_default();
                // Who it is is only said, never relied on.
                let _ = file.set_len(0).and_then(|()| file.rewind()).and_then(|()| file.write_all(text.as_bytes()));
                Ok(Some(Self { path, _file: file }))
            }
        }
    }

    /// Whether this is the lock of `project`.
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
    fn here() -> Self {
        let user = ["USER", "USERNAME"].iter().find_map(|name| std::env::var(name).ok()).unwrap_or_default();
        let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default().as_secs();
        Self { user, process: std::process::id(), since }
    }

    /// Minutes since it was opened.
    pub fn minutes(&self) -> u64 {
        Self::here().since.saturating_sub(self.since) / 60
    }
}

fn lock_path(project: &Path) -> PathBuf {
    let name = project.file_name().unwrap_or_default().to_string_lossy();
    project.with_file_name(format!(".{name}.lock"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_project_is_locked_while_it_is_held_and_a_file_left_over_locks_nobody_out() {
        let folder = tempfile::tempdir().unwrap();
        let project = folder.path().join("a.portamento");
        let held = ProjectLock::take(&project).unwrap().unwrap();
        let holder = ProjectLock::take(&project).unwrap_err();
        assert_eq!((holder.process, holder.minutes()), (std::process::id(), 0));
        assert!(held.is_of(&project));
        drop(held);
        std::fs::write(lock_path(&project), "left by a process that died").unwrap();
        assert!(ProjectLock::take(&project).unwrap().is_some());
        assert!(!lock_path(&project).exists());
        assert!(ProjectLock::take(&folder.path().join("no/such.portamento")).unwrap().is_none());
    }
}
