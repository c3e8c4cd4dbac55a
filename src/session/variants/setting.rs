//! The settings of a take, as projects hold them.

use serde_json::{Value, json};

use super::Wording;
use super::character::{characters, is_source};
use super::choices::choices;
use super::mirrored::offer;
use crate::document::keyed::INFLUENCE;
use crate::document::{Document, Take};
use crate::message::{Message, message};

/// A setting of a take that can be varied.
#[derive(Clone, Debug, PartialEq)]
pub struct Setting {
    /// Where it is in the take, such as `stages/0/stretch/settings/target/world/2`.
    pub place: String,
    /// The end of its place by which it is told from all others: `world/2`.
    pub short: String,
    /// What it is now.
    pub value: Value,
    /// How it and its values are written.
    pub wording: Wording,
    /// All words that it can take, as they are held, where these are known.
    choices: Vec<String>,
}

impl Setting {
    /// Its value as it is written.
    pub fn value_text(&self) -> String {
        match self.number() {
            Some(value) => value.to_string(),
            None => self.wording.word_of(&self.value),
        }
    }

    /// The values that it is known to take, as they are held: its own, the words it can take, both ways of a switch.
    pub fn known_values(&self) -> Vec<Value> {
        match &self.value {
            Value::Bool(_) => vec![false.into(), true.into()],
            own if self.choices.is_empty() => vec![own.clone()],
            _ => self.choices.iter().map(|word| word.as_str().into()).collect(),
        }
    }

