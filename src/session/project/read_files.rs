//! The files that the document is made from, as they were on disk when they were read.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::opened::Opened;
use super::stamp::Stamp;
use crate::document::{Document, FileId};

/// What was read of each source, to know whether it is still so.
#[derive(Debug, Default)]
pub struct ReadFiles {
    /// What each source looked like when it was read, and the fingerprint of what it held.
    stamps: BTreeMap<FileId, Stamp>,
    hashes: BTreeMap<FileId, String>,
    /// Files that are read besides those of the document.
    also_read: Vec<PathBuf>,
}

impl ReadFiles {
    /// Takes a file that is read besides those of the document for a source too.
    pub fn protect(&mut self, path: &Path) {
        self.also_read.push(path.to_owned());
    }

    /// Files that are read besides those of the document.
    pub(in crate::session) fn also_read(&self) -> &[PathBuf] {
        &self.also_read
    }

    /// Source `id` is as it was `opened`; answers whether it held something else before, or nothing.
    pub(super) fn note(&mut self, id: FileId, opened: &Opened) -> bool {
        self.stamps.extend(opened.stamp.map(|stamp| (id, stamp)));
        self.hashes.insert(id, opened.hash.clone()).as_ref() != Some(&opened.hash)
    }

    /// The sources of `document` that changed on disk since they were read.
    pub(super) fn changed(&self, document: &Document) -> (Vec<FileId>, Vec<PathBuf>) {
        let is_changed = |id: FileId, path: &Path| {
            let now = Stamp::read(path);
            self.stamps.get(&id).is_some_and(|known| now.is_some_and(|now| now != *known))
        };
        let changed = document.files.iter().filter(|file| is_changed(file.id, &file.path));
        changed.map(|file| (file.id, file.path.clone())).unzip()
    }

    /// Another document is edited from now on, none of whose files was read.
    pub(super) fn forget(&mut self) {
        (self.stamps, self.hashes) = Default::default();
    }
}
