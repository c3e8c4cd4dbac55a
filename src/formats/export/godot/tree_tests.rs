//! Trees are read by a strict parser of Godot's text resources, with the classes and properties that the 4.5 manual documents.
//! No engine was run.

use std::collections::BTreeMap;

use super::*;
use crate::export::clip_set::tests::{chain, gait, index, measured, ring, strikes};
use portamento_sets::SetKind;

/// Documented classes with their properties and the kind of each value. Numbers in names are written as `#`, names of states as `*`.
const DOCUMENTED: [(&str, &[(&str, &str)]); 5] = [
    ("AnimationNodeAnimation", &[("animation", "StringName")]),
    (
        "AnimationNodeBlendSpace1D",
        &[
            ("blend_point_#/node", "SubResource"),
            ("blend_point_#/pos", "float"),
            ("max_space", "float"),
            ("min_space", "float"),
            ("value_label", "String"),
            ("sync", "bool"),
        ],
    ),
    (
        "AnimationNodeBlendSpace2D",
        &[
            ("blend_point_#/node", "SubResource"),
            ("blend_point_#/pos", "Vector2"),
            ("max_space", "Vector2"),
            ("min_space", "Vector2"),
            ("x_label", "String"),
            ("y_label", "String"),
            ("blend_mode", "int"),
            ("sync", "bool"),
        ],
    ),
    (
        "AnimationNodeStateMachine",
        &[("states/*/node", "SubResource"), ("states/*/position", "Vector2"), ("transitions", "Array")],
    ),
    (
        "AnimationNodeStateMachineTransition",
        &[
            ("xfade_time", "float"),
            ("switch_mode", "int"),
            ("advance_mode", "int"),
            ("advance_condition", "StringName"),
            ("break_loop_at_end", "bool"),
        ],
    ),
];

/// A value of a property.
#[derive(Clone, Debug, PartialEq)]
enum Value {
    Number(f64, bool),
    Bool(bool),
    Text(String),
    Name(String),
    Vector2(f64, f64),
    Part(String),
    Array(Vec<Value>),
}

impl Value {
    fn kind(&self) -> &'static str {
        match self {
            Self::Number(_, true) => "int",
            Self::Number(_, false) => "float",
            Self::Bool(_) => "bool",
            Self::Text(_) => "String",
            Self::Name(_) => "StringName",
            Self::Vector2(..) => "Vector2",
            Self::Part(_) => "SubResource",
            Self::Array(_) => "Array",
        }
    }
}

type Properties = BTreeMap<String, Value>;

/// A parsed file: the class and properties of its resource, and its parts by id.
#[derive(Debug)]
struct Parsed {
    class: String,
    properties: Properties,
    parts: BTreeMap<String, (String, Properties)>,
}

/// Reads one value at the start of `text`; returns it with the rest.
fn value(text: &str) -> (Value, &str) {
    let text = text.trim_start_matches(' ');
    if let Some(rest) = text.strip_prefix('&') {
        let (Value::Text(name), rest) = value(rest) else { panic!("{text}") };
        return (Value::Name(name), rest);
    }
    if text.starts_with('"') {
        let mut values = serde_json::Deserializer::from_str(text).into_iter::<String>();
        let string = values.next().unwrap().unwrap();
        return (Value::Text(string), &text[values.byte_offset()..]);
    }
    if let Some(mut rest) = text.strip_prefix('[') {
        let mut items = Vec::new();
        loop {
            let (item, after) = value(rest);
            items.push(item);
            match after.as_bytes()[0] {
                b',' => rest = &after[1..],
                b']' => return (Value::Array(items), &after[1..]),
                _ => panic!("{after}"),
            }
        }
    }
    if let Some(rest) = text.strip_prefix("SubResource(") {
        let (Value::Text(id), rest) = value(rest) else { panic!("{text}") };
        return (Value::Part(id), rest.strip_prefix(')').unwrap());
    }
    if let Some(rest) = text.strip_prefix("Vector2(") {
        let (inside, rest) = rest.split_once(')').unwrap();
        let (x, y) = inside.split_once(", ").unwrap();
        return (Value::Vector2(x.parse().unwrap(), y.parse().unwrap()), rest);
    }
    let end = text.find(|c: char| !(c.is_ascii_alphanumeric() || ".-".contains(c))).unwrap_or(text.len());
    let (word, rest) = text.split_at(end);
    let value = match word {
        "true" | "false" => Value::Bool(word == "true"),
        number => Value::Number(number.parse().unwrap_or_else(|_| panic!("{text}")), !number.contains('.')),
    };
    (value, rest)
}

