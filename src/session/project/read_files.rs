//! The state of the source files when they were read.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use super::opened::Opened;
use super::stamp::{Stamp, Stamps};
use portamento_takes::document::{Asset, Document, FileId, Loaded, SourceFile};

/// Stamps and fingerprints of the source files, for detecting changes.
#[derive(Clone, Debug, Default)]
pub struct ReadFiles {
    /// Stamps of each source and of the files it refers to when they were read, and fingerprint of its content.
    stamps: BTreeMap<FileId, Stamps>,
    hashes: BTreeMap<FileId, String>,
    /// Length of one unit of each source in metres, as the import determined it.
    units: BTreeMap<FileId, f64>,
    /// Earlier and later contents of reloaded sources with their fingerprints, for undo; the oldest first.
    versions: Vec<(FileId, String, Asset<Loaded>)>,
    /// Files that are read in addition to those of the document.
    also_read: Vec<PathBuf>,
    /// Number of reads so far.
    revision: usize,
    /// Sources that are missing or unreadable, but that the project may read.
    unread: BTreeSet<FileId>,
    /// Sources that were read again and wait until nothing is being edited.
    pub(super) arrived: Vec<(FileId, Opened)>,
}

/// Maximum number of retained contents of reloaded sources.
const MAX_VERSIONS: usize = 8;
/// Maximum memory in bytes of the retained contents beyond the newest one.
const MAX_VERSIONS_BYTES: usize = 128 << 20;

impl ReadFiles {
    /// Protects an additional file from being overwritten by exports and saves, like a source.
    pub fn protect(&mut self, path: &Path) {
        self.also_read.push(path.to_owned());
    }

    /// Returns the additional files.
    pub(crate) fn also_read(&self) -> &[PathBuf] {
        &self.also_read
    }

    /// Records that source `id` was read as `opened`; returns true if its content, or a file that it refers to, is new.
    /// Also true for a first read.
    pub(super) fn note(&mut self, id: FileId, opened: &Opened) -> bool {
        self.revision += 1;
        self.unread.remove(&id);
        let before = self.stamps.insert(id, opened.stamps.clone());
        self.units.insert(id, opened.metres_per_unit);
        let is_new = self.hashes.insert(id, opened.hash.clone()).as_ref() != Some(&opened.hash);
        // The fingerprint is that of the first file.
        let others = |stamps: &Stamps| {
            stamps
                .iter()
                .filter(|(path, _)| **path != opened.path)
                .map(|(path, stamp)| (path.clone(), *stamp))
                .collect::<Stamps>()
        };
        is_new || before.is_some_and(|before| others(&before) != others(&opened.stamps))
    }

    /// Records that source `id` could not be read.
    pub(super) fn note_unread(&mut self, id: FileId) {
        self.unread.insert(id);
    }

    /// True if source `id` could not be read earlier and may be read now.
    pub(super) fn may_read(&self, id: FileId) -> bool {
        self.unread.contains(&id)
    }

    /// Returns a number that grows whenever a source is read, and with each document.
    pub(crate) fn revision(&self) -> usize {
        self.revision
    }

    /// Returns the stamps of all files that were read for source `id`, before they were read; `None` if it is not loaded.
    pub(crate) fn stamps(&self, id: FileId) -> Option<&Stamps> {
        self.stamps.get(&id)
    }

    /// True if no file of source `id` has changed since it was read, or if it was not read. Reads the state of the files on
    /// disk.
    pub(crate) fn is_current(&self, id: FileId) -> bool {
        let is_same = |(path, known): (&PathBuf, &Option<Stamp>)| Stamp::read(path) == *known;
        self.stamps.get(&id).is_none_or(|stamps| stamps.iter().all(is_same))
    }

    /// Returns the fingerprint of the content of source `id`; `None` if it was not read.
    pub(crate) fn hash(&self, id: FileId) -> Option<&String> {
        self.hashes.get(&id)
    }

    /// Returns the length of one unit of source `id` in metres, as the import determined it; `None` if it was not read.
    pub fn unit(&self, id: FileId) -> Option<f64> {
        self.units.get(&id).copied()
    }

    /// Retains a content of source `id`, so that undo of its reload shows it again. Drops the oldest contents beyond
    /// [`MAX_VERSIONS`] and [`MAX_VERSIONS_BYTES`].
    pub(super) fn keep_version(&mut self, id: FileId, hash: String, loaded: Asset<Loaded>) {
        self.versions.push((id, hash, loaded));
        let mut bytes = 0;
        let fits = |(_, _, loaded): &&(FileId, String, Asset<Loaded>)| {
            bytes += loaded.bytes();
            bytes <= MAX_VERSIONS_BYTES
        };
        let retained = self.versions.iter().rev().take_while(fits).count().clamp(1, MAX_VERSIONS);
        self.versions.drain(..self.versions.len().saturating_sub(retained));
    }

    /// Takes the retained content that the document names by its fingerprint, and retains the content `current` instead.
    /// `None` if they are equal or that content is not retained.
    pub(super) fn exchange_version(&mut self, file: &SourceFile, current: Asset<Loaded>) -> Option<Asset<Loaded>> {
        let hash = self.hashes.get(&file.id).filter(|hash| **hash != file.hash)?.clone();
        let at = self.versions.iter().position(|(id, hash, _)| *id == file.id && *hash == file.hash)?;
        let (id, wanted, version) = self.versions.remove(at);
        self.keep_version(id, hash, current);
        self.hashes.insert(id, wanted);
        Some(version)
    }

    /// Returns the ids and paths of sources of which a file changed on disk since it was read. Missing files do not count.
    /// Reads the state of the files on disk.
    pub(super) fn changed(&self, document: &Document) -> (Vec<FileId>, Vec<PathBuf>) {
        // The last content of a file that is missing now stays loaded.
        let is_changed =
            |(path, known): (&PathBuf, &Option<Stamp>)| Stamp::read(path).is_some_and(|now| Some(now) != *known);
        let is_any_changed =
            |file: &&SourceFile| self.stamps.get(&file.id).is_some_and(|files| files.iter().any(is_changed));
        let changed = document.files.iter().filter(is_any_changed);
        changed.map(|file| (file.id, file.path.clone())).unzip()
    }

    /// Clears all records, for another document.
    pub(super) fn forget(&mut self) {
        (self.stamps, self.hashes, self.units, self.versions) = Default::default();
        (self.unread, self.arrived) = Default::default();
        self.revision += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use portamento_anim::Model;
    use portamento_anim::geometry::Texture;

    /// Returns the number of retained contents after eight reloads of a file with a texture of `bytes`.
    fn retained(bytes: usize) -> usize {
        let mut read = ReadFiles::default();
        for round in 0..8 {
            let textures = vec![Texture { width: 1, height: 1, rgba: vec![0; bytes] }];
            let loaded = Loaded { model: Model { textures, ..Model::default() }, ..Loaded::default() };
            read.keep_version(FileId(1), round.to_string(), Asset::new(loaded));
        }
        assert_eq!(read.versions.last().unwrap().1, "7");
        read.versions.len()
    }

    #[test]
    fn earlier_contents_of_large_files_are_dropped_except_for_the_last() {
        assert_eq!([1 << 10, 40 << 20, 200 << 20].map(retained), [8, 3, 1]);
    }
}
