//! Reset of a row to its default: Backspace over the row or while its control has focus, or an emptied number field.

use egui::{Context, Id, Key, Modifiers, Response, Ui};

use crate::focus;

/// Id of a row and the pass in which it was drawn.
#[derive(Clone, Copy, Debug, PartialEq)]
struct DrawnRow {
    row: Id,
    pass: u64,
}

const HOVERED_ROW: &str = "row under the pointer";
const FOCUSED_ROW: &str = "row with the focus";
const REQUESTED_ROW: &str = "row asked for its default";
const EMPTIED_NUMBER: &str = "number that was emptied";
const FOCUSED_CONTROL: &str = "control with the focus";

/// Consumes Backspace if a row is hovered or has keyboard focus, and requests its default. Call it before drawing.
///
/// Otherwise earlier panels would use the key to delete their selection.
pub fn take_backspace(ctx: &Context) {
    if ctx.text_edit_focused() || !ctx.input(|input| input.key_pressed(Key::Backspace)) {
        return;
    }
    let pass = ctx.cumulative_pass_nr();
    let drawn = |key: &str| {
        let drawn = ctx.data(|data| data.get_temp::<DrawnRow>(Id::new(key)));
        drawn.filter(|drawn| drawn.pass + 1 >= pass).map(|drawn| drawn.row)
    };
    let focused = drawn(FOCUSED_ROW).filter(|_| focus::is_by_keys(ctx));
    let row = focused.or_else(|| drawn(HOVERED_ROW));
    if let Some(row) = row
        && ctx.input_mut(|input| input.consume_key(Modifiers::NONE, Key::Backspace))
    {
        ctx.data_mut(|data| data.insert_temp(Id::new(REQUESTED_ROW), row));
    }
}

/// Starts a row: clears flags set by controls outside of rows.
pub(super) fn begin_row(ui: &Ui) {
    take_flag(ui.ctx(), FOCUSED_CONTROL);
    take_flag(ui.ctx(), EMPTIED_NUMBER);
}

/// Ends a row with the area `row`. Returns true if its default was requested, and clears the request.
///
/// Remembers the row if it is hovered or focused, for [`take_backspace`] in the next frame.
pub(super) fn end_row(ui: &Ui, row: &Response) -> bool {
    let drawn = DrawnRow { row: row.id, pass: ui.ctx().cumulative_pass_nr() };
    let has_focus = take_flag(ui.ctx(), FOCUSED_CONTROL);
    for (key, is_so) in [(FOCUSED_ROW, has_focus), (HOVERED_ROW, ui.rect_contains_pointer(row.rect))] {
        if is_so {
            ui.data_mut(|data| data.insert_temp(Id::new(key), drawn));
        }
    }
    let is_asked = ui.data(|data| data.get_temp::<Id>(Id::new(REQUESTED_ROW))) == Some(row.id);
    if is_asked {
        ui.data_mut(|data| data.remove::<Id>(Id::new(REQUESTED_ROW)));
    }
    take_flag(ui.ctx(), EMPTIED_NUMBER) || is_asked
}

/// Remembers that `control` has focus, if so, for [`end_row`].
pub(super) fn note_focus(control: &Response) {
    if control.has_focus() {
        set_flag(&control.ctx, FOCUSED_CONTROL);
    }
}

/// Remembers that the number was emptied, if `text` is blank, for [`end_row`].
pub(super) fn note_text(ctx: &Context, text: &str) {
    if text.trim().is_empty() {
        set_flag(ctx, EMPTIED_NUMBER);
    }
}

/// Ignores that a number was emptied, because it is one of several in its row. Emptying it does not reset the row.
pub(super) fn keep_emptied(ui: &Ui) {
    take_flag(ui.ctx(), EMPTIED_NUMBER);
}

/// Sets the flag named `what` until [`take_flag`] reads it.
fn set_flag(ctx: &Context, what: &str) {
    ctx.data_mut(|data| data.insert_temp(Id::new(what), true));
}

/// Returns true if the flag named `what` is set, and clears it.
fn take_flag(ctx: &Context, what: &str) -> bool {
    ctx.data_mut(|data| data.remove_temp::<bool>(Id::new(what))).unwrap_or(false)
}

#[cfg(test)]
mod tests {
    use egui::accesskit::Role;
    use egui::{Event, Key};
    use egui_kittest::Harness;
    use egui_kittest::kittest::Queryable;

    use super::*;
    use crate::widgets::form;
    use crate::widgets::number::{Field, Unit};
    use crate::widgets::rows::number_row;
    use crate::{fonts, theme};
    use portamento_session::appearance::Appearance;

    #[derive(Default)]
    struct Settings {
        is_set_up: bool,
        first: f64,
        second: f64,
        is_ticked: bool,
    }

    fn window() -> Harness<'static, Settings> {
        let settings = Settings { first: 3.0, second: 4.0, is_ticked: true, ..Settings::default() };
        let mut window = Harness::new_ui_state(
            |ui, settings: &mut Settings| {
                if !std::mem::replace(&mut settings.is_set_up, true) {
                    fonts::install(ui.ctx(), None);
                    theme::apply(ui.ctx(), Appearance::default());
                    ui.ctx().add_plugin(focus::KeyboardFocus::default());
                    return;
                }
                take_backspace(ui.ctx());
                number_row(ui, "walk_lean", &mut settings.first, Field::new(Unit::Plain), 1.0);
                number_row(ui, "walk_rest", &mut settings.second, Field::new(Unit::Plain), 2.0);
                let reset = form::row(ui, "skill_loops", |ui| drop(form::tick(ui, &mut settings.is_ticked)));
                settings.is_ticked &= !reset;
            },
            settings,
        );
        window.run();
        window
    }

    fn now(window: &Harness<'_, Settings>) -> (f64, f64, bool) {
        let settings = window.state();
        (settings.first, settings.second, settings.is_ticked)
    }

    #[test]
    fn backspace_resets_only_the_row_under_the_pointer() {
        let mut window = window();
        let row = window.query_all_by_role(Role::SpinButton).next().unwrap().rect();
        window.event(Event::PointerMoved(row.right_bottom() + egui::vec2(0.0, 200.0)));
        window.run();
        window.key_press(Key::Backspace);
        window.run();
        assert_eq!(now(&window), (3.0, 4.0, true));
        window.event(Event::PointerMoved(row.center()));
        window.run();
        window.key_press(Key::Backspace);
        window.run();
        assert_eq!(now(&window), (1.0, 4.0, true));
    }

    #[test]
    fn backspace_resets_the_focused_row_and_empty_input_its_number() {
        let mut window = window();
        for (presses, wanted) in [
            // In a number field Backspace edits its text, which is selected completely.
            (&[Key::Tab, Key::Backspace][..], (3.0, 4.0, true)),
            (&[Key::Tab], (1.0, 4.0, true)),
            (&[Key::Backspace, Key::Escape], (1.0, 4.0, true)),
            (&[Key::Tab], (1.0, 4.0, true)),
        ] {
            for key in presses {
                window.key_press(*key);
                window.run();
            }
            assert_eq!(now(&window), wanted, "{presses:?}");
        }
    }

    #[test]
    fn backspace_resets_a_focused_checkbox() {
        let mut window = window();
        for key in [Key::Tab, Key::Tab, Key::Tab, Key::Backspace] {
            window.key_press(key);
            window.run();
        }
        assert_eq!(now(&window), (3.0, 4.0, false));
    }
}
