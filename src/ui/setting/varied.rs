//! A setting of a take that is varied, in words: what it belongs to, what it is called, and in which unit it is written.

use serde_json::Value;

use super::told::{Values, switch_word};
use super::{Around, Measure, measure_of, names};
use crate::document::Take;
use crate::document::field_edit::FieldName;
use crate::session::variants::{MIRRORED, Setting, ValueWord, Wording};
use crate::ui::i18n::tr;
use crate::ui::units::Unit;

/// Where a setting is, and what it may be.
#[derive(Clone, Copy)]
struct Place<'a> {
    place: &'a str,
    values: &'a [Value],
}

/// The same within a source or a stage of this `kind`.
struct Part<'a> {
    kind: &'a str,
    json: &'a Value,
    parts: &'a [&'a str],
    values: &'a [Value],
}

/// A setting in words.
#[derive(Clone, Debug, PartialEq)]
pub struct VariedSetting {
    /// The stage it belongs to, with its place where the take has several of a kind, or the source.
    pub owner: String,
    /// What it is called there, and how its values are written.
    pub wording: Wording,
}

impl VariedSetting {
    /// `setting` of `take`, which projects have as `json`.
    pub fn of(take: &Take, json: &Value, setting: &Setting, around: &Around) -> Self {
        let values = setting.known_values();
        Self::at(take, json, Place { place: &setting.place, values: &values }, around)
    }

    fn at(take: &Take, json: &Value, Place { place, values }: Place, around: &Around) -> Self {
        let parts: Vec<&str> = place.split('/').collect();
        let number = parts.get(1).and_then(|at| at.parse::<usize>().ok());
        match (parts[0], number.and_then(|at| Some((at, take.stages.get(at)?)))) {
            ("stages", Some((at, stage))) => {
                let kind = stage.kind.name();
                let several = take.stages.iter().filter(|other| other.kind.name() == kind).count() > 1;
                let word = tr(&format!("stage.{kind}"));
                let owner = if several { format!("{word} {}", at + 1) } else { word };
                Self::of_part(owner, &Part { kind, json: &json["stages"][at], parts: &parts[2..], values }, around)
            }
            ("source", _) => {
                let kind = take.source.name().unwrap_or("clip");
                Self::of_part(
                    tr("section.source"),
                    &Part { kind, json: &json["source"], parts: &parts[1..], values },
                    around,
                )
            }
            (MIRRORED, _) => {
                let word = |&value: &bool| ValueWord { value: value.into(), word: switch_word(value) };
                Self::of_take("stage.mirror", [false, true].iter().map(word).collect())
            }
            _ => Self::of_take("form.walk_character", Vec::new()),
        }
    }

    /// One that is of the take as a whole.
    fn of_take(name: &str, words: Vec<ValueWord>) -> Self {
        Self { owner: String::new(), wording: Wording { name: tr(name), words, ..Wording::default() } }
    }

    fn of_part(owner: String, part: &Part, around: &Around) -> Self {
        let Part { kind, json, parts, values } = *part;
        let mut path = FieldName::along(json, parts);
        // The kind comes first, and what holds all settings says nothing.
        let is_kind = parts.first().is_some_and(|first| json[first].is_object() && !BESIDE.contains(first));
        if is_kind && path.len() > 1 {
            path.remove(0);
        }
        path.retain(|name| name.name != "settings");
        let words = names(kind, &path, around).join(" ");
        // What has no word is told by its own name.
        let name = if words.is_empty() { parts.last().copied().unwrap_or_default().to_owned() } else { words };
        let (suffix, per_kept) = written(measure_of(kind, &path), around);
        let words = value_words(kind, &path, values, around);
        Self { owner, wording: Wording { name, suffix, per_kept, words } }
    }
}

/// What `values` of the setting at `path` are called where a person does not read them as they are held; of a joint all joints.
fn value_words(kind: &str, path: &[FieldName], values: &[Value], around: &Around) -> Vec<ValueWord> {
    let is_joint = measure_of(kind, path) == Some(Measure::Joint) && values.iter().any(Value::is_number);
    let joints = around.skeleton.filter(|_| is_joint).map_or(0, |skeleton| skeleton.joints.len());
    let all: Vec<Value> = if is_joint { (0..joints).map(Value::from).collect() } else { values.to_vec() };
    let told = Values { kind, around };
    let word = |value: Value| {
        let word = told.words_of(path, &value);
        let is_word = values.len() > 1 || is_joint || value.as_str().is_some_and(|held| held != word);
        is_word.then_some(ValueWord { value, word })
    };
    all.into_iter().filter_map(word).collect()
}

