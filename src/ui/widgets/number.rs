//! Number fields that accept units: `5cm`, `30deg`, `1/24s`. Drag to change, Shift for fine steps, click to type.

use std::cell::Cell;
use std::ops::RangeInclusive;

use egui::emath::Numeric;
use egui::text::{CCursor, CCursorRange};
use egui::text_edit::TextEditState;
use egui::{DragValue, Response, Ui};

use super::{escape, form, limit, reset};
use crate::keys::scope;
use crate::theme;
pub use crate::units::{Unit, parse};

/// Options of a number field.
#[derive(Clone, Copy, Debug)]
pub struct Field {
    /// Unit of the number.
    pub unit: Unit,
    /// Change per point of drag, in the stored unit.
    pub per_pixel: f64,
    /// Minimum and maximum, in the stored unit.
    pub range: (f64, f64),
    /// Decimal places in the stored unit; for angles, in degrees.
    pub decimals: usize,
    /// Width in points; 0 uses the rest of the row.
    pub width: f32,
    /// True if the unit is not displayed, for narrow fields. It is still accepted as input.
    pub without_unit: bool,
}

impl Field {
    /// Returns a field for `unit` with a default drag speed, as wide as the row. Its limits are ±1 000 000.
    pub fn new(unit: Unit) -> Self {
        let (per_pixel, decimals) = match unit {
            Unit::Plain => (0.01, 2),
            Unit::Share => (0.01, 4),
            Unit::Metres => (0.01, 3),
            Unit::Centimetres => (0.1, 1),
            Unit::Millimetres => (0.01, 2),
            Unit::Degrees | Unit::DegreesPerSecond => (0.5, 1),
            Unit::Radians => (0.5_f64.to_radians(), 1),
            Unit::Seconds | Unit::ClockSeconds => (0.005, 3),
            Unit::Speed => (0.005, 3),
            Unit::CentimetresPerSecond => (0.1, 1),
            Unit::Acceleration => (0.1, 2),
        };
        Self { unit, per_pixel, range: (-1e6, 1e6), decimals, width: 0.0, without_unit: false }
    }

    /// Sets the limits, in the stored unit.
    pub fn within(self, low: f64, high: f64) -> Self {
        Self { range: (low, high), ..self }
    }

    /// Sets the width in points.
    pub fn with_width(self, width: f32) -> Self {
        Self { width, ..self }
    }
}

/// Draws a field for `value`, in the stored unit of `field`. `name` is its accessible name.
///
/// Input is limited to the range, and exceeded limits are reported. An existing value outside is not changed by drawing. Esc
/// cancels input, and empty input requests the default of the row.
pub fn number(ui: &mut Ui, name: &str, value: &mut f64, field: Field) -> Response {
    let scale = field.unit.display_factor();
    let mut shown = *value * scale;
    let width = if field.width > 0.0 { field.width } else { ui.available_width() };
    let (unit, ctx, typed) = (field.unit, ui.ctx().clone(), Cell::new(None));
    let drag = DragValue::new(&mut shown)
        .speed(field.per_pixel * scale)
        .range(field.range.0 * scale..=field.range.1 * scale)
        .clamp_existing_to_range(false)
        .max_decimals(unit.shown_decimals(field.decimals))
        .custom_formatter(move |value, _| written(value / scale, field))
        .custom_parser(|text| {
            if escape::is_given_up(&ctx) {
                return None;
            }
            reset::note_text(&ctx, text);
            typed.set(parse(text, unit));
            Some(typed.get()? * scale)
        })
        .update_while_editing(false);
    escape::note(ui.ctx());
    let response = ui.add_sized([width, ui.spacing().interact_size.y], drag);
    if response.double_clicked() {
        select_all(ui, &response);
    }
    if response.changed() && shown.is_finite() {
        *value = shown / scale;
    }
    if let Some(typed) = typed.get() {
        limit::start_message(&response, limit::passed(typed, field.range), |limit| written(limit, field));
    }
    limit::show(&response);
    scope::freeze_time(ui, &response);
    form::with_name(response, name)
}

