//! Row of the chain and collider lists.

use egui::{RichText, Ui};

use crate::{theme, widgets};

/// The clicked part of a list row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RowClick {
    /// No click, or one that the row handled itself.
    Nothing,
    /// The name: selects the row.
    Name,
    /// The delete icon.
    Remove,
}

impl RowClick {
    /// Returns the click on a row whose name or remove button was clicked.
    pub(super) fn of_row(name: bool, remove: bool) -> Self {
        match (name, remove) {
            (_, true) => Self::Remove,
            (true, false) => Self::Name,
            (false, false) => Self::Nothing,
        }
    }
}

/// Draws the name in a list row and leaves room for one icon. `on` highlights it, `dim` makes it paler. Returns true if clicked.
pub(super) fn list_name(ui: &mut Ui, name: &str, on: bool, dim: bool) -> bool {
    let tokens = theme::of(ui);
    let width = ui.available_width() - theme::ROW - theme::GAP_SMALL;
    let ink = match (on, dim) {
        (true, _) => tokens.accent,
        (false, true) => tokens.dim,
        (false, false) => tokens.text,
    };
    let fill = if on { tokens.raised } else { egui::Color32::TRANSPARENT };
    // The growing atom after the text keeps the text at the left.
    let text = (RichText::new(name).color(ink), egui::Atom::grow());
    let button = egui::Button::new(text).fill(fill).stroke(egui::Stroke::NONE).truncate();
    widgets::named(ui.add_sized([width, theme::ROW], button), name).clicked()
}
