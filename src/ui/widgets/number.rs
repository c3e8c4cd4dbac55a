//! Number fields that read units: `5cm`, `30deg`, `1/24s`. Drag to change, Shift for a tenth, click to type.

use egui::text::{CCursor, CCursorRange};
use egui::text_edit::TextEditState;
use egui::{DragValue, Response, Ui};

/// What a number measures; decides how it is written and which units are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// A bare number.
    Plain,
    /// Metres; also read: mm, cm, km, in, ft.
    Metres,
    /// Millimetres; also read: m, cm.
    Millimetres,
    /// Degrees; also read: rad, turn.
    Degrees,
    /// Radians, shown and typed as degrees.
    Radians,
    /// Seconds; also read: ms.
    Seconds,
    /// Metres per second; also read: cm/s, km/h.
    Speed,
    /// Metres per second squared; also read: g.
    Acceleration,
}

/// How a field behaves.
#[derive(Clone, Copy, Debug)]
pub struct Field {
    /// What the number measures.
    pub unit: Unit,
    /// Change per pixel of drag, in the shown unit.
    pub per_pixel: f64,
    /// Lowest and highest value, in the shown unit.
    pub range: (f64, f64),
    /// Digits after the point.
    pub decimals: usize,
    /// Width in pixels; 0 takes what is left of the row.
    pub width: f32,
    /// Whether the unit is left out, for narrow fields; it is still read.
    pub without_unit: bool,
}

impl Field {
    /// A field for `unit` with a sensible drag and no limits.
    pub fn new(unit: Unit) -> Self {
        let (per_pixel, decimals) = match unit {
            Unit::Plain => (0.01, 2),
            Unit::Metres => (0.01, 3),
            Unit::Millimetres => (0.01, 2),
            Unit::Degrees | Unit::Radians => (0.5, 1),
            Unit::Seconds => (0.005, 3),
            Unit::Speed => (0.005, 3),
            Unit::Acceleration => (0.1, 2),
        };
        Self { unit, per_pixel, range: (-1e6, 1e6), decimals, width: 0.0, without_unit: false }
    }

    /// The same field with these limits.
    pub fn within(self, low: f64, high: f64) -> Self {
        Self { range: (low, high), ..self }
    }

    /// The same field, `width` pixels wide.
    pub fn wide(self, width: f32) -> Self {
        Self { width, ..self }
    }
}

/// A field for `value` named `name`.
pub fn number(ui: &mut Ui, name: &str, value: &mut f64, field: Field) -> Response {
    let scale = if field.unit == Unit::Radians { 1f64.to_degrees() } else { 1.0 };
    let mut shown = *value * scale;
    let width = if field.width > 0.0 { field.width } else { ui.available_width() };
    let unit = field.unit;
    let drag = DragValue::new(&mut shown)
        .speed(field.per_pixel)
        .range(field.range.0..=field.range.1)
        .max_decimals(field.decimals)
        .custom_formatter(move |value, _| written(value, field))
        .custom_parser(move |text| parse(text, unit))
        .update_while_editing(false);
    let response = ui.add_sized([width, ui.spacing().interact_size.y], drag);
    if response.double_clicked() {
        select_all(ui, &response);
    }
    if response.changed() && shown.is_finite() {
        *value = shown / scale;
    }
    ui.ctx().accesskit_node_builder(response.id, |node| node.set_label(name.to_owned()));
    response
}

/// A number is one word: a point or a minus sign does not part it.
fn select_all(ui: &Ui, response: &Response) {
    let Some(mut state) = TextEditState::load(ui.ctx(), response.id) else { return };
    // Beyond the end counts as the end.
    state.cursor.set_char_range(Some(CCursorRange::two(CCursor::new(0), CCursor::new(usize::MAX))));
    state.store(ui.ctx(), response.id);
}

/// A share as percents with its sign, none where it rounds to nothing.
pub fn signed_percent(share: f64) -> String {
    match (share * 100.0).round() {
        0.0 => "0 %".to_owned(),
        percent => format!("{percent:+} %"),
    }
}

