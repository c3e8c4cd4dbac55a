//! Submenu entry.

use egui::containers::menu::SubMenuButton;
use egui::{Button, RichText, Ui};
use egui_material_icons::icons::ICON_CHEVRON_RIGHT;

/// Draws an entry `title` that opens `entries` as a submenu.
pub fn submenu(ui: &mut Ui, title: impl Into<RichText>, entries: impl FnOnce(&mut Ui)) {
    // The default arrow is missing from the fonts.
    let button = Button::new(title.into()).right_text(ICON_CHEVRON_RIGHT.codepoint);
    SubMenuButton::from_button(button).ui(ui, entries);
}
