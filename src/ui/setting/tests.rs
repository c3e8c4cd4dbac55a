mod filled;

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::*;
use crate::i18n;
use portamento_session::recipe::Expected;
use portamento_takes::document::setting::{Measure, measure_of};
use portamento_takes::document::{Stage, TakeSource};

/// A stage or source as saved in projects.
struct Saved {
    kind: &'static str,
    value: Value,
    is_stage: bool,
}

/// Returns one of every kind.
fn all() -> Vec<Saved> {
    let stages = filled::stages().into_iter().map(|kind| Saved {
        kind: kind.name(),
        value: serde_json::to_value(&kind).unwrap(),
        is_stage: true,
    });
    let sources = filled::sources().into_iter().map(|source| Saved {
        kind: source.name().unwrap(),
        value: serde_json::to_value(&source).unwrap(),
        is_stage: false,
    });
    stages.chain(sources).collect()
}

/// A part of a saved setting.
struct Part {
    /// Path as used in changes of settings.
    path: Vec<String>,
    /// JSON pointer in the saved value.
    pointer: String,
    value: Value,
}

/// Returns all parts of `saved`, from outside in.
fn parts(saved: &Saved) -> Vec<Part> {
    let mut found = vec![Part { path: Vec::new(), pointer: String::new(), value: saved.value.clone() }];
    let mut next = 0;
    while let Some(Part { path, pointer, value }) = found.get(next) {
        let is_point = |items: &[Value]| items.len() == 3 && items.iter().all(Value::is_number);
        let inner: Vec<(String, String, &Value)> = match value {
            Value::Object(all) => all.iter().map(|(name, part)| (name.clone(), name.clone(), part)).collect(),
            Value::Array(all) => {
                let name = |at: usize| if is_point(all) { ["x", "y", "z"][at].into() } else { (at + 1).to_string() };
                all.iter().enumerate().map(|(at, part)| (name(at), at.to_string(), part)).collect()
            }
            _ => Vec::new(),
        };
        let part = |(name, index, value): (String, String, &Value)| {
            let named = (name != "settings").then_some(name);
            let path = path.iter().cloned().chain(named).collect();
            Part { path, pointer: format!("{pointer}/{index}"), value: value.clone() }
        };
        let inner: Vec<Part> = inner.into_iter().map(part).collect();
        found.extend(inner);
        next += 1;
    }
    // The kind is the outermost part.
    found.retain(|part| part.path.len() > 1);
    found.iter_mut().for_each(|part| drop(part.path.remove(0)));
    found
}

#[test]
fn settings_with_their_default_value_are_saved_too() {
    // An empty list contains no setting, and neither do a character's own crossings that are off. Painted weights are saved as text.
    let is_list = |name: &str, value: &Value| value.is_array() || name == "pins";
    for saved in all() {
        let mut full = saved.value.clone();
        if saved.is_stage {
            (full["id"], full["on"], full["influence"]) = (json!(1), json!(true), json!(1.0));
        }
        let read = |value: Value| match saved.is_stage {
            true => {
                let stage = serde_json::from_value::<Stage>(value).ok();
                stage.filter(|stage| stage.kind.name() == saved.kind).map(|stage| json!(stage))
            }
            false => serde_json::from_value::<TakeSource>(value).ok().map(|source| json!(source)),
        };
        let mut pointers: Vec<String> = parts(&saved).into_iter().map(|part| part.pointer).collect();
        pointers.extend(saved.is_stage.then(|| ["/on".to_owned(), "/influence".to_owned()]).into_iter().flatten());
        for pointer in pointers {
            let Some((parent, name)) = pointer.rsplit_once('/') else { continue };
            let mut without = full.clone();
            let fields = without.pointer_mut(parent).and_then(Value::as_object_mut);
            let Some(removed) = fields.and_then(|fields| fields.shift_remove(name)) else { continue };
            let is_saved = read(without).is_none_or(|read| read.pointer(&pointer).is_some());
            assert!(is_saved || is_list(name, &removed), "{}: {pointer}", saved.kind);
        }
    }
}

#[test]
fn the_filled_settings_have_no_empty_parts() {
    let is_empty = |value: &Value| value.is_null() || value.as_array().is_some_and(Vec::is_empty);
    for saved in all() {
        let empty: Vec<String> =
            parts(&saved).iter().filter(|part| is_empty(&part.value)).map(|part| part.path.join("/")).collect();
        assert!(empty.is_empty(), "{}: {empty:?}", saved.kind);
    }
}

#[test]
fn every_number_of_every_kind_has_a_measure() {
    let (mut unknown, mut known) = (Vec::new(), 0);
    for saved in all() {
        for part in parts(&saved).iter().filter(|part| part.value.is_number()) {
            match measure_of(saved.kind, &part.path) {
                Some(_) => known += 1,
                None => unknown.push(format!("{}: {}", saved.kind, part.path.join("/"))),
            }
        }
    }
    assert!(unknown.is_empty(), "{unknown:#?}");
    assert!(known > 250, "only {known} numbers were looked at");
}

