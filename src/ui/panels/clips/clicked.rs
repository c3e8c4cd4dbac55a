//! Result of a click on a row, and the file name of a row.

use std::path::Path;

use portamento_session::clip_library::ClipTable;
use portamento_session::{Command, FileCommand};

/// A click on a row.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Clicked {
    /// Index among all rows.
    pub row: usize,
    /// True if the clip should be opened.
    pub opens: bool,
}

/// Returns the file name without its folder.
pub(super) fn name(file: &Path) -> String {
    file.file_name().map_or_else(|| file.display().to_string(), |name| name.to_string_lossy().into_owned())
}

/// Returns the command that opens the clip of a row. `row` is an index among all rows; `None` if there is no such row.
pub(super) fn open(clips: &ClipTable, row: usize) -> Option<Command> {
    let row = clips.rows().get(row)?;
    Some(Command::File(FileCommand::OpenClip { file: row.file.clone(), clip: row.clip.clone() }))
}
