//! What sets of files leave behind whose process ended in the middle.

use std::collections::BTreeMap;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use super::{PREFIX, StagedFile};
use crate::export::file_system::FileSystem;

/// Finishes or removes what processes that ended in the middle left in `folder`. What cannot be is left for the next time.
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
        // That of a set of several folders lies above them.
        let journals = folder.ancestors().map(|above| above.join(format!("{PREFIX}{token}.journal")));
        let done = |journal: &PathBuf| finish(system, journal) && system.remove(journal).is_ok();
        let unfinished = journals.filter(|journal| journal.exists() && !done(journal)).count();
        if unfinished == 0 {
            names.iter().map(path).for_each(|path| drop(system.remove(&path)));
        }
    }
}

/// How often a lock is made anew that others removed.
const TRIES: usize = 100;

/// A lock of a living process at `path`.
pub(super) fn locked(system: &dyn FileSystem, path: &Path) -> io::Result<File> {
    let made = (0..TRIES).find_map(|_| match locked_once(system, path) {
        // Another set took it for litter before it was locked.
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        made => Some(made),
    });
    made.unwrap_or_else(|| locked_once(system, path))
}

/// A file that is locked before it has its name: one that is there and not locked is a dead process's.
fn locked_once(system: &dyn FileSystem, path: &Path) -> io::Result<File> {
    let early = path.with_extension("early");
    let made = system.create(&early, b"").and_then(|()| File::open(&early)).and_then(|file| {
        // Some network disks know no locks; there parts of the living may be taken for litter of the dead only by name.
        let _ = file.try_lock();
        system.rename(&early, path).map(|()| file)
    });
    made.inspect_err(|_| drop(system.remove(&early)))
}

/// Whether a process holds that lock.
fn is_alive(lock: &Path) -> bool {
    let Ok(file) = File::open(lock) else { return false };
    matches!(file.try_lock(), Err(std::fs::TryLockError::WouldBlock))
}

/// Renames what a journal says is still to be renamed; answers whether all is done.
fn finish(system: &dyn FileSystem, journal: &Path) -> bool {
    let read = std::fs::read(journal).ok().and_then(|bytes| serde_json::from_slice::<Vec<StagedFile>>(&bytes).ok());
    let folder = journal.parent();
    let Some(parts) = read else { return true };
    for part in parts {
        // A journal is believed only about files of its own making, in or below its folder.
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
