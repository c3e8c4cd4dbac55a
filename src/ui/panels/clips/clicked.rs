//! What was done to a row, and what its file is called.

use std::path::Path;

/// What was done to a row.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Clicked {
    /// Its place among all rows.
    pub row: usize,
    /// Whether its file is to be opened.
    pub opens: bool,
}

/// The file's own name.
pub(super) fn name(file: &Path) -> String {
    file.file_name().map_or_else(|| file.display().to_string(), |name| name.to_string_lossy().into_owned())
}
