//! What to say about a file that the system does not give.

use std::path::Path;

use crate::message::{Message, message};

/// What to say about a file that the system does not give.
pub(in crate::session) fn unreadable(path: &Path, reason: &std::io::Error) -> Message {
    message!(
        "notice.unreadable",
        "%{file} could not be read: %{reason}. Check that it exists and may be read.",
        file = path.display().to_string(),
        reason = reason,
    )
}
