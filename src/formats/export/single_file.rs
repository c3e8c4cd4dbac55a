//! Writes a single file: either the complete new file, or the old one unchanged.

use std::path::Path;
use std::sync::Arc;

use super::file_system::{Disk, FileSystem};
use super::{ExportError, FileSet, Replace};

/// Writes `bytes` to `path`, replacing an existing file.
/// Returns `Err` if the folder is full or not writable, or if the existing file is read-only or not a regular file.
/// `path` is then unchanged.
pub fn write(path: &Path, bytes: &[u8]) -> Result<(), ExportError> {
    write_on(Arc::new(Disk), path, bytes)
}

/// [`write()`] on another file system. Missing folders are created.
pub fn write_on(system: Arc<dyn FileSystem>, path: &Path, bytes: &[u8]) -> Result<(), ExportError> {
    let mut files = FileSet::on(system, Arc::default());
    files.write(path, bytes)?;
    files.commit(Replace::Allow).map(|_| ())
}
