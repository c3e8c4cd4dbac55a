//! Cleans up the temporary files of sets whose process died.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io;
use std::path::Path;

use super::{Interrupted, PREFIX, journal};
use crate::export::file_system::FileSystem;
use portamento_base::message::Message;
use portamento_base::regular_file;

/// Traces of dead processes in a folder that cannot simply be removed.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Remains {
    /// Exports that wait for a decision.
    pub interrupted: Vec<Interrupted>,
    /// Reports about journals that cannot be read. Their files are left as they are.
    pub unreadable: Vec<Message>,
}

impl Remains {
    /// Adds `other` without repetition.
    pub(super) fn merge(&mut self, other: Self) {
        for one in other.interrupted {
            if self.interrupted.iter().all(|known| known.journal() != one.journal()) {
                self.interrupted.push(one);
            }
        }
        for report in other.unreadable {
            if !self.unreadable.contains(&report) {
                self.unreadable.push(report);
            }
        }
    }
}

/// Removes the files that dead processes left in `folder`. Files that fail are left for the next call.
///
/// Returns the exports that died between their first rename and their last, and reports of journals that cannot be read.
/// The files of both are left as they are.
pub fn clean(system: &dyn FileSystem, folder: &Path) -> Remains {
    let mut remains = Remains::default();
    let Ok(entries) = std::fs::read_dir(folder) else { return remains };
    let names = entries.flatten().filter_map(|entry| entry.file_name().into_string().ok());
    let mut by_token: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for name in names.filter(|name| name.starts_with(PREFIX)) {
        let token = name.split('.').nth(1).unwrap_or_default().to_owned();
        if journal::is_token(&token) {
            by_token.entry(token).or_default().push(name);
        }
    }
    for (token, names) in by_token {
        match clean_token(system, folder, &token) {
            Ok(TokenState::Finished) => names.iter().for_each(|name| drop(system.remove(&folder.join(name)))),
            Ok(TokenState::Alive) => {}
            Ok(TokenState::Interrupted(interrupted)) => remains.interrupted.push(interrupted),
            Err(report) => remains.unreadable.push(report),
        }
    }
    remains
}

/// The state of a set found in a folder.
enum TokenState {
    /// The process may be alive.
    Alive,
    /// All files are new or all are old; the temporary files can be removed.
    Finished,
    Interrupted(Interrupted),
}

/// Returns the state of the set `token` with files in `folder` by its locks and its journal, and removes the journal of a
/// finished one. Returns `Err` with a report if the journal cannot be read.
fn clean_token(system: &dyn FileSystem, folder: &Path, token: &str) -> Result<TokenState, Message> {
    let file = |folder: &Path, end: &str| folder.join(format!(".{token}.{end}"));
    // The lock is held until the end, so that no other process resolves the same set.
    let Some(_lock) = lock_of_dead(&file(folder, "lock")) else { return Ok(TokenState::Alive) };
    // The journal of a set with several folders is in one of their ancestors.
    for ancestor in folder.ancestors() {
        let path = file(ancestor, journal::EXTENSION);
        if !path.exists() {
            continue;
        }
        let lock = if ancestor == folder { Some(None) } else { lock_of_dead(&file(ancestor, "lock")) };
        let Some(_lock) = lock else { return Ok(TokenState::Alive) };
        let interrupted = Interrupted::of(&path, journal::read(&path)?);
        if interrupted.is_half_new(&BTreeSet::new()) {
            return Ok(TokenState::Interrupted(interrupted));
        }
        interrupted.forget(system);
        if path.exists() {
            return Ok(TokenState::Alive);
        }
    }
    Ok(TokenState::Finished)
}

/// Maximum number of times a lock is created again after another process removed it. Tuned; no derivation recorded.
const MAX_LOCK_ATTEMPTS: usize = 100;

/// Creates a lock file of this process at `path` and returns it open. The lock ends when it is closed.
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
    system.create(&unnamed_lock, &[]).inspect_err(|reason| {
        if reason.kind() != io::ErrorKind::AlreadyExists {
            let _ = system.remove(&unnamed_lock);
        }
    })?;
    let outcome = regular_file::open(&unnamed_lock).and_then(|(file, _)| {
        // Some network disks do not support locks. There, no files of other processes are cleaned up.
        let _ = file.try_lock();
        system.rename(&unnamed_lock, path).map(|()| file)
    });
    outcome.inspect_err(|_| drop(system.remove(&unnamed_lock)))
}

/// Returns the lock file at `lock` of a dead process, opened and locked. Returns `Some(None)` if there is no file, and
/// `None` if the process may be alive.
pub(super) fn lock_of_dead(lock: &Path) -> Option<Option<File>> {
    match regular_file::open(lock) {
        Ok((file, _)) => file.try_lock().is_ok().then_some(Some(file)),
        Err(reason) => (reason.kind() == io::ErrorKind::NotFound).then_some(None),
    }
}
