//! What was done to a row, and what its file is called.

use std::path::Path;

use crate::session::clip_library::ClipTable;
use crate::session::{Command, FileCommand};

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

/// Opens the clip of a row, by its place among all.
pub(super) fn open(clips: &ClipTable, row: usize) -> Option<Command> {
    let row = clips.rows().get(row)?;
    Some(Command::File(FileCommand::OpenClip { file: row.file.clone(), clip: row.clip.clone() }))
}
