//! Temporary message at a number field when the entered value exceeded its limits.

use egui::{Id, Response};

use crate::i18n::tr_with;

/// The limit that replaced the entered value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Limit {
    Lowest(f64),
    Highest(f64),
}

/// Returns the limit of the range (lowest, highest) that `typed`, in the same unit, exceeds by more than rounding. `None` within
/// the range.
pub(super) fn passed(typed: f64, (lowest, highest): (f64, f64)) -> Option<Limit> {
    let rounding = 1e-9 * lowest.abs().max(highest.abs()).min(1e3);
    match typed {
        _ if typed < lowest - rounding => Some(Limit::Lowest(lowest)),
        _ if typed > highest + rounding => Some(Limit::Highest(highest)),
        _ => None,
    }
}

/// Message of a field and the time until which it is shown, in seconds of the window's clock.
#[derive(Clone)]
struct LimitMessage {
    field: Id,
    sentence: String,
    until: f64,
}

/// Display duration of the message, seconds.
const MESSAGE_SECONDS: f64 = 4.0;

/// Starts the message of `field` about the applied `limit`; `written` formats its value. Without a limit, clears the message of
/// any field.
pub(super) fn start_message(field: &Response, limit: Option<Limit>, written: impl Fn(f64) -> String) {
    let sentence = match limit {
        Some(Limit::Lowest(value)) => tr_with("number.lowest", &[("limit", written(value))]),
        Some(Limit::Highest(value)) => tr_with("number.highest", &[("limit", written(value))]),
        None => return field.ctx.data_mut(|data| data.remove::<LimitMessage>(Id::new(MESSAGE_KEY))),
    };
    let until = field.ctx.input(|input| input.time) + MESSAGE_SECONDS;
    field
        .ctx
        .data_mut(|data| data.insert_temp(Id::new(MESSAGE_KEY), LimitMessage { field: field.id, sentence, until }));
}

/// Shows the message of `field` as a tooltip until its time is over.
pub(super) fn show(field: &Response) {
    let message = field
        .ctx
        .data(|data| data.get_temp::<LimitMessage>(Id::new(MESSAGE_KEY)))
        .filter(|message| message.field == field.id);
    let seconds_left = |message: &LimitMessage| message.until - field.ctx.input(|input| input.time);
    if let Some(message) = message.filter(|message| seconds_left(message) > 0.0) {
        field.ctx.request_repaint_after_secs(seconds_left(&message) as f32);
        field.show_tooltip_text(message.sentence);
    }
}

const MESSAGE_KEY: &str = "limit that was kept";

#[cfg(test)]
mod tests {
    use egui::Key;
    use egui_kittest::Harness;
    use egui_kittest::kittest::Queryable;

    use super::*;
    use crate::widgets::form;
    use crate::widgets::number::{Field, IntegerField, Unit, number, whole_number};

    #[test]
    fn a_value_beyond_a_limit_shows_a_message_for_a_while() {
        let mut number_value = 0.5;
        let field = Field::new(Unit::Plain).within(0.0, 1.0);
        let mut harness = Harness::new_ui(|ui| drop(number(ui, "it", &mut number_value, field)));
        harness.run();
        let limits = ["0.00", "1.00"];
        let expected =
            [("0.7", [false; 2]), ("3", [false, true]), ("-3", [true, false]), ("1", [false; 2]), ("3", [false, true])];
        for (text, expected_messages) in expected {
            type_in(&mut harness, text);
            assert_eq!(shown_messages(&harness, limits), expected_messages, "{text}");
        }
        harness.run_steps(60);
        assert_eq!(shown_messages(&harness, limits), [false; 2]);
        drop(harness);
        assert_eq!(number_value, 1.0);
    }

    #[test]
    fn limits_of_a_count_are_shown_as_integers() {
        let mut count = 8_usize;
        let field = || IntegerField::new(0.1).within(1..=64);
        let mut harness = Harness::new_ui(|ui| drop(form::with_name(whole_number(ui, &mut count, field()), "it")));
        harness.run();
        for (text, expected_messages) in [("65", [false, true]), ("0", [true, false]), ("64", [false; 2])] {
            type_in(&mut harness, text);
            assert_eq!(shown_messages(&harness, ["1", "64"]), expected_messages, "{text}");
        }
        drop(harness);
        assert_eq!(count, 64);
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

    /// Returns for the minimum and the maximum whether a message with this number is shown.
    fn shown_messages(harness: &Harness<'_>, [lowest, highest]: [&str; 2]) -> [bool; 2] {
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
