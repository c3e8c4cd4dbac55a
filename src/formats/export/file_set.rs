//! Writes a set of files together: all of them or none.
//!
//! Every file is first written under a temporary name in its target folder. [`FileSet::commit`] then renames all of them.
//! Sources of the project are never replaced, other files only with consent.
//! The next set that writes to a folder removes the files of a process that died there.
//! A journal, written before the first rename, lists the renames with the content before and after each. If the process
//! died between two renames, the journal and its files stay until [`Interrupted::resolve`] finishes or undoes them.
//! Locks show which processes are alive.

mod cleanup;
mod content;
mod created_folders;
mod exact_path;
mod existing_file;
mod interrupted;
mod journal;
mod note;

pub use cleanup::{Remains, clean};
pub use interrupted::{Interrupted, Resolution};
pub use note::noted;

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::hash::{BuildHasher as _, RandomState};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::file_system::{Disk, FileSystem};
use super::sources::{Sources, resolve_links};
use super::{ExportError, FileBytes};
use content::Content;
use created_folders::CreatedFolders;
use existing_file::existing;

/// A set of files that are written together. Dropping it without [`FileSet::commit`] leaves no files behind.
#[derive(Debug)]
pub struct FileSet {
    system: Arc<dyn FileSystem>,
    sources: Arc<Sources>,
    /// Token in temporary names that distinguishes the set from those of other processes.
    token: String,
    parts: Vec<StagedFile>,
    /// The paths that the set will write.
    targets: BTreeSet<PathBuf>,
    /// The files that several takes share, with their content. Siblings have the same map.
    claimed: Arc<Mutex<BTreeMap<PathBuf, Content>>>,
    /// Files that the commit removes.
    retired: Vec<PathBuf>,
    /// The lock of this set in each folder with temporary files.
    locks: BTreeMap<PathBuf, Lock>,
    /// Folders created for this set, shared with its siblings. Dropped last, after the temporary files are removed.
    created_folders: Arc<CreatedFolders>,
    /// Traces of dead processes in the folders of this set.
    remains: Remains,
    /// Folder for notes of commits.
    notes: Option<PathBuf>,
}

/// Policy for files that already exist.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Replace {
    /// Do not replace them: [`FileSet::commit`] then changes nothing and its error lists them.
    #[default]
    Refuse,
    /// Replace them, except for sources.
    Allow,
}

/// The result of writing one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WrittenFile {
    /// The requested path.
    pub path: PathBuf,
    /// True if the file already had these bytes, so that it was not written.
    pub is_unchanged: bool,
}

/// A file that waits under a temporary name.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct StagedFile {
    /// The requested path.
    #[serde(with = "exact_path")]
    path: PathBuf,
    /// The requested path with links resolved.
    #[serde(with = "exact_path")]
    target: PathBuf,
    /// The temporary file with the new bytes.
    #[serde(with = "exact_path")]
    part: PathBuf,
    /// The temporary name of the replaced file until all renames are done.
    #[serde(with = "exact_path")]
    old: PathBuf,
    /// The content of the temporary file.
    new: Content,
    /// The content of the file at `target`, if one exists.
    replaced: Option<Content>,
    /// True if the new bytes were flushed to the disk.
    #[serde(skip)]
    is_synced: bool,
}

/// The lock file of a commit, held open until it is dropped.
#[derive(Debug)]
struct Lock {
    path: PathBuf,
    // The operating system releases the lock if the process dies.
    _file: File,
}

/// Prefix of temporary file names.
const PREFIX: &str = ".portamento-";

impl FileSet {
    /// Creates an empty set on the local disk. It may replace any file except `sources`.
    pub fn new(sources: Arc<Sources>) -> Self {
        Self::on(Arc::new(Disk), sources)
    }

    /// Creates an empty set on another file system.
    pub fn on(system: Arc<dyn FileSystem>, sources: Arc<Sources>) -> Self {
        Self {
            system,
            sources,
            token: new_token(),
            parts: Vec::new(),
            targets: BTreeSet::new(),
            claimed: Arc::default(),
            retired: Vec::new(),
            locks: BTreeMap::new(),
            created_folders: Arc::default(),
            remains: Remains::default(),
            notes: None,
        }
    }