/// True if `property` is `pattern` with any digits for `#` and any text without a slash for `*`.
fn is_documented(property: &str, pattern: &str) -> bool {
    let [property, pattern]: [Vec<&str>; 2] = [property, pattern].map(|text| text.split('/').collect());
    let is_part = |(part, pattern): (&&str, &&str)| match pattern.strip_suffix('#') {
        Some(stem) => part.strip_prefix(stem).is_some_and(|digits| digits.parse::<usize>().is_ok()),
        None => *pattern == "*" || part == pattern,
    };
    property.len() == pattern.len() && property.iter().zip(&pattern).all(is_part)
}

/// Parses `text` and panics if anything in it is not documented.
fn parse(text: &str) -> Parsed {
    let mut lines = text.lines();
    let head = lines.next().unwrap();
    let head = head.strip_prefix("[gd_resource type=\"").and_then(|head| head.strip_suffix(" format=3]")).unwrap();
    let (class, steps) = head.split_once("\" load_steps=").unwrap();
    let mut parsed = Parsed { class: class.into(), properties: Properties::new(), parts: BTreeMap::new() };
    let mut current: Option<String> = None;
    let mut has_root = false;
    for line in lines.filter(|line| !line.is_empty()) {
        if line == "[resource]" {
            assert!(!has_root);
            (current, has_root) = (None, true);
        } else if let Some(head) = line.strip_prefix("[sub_resource type=\"") {
            let (class, id) = head.strip_suffix("\"]").unwrap().split_once("\" id=\"").unwrap();
            assert!(!has_root && parsed.parts.insert(id.into(), (class.into(), Properties::new())).is_none());
            current = Some(id.into());
        } else {
            let (property, text) = line.split_once(" = ").unwrap_or_else(|| panic!("{line}"));
            let (value, rest) = value(text);
            assert_eq!(rest, "", "{line}");
            let (class, properties) = match &current {
                Some(id) => parsed.parts.get_mut(id).map(|(class, properties)| (class.clone(), properties)).unwrap(),
                None => (parsed.class.clone(), &mut parsed.properties),
            };
            let (_, documented) =
                DOCUMENTED.iter().find(|(known, _)| *known == class).unwrap_or_else(|| panic!("{class}"));
            let (_, kind) =
                documented.iter().find(|(known, _)| is_documented(property, known)).unwrap_or_else(|| panic!("{line}"));
            let is_kind = value.kind() == *kind || (*kind == "float" && value.kind() == "int");
            assert!(is_kind && properties.insert(property.into(), value).is_none(), "{line}");
        }
    }
    assert!(has_root && steps.parse() == Ok(parsed.parts.len() + 1), "{text}");
    let values = parsed.properties.values().flat_map(|value| match value {
        Value::Array(items) => items.clone(),
        value => vec![value.clone()],
    });
    let used: Vec<String> =
        values.filter_map(|value| if let Value::Part(id) = value { Some(id) } else { None }).collect();
    assert!(used.iter().all(|id| parsed.parts.contains_key(id)) && used.len() == parsed.parts.len(), "{text}");
    parsed
}

impl Parsed {
    fn clip(&self, property: &str) -> &str {
        let Value::Part(id) = &self.properties[property] else { panic!() };
        match &self.parts[id].1["animation"] {
            Value::Name(name) => name,
            other => panic!("{other:?}"),
        }
    }

    /// The changes between states with their properties.
    fn transitions(&self) -> Vec<(String, String, &Properties)> {
        let Value::Array(items) = &self.properties["transitions"] else { panic!() };
        let text = |value: &Value| if let Value::Text(text) = value { text.clone() } else { panic!() };
        let change = |change: &[Value]| {
            let Value::Part(id) = &change[2] else { panic!() };
            (text(&change[0]), text(&change[1]), &self.parts[id].1)
        };
        items.chunks_exact(3).map(change).collect()
    }
}

