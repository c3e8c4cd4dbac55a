//! The settings of stages and sources by their paths in project files: label, unit and choices.

mod sources;

use super::StageType;

/// Meaning of a setting's value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Measure {
    /// A number without a unit, a switch, a text or a group of settings.
    Plain,
    /// Metres.
    Metres,
    /// Millimetres.
    Millimetres,
    /// Degrees.
    Degrees,
    /// Radians.
    Radians,
    /// Seconds.
    Seconds,
    /// Metres per second.
    Speed,
    /// Metres per second squared.
    Acceleration,
    /// Degrees per second.
    DegreesPerSecond,
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
pub struct Row {
    /// Path from outside in, separated by `/`. `*` matches exactly one name, `**/` at the beginning any number of
    /// names.
    pub path: &'static str,
    /// Label key of the name; empty if the setting adds nothing to the name of its group.
    pub word: &'static str,
    /// Meaning of its value, and of values inside it without their own row.
    pub measure: Measure,
    /// The smallest and largest number, in the stored unit.
    pub range: [f64; 2],
    /// The number that a setting gets when it is turned on; `None` if it cannot be turned off.
    pub when_on: Option<f64>,
}

impl Row {
    /// Limits the number to this range, in the stored unit.
    pub const fn within(self, smallest: f64, largest: f64) -> Self {
        Self { range: [smallest, largest], ..self }
    }

    /// Makes the setting one that can be turned off, with the number that it gets when it is turned on.
    pub const fn optional(self, when_on: f64) -> Self {
        Self { when_on: Some(when_on), ..self }
    }
}

/// The known settings of one kind of stage.
pub trait Described {
    /// The tables of its settings, specific ones first.
    const ROWS: &'static [&'static [Row]];
}

/// Creates a row. Its numbers are within ±10⁶.
pub const fn row(path: &'static str, word: &'static str, measure: Measure) -> Row {
    Row { path, word, measure, range: [-1e6, 1e6], when_on: None }
}

/// Creates the row of a choice; the label keys of its values start with `texts`.
pub const fn choice(path: &'static str, word: &'static str, texts: &'static str) -> Row {
    row(path, word, Measure::Choice(texts))
}

/// Returns the settings of a stage or source of this `kind`, specific ones first.
fn rows(kind: &str) -> impl Iterator<Item = &'static Row> {
    let of_stage = StageType::named(kind).map(StageType::setting_rows);
    of_stage.unwrap_or_else(|| sources::rows(kind)).iter().copied().chain([EVERYWHERE]).flatten()
}

/// Returns the meaning of the value at `path` in a stage or source of this `kind`, or `None` if it is unknown. List indices may
/// start at 0 or 1. A setting without its own row has the meaning of the nearest one around it.
pub fn measure_of<N: AsRef<str>>(kind: &str, path: &[N]) -> Option<Measure> {
    let nearest = (1..=path.len()).rev().find_map(|length| row_of(kind, &path[..length]));
    nearest.map(|row| row.measure)
}

/// Returns the setting at `path` of a stage or source of this `kind`, or `None` if it is unknown.
pub fn row_of<N: AsRef<str>>(kind: &str, path: &[N]) -> Option<&'static Row> {
    rows(kind).find(|row| is_at(path, row.path))
}

/// True if `pattern` matches the whole `path`. A `*` in it matches one name, `**/` at its beginning any number of
/// names.
fn is_at<N: AsRef<str>>(path: &[N], pattern: &str) -> bool {
    if let Some(inner) = pattern.strip_prefix("**/") {
        return (0..path.len()).any(|at| is_at(&path[at..], inner));
    }
    let mut names = path.iter().map(AsRef::as_ref);
    let fits = pattern.split('/').all(|wanted| names.next().is_some_and(|name| wanted == "*" || wanted == name));
    fits && names.next().is_none()
}

/// Settings shared by several kinds of stages.
const EVERYWHERE: &[Row] = &[
    row("span", "section.span", Measure::Seconds),
    row("span/start", "form.span_start", Measure::Seconds),
    row("span/end", "form.span_end", Measure::Seconds),
    row("span/fade_in", "form.span_fade_in", Measure::Seconds),
    row("span/fade_out", "form.span_fade_out", Measure::Seconds),
    row("on", "form.stage_on", Measure::Plain),
    row("influence", "form.influence", Measure::Plain),
    row("files", "setting.files", Measure::File),
];

/// Settings of joint weights.
pub const MASK: &[Row] = &[
    choice("**/region", "form.region", "region."),
    row("**/from", "form.mask_from", Measure::Plain),
    row("**/falloff", "form.falloff", Measure::Plain),
    row("**/complement", "setting.inverted", Measure::Plain),
    row("**/overrides", "setting.weights", Measure::Plain),
];

/// Settings of events.
pub const EVENTS: &[Row] = &[
    row("**/events", "section.events", Measure::Plain),
    row("**/events/*/time", "form.event_time", Measure::Seconds),
    choice("**/events/*/action", "form.action", "action."),
    row("**/events/*/clip", "form.event_clip", Measure::Clip),
    row("**/events/*/state", "form.event_state", Measure::Plain),
    row("**/events/*/start", "form.event_start", Measure::Seconds),
    row("**/events/*/trans_time", "form.trans_time", Measure::Seconds),
    choice("**/events/*/easing", "form.easing", "easing."),
    row("**/events/*/midpoint", "form.midpoint", Measure::Percent),
];

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn every_default_is_within_the_range_of_its_row() {
        let mut looked_at = 0;
        for &kind in StageType::ALL {
            let json = json!(kind.default_kind());
            for row in kind.setting_rows().iter().copied().flatten() {
                let Some(number) = json[kind.name()].get(row.path).and_then(serde_json::Value::as_f64) else {
                    continue;
                };
                assert!((row.range[0]..=row.range[1]).contains(&number), "{}: {}", kind.name(), row.path);
                looked_at += 1;
            }
        }
        assert!(looked_at >= 8, "only {looked_at} numbers were looked at");
    }

    #[test]
    fn the_name_of_a_kind_is_its_name_in_files() {
        for &kind in StageType::ALL {
            let stage = kind.default_kind();
            assert_eq!((stage.name(), stage.stage_type()), (kind.name(), Some(kind)));
            let settings = json!(stage)[kind.name()].clone();
            assert_eq!(kind.read(settings).unwrap(), stage);
            assert_eq!(StageType::named(kind.name()), Some(kind));
        }
        assert_eq!(StageType::named("unknown"), None);
    }
}
