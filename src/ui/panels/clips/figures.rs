//! The figures of a clip in the units that the user prefers.

use crate::session::clip_library::ClipRow;
use crate::session::clip_library::columns::Column;
use crate::ui::i18n::tr_with;
use crate::ui::units::Unit;

/// What stands above `column`.
pub(super) fn heading(column: &Column) -> String {
    tr_with(&format!("clips.column_{}", column.key), &[("unit", unit(column).suffix().trim().to_owned())])
}

/// What `column` tells of `row`; empty where nothing was measured.
pub(super) fn text(column: &Column, row: &ClipRow) -> String {
    match column.number(row) {
        Some(value) => unit(column).number(value, column.digits),
        None => column.text(row),
    }
}

/// The number of `column` in the unit that is shown.
pub(super) fn shown_number(column: &Column, row: &ClipRow) -> Option<f64> {
    Some(column.number(row)? * unit(column).shown_per_kept())
}

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
    use crate::session::clip_library::columns::COLUMNS;
    use crate::session::units::{AngleUnit, LengthUnit, Units};
    use crate::ui::i18n::tr;
    use crate::ui::units::with_units;

    #[test]
    fn every_column_has_a_heading_a_tip_and_its_unit() {
        for column in &COLUMNS {
            assert!(!heading(column).contains("clips."), "{}", column.key);
            assert!(!tr(&format!("tip.clips_{}", column.key)).contains("clips_"), "{}", column.key);
        }
        let units = Units { length: LengthUnit::Feet, angle: AngleUnit::Radians, ..Units::default() };
        let told = |key: &str| {
            let column = COLUMNS.iter().find(|column| column.key == key).unwrap();
            with_units(units, || unit(column).suffix())
        };
        assert_eq!(["travel", "slide", "turn"].map(told), [" ft", " in/s", " rad"]);
    }

    #[test]
    fn shares_are_told_in_percent_as_the_inspector_tells_them() {
        let column = |key: &str| COLUMNS.iter().find(|column| column.key == key).unwrap();
        let told =
            |key: &str| (heading(column(key)).ends_with('%'), unit(column(key)).number(0.0187, column(key).digits));
        assert_eq!(["residue", "standing"].map(told), [(true, "1.87".to_owned()), (true, "2".to_owned())]);
    }
}
