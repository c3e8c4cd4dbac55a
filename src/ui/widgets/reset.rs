//! The default of a row, asked for by Backspace: over the row, or while a control of it has the focus; or by a number that is emptied.

use egui::{Context, Id, Key, Modifiers, Response, Ui};

use crate::ui::focus;

/// A row as it was drawn last.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Drawn {
    row: Id,
    pass: u64,
}

const UNDER_POINTER: &str = "row under the pointer";
const FOCUSED: &str = "row with the focus";
const ASKED: &str = "row asked for its default";
const IS_EMPTIED: &str = "number that was emptied";
const HAS_FOCUS: &str = "control with the focus";

/// Takes Backspace out of the input where it is meant for a row; to be called before anything is drawn, since panels that come
/// before the row would remove what is selected in them.
pub fn take(ctx: &Context) {
    if ctx.text_edit_focused() || !ctx.input(|input| input.key_pressed(Key::Backspace)) {
        return;
    }
    let pass = ctx.cumulative_pass_nr();
    let drawn = |place: &str| {
        let drawn = ctx.data(|data| data.get_temp::<Drawn>(Id::new(place)));
        drawn.filter(|drawn| drawn.pass + 1 >= pass).map(|drawn| drawn.row)
    };
    let focused = drawn(FOCUSED).filter(|_| focus::is_by_keys(ctx));
    let row = focused.or_else(|| drawn(UNDER_POINTER));
    if let Some(row) = row
        && ctx.input_mut(|input| input.consume_key(Modifiers::NONE, Key::Backspace))
    {
        ctx.data_mut(|data| data.insert_temp(Id::new(ASKED), row));
    }
}

/// Forgets what controls outside of rows told.
pub(super) fn begin_row(ui: &Ui) {
    told(ui.ctx(), HAS_FOCUS);
    told(ui.ctx(), IS_EMPTIED);
}

/// Whether the default of `row`, which has just been drawn, is asked for.
pub(super) fn end_row(ui: &Ui, row: &Response) -> bool {
    let drawn = Drawn { row: row.id, pass: ui.ctx().cumulative_pass_nr() };
    let has_focus = told(ui.ctx(), HAS_FOCUS);
    for (place, is_so) in [(FOCUSED, has_focus), (UNDER_POINTER, ui.rect_contains_pointer(row.rect))] {
        if is_so {
            ui.data_mut(|data| data.insert_temp(Id::new(place), drawn));
        }
    }
    let is_asked = ui.data(|data| data.get_temp::<Id>(Id::new(ASKED))) == Some(row.id);
    if is_asked {
        ui.data_mut(|data| data.remove::<Id>(Id::new(ASKED)));
    }
    told(ui.ctx(), IS_EMPTIED) || is_asked
}

/// Tells the row that is drawn whether its control has the focus.
pub(super) fn tell_focus(control: &Response) {
    if control.has_focus() {
        tell(&control.ctx, HAS_FOCUS);
    }
}

/// Tells the row that is drawn whether nothing is left of what stood in its number.
pub(super) fn tell_text(ctx: &Context, text: &str) {
    if text.trim().is_empty() {
        tell(ctx, IS_EMPTIED);
    }
}

/// Lets an emptied number be as it was: it is one of several in its row.
pub(super) fn keep_emptied(ui: &Ui) {
    told(ui.ctx(), IS_EMPTIED);
}

fn tell(ctx: &Context, what: &str) {
    ctx.data_mut(|data| data.insert_temp(Id::new(what), true));
}

fn told(ctx: &Context, what: &str) -> bool {
    ctx.data_mut(|data| data.remove_temp::<bool>(Id::new(what))).unwrap_or(false)
}

#[cfg(test)]
mod tests {
    use egui::accesskit::Role;
    use egui::{Event, Key};
    use egui_kittest::Harness;
    use egui_kittest::kittest::Queryable;

    use super::*;
    use crate::session::appearance::Appearance;
    use crate::ui::widgets::form;
    use crate::ui::widgets::number::{Field, Unit};
    use crate::ui::widgets::rows::number_row;
    use crate::ui::{fonts, theme};

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
                take(ui.ctx());
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
    fn backspace_over_a_row_brings_its_default_and_beside_rows_nothing() {
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
    fn backspace_resets_what_tab_went_to_and_a_number_once_it_is_left_empty() {
        let mut window = window();
        for (presses, wanted) in [
            // In a field Backspace is for its text, which is chosen whole.
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
    fn backspace_unticks_what_is_unticked_by_itself_once_tab_went_to_it() {
        let mut window = window();
        for key in [Key::Tab, Key::Tab, Key::Tab, Key::Backspace] {
            window.key_press(key);
            window.run();
        }
        assert_eq!(now(&window), (3.0, 4.0, false));
    }
}