    /// Creates another empty set with the same file system, sources and [claims](Self::claim).
    /// Folders that either of them creates remain until both are dropped.
    pub fn sibling(&self) -> Self {
        let mut set = Self::on(self.system.clone(), self.sources.clone());
        set.created_folders = self.created_folders.clone();
        set.claimed = self.claimed.clone();
        set
    }

    /// Moves all files of `other`, a [sibling](Self::sibling) of this set, to the end of this set in their order.
    ///
    /// Returns `Err` if a file was added to both sets or cannot be renamed. The files not moved are then removed.
    pub fn absorb(&mut self, mut other: Self) -> Result<(), ExportError> {
        // Pop from the end of the reversed list: if a file fails, `other` still owns it and removes it.
        other.parts.reverse();
        while let Some(part) = other.parts.pop() {
            let taken = self.adopt(&part);
            other.targets.remove(&part.target);
            if let Err(error) = taken {
                other.parts.push(part);
                return Err(error);
            }
        }
        self.retired.append(&mut other.retired);
        self.remains.merge(std::mem::take(&mut other.remains));
        Ok(())
    }

    /// Renames a part of another set to a name of this set, so that it is covered by this set's lock. Returns `Err` if this set
    /// writes that target already. Returns `Err` too if the folder cannot be locked or the file cannot be renamed.
    fn adopt(&mut self, part: &StagedFile) -> Result<(), ExportError> {
        if self.targets.contains(&part.target) {
            return Err(ExportError::WrittenTwice { file: display(&part.path) });
        }
        let folder = part.target.parent().unwrap_or(Path::new("/")).to_owned();
        let unwritable = |reason| ExportError::Unwritable { file: display(&part.path), reason };
        self.lock(&folder).map_err(unwritable)?;
        let [waiting, old] = self.next_temporary_names(&folder);
        self.system.rename(&part.part, &waiting).map_err(unwritable)?;
        self.targets.insert(part.target.clone());
        self.parts.push(StagedFile { part: waiting, old, ..part.clone() });
        Ok(())
    }

    /// Returns the temporary names of the next file in `folder` and of the file it replaces.
    fn next_temporary_names(&self, folder: &Path) -> [PathBuf; 2] {
        ["part", "old"].map(|end| folder.join(format!("{}.{}.{end}", self.token, self.parts.len())))
    }

    /// Writes the files that `add` adds immediately, replacing existing ones. Its set protects no sources. Returns
    /// `Err` if `add` does, or if a file cannot be placed.
    pub fn write_now(add: impl FnOnce(&mut Self) -> Result<(), ExportError>) -> Result<(), ExportError> {
        let mut files = Self::new(Arc::default());
        add(&mut files)?;
        files.commit(Replace::Allow).map(|_| ())
    }

