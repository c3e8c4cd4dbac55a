//! Description of a varied setting: owner, name and unit.

use serde_json::Value;

use super::description::{Values, switch_word};
use super::{NameContext, names, unit_of};
use crate::i18n::tr;
use crate::units::Unit;
use portamento_session::variants::{MIRRORED, Setting, ValueWord, Wording};
use portamento_takes::document::Take;
use portamento_takes::document::field_edit::FieldName;
use portamento_takes::document::setting::{Measure, measure_of};

/// Path and possible values of a setting.
#[derive(Clone, Copy)]
struct SettingPath<'a> {
    path: &'a str,
    values: &'a [Value],
}

/// A setting inside a source or a stage of this `kind`.
struct Part<'a> {
    kind: &'a str,
    json: &'a Value,
    parts: &'a [&'a str],
    values: &'a [Value],
}

/// A setting with its labels.
#[derive(Clone, Debug, PartialEq)]
pub struct VariedSetting {
    /// The stage it belongs to, numbered if the take has several of that kind, or the source.
    pub owner: String,
    /// Its name and the format of its values.
    pub wording: Wording,
}

impl VariedSetting {
    /// Describes `setting` of `take`, whose saved form is `json`.
    pub fn of(take: &Take, json: &Value, setting: &Setting, around: &NameContext) -> Self {
        let values = setting.known_values();
        Self::at(take, json, SettingPath { path: &setting.place, values: &values }, around)
    }

