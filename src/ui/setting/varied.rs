//! A setting of a take that is varied, in words: what it belongs to, what it is called, and in which unit it is written.

use serde_json::Value;

use super::{Around, Measure, measure_of, names};
use crate::document::Take;
use crate::document::field_edit::FieldName;
use crate::ui::i18n::tr;
use crate::ui::units::Unit;

/// A setting in words.
#[derive(Clone, Debug, PartialEq)]
pub struct VariedSetting {
    /// The stage it belongs to, with its place where the take has several of a kind, or the source.
    pub owner: String,
    /// What it is called there.
    pub name: String,
    /// What stands after its values.
    pub suffix: &'static str,
    /// How much is written for one of what the take keeps.
    pub per_kept: f64,
}

impl VariedSetting {
    /// The setting at `place` of `take`, which projects have as `json`.
    pub fn at(take: &Take, json: &Value, place: &str, around: &Around) -> Self {
        let parts: Vec<&str> = place.split('/').collect();
        let number = parts.get(1).and_then(|at| at.parse::<usize>().ok());
        match (parts[0], number.and_then(|at| Some((at, take.stages.get(at)?)))) {
            ("stages", Some((at, stage))) => {
                let kind = stage.kind.name();
                let several = take.stages.iter().filter(|other| other.kind.name() == kind).count() > 1;
                let word = tr(&format!("stage.{kind}"));
                let owner = if several { format!("{word} {}", at + 1) } else { word };
                Self::of_part(owner, kind, &json["stages"][at], &parts[2..], around)
            }
            ("source", _) => {
                let kind = take.source.name().unwrap_or("clip");
                Self::of_part(tr("section.source"), kind, &json["source"], &parts[1..], around)
            }
            _ => Self { owner: String::new(), name: tr("form.walk_character"), suffix: "", per_kept: 1.0 },
        }
    }

    fn of_part(owner: String, kind: &str, part: &Value, parts: &[&str], around: &Around) -> Self {
        let mut path = FieldName::along(part, parts);
        // The kind comes first, and what holds all settings says nothing.
        let is_kind = parts.first().is_some_and(|first| part[first].is_object() && !BESIDE.contains(first));
        if is_kind && path.len() > 1 {
            path.remove(0);
        }
        path.retain(|name| name.name != "settings");
        let words = names(kind, &path, around).join(" ");
        // What has no word is told by its own name.
        let name = if words.is_empty() { parts.last().copied().unwrap_or_default().to_owned() } else { words };
        let (suffix, per_kept) = written(measure_of(kind, &path), around);
        Self { owner, name, suffix, per_kept }
    }
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
        let told = |place: &str| VariedSetting::at(&take, &json, place, &around);
        let words = |owner: &str, name: &str| (owner.to_owned(), name.to_owned());
        let of = |place: &str| (told(place).owner, told(place).name);
        assert_eq!(of("stages/0/stretch/settings/target/world/2"), words("Stretch", "Target Z"));
        assert_eq!(of("stages/2/close/seam"), words("Close 3", "Seam"));
        assert_eq!(of("source/clip/clip"), words("Source", "Clip"));
        let far = told("stages/0/stretch/settings/target/world/2");
        assert_eq!((far.suffix, far.per_kept), (" m", 0.01));
        let turn = told("stages/0/stretch/settings/facing/heading");
        assert!(turn.suffix == "°" && (turn.per_kept - 57.3).abs() < 0.1, "{turn:?}");
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
                    let told = VariedSetting::at(take, &json, &setting.place, &Around::default());
                    let is_words = !told.name.contains(['_', '/']);
                    assert!(
                        is_words && seen.insert((told.owner.clone(), told.name.clone())),
                        "{} {told:?}",
                        setting.place
                    );
                }
            }
        }
    }
}
