//! File stamps: modification time, size and identity.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// Modification time, size and identity of a file, for detecting changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stamp {
    modified: Option<SystemTime>,
    bytes: u64,
    /// Number of the file, and time of the last change including renames, seconds and nanoseconds. Another file that was
    /// moved to this path may have the same size and modification time.
    #[cfg(unix)]
    moved: (u64, i64, i64),
}

/// The stamps of several files; `None` for a missing file.
pub type Stamps = BTreeMap<PathBuf, Option<Stamp>>;

impl Stamp {
    /// Reads the stamp of the file or folder at `path`, if it exists.
    pub fn read(path: &Path) -> Option<Self> {
        let data = std::fs::metadata(path).ok()?;
        #[cfg(unix)]
        let moved = {
            use std::os::unix::fs::MetadataExt as _;
            (data.ino(), data.ctime(), data.ctime_nsec())
        };
        Some(Self {
            modified: data.modified().ok(),
            bytes: data.len(),
            #[cfg(unix)]
            moved,
        })
    }

    /// Reads the stamps of `files`; `None` for missing ones.
    pub fn of_all(files: impl IntoIterator<Item = PathBuf>) -> Stamps {
        files.into_iter().map(|file| (file.clone(), Self::read(&file))).collect()
    }

    /// True if the file was last changed before `time` and, where the system tells, also last moved before it. False if the
    /// time of its change is unknown.
    pub(super) fn is_before(&self, time: SystemTime) -> bool {
        let is_modified_before = self.modified.is_some_and(|modified| modified < time);
        #[cfg(unix)]
        let is_modified_before = is_modified_before && {
            let since_1970 = time.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
            i64::try_from(since_1970.as_secs()).is_ok_and(|seconds| self.moved.1 < seconds)
        };
        is_modified_before
    }
}