/// Options of an integer field.
#[derive(Clone, Debug)]
pub struct IntegerField {
    /// Minimum and maximum; unlimited by default.
    range: (f64, f64),
    per_pixel: f64,
    /// True if the field fills the row.
    is_wide: bool,
    /// Text displayed for 0.
    zero: Option<String>,
}

impl IntegerField {
    /// Returns an unlimited field as wide as the row. It changes by `per_pixel` per point of drag.
    pub fn new(per_pixel: f64) -> Self {
        Self { range: (f64::NEG_INFINITY, f64::INFINITY), per_pixel, is_wide: true, zero: None }
    }

    /// Sets the limits, both inclusive.
    pub fn within<N: Numeric>(self, range: RangeInclusive<N>) -> Self {
        Self { range: (range.start().to_f64(), range.end().to_f64()), ..self }
    }

    /// Reduces the field to the width of its number.
    pub fn narrow(self) -> Self {
        Self { is_wide: false, ..self }
    }

    /// Sets the text displayed instead of 0.
    pub fn zero(self, word: String) -> Self {
        Self { zero: Some(word), ..self }
    }
}

/// Draws an integer field. Esc cancels input, empty input requests the default, and exceeded limits are reported.
pub fn whole_number<N: Numeric>(ui: &mut Ui, value: &mut N, field: IntegerField) -> Response {
    let IntegerField { range, per_pixel, is_wide, zero } = field;
    let (ctx, typed) = (ui.ctx().clone(), Cell::new(None));
    escape::note(ui.ctx());
    let mut drag = DragValue::new(value)
        .speed(per_pixel)
        .range(N::from_f64(range.0)..=N::from_f64(range.1))
        .clamp_existing_to_range(false)
        .update_while_editing(false)
        .custom_parser(|text| {
            if escape::is_given_up(&ctx) {
                return None;
            }
            reset::note_text(&ctx, text);
            typed.set(text.trim().parse().ok());
            typed.get()
        });
    if let Some(word) = zero {
        drag = drag.custom_formatter(move |value, _| if value == 0.0 { word.clone() } else { value.to_string() });
    }
    let response = if is_wide { ui.add_sized([ui.available_width(), theme::ROW], drag) } else { ui.add(drag) };
    if let Some(typed) = typed.get() {
        limit::start_message(&response, limit::passed(typed, range), |limit| format!("{limit:.0}"));
    }
    limit::show(&response);
    response
}

/// Selects the whole text of the number field `response`. A double-click alone would select only up to the point or minus sign.
fn select_all(ui: &Ui, response: &Response) {
    let Some(mut state) = TextEditState::load(ui.ctx(), response.id) else { return };
    // An index beyond the end means the end.
    state.cursor.set_char_range(Some(CCursorRange::two(CCursor::new(0), CCursor::new(usize::MAX))));
    state.store(ui.ctx(), response.id);
}

/// Formats a fraction (1 = 100 %) as whole percent with sign; without sign if it rounds to 0.
pub fn signed_percent(share: f64) -> String {
    match (share * 100.0).round() {
        0.0 => "0 %".to_owned(),
        percent => format!("{percent:+} %"),
    }
}

/// Formats a value in the stored unit, with its unit unless the field hides it.
fn written(value: f64, Field { unit, decimals, without_unit, .. }: Field) -> String {
    if without_unit { unit.number(value, decimals) } else { unit.text(value, decimals) }
}

#[cfg(test)]
mod tests {
    use egui_kittest::kittest::Queryable;

    use super::*;
    use crate::units::with_units;
    use portamento_session::units::{LengthUnit, Units};

    #[test]
    fn zero_has_no_sign_and_a_field_without_unit_shows_none() {
        let field = Field::new(Unit::Metres);
        assert_eq!(written(-0.0001, field), "0.000 m");
        assert_eq!(written(-0.01, Field { without_unit: true, ..field }), "-0.010");
    }

