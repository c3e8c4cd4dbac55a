//! Checks of existing files at a target.

use std::fs::Metadata;
use std::path::Path;

use super::display;
use crate::export::ExportError;
use portamento_base::message::message;
use portamento_base::system_reason;

/// Returns the existing file at `target`, if any. Returns `Err` if it is not a regular file or is read-only.
pub(super) fn existing(path: &Path, target: &Path) -> Result<Option<Metadata>, ExportError> {
    let Ok(metadata) = std::fs::metadata(target) else { return Ok(None) };
    let refused = |reason| ExportError::Unwritable { file: display(path), reason };
    if !metadata.is_file() {
        return Err(refused(system_reason::refused(message!("system.no_plain_file", "it is not a regular file"))));
    }
    if metadata.permissions().readonly() {
        return Err(refused(system_reason::refused(message!("system.read_only", "it is read-only"))));
    }
    Ok(Some(metadata))
}

/// True if the file at `path` with `metadata` has exactly `bytes`.
pub(super) fn has_bytes(path: &Path, metadata: &Metadata, bytes: &[u8]) -> bool {
    metadata.len() == bytes.len() as u64 && std::fs::read(path).is_ok_and(|known| known == bytes)
}

/// True if both files exist and have equal bytes.
pub(super) fn have_equal_bytes(a: &Path, b: &Path) -> bool {
    std::fs::read(a).is_ok_and(|a| std::fs::metadata(b).is_ok_and(|metadata| has_bytes(b, &metadata, &a)))
}
