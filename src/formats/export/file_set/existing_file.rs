//! Checks of existing files at a target.

use std::fs::Metadata;
use std::path::Path;

use super::display;
use crate::export::ExportError;
use portamento_base::message::message;
use portamento_base::system_reason;

/// Returns the existing file at `target`, if any. Returns `Err` if it is not a regular file or is read-only. `path` is the
/// requested path for messages.
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
