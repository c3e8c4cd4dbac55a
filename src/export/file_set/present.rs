//! What is where a file goes.

use std::fs::Metadata;
use std::path::Path;

use super::shown;
use crate::export::ExportError;
use crate::message::message;
use crate::system_reason;

/// The file that is in the way at `target`, if any; refused where it is no plain file or may not be written.
pub(super) fn existing(path: &Path, target: &Path) -> Result<Option<Metadata>, ExportError> {
    let Ok(there) = std::fs::metadata(target) else { return Ok(None) };
    let refused = |reason| ExportError::Unwritable { file: shown(path), reason };
    if !there.is_file() {
        return Err(refused(system_reason::refused(message!("system.no_plain_file", "it is no plain file"))));
    }
    if there.permissions().readonly() {
        return Err(refused(system_reason::refused(message!("system.read_only", "it is read-only"))));
    }
    Ok(Some(there))
}

/// Whether the file at `path`, which `there` describes, holds exactly `bytes`.
pub(super) fn has_bytes(path: &Path, there: &Metadata, bytes: &[u8]) -> bool {
    there.len() == bytes.len() as u64 && std::fs::read(path).is_ok_and(|known| known == bytes)
}

/// Whether both are there and hold the same.
pub(super) fn have_equal_bytes(a: &Path, b: &Path) -> bool {
    std::fs::read(a).is_ok_and(|a| std::fs::metadata(b).is_ok_and(|there| has_bytes(b, &there, &a)))
}
