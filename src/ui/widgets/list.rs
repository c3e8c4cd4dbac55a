//! Rows of a drop-down list. Arrow keys start at the chosen row; Enter takes a row and closes the list.

use egui::{Atom, Id, IntoAtoms, Response, RichText, Ui};

use crate::theme;

/// Draws a row that sets `value` to `row` when clicked, and closes the list. The response is marked as changed if the value
/// changed.
pub fn value<'a, T: PartialEq>(ui: &mut Ui, value: &mut T, row: T, text: impl IntoAtoms<'a>) -> Response {
    let mut response = label(ui, *value == row, text);
    if response.clicked() && *value != row {
        *value = row;
        response.mark_changed();
    }
    response
}

/// Draws a row; a click closes the list. The chosen row gets the focus when the list opens.
pub fn label<'a>(ui: &mut Ui, is_chosen: bool, text: impl IntoAtoms<'a>) -> Response {
    let response = ui.selectable_label(is_chosen, text);
    let is_new = has_just_opened(ui);
    if is_chosen && is_new {
        response.request_focus();
    }
    if response.gained_focus() {
        response.scroll_to_me(None);
    }
    if response.clicked() {
        ui.close();
    }
    response
}

/// Draws a row like [`label`] with a dim value at its end.
pub fn with_value(ui: &mut Ui, is_chosen: bool, name: &str, value: String) -> Response {
    let tokens = theme::of(ui);
    // Dim text is unreadable on the fill of a chosen row.
    let ink = if is_chosen { tokens.text } else { tokens.dim };
    label(ui, is_chosen, (name, Atom::grow(), RichText::new(value).color(ink)))
}

/// True if the list was not drawn in the last frame.
fn has_just_opened(ui: &Ui) -> bool {
    let (id, now): (Id, u64) = (ui.id().with("list"), ui.ctx().cumulative_frame_nr());
    ui.data_mut(|data| {
        let (opened, last): (u64, u64) = data.get_temp(id).unwrap_or((now, now));
        let opened = if last + 1 < now { now } else { opened };
        data.insert_temp(id, (opened, now));
        opened == now
    })
}
