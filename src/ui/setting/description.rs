//! Text of a changed setting, such as `Target Z 5 m`.

use serde_json::Value;

use super::{unit_of, word_of};
use crate::i18n::tr;
use crate::units::Unit;
use portamento_anim::Skeleton;
use portamento_takes::document::change::SettingsEdit;
use portamento_takes::document::field_edit::{FieldEdit, FieldName, ListItem};
use portamento_takes::document::setting::{Measure, measure_of};
use portamento_takes::document::{Document, FileId};

/// Context that resolves ids in settings.
#[derive(Clone, Copy, Debug, Default)]
pub struct NameContext<'a> {
    /// Files and takes.
    pub document: Option<&'a Document>,
    /// Joints of the character, if known.
    pub skeleton: Option<&'a Skeleton>,
    /// Metres per unit of the character's file, if known.
    pub file_unit: Option<f64>,
}

/// Maximum number of names, counted from the innermost: for example a window, its target and the axis.
const MAX_NAMES: usize = 4;
/// Group name in front of the setting if its keys were changed.
const KEYS_GROUP: &str = "keys";

/// Returns the changed setting of `edit` with its new value, such as `Target Z 5 m`. `None` if the edit names no setting.
pub fn describe_setting(edit: &SettingsEdit, around: &NameContext) -> Option<String> {
    let FieldEdit { path, value } = edit.field.as_ref()?;
    let (keys, path) = match &path[..] {
        [first, rest @ ..] if first.name == KEYS_GROUP && !rest.is_empty() => (Some(tr("form.keys")), rest),
        path => (None, path),
    };
    let names: Vec<String> = keys.into_iter().chain(names(edit.kind, path, around)).collect();
    let first_kept = names.len().saturating_sub(MAX_NAMES);
    let value = Values { kind: edit.kind, around }.words_of(path, value);
    Some(
        [names[first_kept..].join(" "), value]
            .iter()
            .filter(|part| !part.is_empty())
            .cloned()
            .collect::<Vec<_>>()
            .join(" "),
    )
}

/// Returns the names of the setting at `path` of a stage or source of this `kind` and of its groups, from outside in.
pub fn names(kind: &str, path: &[FieldName], around: &NameContext) -> Vec<String> {
    let has_items = |at: usize| path.get(at + 1).is_some_and(|part| part.item.is_some());
    (0..path.len()).filter(|&at| !has_items(at)).filter_map(|at| name(kind, &path[..=at], around)).collect()
}

/// Returns the innermost name of `path`: of a list item, a joint, a label, an index or an axis. `None` if the last part has none.
fn name(kind: &str, path: &[FieldName], around: &NameContext) -> Option<String> {
    let last = path.last()?;
    match &last.item {
        Some(ListItem::Named(name)) => Some(name.clone()),
        Some(ListItem::Joint(joint)) => Some(around.joint(*joint as u64)),
        None => word_of(kind, path).or_else(|| index_or_axis(&last.name)),
    }
}

/// Returns the name of a list index or an axis, in upper case; `None` for other names.
fn index_or_axis(name: &str) -> Option<String> {
    let is_index_or_axis = name.parse::<usize>().is_ok() || ["x", "y", "z"].contains(&name);
    is_index_or_axis.then(|| name.to_uppercase())
}

impl NameContext<'_> {
    /// Returns the name of the joint, or its number if the character is not loaded.
    fn joint(&self, joint: u64) -> String {
        let known = self.skeleton.and_then(|skeleton| skeleton.joints.get(joint as usize));
        known.map_or_else(|| joint.to_string(), |joint| joint.name.clone())
    }

    /// Returns the name of the file with that ID, or the ID if it is unknown.
    fn file(&self, id: u64) -> String {
        let known = self.document.and_then(|document| document.file(FileId(u32::try_from(id).ok()?)));
        let name = known.and_then(|file| Some(file.path.file_name()?.to_string_lossy().into_owned()));
        name.unwrap_or_else(|| id.to_string())
    }
}

/// Formats the values of one take's source or stage.
pub(super) struct Values<'a> {
    pub kind: &'a str,
    pub around: &'a NameContext<'a>,
}