    /// Describes the setting of `take`, whose saved form is `json`, at a path.
    fn at(take: &Take, json: &Value, SettingPath { path, values }: SettingPath, around: &NameContext) -> Self {
        let parts: Vec<&str> = path.split('/').collect();
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

    /// Returns a setting of the take itself, without owner. `name` is a locale key.
    fn of_take(name: &str, words: Vec<ValueWord>) -> Self {
        Self { owner: String::new(), wording: Wording { name: tr(name), words, ..Wording::default() } }
    }

    /// Describes the setting `part` of the stage or source `owner`.
    fn of_part(owner: String, part: &Part, around: &NameContext) -> Self {
        let Part { kind, json, parts, values } = *part;
        let mut path = FieldName::along(json, parts);
        // The kind comes first, and what holds all settings says nothing.
        let is_kind = parts.first().is_some_and(|first| json[first].is_object() && !STAGE_GROUPS.contains(first));
        if is_kind && path.len() > 1 {
            path.remove(0);
        }
        path.retain(|name| name.name != "settings");
        let words = names(kind, &path, around).join(" ");
        // A setting without label uses its own name.
        let name = if words.is_empty() { parts.last().copied().unwrap_or_default().to_owned() } else { words };
        let (suffix, displayed_per_stored) = written(measure_of(kind, &path), around);
        let words = value_words(kind, &path, values, around);
        Self { owner, wording: Wording { name, suffix, displayed_per_stored, words } }
    }
}

/// Returns the labels of the setting's values. A single value has none if its label equals the saved text. A joint setting lists
/// all joints.
fn value_words(kind: &str, path: &[FieldName], values: &[Value], around: &NameContext) -> Vec<ValueWord> {
    let is_joint = measure_of(kind, path) == Some(Measure::Joint) && values.iter().any(Value::is_number);
    let joints = around.skeleton.filter(|_| is_joint).map_or(0, |skeleton| skeleton.joints.len());
    let all: Vec<Value> = if is_joint { (0..joints).map(Value::from).collect() } else { values.to_vec() };
    let formatter = Values { kind, around };
    let word = |value: Value| {
        let word = formatter.words_of(path, &value);
        let is_word = values.len() > 1 || is_joint || value.as_str().is_some_and(|saved| saved != word);
        is_word.then_some(ValueWord { value, word })
    };
    all.into_iter().filter_map(word).collect()
}

/// Groups saved next to the kind in a stage.
const STAGE_GROUPS: [&str; 2] = ["span", "keys"];

/// Returns the unit suffix in which a setting is displayed, and the displayed number per stored one.
fn written(measure: Option<Measure>, around: &NameContext) -> (&'static str, f64) {
    let of = |unit: Unit| (unit.suffix(), unit.display_factor());
    match (measure, around.file_unit) {
        (Some(Measure::FileLength), Some(metres)) => {
            let (suffix, per_metre) = of(Unit::Metres);
            (suffix, metres * per_metre)
        }
        (Some(Measure::Percent), _) => (" %", 100.0),
        (measure, _) => measure.and_then(unit_of).map_or(("", 1.0), of),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::i18n;
    use glam::DVec3;
    use portamento_session::variants::settings;
    use portamento_takes::document::stage::Stretch;
    use portamento_takes::document::{FileId, Stage, StageKind, TakeId, TakeSource};

    #[test]
    fn settings_are_described_by_stage_name_and_unit() {
        i18n::use_language("en");
        let mut stretch = Stretch::default();
        stretch.settings.target = Some(portamento_stretch::Target::World(DVec3::new(0.0, 0.0, 500.0)));
        stretch.settings.facing = portamento_stretch::Facing::Heading(1.0);
        let kinds = vec![
            StageKind::Stretch(Box::new(stretch)),
            StageKind::Close(Box::default()),
            StageKind::Close(Box::default()),
        ];
        let source = TakeSource::Clip { file: FileId(1), clip: "leap".into() };
        let (id, character) = (TakeId(2), FileId(1));
        let take = Take { id, name: "leap".into(), character, source, stages: Stage::numbered(kinds), loops: None };
        let json = serde_json::to_value(&take).unwrap();
        let around = NameContext { file_unit: Some(0.01), ..NameContext::default() };
        let described = |path: &str| VariedSetting::at(&take, &json, SettingPath { path, values: &[] }, &around);
        let words = |owner: &str, name: &str| (owner.to_owned(), name.to_owned());
        let of = |path: &str| (described(path).owner, described(path).wording.name);
        assert_eq!(of("stages/0/stretch/settings/target/world/2"), words("Stretch", "Target Z"));
        assert_eq!(of("stages/2/close/seam"), words("Close 3", "Seam"));
        assert_eq!(of("source/clip/clip"), words("Source", "Clip"));
        let target_z = described("stages/0/stretch/settings/target/world/2");
        assert_eq!((target_z.wording.suffix, target_z.wording.displayed_per_stored), (" m", 0.01));
        let turn = described("stages/0/stretch/settings/facing/heading");
        assert!(turn.wording.suffix == "°" && (turn.wording.displayed_per_stored - 57.3).abs() < 0.1, "{turn:?}");
    }

    #[test]
    fn every_setting_of_the_samples_has_a_unique_name() {
        let folder = tempfile::tempdir().unwrap();
        portamento_session::samples::write_all(folder.path()).unwrap();
        let path = folder.path().join("samples.portamento");
        let document = portamento_takes::document::file::from_bytes(&std::fs::read(&path).unwrap(), &path).unwrap();
        for language in ["en", "zh-CN"] {
            i18n::use_language(language);
            for take in &document.takes {
                let json = serde_json::to_value(take).unwrap();
                let mut seen = std::collections::BTreeSet::new();
                for setting in settings(&document, take) {
                    let described = VariedSetting::of(take, &json, &setting, &NameContext::default());
                    let Wording { name, words, .. } = &described.wording;
                    let is_words = !name.contains(['_', '/']);
                    for word in words {
                        assert!(!word.word.is_empty() && !word.word.contains('_'), "{word:?}");
                    }
                    let is_choice = setting.value.is_boolean() || setting.known_values().len() > 1;
                    assert!(!is_choice || words.len() > 1 || setting.place == "character", "{}", setting.place);
                    assert!(
                        is_words && seen.insert((described.owner.clone(), name.clone())),
                        "{} {described:?}",
                        setting.place
                    );
                }
            }
        }
    }
}
