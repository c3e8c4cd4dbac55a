//! Parsing of typed numbers with units and arithmetic.

use super::{CENTIMETRE, DEGREE, Dimension, FOOT, INCH, METRE, MILLIMETRE, RATE, Unit};

/// Parses `text` and returns the value in the storage unit of `unit`. Accepts +, −, × and /, and sums adjacent quantities (`3 m
/// 20 cm`). A unit applies to the number or fraction before it. Numbers without a unit are in the display unit.
///
/// Returns `None` for other text, for a unit of another dimension, and if the result is not finite.
pub fn parse(text: &str, unit: Unit) -> Option<f64> {
    let text = text.replace(',', ".").replace('−', "-").replace(['×', '·'], "*").to_lowercase();
    let mut rest = text.trim_start();
    let (mut sum, mut has_unit) = (None, false);
    while !rest.is_empty() {
        let sign = rest.chars().next().filter(|c| "+-".contains(*c));
        // Adjacent numbers are summed only after a unit: "1 000" is not 1.
        if sum.is_some() && sign.is_none() && !has_unit {
            return None;
        }
        let term = Term::at(rest[sign.map_or(0, char::len_utf8)..].trim_start(), unit)?;
        sum = Some(
            sum.unwrap_or(0.0)
                + if sign == Some('-') { -term.in_storage_unit(unit) } else { term.in_storage_unit(unit) },
        );
        (rest, has_unit) = (term.rest, term.times.is_some());
    }
    sum.filter(|value: &f64| value.is_finite())
}

/// A product or quotient of numbers with an optional unit.
struct Term<'a> {
    value: f64,
    /// Factor from the typed unit to the storage unit, if a unit was typed.
    times: Option<f64>,
    /// The text after the term.
    rest: &'a str,
}