    /// Claims the paths of `files` that other files of this set and its siblings share, such as images. Returns for each
    /// whether the caller has to write it; `false` if the set that claimed it first does. Returns `None`, and claims
    /// nothing, if a path was claimed with other bytes. Claims last until the set and its siblings are dropped.
    pub fn claim<'f>(&self, files: impl IntoIterator<Item = &'f (PathBuf, FileBytes)>) -> Option<Vec<bool>> {
        let claim = |(path, bytes): &(PathBuf, FileBytes)| {
            let absolute = std::path::absolute(path).unwrap_or_else(|_| path.clone());
            (resolve_links(&absolute), Content::of(&bytes.pieces()))
        };
        let claims: Vec<(PathBuf, Content)> = files.into_iter().map(claim).collect();
        let mut claimed = self.claimed.lock().unwrap_or_else(PoisonError::into_inner);
        let is_free = |(path, content): &(PathBuf, Content)| claimed.get(path).is_none_or(|known| known == content);
        if !claims.iter().all(is_free) {
            return None;
        }
        Some(claims.into_iter().map(|(path, content)| claimed.insert(path, content).is_none()).collect())
    }

    /// Adds a file to be written to `path`: stages its bytes under a temporary name. Creates its folder if it is missing.
    ///
    /// Returns `Err` if `path` is a source, was already added, is not a regular file, is read-only, or cannot be written.
    /// The files added before are not affected.
    pub fn write(&mut self, path: &Path, bytes: &[u8]) -> Result<(), ExportError> {
        self.write_pieces(path, &[bytes])
    }

    /// Adds a file like [`FileSet::write`], whose bytes are `pieces` one after another. Returns `Err` as that does.
    pub fn write_pieces(&mut self, path: &Path, pieces: &[&[u8]]) -> Result<(), ExportError> {
        let unwritable = |reason| ExportError::Unwritable { file: display(path), reason };
        if let Some(source) = self.sources.find(path) {
            return Err(ExportError::SourceInTheWay { file: display(path), source_file: display(source) });
        }
        let absolute = std::path::absolute(path).map_err(unwritable)?;
        self.created_folders.create(&*self.system, absolute.parent().unwrap_or(Path::new("/"))).map_err(unwritable)?;
        let target = resolve_links(&absolute);
        if self.targets.contains(&target) {
            return Err(ExportError::WrittenTwice { file: display(path) });
        }
        let old = existing(path, &target)?;
        let folder = target.parent().unwrap_or(Path::new("/")).to_owned();
        self.lock(&folder).map_err(unwritable)?;
        let [part, replaced] = self.next_temporary_names(&folder);
        let written = self.system.create(&part, pieces);
        let written = written.and_then(|()| old.as_ref().map_or(Ok(()), |old| self.system.permit(&part, old)));
        if let Err(reason) = written {
            // The temporary file may not exist.
            if reason.kind() != io::ErrorKind::AlreadyExists {
                let _ = self.system.remove(&part);
            }
            return Err(unwritable(reason));
        }
        self.targets.insert(target.clone());
        self.parts.push(StagedFile {
            path: path.to_owned(),
            replaced: Content::at(&target),
            target,
            part,
            old: replaced,
            new: Content::of(pieces),
            is_synced: false,
        });
        Ok(())
    }

    /// Removes the file `path` on commit. Does nothing if it is a source.
    pub(super) fn retire(&mut self, path: PathBuf) {
        if self.sources.find(&path).is_none() {
            self.retired.push(path);
        }
    }

    /// Returns the existing files that would be replaced with other content or removed, by their requested paths.
    pub fn replaced(&self) -> impl Iterator<Item = &Path> {
        let replaced =
            self.parts.iter().filter(|part| part.replaced.is_some() && !part.is_same()).map(|part| &part.path);
        replaced.chain(&self.retired).map(PathBuf::as_path)
    }

    /// Returns the number of files added. Files that the commit only removes do not count.
    pub fn len(&self) -> usize {
        self.parts.len()
    }

    /// True if no file was added.
    pub fn is_empty(&self) -> bool {
        self.parts.is_empty()
    }

    /// Removes the files added after the first `len`.
    pub fn truncate(&mut self, len: usize) {
        for part in self.parts.split_off(len.min(self.parts.len())) {
            let _ = self.system.remove(&part.part);
            self.targets.remove(&part.target);
        }
    }

    /// Returns what dead processes left in the folders of this set.
    pub fn remains(&self) -> &Remains {
        &self.remains
    }

    /// Leaves a note of the commit in `folder` while it runs, which [`noted`] reads. A commit that changes a single file
    /// leaves no note.
    pub fn note_in(&mut self, folder: &Path) {
        self.notes = Some(folder.to_owned());
    }

    /// Returns the path of the journal that a commit of several files writes. It is in the innermost folder that contains
    /// all targets.
    fn journal(&self) -> PathBuf {
        let folders = self.parts.iter().filter_map(|part| part.target.parent());
        let shared = folders.map(Path::to_owned).reduce(|a, b| common_folder(&a, &b)).unwrap_or_else(|| "/".into());
        shared.join(format!("{}.{}", self.token, journal::EXTENSION))
    }

    /// Flushes all added files to the disk. In parallel, because a disk flushes many files in hardly more time than one.
    ///
    /// Returns `Err` if that fails, or if another program changed a temporary file.
    pub fn sync(&mut self) -> Result<(), ExportError> {
        let system = &self.system;
        self.parts.par_iter_mut().filter(|part| !part.is_synced).try_for_each(|part| {
            let unwritable = |reason| ExportError::Unwritable { file: display(&part.path), reason };
            system.sync(&part.part).map_err(unwritable)?;
            if Content::at(&part.part).as_ref() != Some(&part.new) {
                return Err(ExportError::ChangedMeanwhile { file: display(&part.path) });
            }
            part.is_synced = true;
            Ok(())
        })
    }

    /// Renames all files to their targets and returns the result of each, in the order they were added.
    /// A file that already has its bytes is not touched, so that programs which watch it do not reload it.
    ///
    /// Returns `Err` if files would be replaced without consent, or if a rename fails. All files are then unchanged,
    /// except those that another program wrote at the same time. The set is empty after success. A journal is written if
    /// several files change.
    pub fn commit(&mut self, replace: Replace) -> Result<Vec<WrittenFile>, ExportError> {
        // Other programs may have written since.
        self.parts.par_iter_mut().for_each(|part| part.replaced = Content::at(&part.target));
        if replace == Replace::Refuse && self.replaced().next().is_some() {
            let files = self.replaced().map(Path::to_owned).collect();
            return Err(ExportError::WouldReplace { files });
        }
        let placed = self
            .parts
            .iter()
            .map(|part| WrittenFile { path: part.path.clone(), is_unchanged: part.is_same() })
            .collect();
        self.drop_unchanged();
        self.sync()?;
        let journal = if self.parts.len() > 1 { Some(self.locked_journal()?) } else { None };
        if let Some(journal) = &journal {
            self.write_journal(journal)?;
        }
        let note = journal.as_deref().zip(self.notes.as_deref());
        let note = note.and_then(|(journal, folder)| note::write(&*self.system, folder, journal));
        let renamed = self.rename_all();
        if let Some(journal) = journal {
            // If the disk failed again while renames were undone, the journal stays for a later decision.
            let is_resolved = renamed.is_ok() || !Interrupted::of(&journal, self.parts.clone()).has_new_files();
            [Some(journal), note]
                .iter()
                .flatten()
                .filter(|_| is_resolved)
                .for_each(|path| drop(self.system.remove(path)));
        }
        renamed?;
        let parts = std::mem::take(&mut self.parts);
        self.forget_rewritten();
        self.targets.clear();
        std::mem::take(&mut self.retired).iter().for_each(|path| drop(self.system.remove(path)));
        parts.iter().filter(|part| part.replaced.is_some()).for_each(|part| drop(self.system.remove(&part.old)));
        self.locks.keys().for_each(|folder| drop(self.system.sync_folder(folder)));
        Ok(placed)
    }

    /// Forgets interrupted exports whose remaining files this set has written again.
    fn forget_rewritten(&mut self) {
        let is_over = |interrupted: &mut Interrupted| !interrupted.is_half_new(&self.targets) && interrupted.is_dead();
        self.remains.interrupted.extract_if(.., is_over).for_each(|over| over.forget(&*self.system));
    }

    /// Drops the files whose targets already have their bytes. If removing one fails, the next set does it.
    fn drop_unchanged(&mut self) {
        self.parts.extract_if(.., |part| part.is_same()).for_each(|same| drop(self.system.remove(&same.part)));
    }

    /// Renames all files to their targets. If one fails, undoes the earlier renames. Then returns `Err`, and also if a
    /// target does not get its content; all renames are undone.
    fn rename_all(&self) -> Result<(), ExportError> {
        for (count, part) in self.parts.iter().enumerate() {
            if let Err(reason) = self.rename_to_target(part) {
                self.parts[..count].iter().rev().for_each(|part| self.undo_rename(part));
                return Err(ExportError::Unwritable { file: display(&part.path), reason });
            }
        }
        match self.parts.par_iter().find_first(|part| !content::arrives(&part.target, &part.new)) {
            None => Ok(()),
            Some(changed) => {
                self.parts.iter().rev().for_each(|part| self.undo_rename(part));
                Err(ExportError::ChangedMeanwhile { file: display(&changed.path) })
            }
        }
    }

    /// Renames one file to its target. In a set of several, the replaced file is kept until all renames are done.
    fn rename_to_target(&self, part: &StagedFile) -> io::Result<()> {
        if part.replaced.is_none() || self.parts.len() == 1 {
            return self.system.rename(&part.part, &part.target);
        }
        self.system.link(&part.target, &part.old)?;
        let renamed = self.system.rename(&part.part, &part.target);
        if renamed.is_err() {
            let _ = self.system.remove(&part.old);
        }
        renamed
    }

    /// Restores the file that `part` replaced, or removes the new file. A file that another program wrote meanwhile stays.
    fn undo_rename(&self, part: &StagedFile) {
        if Content::at(&part.target).is_some_and(|content| content != part.new) {
            let _ = part.replaced.is_some().then(|| self.system.remove(&part.old));
            return;
        }
        // Try twice, since the disk has just failed once. If it keeps failing, there is no further remedy.
        let twice = |act: &dyn Fn() -> io::Result<()>| act().or_else(|_| act());
        let _ = if part.replaced.is_some() {
            twice(&|| self.system.rename(&part.old, &part.target))
        } else {
            twice(&|| self.system.remove(&part.target))
        };
    }

    /// Locks the folder of the journal, so that no other process resolves this set, and returns the journal's path. The set
    /// must have files. Panics if it has none. Returns `Err` if the folder cannot be locked.
    fn locked_journal(&mut self) -> Result<PathBuf, ExportError> {
        let journal = self.journal();
        let file = display(&self.parts[0].path);
        let folder = journal.parent().unwrap_or(Path::new("/")).to_owned();
        self.lock(&folder).map_err(|reason| ExportError::Unwritable { file, reason })?;
        Ok(journal)
    }

    /// Writes the journal of all renames. Writes it under a temporary name first, then renames it.
    fn write_journal(&self, journal: &Path) -> Result<(), ExportError> {
        let part = journal.with_extension("journal.part");
        let written = self.system.create(&part, &[&journal::to_bytes(&self.parts)]);
        let written = written.and_then(|()| self.system.sync(&part));
        let written = written.and_then(|()| self.system.rename(&part, journal));
        written.map_err(|reason| {
            if reason.kind() != io::ErrorKind::AlreadyExists {
                let _ = self.system.remove(&part);
            }
            ExportError::Unwritable { file: display(&self.parts[0].path), reason }
        })
    }

    /// Creates the lock of this set in `folder`, after cleaning up the files of dead processes there. Does nothing if this set has
    /// one there already.
    fn lock(&mut self, folder: &Path) -> io::Result<()> {
        if self.locks.contains_key(folder) {
            return Ok(());
        }
        self.remains.merge(clean(&*self.system, folder));
        let path = folder.join(format!("{}.lock", self.token));
        let file = cleanup::create_lock(&*self.system, &path)?;
        self.locks.insert(folder.to_owned(), Lock { path, _file: file });
        Ok(())
    }
}

impl Drop for FileSet {
    fn drop(&mut self) {
        self.truncate(0);
        for lock in self.locks.values() {
            let _ = self.system.remove(&lock.path);
        }
    }
}

impl StagedFile {
    /// True if the file at the target already has the new content.
    fn is_same(&self) -> bool {
        self.replaced.as_ref() == Some(&self.new)
    }
}

/// Returns the prefix and 128 random bits in hex digits. A process id would not do: programs in containers that share
/// a folder often all have process id 1.
fn new_token() -> String {
    let random = RandomState::new();
    format!("{PREFIX}{:016x}{:016x}", random.hash_one(0_u8), random.hash_one(1_u8))
}

/// Returns the innermost folder that contains both paths.
fn common_folder(a: &Path, b: &Path) -> PathBuf {
    a.components().zip(b.components()).take_while(|(a, b)| a == b).map(|(part, _)| part).collect()
}

/// Returns the path as text for messages.
fn display(path: &Path) -> String {
    path.display().to_string()
}

#[cfg(test)]
mod tests;
