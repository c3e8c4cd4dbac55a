//! What the files of one take were made from, kept beside them.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::Strip;
use crate::document::TakeId;
use crate::document::file::{fingerprint, fingerprint_of};
use crate::export::{ExportError, FileSet};

/// The folder of receipts in that of the files.
pub(in crate::session) const FOLDER: &str = ".portamento";

/// What was written of a take.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Receipt {
    /// The take's number in its project.
    pub id: TakeId,
    /// The take's name.
    pub take: String,
    /// Everything that its files depend on, as one number.
    pub key: String,
    /// How long it took to make them.
    pub seconds: f64,
    /// The files, in the order in which they were written.
    pub files: Vec<WrittenFile>,
    /// What its motion is like.
    pub figures: Value,
    /// A picture of it; none where it moves no joints.
    pub strip: Option<Strip>,
}

/// A file as it was written.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct WrittenFile {
    /// Its path from the folder, with `/`.
    pub path: String,
    /// Its length in bytes.
    pub bytes: u64,
    /// Fingerprint of its content.
    pub hash: String,
}

impl Receipt {
    /// The receipt of the take whose files are called `stem`; none where it cannot be read.
    pub fn read(folder: &Path, stem: &str) -> Option<Self> {
        serde_json::from_slice(&crate::regular_file::all(&place(folder, stem)).ok()?).ok()
    }

    /// All that are in `folder`, by number.
    pub fn all(folder: &Path) -> Vec<Self> {
        let entries = std::fs::read_dir(folder.join(FOLDER)).into_iter().flatten().flatten();
        let read = |path: PathBuf| serde_json::from_slice(&crate::regular_file::all(&path).ok()?).ok();
        let mut all: Vec<Self> = entries.filter_map(|entry| read(entry.path())).collect();
        all.sort_by_key(|receipt| receipt.id);
        all
    }

    /// Puts it beside the files in `folder`.
    pub fn write(&self, folder: &Path, stem: &str) -> Result<(), ExportError> {
        let bytes = serde_json::to_vec_pretty(self).unwrap_or_default();
        FileSet::write_now(|files| files.write(&place(folder, stem), &bytes))
    }

    /// Whether all files are in `folder` as they were written.
    pub fn has_all(&self, folder: &Path) -> bool {
        self.files.iter().all(|file| file.is_in(folder))
    }
}

fn place(folder: &Path, stem: &str) -> PathBuf {
    folder.join(FOLDER).join(format!("{stem}.json"))
}

impl WrittenFile {
    /// A file of these bytes at `path` from its folder.
    pub fn of_bytes(path: &Path, bytes: &[u8]) -> Self {
        Self { path: with_slashes(path), bytes: bytes.len() as u64, hash: fingerprint(bytes) }
    }

    /// The file at `path` as it is now.
    pub fn read(folder: &Path, path: &Path) -> Result<Self, ExportError> {
        let unreadable = |reason| ExportError::Unwritable { file: path.display().to_string(), reason };
        let file = std::fs::File::open(path).map_err(unreadable)?;
        let bytes = file.metadata().map_err(unreadable)?.len();
        let hash = fingerprint_of(file, || Ok(())).map_err(unreadable)?;
        Ok(Self { path: with_slashes(path.strip_prefix(folder).unwrap_or(path)), bytes, hash })
    }

    /// Whether it is in `folder` as it was written.
    pub fn is_in(&self, folder: &Path) -> bool {
        Self::read(folder, &folder.join(&self.path)).is_ok_and(|now| now == *self)
    }
}

fn with_slashes(path: &Path) -> String {
    let parts: Vec<_> = path.components().map(|part| part.as_os_str().to_string_lossy()).collect();
    parts.join("/")
}