    #[test]
    fn a_share_that_rounds_to_nothing_has_no_sign() {
        let texts = [-0.004, 0.0, 0.004, 0.125, -1.0].map(signed_percent);
        assert_eq!(texts, ["0 %", "0 %", "0 %", "+13 %", "-100 %"]);
    }

    #[test]
    fn drawing_a_field_leaves_its_number_as_it_is() {
        for (unit, value, text) in [
            (Unit::Plain, 200.0, "200.00"),
            (Unit::Degrees, 200.0, "200.0°"),
            (Unit::Radians, 3.0, "171.9°"),
            (Unit::Metres, 45.0, "45.000 m"),
        ] {
            let field = Field::new(unit).within(value * 0.5, 1440.0);
            let mut stored = value;
            let mut harness = egui_kittest::Harness::new_ui(|ui| drop(number(ui, "it", &mut stored, field)));
            harness.run();
            let shown = harness.get_by_label("it").value();
            assert_eq!(shown.as_deref(), Some(text), "{unit:?}");
            drop(harness);
            assert_eq!(stored, value, "{unit:?}");
        }
    }

    #[test]
    fn escape_cancels_input() {
        let mut stored = 0.5;
        let mut harness =
            egui_kittest::Harness::new_ui(|ui| drop(number(ui, "it", &mut stored, Field::new(Unit::Plain))));
        harness.run();
        harness.get_by_label("it").focus();
        harness.run();
        harness.event(egui::Event::Text("7".to_owned()));
        harness.run();
        harness.key_press(egui::Key::Escape);
        harness.run_steps(4);
        drop(harness);
        assert_eq!(stored, 0.5);
    }

    #[test]
    fn a_double_click_selects_the_whole_number() {
        let mut stored = -12.345;
        // Clicks half a second apart would be single clicks.
        let harness = egui_kittest::Harness::builder().with_step_dt(1.0 / 60.0);
        let mut harness = harness.build_ui(|ui| drop(number(ui, "it", &mut stored, Field::new(Unit::Metres))));
        harness.run();
        let pos = harness.get_by_label("it").rect().center();
        harness.event(egui::Event::PointerMoved(pos));
        for pressed in [true, false, true, false] {
            let (button, modifiers) = (egui::PointerButton::Primary, egui::Modifiers::NONE);
            harness.event(egui::Event::PointerButton { pos, button, pressed, modifiers });
            harness.step();
        }
        harness.run_steps(2);
        harness.event(egui::Event::Text("7".to_owned()));
        harness.run_steps(2);
        harness.key_press(egui::Key::Enter);
        harness.run_steps(2);
        drop(harness);
        assert_eq!(stored, 7.0);
    }

    #[test]
    fn a_typed_length_is_kept_in_metres_and_shown_in_the_preferred_unit() {
        let typed = |length: LengthUnit, text: &str| {
            let mut metres = 0.5;
            let units = Units { length, ..Units::default() };
            let field = Field::new(Unit::Metres).within(0.0, 2.0);
            let shown = with_units(units, || {
                let mut harness = egui_kittest::Harness::new_ui(|ui| drop(number(ui, "it", &mut metres, field)));
                harness.run();
                harness.get_by_label("it").focus();
                harness.run();
                harness.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::A);
                harness.event(egui::Event::Text(text.to_owned()));
                harness.run();
                harness.key_press(egui::Key::Enter);
                harness.run();
                harness.get_by_label("it").value().unwrap_or_default()
            });
            (shown, (metres * 1e9).round() / 1e9)
        };
        assert_eq!(typed(LengthUnit::Metres, "120 cm"), ("1.200 m".into(), 1.2));
        assert_eq!(typed(LengthUnit::Centimetres, "1 m 20 cm"), ("120.0 cm".into(), 1.2));
        assert_eq!(typed(LengthUnit::Centimetres, "7"), ("7.0 cm".into(), 0.07));
        assert_eq!(typed(LengthUnit::Feet, "3 ft 6 in"), ("3.500 ft".into(), 1.0668));
        // The limits do not depend on the displayed unit.
        assert_eq!(typed(LengthUnit::Inches, "5 m"), ("78.74 in".into(), 2.0));
    }
}