impl Values<'_> {
    /// Returns the text of `value` with its unit; empty for long lists and groups of settings. A group of one setting is named
    /// with its value.
    pub fn words_of(&self, path: &[FieldName], value: &Value) -> String {
        let measure = measure_of(self.kind, path);
        match value {
            Value::Null => "–".to_owned(),
            Value::Bool(on) => switch_word(*on),
            Value::Number(number) => self.number(measure, number),
            Value::String(word) => self.text(measure, word),
            Value::Array(all) if (1..=4).contains(&all.len()) && all.iter().all(is_short) => {
                all.iter().map(|each| self.words_of(path, each)).collect::<Vec<_>>().join(", ")
            }
            Value::Object(all) if all.len() == 1 => {
                let of = |(name, value): (&String, &Value)| {
                    let inner = [path, &[FieldName::from(name.as_str())]].concat();
                    let words = [choice_label(measure, name).unwrap_or_default(), self.words_of(&inner, value)];
                    words.into_iter().filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
                };
                all.iter().map(of).collect()
            }
            _ => String::new(),
        }
    }

    /// Returns the displayed text of the saved word `word`: the title of a clip, the label of a choice, or the word itself.
    fn text(&self, measure: Option<Measure>, word: &str) -> String {
        match measure {
            Some(Measure::Clip) => self.around.document.map_or_else(|| word.to_owned(), |all| all.clip_title(word)),
            _ => choice_label(measure, word).unwrap_or_else(|| word.to_owned()),
        }
    }

    /// Formats a number with its unit: a joint or file by name, an index from 1. A file length without a known unit has none.
    fn number(&self, measure: Option<Measure>, number: &serde_json::Number) -> String {
        let value = number.as_f64().unwrap_or_default();
        let index = number.as_u64().unwrap_or_default();
        let (unit, value) = match (measure, self.around.file_unit) {
            (Some(Measure::Joint), _) => return self.around.joint(index),
            (Some(Measure::File), _) => return self.around.file(index),
            (Some(Measure::Index), _) => (Unit::Plain, value + 1.0),
            (Some(Measure::Percent), _) => (Unit::Plain, value * 100.0),
            (Some(Measure::FileLength), Some(metres)) => (Unit::Metres, value * metres),
            (measure, _) => (measure.and_then(unit_of).unwrap_or(Unit::Plain), value),
        };
        rounded(unit, value) + unit.suffix()
    }
}

/// Returns the text of a switch.
pub(super) fn switch_word(on: bool) -> String {
    tr(if on { "setting.on" } else { "setting.off" })
}

/// True if the value is a number or a text.
fn is_short(value: &Value) -> bool {
    value.is_number() || value.is_string()
}

/// Returns the translated label of the choice `word`; `None` if the setting is no choice or has no label.
fn choice_label(measure: Option<Measure>, word: &str) -> Option<String> {
    let Some(Measure::Choice(texts)) = measure else { return None };
    let key = format!("{texts}{word}");
    Some(tr(&key)).filter(|text| *text != key)
}

