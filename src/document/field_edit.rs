//! Which setting two states differ in, by the names it has in project files.

use serde_json::Value;

/// A setting and what it is now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldEdit {
    /// Names from the outside in.
    pub path: Vec<FieldName>,
    /// What it is now.
    pub value: Value,
}

/// A part of a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldName {
    /// Of lists the place, counted from 1, of directions and points the axis.
    pub name: String,
    /// What stands at that place of a list, where it says so itself.
    pub item: Option<ListItem>,
}

/// What a part of a list is told by besides its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ListItem {
    /// Its name, or that of the joint it is for.
    Named(String),
    /// The joint it is for, by its index.
    Joint(usize),
}

impl From<&str> for FieldName {
    fn from(name: &str) -> Self {
        Self { name: name.to_owned(), item: None }
    }
}

impl FieldName {
    /// The names of the parts of `value` that `places`, as JSON pointers have them, lead to, from the outside in.
    pub fn along(mut value: &Value, places: &[&str]) -> Vec<Self> {
        let mut names = Vec::new();
        for place in places {
            let (list, at) = (value.as_array(), place.parse::<usize>());
            value = value.pointer(&format!("/{place}")).unwrap_or(&Value::Null);
            names.push(match (list, at) {
                (Some(list), Ok(at)) => Self { name: name_in(list, at), item: ListItem::of(value) },
                _ => Self::from(*place),
            });
        }
        names
    }
}

/// What the part of a list is called that stands at `at`.
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
    /// What `item` of a list says of itself.
    fn of(item: &Value) -> Option<Self> {
        let said = ["name", "joint", "foot"].iter().find_map(|name| item.get(name))?;
        let named = said.as_str().filter(|name| !name.is_empty()).map(|name| Self::Named(name.to_owned()));
        named.or_else(|| Some(Self::Joint(said.as_u64()? as usize)))
    }
}

impl FieldEdit {
    /// The innermost setting that holds all that differs; `None` where nothing does.
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

/// The only part of `before` and `after` that differs, with its name; `None` where they have no parts in common or several differ.
fn only_difference<'v>(before: &'v Value, after: &'v Value) -> Option<(String, Pair<'v>)> {
    let mut parts: Vec<(String, Pair)> = match (before, after) {
        (Value::Object(before), Value::Object(after)) => {
            // What has its usual value may not be written.
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

    fn told(before: &Value, after: &Value) -> Option<(String, Value)> {
        let joined = |path: Vec<FieldName>| path.into_iter().map(|part| part.name).collect::<Vec<_>>().join("/");
        FieldEdit::between(before, after).map(|edit| (joined(edit.path), edit.value))
    }

    #[test]
    fn the_innermost_setting_that_holds_all_differences_is_told() {
        let before = json!({ "target": { "world": [0.0, 0.0, 3.0] }, "windows": [{ "start": 1.0, "end": 2.0 }] });
        let with = |path: &str, value: Value| {
            let mut after = before.clone();
            *after.pointer_mut(path).unwrap() = value;
            told(&before, &after).unwrap()
        };
        assert_eq!(with("/target/world/2", json!(5.0)), ("target/world/z".into(), json!(5.0)));
        assert_eq!(with("/target/world", json!([1.0, 0.0, 5.0])), ("target/world".into(), json!([1.0, 0.0, 5.0])));
        assert_eq!(with("/windows/0/end", json!(2.5)), ("windows/1/end".into(), json!(2.5)));
        assert_eq!(with("/windows", json!([])), ("windows".into(), json!([])));
        assert_eq!(told(&before, &before), None);
    }

    #[test]
    fn what_is_not_written_while_it_has_its_usual_value_is_told_too() {
        let edit = told(&json!({ "a": 1 }), &json!({ "a": 1, "feet": true }));
        assert_eq!(edit, Some(("feet".into(), json!(true))));
    }

    #[test]
    fn the_way_into_a_value_is_told_by_the_names_on_it() {
        let value =
            json!({ "chains": [{ "name": "hair", "drag": 0.1 }], "at": [0.0, 1.0, 2.0], "axes": [true, true, true] });
        let told = |places: &[&str]| FieldName::along(&value, places);
        let hair = FieldName { name: "1".into(), item: Some(ListItem::Named("hair".into())) };
        assert_eq!(told(&["chains", "0", "drag"]), ["chains".into(), hair, "drag".into()]);
        assert_eq!(told(&["at", "2"]), ["at".into(), FieldName::from("z")]);
        assert_eq!(told(&["axes", "2"]), ["axes".into(), FieldName::from("3")]);
    }

    #[test]
    fn parts_of_lists_are_told_by_their_names_or_their_joints() {
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
