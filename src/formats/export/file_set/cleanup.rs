//! Cleans up the temporary files of sets whose process died.

use std::collections::BTreeMap;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use super::{PREFIX, StagedFile};
use crate::export::file_system::FileSystem;

/// Finishes or removes the files that dead processes left in `folder`. Files that fail are left for the next call.
pub fn clean(system: &dyn FileSystem, folder: &Path) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    let names = entries.flatten().filter_map(|entry| entry.file_name().into_string().ok());
    let mut by_token: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for name in names.filter(|name| name.starts_with(PREFIX)) {
        let token = name[PREFIX.len()..].split('.').next().unwrap_or_default().to_owned();
        by_token.entry(token).or_default().push(name);
    }
    for (token, names) in by_token {
        if is_alive(&folder.join(format!("{PREFIX}{token}.lock"))) {
            continue;
        }
        let path = |name: &String| folder.join(name);
        // The journal of a set with several folders is in one of their ancestors.
        let journals = folder.ancestors().map(|ancestor| ancestor.join(format!("{PREFIX}{token}.journal")));
        let finish_and_remove = |journal: &PathBuf| finish(system, journal) && system.remove(journal).is_ok();
        let unfinished = journals.filter(|journal| journal.exists() && !finish_and_remove(journal)).count();
        if unfinished == 0 {
            names.iter().map(path).for_each(|path| drop(system.remove(&path)));
        }
    }
}

/// Maximum number of times a lock is created again after another process removed it. Tuned; no derivation recorded.
const MAX_LOCK_ATTEMPTS: usize = 100;

/// Creates a lock of this process at `path`.
pub(super) fn create_lock(system: &dyn FileSystem, path: &Path) -> io::Result<File> {
    let outcome = (0..MAX_LOCK_ATTEMPTS).find_map(|_| match try_create_lock(system, path) {
        // Another set removed the file before it was locked.
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        outcome => Some(outcome),
    });
    outcome.unwrap_or_else(|| try_create_lock(system, path))
}

/// Locks a file before renaming it to `path`, so that an unlocked file there belongs to a dead process.
fn try_create_lock(system: &dyn FileSystem, path: &Path) -> io::Result<File> {
    let unnamed_lock = path.with_extension("early");
    let outcome = system.create(&unnamed_lock, b"").and_then(|()| File::open(&unnamed_lock)).and_then(|file| {
        // Some network disks do not support locks. There, files of a living process may be cleaned up.
        let _ = file.try_lock();
        system.rename(&unnamed_lock, path).map(|()| file)
    });
    outcome.inspect_err(|_| drop(system.remove(&unnamed_lock)))
}

/// True if a process holds the lock.
fn is_alive(lock: &Path) -> bool {
    let Ok(file) = File::open(lock) else { return false };
    matches!(file.try_lock(), Err(std::fs::TryLockError::WouldBlock))
}

/// Finishes the renames of a journal. Returns true if all are done.
fn finish(system: &dyn FileSystem, journal: &Path) -> bool {
    let read = std::fs::read(journal).ok().and_then(|bytes| serde_json::from_slice::<Vec<StagedFile>>(&bytes).ok());
    let folder = journal.parent();
    let Some(parts) = read else { return true };
    for part in parts {
        // A journal is trusted only for temporary files in or below its folder.
        let is_ours = |path: &Path| {
            let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
            name.starts_with(PREFIX) && path.parent() == part.target.parent()
        };
        let is_here = folder.is_some_and(|folder| part.target.starts_with(folder));
        if !is_here || !is_ours(&part.part) || !is_ours(&part.old) {
            continue;
        }
        if part.part.exists() && system.rename(&part.part, &part.target).is_err() {
            return false;
        }
        if part.old.exists() {
            let _ = system.remove(&part.old);
        }
    }
    true
}
