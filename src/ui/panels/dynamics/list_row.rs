//! Rows of lists of chains and colliders.

use egui::{RichText, Ui};

use crate::ui::{theme, widgets};

/// What was clicked in a row of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RowClick {
    /// Nothing, or what the row does by itself.
    Nothing,
    /// The name: the row is to be selected.
    Name,
    /// The icon that takes the row out of the list.
    Remove,
}

impl RowClick {
    pub(super) fn of_row(name: bool, remove: bool) -> Self {
        match (name, remove) {
            (_, true) => Self::Remove,
            (true, false) => Self::Name,
            (false, false) => Self::Nothing,
        }
    }
}

/// The name in a list row, as wide as leaves room for one icon; answers whether it was clicked.
pub(super) fn list_name(ui: &mut Ui, name: &str, on: bool, dim: bool) -> bool {
    let tokens = theme::of(ui);
    let width = ui.available_width() - theme::ROW - theme::SMALL;
    let ink = match (on, dim) {
        (true, _) => tokens.accent,
        (false, true) => tokens.dim,
        (false, false) => tokens.text,
    };
    let fill = if on { tokens.raised } else { egui::Color32::TRANSPARENT };
    // What grows after the text keeps it at the left.
    let text = (RichText::new(name).color(ink), egui::Atom::grow());
    let button = egui::Button::new(text).fill(fill).stroke(egui::Stroke::NONE).truncate();
    widgets::named(ui.add_sized([width, theme::ROW], button), name).clicked()
}
