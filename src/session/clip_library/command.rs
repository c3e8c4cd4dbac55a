//! What can be asked of the list of clips by name or key, as its buttons do it.

use super::Found;
use crate::message::{Message, message};
use crate::session::command::CommandEntry;
use crate::session::{ClipTable, Command, WindowCommand};

/// One request about the clips that are listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LibraryCommand {
    /// Shows the one chosen clip.
    Open,
    /// Makes a take of each chosen clip that mends what was found in it.
    Mend,
    /// Makes takes of the chosen clips with the stages of the shown take.
    GiveStages,
    /// Asks for a tag for the chosen clips.
    Tag,
    /// Chooses all that are shown.
    ChooseShown,
    /// Chooses those of the shown ones in which that was found.
    ChooseFound(Found),
    /// Shows all clips, whatever was searched for.
    ShowAll,
    /// Copies the table.
    Copy,
    /// Asks which columns are shown.
    Columns,
    /// Shows all columns.
    AllColumns,
    /// Opens the folder of the first chosen clip in the system's file manager.
    Folder,
    /// Plots two figures against each other, or stops that.
    Plot,
}

/// What can be done with the list of clips.
pub(in crate::session) fn library_entries() -> Vec<CommandEntry> {
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
    /// Why it can do nothing with `clips`, if so.
    pub fn fits(self, clips: &ClipTable) -> Result<(), Message> {
        match self {
            _ if clips.rows().is_empty() => Err(message!(
                "notice.no_clips_listed",
                "No clips are listed. List the clips of a folder in the library first."
            )),
            Self::Open if clips.chosen.len() > 1 => Err(message!(
                "notice.several_clips_chosen",
                "Several clips are chosen. Choose the one that shall be shown."
            )),
            Self::Open | Self::Mend | Self::GiveStages | Self::Tag | Self::Folder if clips.chosen.is_empty() => {
                Err(message!("notice.no_clips_chosen", "No clips are chosen. Choose those in the library first."))
            }
            Self::Mend if !clips.can_mend_chosen() => Err(message!(
                "notice.nothing_to_mend",
                "Nothing was found in the chosen clips that could be mended. Choose others."
            )),
            _ => Ok(()),
        }
    }
}
