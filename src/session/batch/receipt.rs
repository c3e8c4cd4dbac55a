//! Receipts: the inputs of one take's files, stored next to the files.

use std::collections::BTreeSet;
use std::path::{Component, Path, PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::StripPath;
use crate::export::SetClip;
use portamento_base::fingerprint::{fingerprint, fingerprint_of_file};
use portamento_formats::export::{ExportError, FileSet};
use portamento_takes::document::TakeId;

/// Name of the receipts folder inside the export folder.
pub(crate) const FOLDER: &str = ".portamento";

/// The receipt of one exported take.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Receipt {
    /// The id of the take in its project.
    pub id: TakeId,
    /// The take's name.
    pub take: String,
    /// Fingerprint of everything the files depend on.
    pub key: String,
    /// Duration of the export, seconds.
    pub seconds: f64,
    /// The files, in the order in which they were written.
    pub files: Vec<WrittenFile>,
    /// Length, travel and findings of the motion.
    pub figures: Value,
    /// The motion as stick figures; `None` if the take moves no joints.
    pub strip: Option<StripPath>,
    /// The clip as a member of sets; `None` if the take is in no exported set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub set_clip: Option<Box<SetClip>>,
}

/// A written file with its size and hash.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct WrittenFile {
    /// Path relative to the folder, with `/` separators.
    pub path: String,
    /// Size in bytes.
    pub bytes: u64,
    /// Fingerprint of the content.
    pub hash: String,
}

impl Receipt {
    /// Reads the receipt of the take whose files are called `stem`; `None` if it is missing or invalid.
    pub fn read(folder: &Path, stem: &str) -> Option<Self> {
        portamento_base::json::parse(&portamento_base::regular_file::all(&receipt_path(folder, stem)).ok()?).ok()
    }

    /// Reads all receipts of `folder`, sorted by take id. Invalid ones are left out.
    pub fn all(folder: &Path) -> Vec<Self> {
        let entries = std::fs::read_dir(folder.join(FOLDER)).into_iter().flatten().flatten();
        let read = |path: PathBuf| portamento_base::json::parse(&portamento_base::regular_file::all(&path).ok()?).ok();
        let mut all: Vec<Self> = entries.filter_map(|entry| read(entry.path())).collect();
        all.sort_by_key(|receipt| receipt.id);
        all
    }

    /// Writes the receipt into the receipts folder of `folder`. It replaces an earlier one for the files called `stem`.
    pub fn write(&self, folder: &Path, stem: &str) -> Result<(), ExportError> {
        let bytes = serde_json::to_vec_pretty(self).unwrap_or_default();
        FileSet::write_now(|files| files.write(&receipt_path(folder, stem), &bytes))
    }

    /// True if all files exist in `folder` with unchanged content.
    pub fn has_all(&self, folder: &Path) -> bool {
        all_in(&self.files, folder)
    }
}

/// True if all `files` exist in `folder` with unchanged content. Each is read once, however often it is listed.
pub(crate) fn all_in<'f>(files: impl IntoIterator<Item = &'f WrittenFile>, folder: &Path) -> bool {
    files.into_iter().collect::<BTreeSet<_>>().into_iter().all(|file| file.is_in(folder))
}

/// Returns the path of the receipt for the files called `stem` in `folder`.
fn receipt_path(folder: &Path, stem: &str) -> PathBuf {
    folder.join(FOLDER).join(format!("{stem}.json"))
}

impl WrittenFile {
    /// Describes a file with the content `bytes`; `path` is relative to the folder.
    pub fn of_bytes(path: &Path, bytes: &[u8]) -> Self {
        Self { path: with_slashes(path), bytes: bytes.len() as u64, hash: fingerprint(bytes) }
    }

    /// Describes the file currently at `path`. Its path is stored relative to `folder`. Returns `Err` if it cannot be read.
    pub fn read(folder: &Path, path: &Path) -> Result<Self, ExportError> {
        let unreadable = |reason| ExportError::Unwritable { file: path.display().to_string(), reason };
        let (bytes, hash) = fingerprint_of_file(path).map_err(unreadable)?;
        Ok(Self { path: with_slashes(path.strip_prefix(folder).unwrap_or(path)), bytes, hash })
    }

    /// True if the file exists in `folder` with unchanged content. Files elsewhere are not read.
    pub fn is_in(&self, folder: &Path) -> bool {
        let path = Path::new(&self.path);
        let is_inside = path.components().all(|part| matches!(part, Component::Normal(_)));
        // Other spellings of a path would be read once more each.
        is_inside
            && with_slashes(path) == self.path
            && Self::read(folder, &folder.join(&self.path)).is_ok_and(|now| now == *self)
    }
}

/// Returns `path` as text with `/` between its components.
fn with_slashes(path: &Path) -> String {
    let parts: Vec<_> = path.components().map(|part| part.as_os_str().to_string_lossy()).collect();
    parts.join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_receipt_reads_only_regular_files_in_its_own_folder() {
        let folder = tempfile::tempdir().unwrap();
        let out = folder.path().join("out");
        std::fs::create_dir_all(out.join("deep")).unwrap();
        for name in ["secret", "out/a.glb", "out/deep/b.glb"] {
            std::fs::write(folder.path().join(name), name).unwrap();
        }
        let receipt = |path: &str, content: &str| WrittenFile::of_bytes(Path::new(path), content.as_bytes());
        assert!(receipt("a.glb", "out/a.glb").is_in(&out) && receipt("deep/b.glb", "out/deep/b.glb").is_in(&out));
        let absolute = folder.path().join("secret").display().to_string();
        for path in ["../secret", "deep/../../secret", &absolute] {
            let there = WrittenFile { path: path.into(), ..receipt("secret", "secret") };
            assert!(!there.is_in(&out), "{path}");
        }
        if cfg!(unix) {
            assert!(std::process::Command::new("mkfifo").arg(out.join("pipe")).status().unwrap().success());
            assert!(
                std::process::Command::new("ln")
                    .args(["-s", "/dev/zero"])
                    .arg(out.join("zero"))
                    .status()
                    .unwrap()
                    .success()
            );
            assert!(!receipt("pipe", "").is_in(&out) && !receipt("zero", "").is_in(&out));
        }
    }
}