    /// Values around its own that show what it does, as [`super::Axis::with_values`] reads them.
    pub fn proposal(&self) -> String {
        match (self.number(), &self.value) {
            _ if self.is_influence() => "0..1:0.25".into(),
            (Some(value), _) => around(value),
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

    /// Whether it is how much of a stage is taken.
    pub(super) fn is_influence(&self) -> bool {
        self.place.ends_with(INFLUENCE)
    }

    /// Its own word and the four after it.
    fn next_words(&self) -> String {
        let after = self.wording.words.iter().skip_while(|word| word.value != self.value);
        after.take(5).map(|word| word.word.as_str()).collect::<Vec<_>>().join(", ")
    }

    /// The number that is written for it; `None` of counts and of what is no number.
    fn number(&self) -> Option<f64> {
        let is_count = !self.value.is_f64() && self.wording.per_kept == 1.0;
        self.value.as_f64().filter(|_| !is_count).map(|value| six_digits(value * self.wording.per_kept))
    }
}

/// Five round numbers around `value`.
fn around(value: f64) -> String {
    let step = if value == 0.0 { 0.25 } else { rounded_down(0.25 * value.abs()) };
    let middle = (value / step).round() * step;
    let [first, last, step] = [middle - 2.0 * step, middle + 2.0 * step, step].map(six_digits);
    format!("{first}..{last}:{step}")
}

/// The largest of 1, 2, 5, 10, 20 … and of 0.5, 0.2, 0.1 … up to `value`.
fn rounded_down(value: f64) -> f64 {
    let power = 10_f64.powf(value.log10().floor());
    let digit = [5.0, 2.0].into_iter().find(|digit| digit * power <= value * (1.0 + 1e-9)).unwrap_or(1.0);
    digit * power
}

/// What single precision knows of `value`.
fn six_digits(value: f64) -> f64 {
    format!("{value:.5e}").parse().unwrap_or(value)
}

/// All settings of `take` with a value of their own, in the order of its stages; then whether it is mirrored, where it can be, and
/// where `document` has several characters, the one on which it plays.
pub fn settings(document: &Document, take: &Take) -> Vec<Setting> {
    let mut json = held(take);
    // Where it cannot be mirrored, it has no such setting.
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

/// `take` as projects hold it, without the influence of stages that cannot be taken in part.
pub(super) fn held(take: &Take) -> Value {
    let mut held = json!(take);
    for (at, stage) in take.stages.iter().enumerate() {
        if let Some(fields) = held["stages"][at].as_object_mut().filter(|_| !stage.kind.has_influence()) {
            fields.shift_remove(INFLUENCE);
        }
    }
    held
}

/// The end of `place` that no other place of `all` has; a number alone is no name.
pub(super) fn short(place: &str, all: &[&str]) -> String {
    let starts = place.rmatch_indices('/').map(|(at, _)| at + 1);
    let tells = |start: &usize| {
        let end = &place[*start..];
        let is_name = end.split('/').next().is_some_and(|first| first.parse::<usize>().is_err());
        let shares = |other: &&&str| **other == end || other.ends_with(&format!("/{end}"));
        is_name && all.iter().filter(shares).count() <= 1
    };
    starts.chain([0]).find(tells).map_or(place, |start| &place[start..]).to_owned()
}

/// The JSON pointers and values of all settings of `json`, a take.
pub(super) fn all(json: &Value) -> Vec<(String, Value)> {
    let mut all = Vec::new();
    collect(json, String::new(), &mut all);
    all
}

/// Numbers, switches and words.
fn is_varied(place: &str, value: &Value) -> bool {
    // Which setting keys are of is no setting.
    let is_of_keys = place.contains("/keys/") && place.ends_with("/setting");
    !is_source(place) && !is_of_keys && (value.is_number() || value.is_boolean() || value.is_string())
}

/// The JSON pointer of the setting of `json` that is meant by `wanted`, which is its whole path or its end.
pub(super) fn place(json: &Value, wanted: &str) -> Result<String, Message> {
    let wanted = wanted.trim_matches('/');
    let all: Vec<String> = all(json).into_iter().map(|(place, _)| place).collect();
    let exact = all.iter().find(|place| place.trim_start_matches('/') == wanted);
    let ends: Vec<&String> = all.iter().filter(|place| place.ends_with(&format!("/{wanted}"))).collect();
    match (exact, ends[..].len()) {
        (Some(place), _) => Ok(place.clone()),
        (None, 1) => Ok(ends[0].clone()),
        (None, 0) => Err(message!(
            "error.variants.unknown",
            "The take has no setting “%{place}”. It has %{some} …",
            place = wanted,
            some = some(all.iter().filter(|place| place.contains("stages") || place.contains("source")))
        )),
        (None, _) => Err(message!(
            "error.variants.several",
            "Several settings end in “%{place}”: %{some}. Write more of the one that is meant.",
            place = wanted,
            some = some(ends.into_iter())
        )),
    }
}

fn some<'p>(places: impl Iterator<Item = &'p String>) -> String {
    places.take(12).map(|place| place.trim_start_matches('/')).collect::<Vec<_>>().join(", ")
}

/// The pointers of all settings that hold no others.
fn collect(json: &Value, at: String, all: &mut Vec<(String, Value)>) {
    match json {
        Value::Object(fields) if !fields.is_empty() => {
            fields.iter().for_each(|(key, value)| collect(value, format!("{at}/{key}"), all));
        }
        Value::Array(items) if !items.is_empty() => {
            items.iter().enumerate().for_each(|(i, value)| collect(value, format!("{at}/{i}"), all));
        }
        // What stages and takes are called by is no setting.
        _ if at.ends_with("/id") || at == "/name" => {}
        _ => all.push((at, json.clone())),
    }
}

/// A value as it stands in names and tables.
pub fn value_text(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::variants::Axis;

    fn samples() -> Document {
        let folder = tempfile::tempdir().unwrap();
        crate::samples::write_all(folder.path()).unwrap();
        let path = folder.path().join("samples.portamento");
        crate::document::file::from_bytes(&std::fs::read(&path).unwrap(), &path).unwrap()
    }

    #[test]
    fn every_setting_has_a_short_name_that_means_it_alone_and_values_that_can_be_read() {
        let document = samples();
        for take in &document.takes {
            let mut json = held(take);
            let _ = offer(&document, take, &mut json);
            let settings = settings(&document, take);
            assert!(!settings.is_empty(), "{}", take.name);
            for setting in &settings {
                let meant = place(&json, &setting.short).unwrap_or_else(|error| panic!("{}: {error}", take.name));
                assert_eq!(meant.trim_start_matches('/'), setting.place);
                let axis = Axis::with_values(&setting.place, &setting.proposal()).unwrap();
                assert!(!axis.values.is_empty(), "{setting:?}");
                // Round numbers need not hit what was dragged.
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
    fn a_leap_is_varied_first_in_how_far_it_goes() {
        let document = samples();
        let leap = document.takes.iter().find(|take| take.name == "leap to 5 m").unwrap();
        let draft = super::super::VariantDraft::new(leap.id, &settings(&document, leap));
        assert_eq!(draft.axes.len(), 1);
        assert!(draft.axes[0].place.ends_with("target/world/2"), "{draft:?}");
        assert_eq!(draft.axes[0].values, "3..7:1");
    }

    #[test]
    fn a_walk_is_varied_first_in_its_seed_and_in_no_number_of_a_file() {
        let document = samples();
        let walk = document.takes.iter().find(|take| take.name == "run through the yard").unwrap();
        let settings = settings(&document, walk);
        let draft = super::super::VariantDraft::new(walk.id, &settings);
        assert_eq!((&*draft.axes[0].place, &*draft.axes[0].values), ("source/walk/seed", "1..5"));
        assert!(settings.iter().all(|setting| setting.short != "level"), "{settings:?}");
    }

    #[test]
    fn values_are_proposed_in_round_numbers() {
        let proposal = |value: f64, per_kept: f64| {
            let (place, short) = (String::new(), String::new());
            let wording = Wording { per_kept, ..Wording::default() };
            Setting { place, short, value: value.into(), wording, choices: Vec::new() }.proposal()
        };
        assert_eq!(proposal(0.466667, 1.0), "0.3..0.7:0.1");
        assert_eq!(proposal(0.0, 1.0), "-0.5..0.5:0.25");
        assert_eq!(proposal(-12.0, 1.0), "-16..-8:2");
        assert_eq!(proposal(std::f64::consts::FRAC_PI_3, 180.0 / std::f64::consts::PI), "40..80:10");
    }
}