/// Formats `value` in the displayed unit without suffix: at most three decimals (one for radians shown in degrees) and no
/// trailing zeros. Plain values that would round to 0 use scientific notation.
fn rounded(unit: Unit, value: f64) -> String {
    let text = unit.number(value, if unit == Unit::Radians { 1 } else { 3 });
    let text = if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { &text };
    match text {
        "0" if unit == Unit::Plain && value != 0.0 => format!("{value:.1e}"),
        _ => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::i18n;
    use portamento_anim::Joint;
    use portamento_anim::math::Transform;
    use portamento_takes::document::{SourceFile, Take, TakeId, TakeSource};

    fn path(names: &str) -> Vec<FieldName> {
        names.split('/').map(FieldName::from).collect()
    }

    fn edit(kind: &'static str, path: Vec<FieldName>, value: Value) -> SettingsEdit {
        SettingsEdit { kind, take: "leap".into(), field: Some(FieldEdit { path, value }) }
    }

    #[test]
    fn a_changed_setting_is_described_by_its_label_and_its_value() {
        i18n::use_language("en");
        let around = NameContext { file_unit: Some(0.01), ..NameContext::default() };
        let in_kind = |kind, names: &str, value| describe_setting(&edit(kind, path(names), value), &around).unwrap();
        let text_of = |names: &str, value: Value| in_kind("stretch", names, value);
        assert_eq!(text_of("target/world/z", json!(525.0)), "Target Z 5.25 m");
        assert_eq!(text_of("windows/2/end", json!(1.0)), "Windows 2 End 1 s");
        assert_eq!(text_of("target", json!({ "world": [0.0, -0.0, 512.345] })), "Target 0 m, 0 m, 5.123 m");
        assert_eq!(text_of("dead_zone", json!(0.05)), "Dead zone 0.05 m/s");
        assert_eq!(text_of("feet", json!(true)), "Keep feet planted on");
        assert_eq!(text_of("method", json!("uniform")), "Method Evenly over time");
        assert_eq!(text_of("axes/2", json!(false)), "Axes Y off");
        assert_eq!(text_of("facing", json!({ "heading": 1.0 })), "Facing Fixed direction 57.3°");
        assert_eq!(text_of("windows", json!([{ "start": 0 }])), "Windows");
        assert_eq!(text_of("aligner", json!(null)), "Aligner –");
        assert_eq!(in_kind("mirror", "angle", json!(30.0)), "Plane 30°");
        assert_eq!(in_kind("dynamics", "wind/strength", json!(3.0)), "Wind Strength 3 m/s²");
        assert_eq!(in_kind("dynamics", "keys/wind/strength", json!([])), "Keys Wind Strength");
        assert_eq!(in_kind("layer", "events/1/midpoint", json!(0.4)), "Events 1 Midpoint (%) 40");
        assert_eq!(in_kind("walk", "voxels/slope_limit", json!(40.0)), "Slope limit 40°");
        assert_eq!(
            in_kind("dynamics", "chains/1/limit", json!({ "cone": { "angle": 0.5 } })),
            "Chains 1 Angle limit Cone 28.6°"
        );
    }

    #[test]
    fn joints_files_takes_and_list_items_are_described_by_their_names() {
        i18n::use_language("en");
        let joint = |name: &str| Joint {
            name: name.into(),
            parent: None,
            rest: Transform::IDENTITY,
            node: 0,
            first_morph: 0,
            morph_count: 0,
        };
        let skeleton = Skeleton { joints: ["pelvis", "head"].map(joint).to_vec(), ..Skeleton::default() };
        let source = TakeSource::Rest { seconds: 1.0 };
        let closed_walk =
            Take { id: TakeId(5), name: "round".into(), character: FileId(1), source, stages: Vec::new(), loops: None };
        let path_of = "levels/yard.glb".into();
        let yard = SourceFile {
            id: FileId(2),
            path: path_of,
            hash: String::new(),
            metres_per_unit: 1.0,
            up: None,
            fps: None,
            sheet: None,
        };
        let document = Document { takes: vec![closed_walk], files: vec![yard], ..Document::default() };
        let around = NameContext { document: Some(&document), skeleton: Some(&skeleton), file_unit: None };
        let text_of = |kind, path, value| describe_setting(&edit(kind, path, value), &around).unwrap();
        assert_eq!(text_of("stretch", path("aligner"), json!(1)), "Aligner head");
        assert_eq!(text_of("stretch", path("root"), json!({ "joint": 0 })), "Root motion from pelvis");
        assert_eq!(text_of("stretch", path("root"), json!("made")), "Root motion from From foot contacts");
        assert_eq!(text_of("dynamics", path("colliders/1/joint"), json!(1)), "Colliders 1 On joint head");
        assert_eq!(text_of("walk", path("level"), json!(2)), "Level yard.glb");
        assert_eq!(text_of("walk", path("clips/stop"), json!("take:5")), "Stop clip round");
        let of = |list: &str, item: ListItem, rest: &str| {
            let part = FieldName { name: "1".into(), item: Some(item) };
            [path(list), vec![part], path(rest)].concat()
        };
        let hair = of("chains", ListItem::Named("hair".into()), "drag/value");
        assert_eq!(text_of("dynamics", hair, json!(0.2)), "hair Drag 0.2");
        let foot = of("plants", ListItem::Joint(1), "spans/2/end");
        assert_eq!(text_of("stretch", foot, json!(0.5)), "head 2 End 0.5 s");
    }

    #[test]
    fn a_small_number_does_not_become_0_and_a_length_of_an_unknown_file_has_no_unit() {
        let number = |kind, names: &str, value: Value| {
            Values { kind, around: &NameContext::default() }.words_of(&path(names), &value)
        };
        assert_eq!(number("cloth", "stretch", json!(1e-7)), "1.0e-7");
        assert_eq!(number("cloth", "bend", json!(0.0)), "0");
        assert_eq!(number("cloth", "frames", json!(240)), "240");
        assert_eq!(number("stretch", "target/world/x", json!(500.0)), "500");
        assert_eq!(number("stretch", "facing/heading", json!(1.0)), "57.3°");
        assert_eq!(number("stretch", "aligner", json!(7)), "7");
    }
}
