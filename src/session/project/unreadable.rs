//! The message for unreadable files.

use std::path::Path;

use portamento_base::message::{Message, message};

/// Returns the message for a file that cannot be read.
pub(crate) fn unreadable(path: &Path, reason: &std::io::Error) -> Message {
    message!(
        "notice.unreadable",
        "%{file} cannot be read: %{reason}. Check that it exists and that you have permission.",
        file = path.display().to_string(),
        reason = reason,
    )
}
