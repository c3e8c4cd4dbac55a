//! Commands of the clip library, for the palette and the keyboard.

use super::Found;
use crate::command::CommandEntry;
use crate::{ClipTable, Command, WindowCommand};
use portamento_base::message::{Message, message};

/// A command of the clip library.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LibraryCommand {
    /// Shows the selected clip.
    Open,
    /// Creates a take with fixing stages for each selected clip.
    Mend,
    /// Creates takes of the selected clips with the stages of the shown take.
    GiveStages,
    /// Opens the tag dialog for the selected clips.
    Tag,
    /// Selects all shown rows.
    ChooseShown,
    /// Selects the shown rows with that finding.
    ChooseFound(Found),
    /// Clears the search and shows all clips.
    ShowAll,
    /// Copies the table to the clipboard.
    Copy,
    /// Opens the column chooser.
    Columns,
    /// Shows all columns.
    AllColumns,
    /// Opens the folder of the first selected clip in the system's file manager.
    Folder,
    /// Toggles the scatter plot of two figures.
    Plot,
}

/// Returns the palette entries of the clip library.
pub(crate) fn library_entries() -> Vec<CommandEntry> {
    let entry = |name, command| CommandEntry::new(name, Command::Window(WindowCommand::Library(command)), &[]);
    vec![
        entry("clips_open", LibraryCommand::Open),
        entry("clips_mend", LibraryCommand::Mend),
        entry("clips_stages", LibraryCommand::GiveStages),
        entry("clips_tag", LibraryCommand::Tag),
        entry("clips_choose_shown", LibraryCommand::ChooseShown),
        entry("clips_choose_found", LibraryCommand::ChooseFound(Found::Something)),
        entry("clips_show_all", LibraryCommand::ShowAll),
        entry("clips_copy", LibraryCommand::Copy),
        entry("clips_columns", LibraryCommand::Columns),
        entry("clips_all_columns", LibraryCommand::AllColumns),
        entry("clips_folder", LibraryCommand::Folder),
        entry("clips_plot", LibraryCommand::Plot),
    ]
}

impl LibraryCommand {
    /// Returns `Err` with the reason if the command cannot run on `clips`.
    pub fn fits(self, clips: &ClipTable) -> Result<(), Message> {
        match self {
            _ if clips.rows().is_empty() => Err(message!(
                "notice.no_clips_listed",
                "No clips are listed. List the clips of a folder in the library first."
            )),
            Self::Open if clips.chosen.len() > 1 => {
                Err(message!("notice.several_clips_chosen", "Several clips are selected. Select the one to show."))
            }
            Self::Open | Self::Mend | Self::GiveStages | Self::Tag | Self::Folder if clips.chosen.is_empty() => {
                Err(message!("notice.no_clips_chosen", "No clips are selected. Select clips in the library first."))
            }
            Self::Mend if !clips.can_mend_chosen() => Err(message!(
                "notice.nothing_to_mend",
                "The selected clips have no findings that can be fixed. Select others."
            )),
            _ => Ok(()),
        }
    }
}