/// The number with its unit; what rounds to nothing has no sign.
fn written(value: f64, field: Field) -> String {
    let text = format!("{:.*}", field.decimals, value);
    let is_nothing = text.bytes().all(|byte| b"-0.".contains(&byte));
    let text = if is_nothing { text.trim_start_matches('-') } else { &text };
    if field.without_unit { text.to_owned() } else { format!("{text}{}", field.unit.suffix()) }
}

impl Unit {
    /// What stands after a number; nothing after a bare one.
    pub fn suffix(self) -> &'static str {
        match self {
            Self::Plain => "",
            Self::Metres => " m",
            Self::Millimetres => " mm",
            Self::Degrees | Self::Radians => "°",
            Self::Seconds => " s",
            Self::Speed => " m/s",
            Self::Acceleration => " m/s²",
        }
    }
}

/// The value of `text` in the shown unit: numbers with or without a unit that fits, added up where several stand side by side
/// (`3 m 20 cm`), and +, −, × and / between them. A unit belongs to the number or fraction before it.
pub fn parse(text: &str, unit: Unit) -> Option<f64> {
    let text = text.replace(',', ".").replace('−', "-").replace(['×', '·'], "*").to_lowercase();
    let mut rest = text.trim_start();
    let (mut sum, mut has_unit) = (None, false);
    while !rest.is_empty() {
        let sign = rest.chars().next().filter(|c| "+-".contains(*c));
        // Without a sign only what has a unit goes on with another number: 1 000 is not 1.
        if sum.is_some() && sign.is_none() && !has_unit {
            return None;
        }
        let term = Term::at(rest[sign.map_or(0, char::len_utf8)..].trim_start(), unit)?;
        sum = Some(sum.unwrap_or(0.0) + if sign == Some('-') { -term.value } else { term.value });
        (rest, has_unit) = (term.rest, term.has_unit);
    }
    sum.filter(|value: &f64| value.is_finite())
}

/// Numbers with `*` and `/` between them.
struct Term<'a> {
    value: f64,
    has_unit: bool,
    /// The text behind the term.
    rest: &'a str,
}

impl<'a> Term<'a> {
    /// The one at the beginning of `text`.
    fn at(text: &'a str, unit: Unit) -> Option<Self> {
        let (value, rest) = number_at(text)?;
        let mut term = Self { value, has_unit: false, rest };
        loop {
            let operand = |sign| term.rest.strip_prefix(sign).and_then(|rest: &'a str| number_at(rest.trim_start()));
            if let Some((number, rest)) = operand('*') {
                (term.value, term.rest) = (term.value * number, rest);
            } else if let Some((number, rest)) = operand('/') {
                (term.value, term.rest) = (term.value / number, rest);
            } else if let Some((times, rest)) = unit_at(term.rest, unit).filter(|_| !term.has_unit) {
                term = Self { value: term.value * times, has_unit: true, rest };
            } else {
                return Some(term);
            }
        }
    }
}

/// A decimal at the beginning of `text`, and what follows it.
fn number_at(text: &str) -> Option<(f64, &str)> {
    let end = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (number, rest) = text.split_at(end);
    Some((number.parse().ok()?, rest.trim_start()))
}

/// A word for a unit at the beginning of `text` as how many of the shown one it is, and what follows it.
fn unit_at(text: &str, unit: Unit) -> Option<(f64, &str)> {
    let is_word = |c: char| c.is_alphabetic() || c == '°' || c == '/' || c == '²' || c == '2';
    let starts = text.starts_with(|c: char| c.is_alphabetic() || c == '°');
    let end = text.find(|c: char| !is_word(c)).unwrap_or(text.len());
    // The longest word that is one: a slash may divide instead, a 2 begin the next number.
    let ends = text[..end].char_indices().map(|(at, c)| at + c.len_utf8()).rev();
    let mut known =
        ends.filter(|_| starts).filter_map(|end| Some((factor(&text[..end], unit)?, text[end..].trim_start())));
    known.next()
}

/// How many of the shown unit one `word` is.
fn factor(word: &str, unit: Unit) -> Option<f64> {
    let unit = if unit == Unit::Radians { Unit::Degrees } else { unit };
    let factor = match (unit, word) {
        (Unit::Metres, "m") | (Unit::Degrees, "deg" | "°" | "d") | (Unit::Seconds, "s") | (Unit::Speed, "m/s") => 1.0,
        (Unit::Millimetres, "mm") => 1.0,
        (Unit::Millimetres, "cm") => 10.0,
        (Unit::Millimetres, "m") => 1e3,
        (Unit::Metres, "mm") => 1e-3,
        (Unit::Metres, "cm") | (Unit::Speed, "cm/s") => 1e-2,
        (Unit::Metres, "km") => 1e3,
        (Unit::Metres, "in") => 0.0254,
        (Unit::Metres, "ft") => 0.3048,
        (Unit::Degrees, "rad") => 1f64.to_degrees(),
        (Unit::Degrees, "turn") => 360.0,
        (Unit::Seconds, "ms") => 1e-3,
        (Unit::Acceleration, "m/s²" | "m/s2") => 1.0,
        (Unit::Acceleration, "g") => 9.81,
        (Unit::Speed, "km/h") => 1.0 / 3.6,
        _ => return None,
    };
    Some(factor)
}

#[cfg(test)]
mod tests {
    use egui_kittest::kittest::Queryable;

