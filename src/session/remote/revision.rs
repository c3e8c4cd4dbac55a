//! The number that changes with the takes and files of the status.

use std::time::SystemTime;

use crate::{Session, Shown};
use portamento_takes::document::Document;

/// The inputs of the takes and files of the status.
#[derive(Debug)]
pub(super) struct Seen {
    document: Document,
    /// The number of the last read of a source.
    read: usize,
    shown: Shown,
    is_calm: bool,
}

impl Session {
    /// Returns a number that is another one than before if the takes or files of the status may have changed. It is also the
    /// answer to the next requests for the revision.
    pub(super) fn note_changes(&mut self) -> u64 {
        let is_seen = self.remote.seen.as_ref().is_some_and(|seen| {
            seen.read == self.read.revision()
                && seen.is_calm == self.is_calm
                && seen.shown == self.selection.shown
                && seen.document == self.document
        });
        if !is_seen {
            self.remote.revision += 1;
            self.remote.seen = Some(Seen {
                document: self.document.clone(),
                read: self.read.revision(),
                shown: self.selection.shown.clone(),
                is_calm: self.is_calm,
            });
        }
        if let Some(control) = &self.remote.control {
            control.listener.set_revision(self.remote.revision);
        }
        self.remote.revision
    }
}

/// Returns a first number that differs from those of earlier windows: the microseconds since 1970.
pub(super) fn first() -> u64 {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_micros()).unwrap_or_default()
}
