//! A number typed beyond the limits of its field: for a while the field says which limit was kept.

use egui::{Id, Response};

use crate::ui::i18n::tr_with;

/// The limit that was kept in place of what was typed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Limit {
    Lowest(f64),
    Highest(f64),
}

/// The limit of `range` that `typed` is beyond by more than rounding.
pub(super) fn passed(typed: f64, (lowest, highest): (f64, f64)) -> Option<Limit> {
    let rounding = 1e-9 * lowest.abs().max(highest.abs()).min(1e3);
    match typed {
        _ if typed < lowest - rounding => Some(Limit::Lowest(lowest)),
        _ if typed > highest + rounding => Some(Limit::Highest(highest)),
        _ => None,
    }
}

/// What a field says, and until when, seconds of the window's clock.
#[derive(Clone)]
struct Told {
    field: Id,
    sentence: String,
    until: f64,
}

/// For how long it is said, seconds.
const SHOWN: f64 = 4.0;

/// From now on the field says which limit was kept, `written` as its number is; nothing where none was.
pub(super) fn tell(field: &Response, kept: Option<Limit>, written: impl Fn(f64) -> String) {
    let sentence = match kept {
        Some(Limit::Lowest(value)) => tr_with("number.lowest", &[("limit", written(value))]),
        Some(Limit::Highest(value)) => tr_with("number.highest", &[("limit", written(value))]),
        None => return field.ctx.data_mut(|data| data.remove::<Told>(Id::new(KEPT))),
    };
    let until = field.ctx.input(|input| input.time) + SHOWN;
    field.ctx.data_mut(|data| data.insert_temp(Id::new(KEPT), Told { field: field.id, sentence, until }));
}

/// Draws what the field says, if it says something.
pub(super) fn show(field: &Response) {
    let told = field.ctx.data(|data| data.get_temp::<Told>(Id::new(KEPT))).filter(|told| told.field == field.id);
    let left = |told: &Told| told.until - field.ctx.input(|input| input.time);
    if let Some(told) = told.filter(|told| left(told) > 0.0) {
        field.ctx.request_repaint_after_secs(left(&told) as f32);
        field.show_tooltip_text(told.sentence);
    }
}

const KEPT: &str = "limit that was kept";

#[cfg(test)]
mod tests {
    use egui::Key;
    use egui_kittest::Harness;
    use egui_kittest::kittest::Queryable;

    use super::*;
    use crate::ui::widgets::form;
    use crate::ui::widgets::number::{Field, Unit, Whole, number, whole_number};

    #[test]
    fn what_is_typed_beyond_a_limit_is_told_of_until_it_is_read() {
        let mut kept = 0.5;
        let field = Field::new(Unit::Plain).within(0.0, 1.0);
        let mut harness = Harness::new_ui(|ui| drop(number(ui, "it", &mut kept, field)));
        harness.run();
        let limits = ["0.00", "1.00"];
        let expected =
            [("0.7", [false; 2]), ("3", [false, true]), ("-3", [true, false]), ("1", [false; 2]), ("3", [false, true])];
        for (text, are_told) in expected {
            type_in(&mut harness, text);
            assert_eq!(told(&harness, limits), are_told, "{text}");
        }
        harness.run_steps(60);
        assert_eq!(told(&harness, limits), [false; 2]);
        drop(harness);
        assert_eq!(kept, 1.0);
    }

    #[test]
    fn a_count_tells_its_limits_as_whole_numbers() {
        let mut kept = 8_usize;
        let field = || Whole::new(0.1).within(1..=64);
        let mut harness = Harness::new_ui(|ui| drop(form::called(whole_number(ui, &mut kept, field()), "it")));
        harness.run();
        for (text, are_told) in [("65", [false, true]), ("0", [true, false]), ("64", [false; 2])] {
            type_in(&mut harness, text);
            assert_eq!(told(&harness, ["1", "64"]), are_told, "{text}");
        }
        drop(harness);
        assert_eq!(kept, 64);
    }

    /// Types `text` into the only field.
    fn type_in(harness: &mut Harness<'_>, text: &str) {
        harness.get_by_label("it").focus();
        harness.run();
        harness.key_press_modifiers(egui::Modifiers::COMMAND, Key::A);
        harness.event(egui::Event::Text(text.to_owned()));
        harness.run();
        harness.key_press(Key::Enter);
        harness.run_steps(3);
    }

    /// Whether the lowest and the highest number are told to be these.
    fn told(harness: &Harness<'_>, [lowest, highest]: [&str; 2]) -> [bool; 2] {
        [("number.lowest", lowest), ("number.highest", highest)]
            .map(|(key, limit)| harness.query_by_label(&tr_with(key, &[("limit", limit.to_owned())])).is_some())
    }

    #[test]
    fn rounding_passes_no_limit() {
        let range = (0.0, 1.0);
        assert_eq!(passed(1.0 + 1e-12, range), None);
        assert_eq!(passed(1.1, range), Some(Limit::Highest(1.0)));
        assert_eq!(passed(-0.1, range), Some(Limit::Lowest(0.0)));
        assert_eq!(passed(0.1, (0.2, 1e6)), Some(Limit::Lowest(0.2)));
    }
}