/// Names of groups that need no label.
const GROUPS_WITHOUT_LABEL: [&str; 21] = [
    "world",
    "value",
    "tree",
    "scenario",
    "kind",
    "source",
    "additive",
    "space",
    "standard",
    "named",
    "drawn",
    "speed",
    "box",
    "prism",
    "painted",
    "cone",
    "hinge",
    "sphere",
    "inside_capsule",
    "plane",
    "points",
];

#[test]
fn every_setting_of_every_kind_has_a_word_in_every_language() {
    let mut unnamed = BTreeSet::new();
    let is_index = |name: &str| ["x", "y", "z"].contains(&name) || name.parse::<usize>().is_ok();
    for saved in all() {
        for Part { path, value, .. } in parts(&saved) {
            let last = path.last().unwrap().as_str();
            let row = row_of(saved.kind, &path);
            unnamed.extend(row.and_then(|row| untranslated(row.word)));
            let says = |length: usize| row_of(saved.kind, &path[..length]).is_some_and(|row| !row.word.is_empty());
            let is_group = value.is_object() || value.is_array();
            let is_known = row.is_some() || GROUPS_WITHOUT_LABEL.contains(&last) || is_index(last);
            if !is_known || !is_group && !(1..=path.len()).any(says) {
                unnamed.insert(format!("{}: {}", saved.kind, path.join("/")));
            }
        }
    }
    assert!(unnamed.is_empty(), "{unnamed:#?}");
}

/// Returns the key if it lacks a text in one of the languages.
fn untranslated(key: &str) -> Option<String> {
    let lacks = |language: &&str| {
        i18n::use_language(language);
        tr(key) == key
    };
    let lacking = !key.is_empty() && ["en", "zh-CN"].iter().any(lacks);
    i18n::use_language("en");
    lacking.then(|| key.to_owned())
}

#[test]
fn every_choice_of_every_kind_has_a_word_in_every_language() {
    let texts = choice_texts();
    assert!(texts.len() > 70, "only {} choices were looked at", texts.len());
    let unnamed: Vec<String> = texts.iter().filter_map(|key| untranslated(key)).collect();
    assert!(unnamed.is_empty(), "{unnamed:#?}");
}

/// Choices that contain another value shown in their place.
const REPLACED_CHOICES: [&str; 2] = ["root.joint", "easing.named"];

/// Returns the label keys of all choices, as reported by the types themselves.
pub(crate) fn choice_texts() -> BTreeSet<String> {
    let mut texts = BTreeSet::new();
    for saved in all() {
        for part in parts(&saved) {
            let Some(Measure::Choice(begin)) = row_of(saved.kind, &part.path).map(|row| row.measure) else { continue };
            let all = variants(&saved, &part);
            assert!(all.len() > 1, "{}: {} is no choice", saved.kind, part.path.join("/"));
            texts.extend(all.iter().map(|variant| format!("{begin}{variant}")));
        }
    }
    texts.retain(|text| !REPLACED_CHOICES.contains(&text.as_str()));
    texts
}

/// Returns the variants of `part`, as its type reports them.
fn variants(saved: &Saved, part: &Part) -> &'static [&'static str] {
    let mut changed = saved.value.clone();
    *changed.pointer_mut(&part.pointer).unwrap() =
        if part.value.is_object() { json!({ "?": null }) } else { json!("?") };
    let expected = if saved.is_stage { Expected::in_stage(&changed) } else { Expected::in_source(&changed) };
    expected.map_or(&[][..], Expected::variants)
}

#[test]
fn the_innermost_known_group_gives_the_measure_of_a_number() {
    let of = |kind, path: &str| measure_of(kind, &path.split('/').collect::<Vec<_>>());
    assert_eq!(of("stretch", "target/world/z"), Some(Measure::FileLength));
    assert_eq!(of("stretch", "windows/2/end"), Some(Measure::Seconds));
    assert_eq!(of("stretch", "windows/2/target/world/x"), Some(Measure::FileLength));
    assert_eq!(of("dynamics", "chains/1/radius/value"), Some(Measure::Metres));
    assert_eq!(of("dynamics", "chains/1/radius/curve/1/2"), Some(Measure::Plain));
    assert_eq!(of("dynamics", "chains/1/limit/hinge/low"), Some(Measure::Radians));
    assert_eq!(of("blend", "tree/nodes/3/standard/events/1/time"), Some(Measure::Seconds));
    assert_eq!(of("blend", "tree/nodes/3/source/offset"), Some(Measure::Seconds));
    assert_eq!(of("ground", "span/fade_in"), Some(Measure::Seconds));
    assert_eq!(of("ground", "nothing"), None);
    assert_eq!(of("dynamics", "gravity/1"), Some(Measure::Acceleration), "places counted from 0");
}
