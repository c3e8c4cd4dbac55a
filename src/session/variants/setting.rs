//! The settings of a take, as stored in projects.

use serde_json::Value;

use super::Wording;
use super::character::{characters, is_source};
use super::choices::choices;
use super::mirrored::{offer, take_json};
use portamento_base::message::{Message, message};
use portamento_takes::document::keyed::INFLUENCE;
use portamento_takes::document::{Document, Take};

/// A setting of a take that can be varied.
#[derive(Clone, Debug, PartialEq)]
pub struct Setting {
    /// Path in the take's JSON, such as `stages/0/stretch/settings/target/world/2`.
    pub place: String,
    /// Shortest unique suffix of the path: `world/2`.
    pub short: String,
    /// The current value.
    pub value: Value,
    /// Display name and units.
    pub wording: Wording,
    /// The allowed words, as stored, if known.
    choices: Vec<String>,
}

impl Setting {
    /// Returns the value as displayed.
    pub fn value_text(&self) -> String {
        match self.number() {
            Some(value) => value.to_string(),
            None => self.wording.word_of(&self.value),
        }
    }

    /// Returns the known values, as stored: both values of a switch, the allowed words, or the current value.
    pub fn known_values(&self) -> Vec<Value> {
        match &self.value {
            Value::Bool(_) => vec![false.into(), true.into()],
            own if self.choices.is_empty() => vec![own.clone()],
            _ => self.choices.iter().map(|word| word.as_str().into()).collect(),
        }
    }

    /// Proposes values around the current one, in the format of [`super::Axis::with_values`].
    pub fn proposal(&self) -> String {
        match (self.number(), &self.value) {
            _ if self.is_influence() => "0..1:0.25".into(),
            (Some(value), _) => round_range(value),
            (None, Value::Number(_)) if !self.wording.words.is_empty() => self.next_words(),
            (None, Value::Number(number)) => {
                let value = number.as_i64().unwrap_or(0);
                format!("{value}..{}", value.saturating_add(4))
            }
            (None, _) => {
                let words = self.known_values();
                words.iter().map(|value| self.wording.word_of(value)).collect::<Vec<_>>().join(", ")
            }
        }
    }

    /// True if it is the influence of a stage.
    pub(super) fn is_influence(&self) -> bool {
        self.place.ends_with(INFLUENCE)
    }

    /// Returns its current word and the four following ones.
    fn next_words(&self) -> String {
        let after = self.wording.words.iter().skip_while(|word| word.value != self.value);
        after.take(5).map(|word| word.word.as_str()).collect::<Vec<_>>().join(", ")
    }

    /// Returns the displayed number; `None` for counts and for values that are not numbers.
    fn number(&self) -> Option<f64> {
        let is_count = !self.value.is_f64() && self.wording.displayed_per_stored == 1.0;
        self.value.as_f64().filter(|_| !is_count).map(|value| six_digits(value * self.wording.displayed_per_stored))
    }
}

/// Returns a range of five round numbers around `value`, as the text `first..last:step`.
fn round_range(value: f64) -> String {
    let step = if value == 0.0 { 0.25 } else { round_step(0.25 * value.abs()) };
    let middle = (value / step).round() * step;
    let [first, last, step] = [middle - 2.0 * step, middle + 2.0 * step, step].map(six_digits);
    format!("{first}..{last}:{step}")
}

/// Returns the largest number of the form 1, 2 or 5 times a power of ten that is at most `value`, which is above 0.
fn round_step(value: f64) -> f64 {
    let power = 10_f64.powf(value.log10().floor());
    let digit = [5.0, 2.0].into_iter().find(|digit| digit * power <= value * (1.0 + 1e-9)).unwrap_or(1.0);
    digit * power
}

/// Rounds to six significant digits, the precision of `f32`.
fn six_digits(value: f64) -> f64 {
    format!("{value:.5e}").parse().unwrap_or(value)
}