/// What stands beside the kind in a stage.
const BESIDE: [&str; 2] = ["span", "keys"];

/// The unit in which a setting is written: that of the window where it can be told by a factor.
fn written(measure: Option<Measure>, around: &Around) -> (&'static str, f64) {
    let of = |unit: Unit| (unit.suffix(), unit.shown_per_kept());
    match (measure, around.file_unit) {
        (Some(Measure::In(unit)), _) => of(unit),
        (Some(Measure::FileLength), Some(metres)) => {
            let (suffix, per_metre) = of(Unit::Metres);
            (suffix, metres * per_metre)
        }
        (Some(Measure::Percent), _) => (" %", 100.0),
        _ => ("", 1.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::stage::Stretch;
    use crate::document::{FileId, Stage, StageKind, TakeId, TakeSource};
    use crate::session::variants::settings;
    use crate::ui::i18n;
    use glam::DVec3;

    #[test]
    fn settings_are_told_by_stage_word_and_unit() {
        i18n::use_language("en");
        let mut stretch = Stretch::default();
        stretch.settings.target = Some(crate::systems::stretch::Target::World(DVec3::new(0.0, 0.0, 500.0)));
        stretch.settings.facing = crate::systems::stretch::Facing::Heading(1.0);
        let kinds = vec![
            StageKind::Stretch(Box::new(stretch)),
            StageKind::Close(Box::default()),
            StageKind::Close(Box::default()),
        ];
        let source = TakeSource::Clip { file: FileId(1), clip: "leap".into() };
        let (id, character) = (TakeId(2), FileId(1));
        let take = Take { id, name: "leap".into(), character, source, stages: Stage::numbered(kinds) };
        let json = serde_json::to_value(&take).unwrap();
        let around = Around { file_unit: Some(0.01), ..Around::default() };
        let told = |place: &str| VariedSetting::at(&take, &json, Place { place, values: &[] }, &around);
        let words = |owner: &str, name: &str| (owner.to_owned(), name.to_owned());
        let of = |place: &str| (told(place).owner, told(place).wording.name);
        assert_eq!(of("stages/0/stretch/settings/target/world/2"), words("Stretch", "Target Z"));
        assert_eq!(of("stages/2/close/seam"), words("Close 3", "Seam"));
        assert_eq!(of("source/clip/clip"), words("Source", "Clip"));
        let far = told("stages/0/stretch/settings/target/world/2");
        assert_eq!((far.wording.suffix, far.wording.per_kept), (" m", 0.01));
        let turn = told("stages/0/stretch/settings/facing/heading");
        assert!(turn.wording.suffix == "°" && (turn.wording.per_kept - 57.3).abs() < 0.1, "{turn:?}");
    }

    #[test]
    fn every_setting_of_the_samples_is_told_by_words_that_mean_it_alone() {
        let folder = tempfile::tempdir().unwrap();
        crate::samples::write_all(folder.path()).unwrap();
        let path = folder.path().join("samples.portamento");
        let document = crate::document::file::from_bytes(&std::fs::read(&path).unwrap(), &path).unwrap();
        for language in ["en", "zh-CN"] {
            i18n::use_language(language);
            for take in &document.takes {
                let json = serde_json::to_value(take).unwrap();
                let mut seen = std::collections::BTreeSet::new();
                for setting in settings(&document, take) {
                    let told = VariedSetting::of(take, &json, &setting, &Around::default());
                    let Wording { name, words, .. } = &told.wording;
                    let is_words = !name.contains(['_', '/']);
                    for word in words {
                        assert!(!word.word.is_empty() && !word.word.contains('_'), "{word:?}");
                    }
                    let is_held = setting.value.is_boolean() || setting.known_values().len() > 1;
                    assert!(!is_held || words.len() > 1 || setting.place == "character", "{}", setting.place);
                    assert!(is_words && seen.insert((told.owner.clone(), name.clone())), "{} {told:?}", setting.place);
                }
            }
        }
    }
}
