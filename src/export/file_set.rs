//! Files that are written together: all of them, or none.
//!
//! Every file is first written whole under another name beside its place; [`FileSet::commit`] then renames them all. A file that
//! is a source of the project is never replaced, other files only on consent. What a process that died left behind is put right
//! or removed by the next set that touches the folder: a journal, written before the first rename, names what is still to be
//! renamed; locks tell the dead from the living.

mod litter;
mod made;
mod present;

pub use litter::clean;

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::ExportError;
use super::file_system::{Disk, FileSystem};
use super::sources::{Sources, resolved};
use made::MadeFolders;
use present::{existing, has_bytes, have_equal_bytes};

/// Files that are written together. Dropped without [`FileSet::commit`] they leave nothing behind.
#[derive(Debug)]
pub struct FileSet {
    system: Arc<dyn FileSystem>,
    sources: Arc<Sources>,
    /// Names the set apart from those of other processes.
    token: String,
    parts: Vec<StagedFile>,
    /// What they replace.
    targets: BTreeSet<PathBuf>,
    /// Files that are removed with the commit.
    retired: Vec<PathBuf>,
    /// A lock in every folder that holds parts.
    locks: BTreeMap<PathBuf, Lock>,
    /// Shared with the sets beside it; dropped after what the set holds is removed.
    made: Arc<MadeFolders>,
}

/// Whether files that are already there may be replaced.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Replace {
    /// No: [`FileSet::commit`] then changes nothing and names them.
    #[default]
    Refuse,
    /// Yes, but never a source.
    Allow,
}

/// What became of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlacedFile {
    /// What was asked for.
    pub path: PathBuf,
    /// Whether these bytes were there already, so that it was not written.
    pub was_so: bool,
}

/// A file that waits under another name.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct StagedFile {
    /// What was asked for.
    path: PathBuf,
    /// The same with links followed: what is replaced.
    target: PathBuf,
    /// Where the new bytes wait.
    part: PathBuf,
    /// Where the file that is replaced waits until all are renamed.
    old: PathBuf,
    /// Whether there is one.
    replaces: bool,
    /// Whether that has the same bytes already.
    is_same: bool,
    /// Whether the disk has the new bytes.
    #[serde(skip)]
    is_synced: bool,
}

#[derive(Debug)]
struct Lock {
    path: PathBuf,
    // Held until the set is gone; the system lets go of it when the process ends, however it ends.
    _file: File,
}

/// How names of waiting files begin.
const PREFIX: &str = ".portamento-";

impl FileSet {
    /// An empty set on the disk of the machine that replaces anything but `sources`.
    pub fn new(sources: Arc<Sources>) -> Self {
        Self::on(Arc::new(Disk), sources)
    }