/// Returns the settings of `take`: single values in order of its stages, then mirroring if possible, then the
/// character if `document` has several.
pub fn settings(document: &Document, take: &Take) -> Vec<Setting> {
    let mut json = take_json(take);
    // A take that cannot be mirrored has no such setting.
    let _ = offer(document, take, &mut json);
    let all = all(&json);
    let named = all.iter().map(|(place, _)| place.trim_start_matches('/')).collect::<Vec<_>>();
    let setting = |(pointer, value): &(String, Value)| {
        let place = pointer.trim_start_matches('/').to_owned();
        let choices = if value.is_string() { choices(&json, pointer) } else { Vec::new() };
        Setting { short: short(&place, &named), place, value: value.clone(), wording: Wording::default(), choices }
    };
    let characters = characters(document, take);
    let character = Setting {
        place: "character".into(),
        short: "character".into(),
        value: characters.first().map(String::as_str).into(),
        wording: Wording::default(),
        choices: characters,
    };
    let has_several = character.choices.len() > 1;
    let of_take = all.iter().filter(|(place, value)| is_varied(place, value)).map(setting);
    of_take.chain(has_several.then_some(character)).collect()
}

/// Returns the shortest suffix of `place` that is unique among `all` and does not start with a number.
pub(super) fn short(place: &str, all: &[&str]) -> String {
    let starts = place.rmatch_indices('/').map(|(at, _)| at + 1);
    let is_unique = |start: &usize| {
        let end = &place[*start..];
        let is_name = end.split('/').next().is_some_and(|first| first.parse::<usize>().is_err());
        let shares = |other: &&&str| **other == end || other.ends_with(&format!("/{end}"));
        is_name && all.iter().filter(shares).count() <= 1
    };
    starts.chain([0]).find(is_unique).map_or(place, |start| &place[start..]).to_owned()
}

/// Returns the JSON pointers and values of all settings of the take `json`.
pub(super) fn all(json: &Value) -> Vec<(String, Value)> {
    let mut all = Vec::new();
    collect(json, String::new(), &mut all);
    all
}

/// True if the value at the JSON pointer `place` is a number, switch or word that can be varied.
fn is_varied(place: &str, value: &Value) -> bool {
    // The setting that a key belongs to is not a setting.
    let is_of_keys = place.contains("/keys/") && place.ends_with("/setting");
    !is_source(place) && !is_of_keys && (value.is_number() || value.is_boolean() || value.is_string())
}

/// Returns the JSON pointer of the setting `wanted` in `json`; `wanted` is a full path or a unique suffix. Returns `Err`,
/// with some settings, if none or several fit.
pub(super) fn pointer_of(json: &Value, wanted: &str) -> Result<String, Message> {
    let wanted = wanted.trim_matches('/');
    let all: Vec<String> = all(json).into_iter().map(|(place, _)| place).collect();
    let exact = all.iter().find(|place| place.trim_start_matches('/') == wanted);
    let ends: Vec<&String> = all.iter().filter(|place| place.ends_with(&format!("/{wanted}"))).collect();
    match (exact, ends[..].len()) {
        (Some(place), _) => Ok(place.clone()),
        (None, 1) => Ok(ends[0].clone()),
        (None, 0) => Err(message!(
            "error.variants.unknown",
            "The take has no setting “%{place}”. Its settings: %{some} …",
            place = wanted,
            some = some(all.iter().filter(|place| place.contains("stages") || place.contains("source")))
        )),
        (None, _) => Err(message!(
            "error.variants.several",
            "Several settings end in “%{place}”: %{some}. Use a longer part of the path.",
            place = wanted,
            some = some(ends.into_iter())
        )),
    }
}

/// Returns the first twelve of `places` as a list in one line.
fn some<'p>(places: impl Iterator<Item = &'p String>) -> String {
    places.take(12).map(|place| place.trim_start_matches('/')).collect::<Vec<_>>().join(", ")
}