#[test]
fn a_ring_is_a_synchronous_blend_space_with_the_clips_at_their_velocities() {
    let tree = parse(&tree(&ring()).unwrap());
    assert_eq!((tree.class.as_str(), &tree.properties["sync"]), ("AnimationNodeBlendSpace2D", &Value::Bool(true)));
    assert_eq!((tree.clip("blend_point_2/node"), tree.parts.len()), ("walk_right", 5));
    assert_eq!(tree.properties["blend_point_2/pos"], Value::Vector2(1.2, 0.0));
    assert_eq!(tree.properties["min_space"], Value::Vector2(-1.2, -1.0));
    assert!(!tree.properties.contains_key("blend_mode"));
    let two = [gait("walk", 1.0, 0.0), gait("right", 1.0, 90.0)].map(|clip| measured(clip, 0.0, 0.0));
    let two = parse(&super::tree(&index(SetKind::Ring, &two, None)).unwrap());
    assert_eq!(two.properties["blend_mode"], Value::Number(1.0, true), "two clips span no triangle");
    let line = [gait("walk", 1.5, 0.0), gait("run", 4.0, 0.0)].map(|clip| measured(clip, 0.0, 0.0));
    let line = parse(&super::tree(&index(SetKind::Ring, &line, None)).unwrap());
    assert_eq!(line.class, "AnimationNodeBlendSpace1D");
    let limits = ["min_space", "max_space", "blend_point_1/pos"].map(|name| line.properties[name].clone());
    assert_eq!(limits, [Value::Number(0.0, false), Value::Number(4.0, false), Value::Number(4.0, false)]);
}

#[test]
fn a_chain_advances_at_its_ends_and_leaves_a_loop_on_request() {
    let tree = parse(&tree(&chain()).unwrap());
    let [(from, first, auto), (_, _, leaves), (before, after, stops)] = &tree.transitions()[..] else { panic!() };
    assert_eq!((from.as_str(), first.as_str(), before.as_str(), after.as_str()), ("Start", "start", "loop", "stop"));
    assert_eq!(auto["advance_mode"], Value::Number(2.0, true));
    assert_eq!((leaves.get("xfade_time"), leaves["switch_mode"].clone()), (None, Value::Number(2.0, true)));
    assert_eq!(stops["xfade_time"], Value::Number(0.2, false));
    assert_eq!(stops["advance_condition"], Value::Name("to_stop".into()));
    assert_eq!(stops["break_loop_at_end"], Value::Bool(true));
    assert_eq!(tree.clip("states/loop/node"), "loop");
}

#[test]
fn strikes_leave_the_stance_on_request_and_return_to_it() {
    let tree = parse(&tree(&strikes()).unwrap());
    let changes: Vec<(String, String)> = tree.transitions().into_iter().map(|(from, to, _)| (from, to)).collect();
    let wanted = [("Start", "idle"), ("idle", "punch"), ("punch", "idle"), ("idle", "kick"), ("kick", "idle")];
    assert_eq!(changes, wanted.map(|(from, to)| (from.to_owned(), to.to_owned())));
}

#[test]
fn a_set_without_relations_has_no_tree() {
    let free = index(SetKind::Free, &[measured(gait("walk", 1.0, 0.0), 0.0, 0.0)], None);
    assert_eq!(tree(&free), None);
}

#[test]
fn names_never_leave_their_string() {
    let hostile =
        ["\"]\n[resource]\nsync = false", "a\nb = 3", "${x}\\", "\"\"\"", "é 走", "End", "a/b.c:d", "%ROOT%", "\u{1}"];
    let clips = hostile.map(|name| measured(IndexedClip { loops: false, ..gait(name, 1.0, 0.0) }, 0.0, 0.0));
    let machine = parse(&tree(&index(SetKind::Chain, &clips, None)).unwrap());
    assert_eq!(machine.transitions().len(), hostile.len());
    let states: Vec<&String> = machine.properties.keys().filter(|name| name.ends_with("/node")).collect();
    assert!(states.len() == hostile.len() && states.iter().all(|state| state.is_ascii()), "{states:?}");
    for (at, name) in hostile.iter().enumerate() {
        let clips = machine.parts[&at.to_string()].1["animation"].clone();
        assert_eq!(clips, Value::Name(clip_name(name)), "{name:?}");
    }
    let sides = hostile.iter().enumerate().map(|(at, name)| measured(gait(name, 1.0, 40.0 * at as f64), 0.0, 0.0));
    let space = parse(&tree(&index(SetKind::Ring, &sides.collect::<Vec<_>>(), None)).unwrap());
    assert_eq!(space.parts.len(), hostile.len());
}
