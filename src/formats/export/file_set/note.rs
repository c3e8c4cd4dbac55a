//! Notes of commits: the paths of their journals in one known folder, so that the next start of the program finds
//! exports that were interrupted in any folder.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::interrupted::Interrupted;
use super::{PREFIX, cleanup, exact_path};
use crate::export::file_system::{Disk, FileSystem};
use portamento_base::regular_file;

/// Extension of notes.
const EXTENSION: &str = "export";

/// Maximum size of a note, bytes: a path of the largest length, encoded.
const MAX_BYTES: u64 = 64 << 10;

#[derive(Serialize, Deserialize)]
struct Note {
    #[serde(with = "exact_path")]
    journal: PathBuf,
}

/// Writes a note of `journal` to `folder` and returns its path. Returns `None` if that fails; the next export to the
/// same folder finds the journal too.
pub(super) fn write(system: &dyn FileSystem, folder: &Path, journal: &Path) -> Option<PathBuf> {
    let stem = journal.file_stem()?.to_str()?.strip_prefix(PREFIX)?;
    let path = folder.join(format!("{stem}.{EXTENSION}"));
    let bytes = serde_json::to_vec(&Note { journal: journal.to_owned() }).ok()?;
    let written = system.create(&path, &[&bytes]).and_then(|()| system.sync(&path));
    written.inspect_err(|_| drop(system.remove(&path))).is_ok().then_some(path)
}

/// Returns the interrupted exports that the notes in `folder` name, and removes the notes whose journal is gone. Removes
/// the files of dead processes in the folders of the journals.
pub fn noted(folder: &Path) -> Vec<Interrupted> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let mut found: Vec<Interrupted> = Vec::new();
    for path in entries.filter(|path| path.extension().is_some_and(|end| end == EXTENSION)) {
        let bytes = regular_file::beginning(&path, MAX_BYTES).unwrap_or_default();
        let Ok(Note { journal }) = portamento_base::json::parse(&bytes) else { continue };
        let remains = cleanup::clean(&Disk, journal.parent().unwrap_or(Path::new("/")));
        found.extend(remains.interrupted.into_iter().filter(|one| one.journal() == journal));
        if !journal.exists() {
            let _ = Disk.remove(&path);
        }
    }
    found
}
