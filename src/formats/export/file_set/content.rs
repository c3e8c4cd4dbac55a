//! The content of files, by which a set knows its own files from those of other programs.

use std::path::Path;
use std::thread::sleep;
use std::time::Duration;

use portamento_base::fingerprint::{fingerprint_of_file, fingerprint_of_pieces};
use serde::{Deserialize, Serialize};

/// Length and fingerprint of a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Content {
    bytes: u64,
    /// Fingerprint of the bytes; `None` if they could not be read.
    hash: Option<String>,
}

impl Content {
    /// Returns the content that is `pieces` one after another.
    pub(super) fn of(pieces: &[&[u8]]) -> Self {
        Self { bytes: pieces.iter().map(|piece| piece.len() as u64).sum(), hash: Some(fingerprint_of_pieces(pieces)) }
    }

    /// Returns the content of the file at `path`; `None` if there is no file. A file that cannot be read has a length only.
    pub(super) fn at(path: &Path) -> Option<Self> {
        let length = std::fs::metadata(path).ok()?.len();
        let read = fingerprint_of_file(path).ok();
        Some(read.map_or(Self { bytes: length, hash: None }, |(bytes, hash)| Self { bytes, hash: Some(hash) }))
    }

    /// True if the bytes could be read.
    pub(super) fn is_known(&self) -> bool {
        self.hash.is_some()
    }
}

/// Number of times that a renamed file is looked for, and the time between them. On some network disks other files
/// show up late. Tuned; no derivation recorded.
const ATTEMPTS: u32 = 10;
const BETWEEN_ATTEMPTS: Duration = Duration::from_millis(20);

/// True if the file at `path` has the content `new`. Waits up to 0.2 seconds for it.
pub(super) fn arrives(path: &Path, new: &Content) -> bool {
    (0..ATTEMPTS).any(|attempt| {
        if attempt > 0 {
            sleep(BETWEEN_ATTEMPTS);
        }
        Content::at(path).as_ref() == Some(new)
    })
}
