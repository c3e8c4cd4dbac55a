//! What settings are called and what their values mean, by the names they have in project files.

mod sources;
mod stages;
mod told;
mod varied;

pub use told::{Around, names, setting_told};
pub use varied::VariedSetting;

use super::i18n::tr;
use super::units::Unit;

/// What the value of a setting means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Measure {
    /// A number in a unit of its own.
    In(Unit),
    /// A length in the unit of the character's file.
    FileLength,
    /// A share that is told in percent.
    Percent,
    /// One of several, each with a text whose key begins so.
    Choice(&'static str),
    /// A joint of the character.
    Joint,
    /// A file of the project.
    File,
    /// A clip, or a take that stands for one.
    Clip,
    /// A place in a list, counted from 0.
    Place,
}

/// A setting.
#[derive(Debug)]
struct Row {
    /// Names from the outside in; `*` stands for any, `**` for any number of them.
    path: &'static str,
    /// The key of what it is called; empty where it says nothing besides what stands in it.
    word: &'static str,
    /// What its value means, and those within for which nothing else is said.
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

/// The settings of a stage or source of this `kind`, its own first.
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

/// What the value at `path` in the settings of a stage or source of this `kind` means; `None` where that is not known. Places in lists
/// may be counted from 0 or from 1.
pub fn measure_of<N: AsRef<str>>(kind: &str, path: &[N]) -> Option<Measure> {
    let around = (1..=path.len()).rev().find_map(|length| row_of(kind, &path[..length]));
    around.map(|row| row.measure)
}

/// What the setting at `path` is called; `None` where it says nothing besides what stands in it, or is not known.
pub fn word_of<N: AsRef<str>>(kind: &str, path: &[N]) -> Option<String> {
    row_of(kind, path).filter(|row| !row.word.is_empty()).map(|row| tr(row.word))
}

fn row_of<N: AsRef<str>>(kind: &str, path: &[N]) -> Option<&'static Row> {
    rows(kind).find(|row| is_at(path, row.path))
}

/// Whether `pattern` names what `path` leads to.
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