impl<'a> Term<'a> {
    /// Parses the term at the start of `text`: a number with factors, divisors and at most one unit of the dimension of `unit`.
    /// `None` if it starts with no number.
    fn at(text: &'a str, unit: Unit) -> Option<Self> {
        let (value, rest) = number_at(text)?;
        let mut term = Self { value, times: None, rest };
        loop {
            let operand = |sign| term.rest.strip_prefix(sign).and_then(|rest: &'a str| number_at(rest.trim_start()));
            if let Some((number, rest)) = operand('*') {
                (term.value, term.rest) = (term.value * number, rest);
            } else if let Some((number, rest)) = operand('/') {
                (term.value, term.rest) = (term.value / number, rest);
            } else if let Some((times, rest)) = unit_at(term.rest, unit).filter(|_| term.times.is_none()) {
                term = Self { times: Some(times), rest, ..term };
            } else {
                return Some(term);
            }
        }
    }

    /// Returns the term's value in the storage unit.
    fn in_storage_unit(&self, unit: Unit) -> f64 {
        match self.times {
            Some(times) => self.value * times,
            None => self.value / unit.display_factor(),
        }
    }
}

/// Parses the decimal number at the start of `text` and returns the remaining text without leading spaces. `None` if there is
/// no number; a sign is none.
fn number_at(text: &str) -> Option<(f64, &str)> {
    let end = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (number, rest) = text.split_at(end);
    Some((number.parse().ok()?, rest.trim_start()))
}

/// Parses the unit at the start of `text`. Returns its factor to the storage unit and the remaining text; `None` without a unit
/// of that dimension.
fn unit_at(text: &str, unit: Unit) -> Option<(f64, &str)> {
    let begins = |c: char| c.is_alphabetic() || "°'\"".contains(c);
    let end = text.find(|c: char| !begins(c) && !"/²2".contains(c)).unwrap_or(text.len());
    // Longest match first: a slash may be a division, and a 2 may start the next number.
    let ends = text[..end].char_indices().map(|(at, c)| at + c.len_utf8()).rev();
    let known = |end: usize| Some((size_of(&text[..end], unit.dimension())? / unit.size(), text[end..].trim_start()));
    ends.filter(|_| text.starts_with(begins)).find_map(known)
}

/// Returns the size of the unit `word` in SI units (m, rad, s, m/s, m/s², rad/s); `None` if the dimension has no such unit.
fn size_of(word: &str, dimension: Dimension) -> Option<f64> {
    let length = |word: &str| {
        Some(match word {
            "mm" => MILLIMETRE.metres,
            "cm" => CENTIMETRE.metres,
            "m" => METRE.metres,
            "km" => 1e3,
            "in" | "\"" => INCH.metres,
            "ft" | "'" => FOOT.metres,
            _ => return None,
        })
    };
    match (dimension, word) {
        (Dimension::Length, _) => length(word),
        (Dimension::Angle, "deg" | "°" | "d") => Some(DEGREE),
        (Dimension::Angle, "rad") => Some(1.0),
        (Dimension::Angle, "turn") => Some(std::f64::consts::TAU),
        (Dimension::Turning, _) => size_of(word.strip_suffix("/s")?, Dimension::Angle),
        (Dimension::Time, "s") => Some(1.0),
        (Dimension::Time, "ms") => Some(1e-3),
        (Dimension::Time, "f" | "帧") => Some(1.0 / RATE.get()),
        (Dimension::Speed, "km/h") => Some(1.0 / 3.6),
        (Dimension::Speed, _) => length(word.strip_suffix("/s")?),
        (Dimension::Acceleration, "g") => Some(9.81),
        (Dimension::Acceleration, _) => length(word.strip_suffix("/s²").or(word.strip_suffix("/s2"))?),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::super::with_units;
    use super::*;
    use portamento_session::units::{AngleUnit, LengthUnit, TimeUnit, Units};

    fn near(text: &str, unit: Unit, wanted: f64) {
        let value = parse(text, unit).unwrap_or(f64::NAN);
        assert!((value - wanted).abs() < 1e-9, "{text}: {value}");
    }

    #[test]
    fn units_of_the_dimension_are_parsed_and_others_refused() {
        near("5cm", Unit::Metres, 0.05);
        near(" -2,5 m ", Unit::Metres, -2.5);
        near("1.5", Unit::Metres, 1.5);
        near("30deg", Unit::Degrees, 30.0);
        near("0.5turn", Unit::Degrees, 180.0);
        near("2 turn/s", Unit::DegreesPerSecond, 720.0);
        near("90°/s", Unit::DegreesPerSecond, 90.0);
        near("180°", Unit::Radians, std::f64::consts::PI);
        near("1/24s", Unit::Seconds, 1.0 / 24.0);
        near("36 km/h", Unit::Speed, 10.0);
        near("2 m/s", Unit::Speed, 2.0);
        near("3 m 20 cm", Unit::Metres, 3.2);
        near("5*2", Unit::Plain, 10.0);
        near("-1/4 + 2 × 0.5", Unit::Plain, 0.75);
        near("2 m/s - 36km/h", Unit::Speed, -8.0);
        near("1 m - 5 mm", Unit::Metres, 0.995);
        near("9.81 m/s2", Unit::Acceleration, 9.81);
        near("5'2\"", Unit::Metres, 5.0 * 0.3048 + 2.0 * 0.0254);
        near("1 in", Unit::Millimetres, 25.4);
        for wrong in ["", "m", "5 kg", "1/0", "--2", "5 deg", "5*", "2 m 3 kg", "m 2", "1 000", "2 m m"] {
            assert_eq!(parse(wrong, Unit::Metres), None, "{wrong}");
        }
    }

    #[test]
    fn typed_units_are_absolute_and_plain_numbers_are_in_the_display_unit() {
        for (length, expected) in LengthUnit::ALL.into_iter().zip([12.0, 0.12, 12.0 * 0.0254, 12.0 * 0.3048]) {
            with_units(Units { length, angle: AngleUnit::Radians, ..Units::default() }, || {
                near("3 m 20 cm", Unit::Metres, 3.2);
                near("120 cm", Unit::Metres, 1.2);
                near("-2 ft/s", Unit::Speed, -0.6096);
                near("12", Unit::Metres, expected);
                near("12", Unit::Speed, expected);
                near("90°", Unit::Degrees, 90.0);
                near("1.5", Unit::Radians, 1.5);
                near("1", Unit::Degrees, 1f64.to_degrees());
                near("2", Unit::Seconds, 2.0);
            });
        }
    }

    #[test]
    fn frames_are_parsed_at_the_frame_rate_and_seconds_unchanged() {
        near("12f", Unit::Seconds, 0.4);
        near("1 s + 15 f", Unit::Seconds, 1.5);
        with_units(Units { time: TimeUnit::Frames, ..Units::default() }, || {
            near("24", Unit::Seconds, 0.8);
            near("0.5 s", Unit::Seconds, 0.5);
            near("300", Unit::ClockSeconds, 300.0);
        });
    }
}
