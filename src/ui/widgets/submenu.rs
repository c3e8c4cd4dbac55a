//! A menu within a menu.

use egui::containers::menu::SubMenuButton;
use egui::{Button, RichText, Ui};
use egui_material_icons::icons::ICON_CHEVRON_RIGHT;

/// An entry called `title` that opens `entries` beside it.
pub fn submenu(ui: &mut Ui, title: impl Into<RichText>, entries: impl FnOnce(&mut Ui)) {
    // The usual arrow is not in the fonts.
    let button = Button::new(title.into()).right_text(ICON_CHEVRON_RIGHT.codepoint);
    SubMenuButton::from_button(button).ui(ui, entries);
}
