//! What a file looked like from outside when it was read.

use std::path::Path;
use std::time::SystemTime;

/// What a file looked like from outside when it was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::session) struct Stamp {
    modified: Option<SystemTime>,
    bytes: u64,
}

impl Stamp {
    /// That of the file or folder at `path`, if it is there.
    pub fn read(path: &Path) -> Option<Self> {
        let data = std::fs::metadata(path).ok()?;
        Some(Self { modified: data.modified().ok(), bytes: data.len() })
    }
}