    /// An empty set on another disk.
    pub fn on(system: Arc<dyn FileSystem>, sources: Arc<Sources>) -> Self {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let token = format!("{PREFIX}{}-{}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
        Self {
            system,
            sources,
            token,
            parts: Vec::new(),
            targets: BTreeSet::new(),
            retired: Vec::new(),
            locks: BTreeMap::new(),
            made: Arc::default(),
        }
    }

    /// Another empty set on the same disk with the same sources. Folders that either makes stay until both are gone.
    pub fn sibling(&self) -> Self {
        let mut set = Self::on(self.system.clone(), self.sources.clone());
        set.made = self.made.clone();
        set
    }

    /// Takes over all files of `other`, one [sibling](Self::sibling) of this, in their order and after those of this set.
    ///
    /// Errors when one was added here too, and when the disk refuses; the files that were not taken over are gone then.
    pub fn absorb(&mut self, mut other: Self) -> Result<(), ExportError> {
        // Last in, first out: what fails stays with `other`, which removes it.
        other.parts.reverse();
        while let Some(part) = other.parts.pop() {
            let taken = self.take_over(&part);
            other.targets.remove(&part.target);
            if let Err(error) = taken {
                other.parts.push(part);
                return Err(error);
            }
        }
        self.retired.append(&mut other.retired);
        Ok(())
    }

    /// Gives a part of another set the name of one of this set: whoever finds it knows whose it is.
    fn take_over(&mut self, part: &StagedFile) -> Result<(), ExportError> {
        if self.targets.contains(&part.target) {
            return Err(ExportError::WrittenTwice { file: shown(&part.path) });
        }
        let folder = part.target.parent().unwrap_or(Path::new("/")).to_owned();
        let unwritable = |reason| ExportError::Unwritable { file: shown(&part.path), reason };
        self.lock(&folder).map_err(unwritable)?;
        let [waits, old] = self.names_of_next(&folder);
        self.system.rename(&part.part, &waits).map_err(unwritable)?;
        self.targets.insert(part.target.clone());
        self.parts.push(StagedFile { part: waits, old, ..part.clone() });
        Ok(())
    }

    /// Where the next file waits in `folder`, and where the one that it replaces will.
    fn names_of_next(&self, folder: &Path) -> [PathBuf; 2] {
        ["part", "old"].map(|end| folder.join(format!("{}.{}.{end}", self.token, self.parts.len())))
    }

    /// Puts what `add` adds in place at once, whatever is there.
    pub fn write_now(add: impl FnOnce(&mut Self) -> Result<(), ExportError>) -> Result<(), ExportError> {
        let mut files = Self::new(Arc::default());
        add(&mut files)?;
        files.commit(Replace::Allow).map(|_| ())
    }

    /// Adds a file to be written to `path`; its folder is made where it is missing.
    ///
    /// Errors when `path` is a source, was added before, is no plain file or may not be written, and when the disk refuses.
    /// What was added before stays as it is.
    pub fn write(&mut self, path: &Path, bytes: &[u8]) -> Result<(), ExportError> {
        let unwritable = |reason| ExportError::Unwritable { file: shown(path), reason };
        if let Some(source) = self.sources.find(path) {
            return Err(ExportError::SourceInTheWay { file: shown(path), source_file: shown(source) });
        }
        let absolute = std::path::absolute(path).map_err(unwritable)?;
        self.made.make(&*self.system, absolute.parent().unwrap_or(Path::new("/"))).map_err(unwritable)?;
        let target = resolved(&absolute);
        if self.targets.contains(&target) {
            return Err(ExportError::WrittenTwice { file: shown(path) });
        }
        let old = existing(path, &target)?;
        let folder = target.parent().unwrap_or(Path::new("/")).to_owned();
        self.lock(&folder).map_err(unwritable)?;
        let [part, replaced] = self.names_of_next(&folder);
        let written = self.system.create(&part, bytes);
        let written = written.and_then(|()| old.as_ref().map_or(Ok(()), |old| self.system.permit(&part, old)));
        if let Err(reason) = written {
            // It may not even be there.
            let _ = self.system.remove(&part);
            return Err(unwritable(reason));
        }
        let is_same = old.as_ref().is_some_and(|old| has_bytes(&target, old, bytes));
        let replaces = old.is_some();
        self.targets.insert(target.clone());
        self.parts.push(StagedFile {
            path: path.to_owned(),
            target,
            part,
            old: replaced,
            replaces,
            is_same,
            is_synced: false,
        });
        Ok(())
    }

    /// Removes a file with the commit, unless it is a source.
    pub(super) fn retire(&mut self, path: PathBuf) {
        if self.sources.find(&path).is_none() {
            self.retired.push(path);
        }
    }

    /// The files that are there and would be replaced by others or removed, as they were asked for.
    pub fn replaced(&self) -> impl Iterator<Item = &Path> {
        let replaced = self.parts.iter().filter(|part| part.replaces && !part.is_same).map(|part| &part.path);
        replaced.chain(&self.retired).map(PathBuf::as_path)
    }

    /// How many files were added.
    pub fn len(&self) -> usize {
        self.parts.len()
    }

    /// Whether nothing was added.
    pub fn is_empty(&self) -> bool {
        self.parts.is_empty()
    }

    /// Takes out what was added after the set had `len` files.
    pub fn truncate(&mut self, len: usize) {
        for part in self.parts.split_off(len.min(self.parts.len())) {
            let _ = self.system.remove(&part.part);
            self.targets.remove(&part.target);
        }
    }

    /// Waits until the disk has all that was added: of many files at once, since a disk takes them in hardly more time than one.
    ///
    /// Errors when the disk refuses.
    pub fn sync(&mut self) -> Result<(), ExportError> {
        let system = &self.system;
        self.parts.par_iter_mut().filter(|part| !part.is_synced).try_for_each(|part| {
            let unwritable = |reason| ExportError::Unwritable { file: shown(&part.path), reason };
            system.sync(&part.part).map_err(unwritable)?;
            part.is_synced = true;
            Ok(())
        })
    }

    /// Puts all files in place and answers what became of each, in the order in which they were added. A file that already has
    /// its bytes is not touched, so that programs which watch it do not read it again.
    ///
    /// Errors when that would replace files without consent, or when the disk refuses; then every file is as it was before.
    pub fn commit(&mut self, replace: Replace) -> Result<Vec<PlacedFile>, ExportError> {
        // Others may have written meanwhile.
        self.parts.iter_mut().for_each(|part| {
            part.replaces = part.target.exists();
            part.is_same &= have_equal_bytes(&part.part, &part.target);
        });
        if replace == Replace::Refuse && self.replaced().next().is_some() {
            let files = self.replaced().map(Path::to_owned).collect();
            return Err(ExportError::WouldReplace { files });
        }
        let placed =
            self.parts.iter().map(|part| PlacedFile { path: part.path.clone(), was_so: part.is_same }).collect();
        self.leave_unchanged();
        self.sync()?;
        let journal = if self.parts.len() > 1 { Some(self.journal_path()?) } else { None };
        if let Some(journal) = &journal {
            self.write_journal(journal)?;
        }
        let renamed = self.rename_all();
        if let Some(journal) = &journal {
            // One that stays behind names nothing that is still there.
            let _ = self.system.remove(journal);
        }
        renamed?;
        let parts = std::mem::take(&mut self.parts);
        self.targets.clear();
        std::mem::take(&mut self.retired).iter().for_each(|path| drop(self.system.remove(path)));
        parts.iter().filter(|part| part.replaces).for_each(|part| drop(self.system.remove(&part.old)));
        self.locks.keys().for_each(|folder| drop(self.system.sync_folder(folder)));
        Ok(placed)
    }

    /// Takes out the files whose place already has their bytes; what stays behind is removed by the next set.
    fn leave_unchanged(&mut self) {
        self.parts.extract_if(.., |part| part.is_same).for_each(|same| drop(self.system.remove(&same.part)));
    }

    fn rename_all(&self) -> Result<(), ExportError> {
        for (count, part) in self.parts.iter().enumerate() {
            if let Err(reason) = self.put_in_place(part) {
                self.parts[..count].iter().rev().for_each(|part| self.take_back(part));
                return Err(ExportError::Unwritable { file: shown(&part.path), reason });
            }
        }
        Ok(())
    }

    /// One file alone is replaced in one step; of several the old ones are kept until all are in place.
    fn put_in_place(&self, part: &StagedFile) -> io::Result<()> {
        if !part.replaces || self.parts.len() == 1 {
            return self.system.rename(&part.part, &part.target);
        }
        self.system.link(&part.target, &part.old)?;
        let renamed = self.system.rename(&part.part, &part.target);
        if renamed.is_err() {
            let _ = self.system.remove(&part.old);
        }
        renamed
    }

    fn take_back(&self, part: &StagedFile) {
        // Twice, since the disk has just failed once; there is nothing better to do where it fails for good.
        let again = |act: &dyn Fn() -> io::Result<()>| act().or_else(|_| act());
        let _ = if part.replaces {
            again(&|| self.system.rename(&part.old, &part.target))
        } else {
            again(&|| self.system.remove(&part.target))
        };
    }

    /// In the folder that holds all targets, at whatever depth; it is locked too, so that nobody finishes a living set's work.
    fn journal_path(&mut self) -> Result<PathBuf, ExportError> {
        let folders = self.parts.iter().filter_map(|part| part.target.parent());
        let shared = folders.map(Path::to_owned).reduce(|a, b| common_folder(&a, &b)).unwrap_or_else(|| "/".into());
        let file = shown(&self.parts[0].path);
        self.lock(&shared).map_err(|reason| ExportError::Unwritable { file, reason })?;
        Ok(shared.join(format!("{}.journal", self.token)))
    }

    fn write_journal(&self, journal: &Path) -> Result<(), ExportError> {
        let bytes = serde_json::to_vec(&self.parts).unwrap_or_default();
        let part = journal.with_extension("journal.part");
        let written = self.system.create(&part, &bytes).and_then(|()| self.system.sync(&part));
        let written = written.and_then(|()| self.system.rename(&part, journal));
        written.map_err(|reason| {
            let _ = self.system.remove(&part);
            ExportError::Unwritable { file: shown(&self.parts[0].path), reason }
        })
    }

    /// Marks the parts of this set in `folder` as those of a living process, after what the dead left there is put right.
    fn lock(&mut self, folder: &Path) -> io::Result<()> {
        if self.locks.contains_key(folder) {
            return Ok(());
        }
        clean(&*self.system, folder);
        let path = folder.join(format!("{}.lock", self.token));
        let file = litter::locked(&*self.system, &path)?;
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

/// The innermost folder that holds both.
fn common_folder(a: &Path, b: &Path) -> PathBuf {
    a.components().zip(b.components()).take_while(|(a, b)| a == b).map(|(part, _)| part).collect()
}

fn shown(path: &Path) -> String {
    path.display().to_string()
}

#[cfg(test)]
mod tests;