    use super::*;

    #[test]
    fn what_rounds_to_nothing_has_no_sign_and_a_bare_field_no_unit() {
        let field = Field::new(Unit::Metres);
        assert_eq!(written(-0.0001, field), "0.000 m");
        assert_eq!(written(-0.01, Field { without_unit: true, ..field }), "-0.010");
    }

    #[test]
    fn a_share_that_rounds_to_nothing_has_no_sign() {
        let told = [-0.004, 0.0, 0.004, 0.125, -1.0].map(signed_percent);
        assert_eq!(told, ["0 %", "0 %", "0 %", "+13 %", "-100 %"]);
    }

    #[test]
    fn drawing_a_field_leaves_its_number_as_it_is() {
        for (unit, value, text) in [
            (Unit::Plain, 200.0, "200.00"),
            (Unit::Degrees, 200.0, "200.0°"),
            (Unit::Radians, 3.0, "171.9°"),
            (Unit::Metres, 45.0, "45.000 m"),
        ] {
            let field = Field::new(unit).within(30.0, 1440.0);
            let mut kept = value;
            let mut harness = egui_kittest::Harness::new_ui(|ui| drop(number(ui, "it", &mut kept, field)));
            harness.run();
            let shown = harness.get_by_label("it").value();
            assert_eq!(shown.as_deref(), Some(text), "{unit:?}");
            drop(harness);
            assert_eq!(kept, value, "{unit:?}");
        }
    }

    #[test]
    fn units_are_read_and_foreign_ones_refused() {
        let near = |text: &str, unit, wanted: f64| {
            let value = parse(text, unit).unwrap_or(f64::NAN);
            assert!((value - wanted).abs() < 1e-9, "{text}: {value}");
        };
        near("5cm", Unit::Metres, 0.05);
        near(" -2,5 m ", Unit::Metres, -2.5);
        near("1.5", Unit::Metres, 1.5);
        near("30deg", Unit::Degrees, 30.0);
        near("0.5turn", Unit::Degrees, 180.0);
        near("1/24s", Unit::Seconds, 1.0 / 24.0);
        near("36 km/h", Unit::Speed, 10.0);
        near("2 m/s", Unit::Speed, 2.0);
        near("3 m 20 cm", Unit::Metres, 3.2);
        near("5*2", Unit::Plain, 10.0);
        near("-1/4 + 2 × 0.5", Unit::Plain, 0.75);
        near("2 m/s - 36km/h", Unit::Speed, -8.0);
        near("1 m - 5 mm", Unit::Metres, 0.995);
        near("9.81 m/s2", Unit::Acceleration, 9.81);
        for wrong in ["", "m", "5 kg", "1/0", "--2", "5 deg", "5*", "2 m 3 kg", "m 2", "1 000", "2 m m"] {
            assert_eq!(parse(wrong, Unit::Metres), None, "{wrong}");
        }
    }
}
