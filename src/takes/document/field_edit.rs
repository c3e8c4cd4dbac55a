//! The setting in which two states differ, named as in project files.

use serde_json::Value;

/// A setting and its new value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldEdit {
    /// The path of the setting, outermost name first.
    pub path: Vec<FieldName>,
    /// The new value.
    pub value: Value,
}

/// One element of a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldName {
    /// The field name; for list items the index counted from 1, for points and directions the axis.
    pub name: String,
    /// The identity of the list item, if the item has a name or a joint.
    pub item: Option<ListItem>,
}

/// The identity of a list item in addition to its index.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ListItem {
    /// The name of the item, or of its joint.
    Named(String),
    /// The index of its joint.
    Joint(usize),
}

impl From<&str> for FieldName {
    fn from(name: &str) -> Self {
        Self { name: name.to_owned(), item: None }
    }
}

impl FieldName {
    /// Returns the path elements of `value` along the JSON pointer segments `segments`, outermost first. A segment that
    /// does not exist is named too.
    pub fn along(mut value: &Value, segments: &[&str]) -> Vec<Self> {
        let mut names = Vec::new();
        for segment in segments {
            let (list, at) = (value.as_array(), segment.parse::<usize>());
            value = value.pointer(&format!("/{segment}")).unwrap_or(&Value::Null);
            names.push(match (list, at) {
                (Some(list), Ok(at)) => Self { name: name_in(list, at), item: ListItem::of(value) },
                _ => Self::from(*segment),
            });
        }
        names
    }
}

/// Returns the display name of item `at` of a list: its index counted from 1. In a list of exactly three numbers it
/// is `x`, `y` or `z`.
fn name_in(list: &[Value], at: usize) -> String {
    let is_point = list.len() == 3 && list.iter().all(Value::is_number);
    let axis = ["x", "y", "z"].get(at).filter(|_| is_point);
    axis.map_or_else(|| (at + 1).to_string(), |&axis| axis.to_owned())
}

impl AsRef<str> for FieldName {
    fn as_ref(&self) -> &str {
        &self.name
    }
}

impl ListItem {
    /// Returns the identity that a list item carries, if any.
    fn of(item: &Value) -> Option<Self> {
        let label = ["name", "joint", "foot"].iter().find_map(|name| item.get(name))?;
        let named = label.as_str().filter(|name| !name.is_empty()).map(|name| Self::Named(name.to_owned()));
        named.or_else(|| Some(Self::Joint(label.as_u64()? as usize)))
    }
}

impl FieldEdit {
    /// Returns the innermost setting that contains all differences; `None` if the values are equal.
    pub fn between(before: &Value, after: &Value) -> Option<Self> {
        let (mut path, mut pair) = (Vec::new(), (before, after));
        if before == after {
            return None;
        }
        while let Some((name, next)) = only_difference(pair.0, pair.1) {
            let item = pair.1.as_array().and_then(|_| ListItem::of(next.1));
            path.push(FieldName { name, item });
            pair = next;
        }
        Some(Self { path, value: pair.1.clone() })
    }
}

/// Two states of one value.
type Pair<'v> = (&'v Value, &'v Value);

/// Returns the only differing part of `before` and `after` with its name; `None` if several parts differ or none can be compared.
fn only_difference<'v>(before: &'v Value, after: &'v Value) -> Option<(String, Pair<'v>)> {
    let mut parts: Vec<(String, Pair)> = match (before, after) {
        (Value::Object(before), Value::Object(after)) => {
            // Default values may be absent in either state.
            let names = before.keys().chain(after.keys().filter(|name| !before.contains_key(*name)));
            let part = |of: &'v serde_json::Map<String, Value>, name: &String| of.get(name).unwrap_or(&Value::Null);
            names.map(|name| (name.clone(), (part(before, name), part(after, name)))).collect()
        }
        (Value::Array(before), Value::Array(after)) if before.len() == after.len() => {
            before.iter().zip(after).enumerate().map(|(at, pair)| (name_in(after, at), pair)).collect()
        }
        _ => return None,
    };
    parts.retain(|(_, (before, after))| before != after);
    let only = parts.pop()?;
    parts.is_empty().then_some(only)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn difference(before: &Value, after: &Value) -> Option<(String, Value)> {
        let joined = |path: Vec<FieldName>| path.into_iter().map(|part| part.name).collect::<Vec<_>>().join("/");
        FieldEdit::between(before, after).map(|edit| (joined(edit.path), edit.value))
    }

    #[test]
    fn the_innermost_setting_with_all_differences_is_returned() {
        let before = json!({ "target": { "world": [0.0, 0.0, 3.0] }, "windows": [{ "start": 1.0, "end": 2.0 }] });
        let with = |path: &str, value: Value| {
            let mut after = before.clone();
            *after.pointer_mut(path).unwrap() = value;
            difference(&before, &after).unwrap()
        };
        assert_eq!(with("/target/world/2", json!(5.0)), ("target/world/z".into(), json!(5.0)));
        assert_eq!(with("/target/world", json!([1.0, 0.0, 5.0])), ("target/world".into(), json!([1.0, 0.0, 5.0])));
        assert_eq!(with("/windows/0/end", json!(2.5)), ("windows/1/end".into(), json!(2.5)));
        assert_eq!(with("/windows", json!([])), ("windows".into(), json!([])));
        assert_eq!(difference(&before, &before), None);
    }

    #[test]
    fn a_value_that_was_absent_as_default_is_reported() {
        let edit = difference(&json!({ "a": 1 }), &json!({ "a": 1, "feet": true }));
        assert_eq!(edit, Some(("feet".into(), json!(true))));
    }

    #[test]
    fn a_path_has_the_names_of_its_parts() {
        let value =
            json!({ "chains": [{ "name": "hair", "drag": 0.1 }], "at": [0.0, 1.0, 2.0], "axes": [true, true, true] });
        let path = |segments: &[&str]| FieldName::along(&value, segments);
        let hair = FieldName { name: "1".into(), item: Some(ListItem::Named("hair".into())) };
        assert_eq!(path(&["chains", "0", "drag"]), ["chains".into(), hair, "drag".into()]);
        assert_eq!(path(&["at", "2"]), ["at".into(), FieldName::from("z")]);
        assert_eq!(path(&["axes", "2"]), ["axes".into(), FieldName::from("3")]);
    }

    #[test]
    fn list_items_are_identified_by_name_or_joint() {
        let with = |drag: f64, turn: f64| {
            let single = json!([{ "joint": 7, "drag": drag }]);
            json!({ "chains": [{ "name": "hair", "overrides": single }], "rest": [{ "joint": "thigh", "turn": turn }] })
        };
        let items = |edit: FieldEdit| edit.path.into_iter().filter_map(|part| part.item).collect::<Vec<_>>();
        let named = |name: &str| ListItem::Named(name.to_owned());
        let dragged = FieldEdit::between(&with(0.1, 0.0), &with(0.2, 0.0)).unwrap();
        assert_eq!(items(dragged), [named("hair"), ListItem::Joint(7)]);
        let turned = FieldEdit::between(&with(0.1, 0.0), &with(0.1, 1.0)).unwrap();
        assert_eq!(items(turned), [named("thigh")]);
        let unnamed = FieldEdit::between(&json!([{ "name": "", "a": 1 }]), &json!([{ "name": "", "a": 2 }])).unwrap();
        assert_eq!(items(unnamed), []);
    }
}
