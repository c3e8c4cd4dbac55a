//! The state of the source files when they were read.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::opened::Opened;
use super::stamp::Stamp;
use portamento_takes::document::{Document, FileId};

/// Stamps and fingerprints of the source files, for detecting changes.
#[derive(Debug, Default)]
pub struct ReadFiles {
    /// Stamp of each source when it was read, and fingerprint of its content.
    stamps: BTreeMap<FileId, Stamp>,
    hashes: BTreeMap<FileId, String>,
    /// Files that are read in addition to those of the document.
    also_read: Vec<PathBuf>,
}

impl ReadFiles {
    /// Protects an additional file from being overwritten, like a source.
    pub fn protect(&mut self, path: &Path) {
        self.also_read.push(path.to_owned());
    }

    /// Returns the additional files.
    pub(crate) fn also_read(&self) -> &[PathBuf] {
        &self.also_read
    }

    /// Records that source `id` was read as `opened`; returns true if its content is new.
    pub(super) fn note(&mut self, id: FileId, opened: &Opened) -> bool {
        self.stamps.extend(opened.stamp.map(|stamp| (id, stamp)));
        self.hashes.insert(id, opened.hash.clone()).as_ref() != Some(&opened.hash)
    }

    /// Returns the ids and paths of sources that changed on disk since they were read.
    pub(super) fn changed(&self, document: &Document) -> (Vec<FileId>, Vec<PathBuf>) {
        let is_changed = |id: FileId, path: &Path| {
            let now = Stamp::read(path);
            self.stamps.get(&id).is_some_and(|known| now.is_some_and(|now| now != *known))
        };
        let changed = document.files.iter().filter(|file| is_changed(file.id, &file.path));
        changed.map(|file| (file.id, file.path.clone())).unzip()
    }

    /// Clears all records, for another document.
    pub(super) fn forget(&mut self) {
        (self.stamps, self.hashes) = Default::default();
    }
}
