//! Figures of a clip in the user's units.

use crate::i18n::tr_with;
use crate::units::Unit;
use portamento_session::clip_library::ClipRow;
use portamento_session::clip_library::columns::Column;

/// Returns the translated heading of `column` with its unit.
pub(super) fn heading(column: &Column) -> String {
    tr_with(&format!("clips.column_{}", column.key), &[("unit", unit(column).suffix().trim().to_owned())])
}

/// Returns the text of `column` for `row`, without unit. A number that was not measured is empty.
pub(super) fn text(column: &Column, row: &ClipRow) -> String {
    match column.number(row) {
        Some(value) => unit(column).number(value, column.digits),
        None => column.text(row),
    }
}

/// Returns the number of `column` in the displayed unit; `None` if it was not measured or the column has text.
pub(super) fn shown_number(column: &Column, row: &ClipRow) -> Option<f64> {
    Some(column.number(row)? * unit(column).display_factor())
}

/// Returns the unit in which the numbers of `column` are stored.
fn unit(column: &Column) -> Unit {
    match column.key {
        "speed" | "residue_speed" | "drift" => Unit::Speed,
        "seconds" => Unit::Seconds,
        "travel" | "climb" | "off_origin" => Unit::Metres,
        "slide" => Unit::CentimetresPerSecond,
        "sinking" => Unit::Centimetres,
        "jitter_mm" => Unit::Millimetres,
        "turn" | "jitter" => Unit::Degrees,
        "residue" | "standing" => Unit::Share,
        _ => Unit::Plain,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::i18n::tr;
    use crate::units::with_units;
    use portamento_session::clip_library::columns::COLUMNS;
    use portamento_session::units::{AngleUnit, LengthUnit, Units};

    #[test]
    fn every_column_has_a_heading_a_tip_and_its_unit() {
        for column in &COLUMNS {
            assert!(!heading(column).contains("clips."), "{}", column.key);
            assert!(!tr(&format!("tip.clips_{}", column.key)).contains("clips_"), "{}", column.key);
        }
        let units = Units { length: LengthUnit::Feet, angle: AngleUnit::Radians, ..Units::default() };
        let shown = |key: &str| {
            let column = COLUMNS.iter().find(|column| column.key == key).unwrap();
            with_units(units, || unit(column).suffix())
        };
        assert_eq!(["travel", "slide", "turn"].map(shown), [" ft", " in/s", " rad"]);
    }

    #[test]
    fn shares_are_shown_in_percent_as_in_the_inspector() {
        let column = |key: &str| COLUMNS.iter().find(|column| column.key == key).unwrap();
        let shown =
            |key: &str| (heading(column(key)).ends_with('%'), unit(column(key)).number(0.0187, column(key).digits));
        assert_eq!(["residue", "standing"].map(shown), [(true, "1.87".to_owned()), (true, "2".to_owned())]);
    }
}
