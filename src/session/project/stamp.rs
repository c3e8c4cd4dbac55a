//! File stamps: modification time and size.

use std::path::Path;
use std::time::SystemTime;

/// Modification time and size of a file, for detecting changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Stamp {
    modified: Option<SystemTime>,
    bytes: u64,
}

impl Stamp {
    /// Reads the stamp of the file or folder at `path`, if it exists.
    pub fn read(path: &Path) -> Option<Self> {
        let data = std::fs::metadata(path).ok()?;
        Some(Self { modified: data.modified().ok(), bytes: data.len() })
    }
}
