//! Names of settings and text of their values.

mod description;
mod form;
mod varied;

pub use description::{NameContext, describe_setting, names};
pub use form::setting_rows;
pub use varied::VariedSetting;

use super::i18n::tr;
use super::units::Unit;
use portamento_takes::document::setting::{Measure, row_of};

/// Returns the unit in which a number with this meaning is displayed; `None` if the meaning is no unit.
pub fn unit_of(measure: Measure) -> Option<Unit> {
    Some(match measure {
        Measure::Plain => Unit::Plain,
        Measure::Metres => Unit::Metres,
        Measure::Millimetres => Unit::Millimetres,
        Measure::Degrees => Unit::Degrees,
        Measure::Radians => Unit::Radians,
        Measure::Seconds => Unit::Seconds,
        Measure::Speed => Unit::Speed,
        Measure::Acceleration => Unit::Acceleration,
        Measure::DegreesPerSecond => Unit::DegreesPerSecond,
        Measure::FileLength | Measure::Percent | Measure::Choice(_) | Measure::Joint => return None,
        Measure::File | Measure::Clip | Measure::Index => return None,
    })
}

/// Returns the name of the setting at `path`, or `None` if it is unknown or adds nothing to the name of its group.
pub fn word_of<N: AsRef<str>>(kind: &str, path: &[N]) -> Option<String> {
    row_of(kind, path).filter(|row| !row.word.is_empty()).map(|row| tr(row.word))
}

#[cfg(test)]
pub(super) mod tests;