/// Adds the pointers and values of all values in `json` that are not containers to `all`, except ids and the name. `at` is
/// the pointer of `json`.
fn collect(json: &Value, at: String, all: &mut Vec<(String, Value)>) {
    match json {
        Value::Object(fields) if !fields.is_empty() => {
            fields.iter().for_each(|(key, value)| collect(value, format!("{at}/{key}"), all));
        }
        Value::Array(items) if !items.is_empty() => {
            items.iter().enumerate().for_each(|(i, value)| collect(value, format!("{at}/{i}"), all));
        }
        // Ids and names are not settings.
        _ if at.ends_with("/id") || at == "/name" => {}
        _ => all.push((at, json.clone())),
    }
}

/// Returns a value as text for names and tables.
pub fn value_text(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::variants::Axis;

    fn samples() -> Document {
        let folder = tempfile::tempdir().unwrap();
        crate::samples::write_all(folder.path()).unwrap();
        let path = folder.path().join("samples.portamento");
        portamento_takes::document::file::from_bytes(&std::fs::read(&path).unwrap(), &path).unwrap()
    }

    #[test]
    fn every_setting_has_a_unique_short_name_and_readable_proposed_values() {
        let document = samples();
        for take in &document.takes {
            let mut json = take_json(take);
            let _ = offer(&document, take, &mut json);
            let settings = settings(&document, take);
            assert!(!settings.is_empty(), "{}", take.name);
            for setting in &settings {
                let meant = pointer_of(&json, &setting.short).unwrap_or_else(|error| panic!("{}: {error}", take.name));
                assert_eq!(meant.trim_start_matches('/'), setting.place);
                let axis = Axis::with_values(&setting.place, &setting.proposal()).unwrap();
                assert!(!axis.values.is_empty(), "{setting:?}");
                // Round numbers need not include the current value exactly.
                let near = |value: &Value| {
                    let off = value.as_f64().zip(setting.value.as_f64()).map(|(value, own)| (value - own).abs());
                    *value == setting.value
                        || off.is_some_and(|off| off <= 0.125 * setting.value.as_f64().unwrap().abs())
                };
                let is_among = axis.values.iter().any(near);
                assert!(is_among, "{setting:?} {:?}", axis.values);
            }
        }
    }

    #[test]
    fn a_leap_is_varied_by_distance_by_default() {
        let document = samples();
        let leap = document.takes.iter().find(|take| take.name == "leap to 5 m").unwrap();
        let draft = super::super::VariantDraft::new(leap.id, &settings(&document, leap));
        assert_eq!(draft.axes.len(), 1);
        assert!(draft.axes[0].place.ends_with("target/world/2"), "{draft:?}");
        assert_eq!(draft.axes[0].values, "3..7:1");
    }

    #[test]
    fn a_walk_is_varied_by_seed_by_default_and_file_ids_are_not_settings() {
        let document = samples();
        let walk = document.takes.iter().find(|take| take.name == "run through the yard").unwrap();
        let settings = settings(&document, walk);
        let draft = super::super::VariantDraft::new(walk.id, &settings);
        assert_eq!((&*draft.axes[0].place, &*draft.axes[0].values), ("source/walk/seed", "1..5"));
        assert!(settings.iter().all(|setting| setting.short != "level"), "{settings:?}");
    }

    #[test]
    fn proposed_values_are_round_numbers() {
        let proposal = |value: f64, displayed_per_stored: f64| {
            let (place, short) = (String::new(), String::new());
            let wording = Wording { displayed_per_stored, ..Wording::default() };
            Setting { place, short, value: value.into(), wording, choices: Vec::new() }.proposal()
        };
        assert_eq!(proposal(0.466667, 1.0), "0.3..0.7:0.1");
        assert_eq!(proposal(0.0, 1.0), "-0.5..0.5:0.25");
        assert_eq!(proposal(-12.0, 1.0), "-16..-8:2");
        assert_eq!(proposal(std::f64::consts::FRAC_PI_3, 180.0 / std::f64::consts::PI), "40..80:10");
    }
}
