//! One file to disk: the whole new one, or the old one untouched.

use std::path::Path;
use std::sync::Arc;

use super::file_system::{Disk, FileSystem};
use super::{ExportError, FileSet, Replace};

/// Writes `bytes` to `path`, in place of what is there. Errors when the folder is full or may not be written to, and when what is
/// there is read-only or no plain file; `path` then keeps what it had.
pub fn write(path: &Path, bytes: &[u8]) -> Result<(), ExportError> {
    write_on(Arc::new(Disk), path, bytes)
}

/// The same on another disk.
pub fn write_on(system: Arc<dyn FileSystem>, path: &Path, bytes: &[u8]) -> Result<(), ExportError> {
    let mut files = FileSet::on(system, Arc::default());
    files.write(path, bytes)?;
    files.commit(Replace::Allow).map(|_| ())
}
