//! A clip that can be chosen.

use egui_material_icons::icons::ICON_CONVERSION_PATH;

use crate::document::FileId;

/// A clip that can be chosen: its name and, where it is not the character's own, its file.
#[derive(Clone, Debug, PartialEq)]
pub struct Choice {
    /// The clip's name in its file, or what means a take.
    pub clip: String,
    /// Its name as it is shown.
    pub title: String,
    /// Where else it is.
    pub file: Option<(FileId, String)>,
    /// Whether it is a take.
    pub is_take: bool,
}

impl Choice {
    /// Its name, marked where it is a take.
    pub fn label(&self) -> String {
        if self.is_take { format!("{}  {}", ICON_CONVERSION_PATH.codepoint, self.title) } else { self.title.clone() }
    }
}

/// The name to show for `clip`, which may mean a take.
pub fn title(choices: &[Choice], clip: &str) -> String {
    choices.iter().find(|choice| choice.clip == clip).map_or_else(|| clip.to_owned(), Choice::label)
}
