//! Names of settings and meaning of their values, by their paths in project files.

mod sources;
mod stages;
mod description;
mod varied;

pub use description::{NameContext, describe_setting, names};
pub use varied::VariedSetting;

use super::i18n::tr;
use super::units::Unit;

/// Meaning of a setting's value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Measure {
    /// A number with this unit.
    In(Unit),
    /// A length in the unit of the character's file.
    FileLength,
    /// A fraction displayed in percent.
    Percent,
    /// One of several choices; the label keys start with this text.
    Choice(&'static str),
    /// A joint of the character.
    Joint,
    /// A file of the project.
    File,
    /// A clip, or the reference of a take.
    Clip,
    /// An index in a list, counted from 0.
    Index,
}

/// A known setting.
#[derive(Debug)]
struct Row {
    /// Path from outside in; `*` matches any name, `**` any number of names.
    path: &'static str,
    /// Label key of the name; empty if the setting adds nothing to the name of its group.
    word: &'static str,
    /// Meaning of its value, and of values inside it without their own row.
    measure: Measure,
}

const fn row(path: &'static str, word: &'static str, measure: Measure) -> Row {
    Row { path, word, measure }
}

const fn choice(path: &'static str, word: &'static str, texts: &'static str) -> Row {
    row(path, word, Measure::Choice(texts))
}

const PLAIN: Measure = Measure::In(Unit::Plain);
const METRES: Measure = Measure::In(Unit::Metres);
const FILE_LENGTH: Measure = Measure::FileLength;
const DEGREES: Measure = Measure::In(Unit::Degrees);
const RADIANS: Measure = Measure::In(Unit::Radians);
const SECONDS: Measure = Measure::In(Unit::Seconds);
const SPEED: Measure = Measure::In(Unit::Speed);
const ACCELERATION: Measure = Measure::In(Unit::Acceleration);

/// Returns the settings of a stage or source of this `kind`, specific ones first.
fn rows(kind: &str) -> impl Iterator<Item = &'static Row> {
    let tables: &[&[Row]] = match kind {
        "stretch" => &[stages::STRETCH],
        "dynamics" => &[stages::DYNAMICS],
        "layer" => &[stages::LAYER, stages::MASK, stages::EVENTS],
        "loop" => &[stages::LOOP],
        "close" => &[stages::CLOSE],
        "retime" => &[stages::RETIME],
        "trim" => &[stages::TRIM],
        "ground" => &[stages::GROUND],
        "mirror" => &[stages::MIRROR],
        "root" => &[stages::ROOT],
        "cleanup" => &[stages::CLEANUP],
        "clip" => &[sources::CLIP],
        "retarget" => &[sources::RETARGET],
        "rest" => &[sources::REST],
        "blend" => &[sources::BLEND, stages::MASK, stages::EVENTS],
        "vertices" => &[sources::VERTICES],
        "images" => &[sources::IMAGES],
        "cloth" => &[sources::CLOTH],
        "walk" => &[sources::WALK],
        _ => &[],
    };
    tables.iter().copied().chain([stages::EVERYWHERE]).flatten()
}

/// Returns the meaning of the value at `path` in a stage or source of this `kind`, or `None` if it is unknown. List indices may
/// start at 0 or 1.
pub fn measure_of<N: AsRef<str>>(kind: &str, path: &[N]) -> Option<Measure> {
    let nearest = (1..=path.len()).rev().find_map(|length| row_of(kind, &path[..length]));
    nearest.map(|row| row.measure)
}

/// Returns the name of the setting at `path`, or `None` if it is unknown or adds nothing to the name of its group.
pub fn word_of<N: AsRef<str>>(kind: &str, path: &[N]) -> Option<String> {
    row_of(kind, path).filter(|row| !row.word.is_empty()).map(|row| tr(row.word))
}

fn row_of<N: AsRef<str>>(kind: &str, path: &[N]) -> Option<&'static Row> {
    rows(kind).find(|row| is_at(path, row.path))
}

/// True if `pattern` matches `path`.
fn is_at<N: AsRef<str>>(path: &[N], pattern: &str) -> bool {
    if let Some(inner) = pattern.strip_prefix("**/") {
        return (0..path.len()).any(|at| is_at(&path[at..], inner));
    }
    let mut names = path.iter().map(AsRef::as_ref);
    let fits = pattern.split('/').all(|wanted| names.next().is_some_and(|name| wanted == "*" || wanted == name));
    fits && names.next().is_none()
}

#[cfg(test)]
pub(super) mod tests;
