//! An entry in a drop-down of clips.

use egui_material_icons::icons::ICON_CONVERSION_PATH;

use portamento_takes::document::FileId;

/// A clip or take that can be chosen, with the file it comes from if that is not the character's own.
#[derive(Clone, Debug, PartialEq)]
pub struct Choice {
    /// The clip's name in its file, or the reference of a take.
    pub clip: String,
    /// Display name.
    pub title: String,
    /// Id and name of the file, or `None` for the character's own file.
    pub file: Option<(FileId, String)>,
    /// True for a take.
    pub is_take: bool,
}

impl Choice {
    /// Returns the display name, with an icon in front if it is a take.
    pub fn label(&self) -> String {
        if self.is_take { format!("{}  {}", ICON_CONVERSION_PATH.codepoint, self.title) } else { self.title.clone() }
    }
}

/// Returns the label of `clip`, which may be the reference of a take. An unknown clip is returned unchanged.
pub fn title(choices: &[Choice], clip: &str) -> String {
    choices.iter().find(|choice| choice.clip == clip).map_or_else(|| clip.to_owned(), Choice::label)
}
