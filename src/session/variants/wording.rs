//! How a person reads and writes a setting and its values.

use serde_json::{Number, Value};

use super::value_text;
use crate::document::field_edit::FieldName;

/// What a setting is called, and in which unit and which words its values stand.
#[derive(Clone, Debug, PartialEq)]
pub struct Wording {
    /// What it is called; empty where nobody has a word for it but projects.
    pub name: String,
    /// What stands after its values.
    pub suffix: &'static str,
    /// How much is written for one of what the take keeps: 100 where centimetres are for metres.
    pub per_kept: f64,
    /// What its values are called where they have words of their own.
    pub words: Vec<ValueWord>,
}

/// A value and what a person calls it: `displacement` and “By displacement”.
#[derive(Clone, Debug, PartialEq)]
pub struct ValueWord {
    /// As it is held.
    pub value: Value,
    /// As it is read and written.
    pub word: String,
}

impl Default for Wording {
    fn default() -> Self {
        Self { name: String::new(), suffix: "", per_kept: 1.0, words: Vec::new() }
    }
}

impl Wording {
    /// What `value` is called; itself where there is no word for it.
    pub(super) fn word_of(&self, value: &Value) -> String {
        let known = self.words.iter().find(|word| word.value == *value);
        known.map_or_else(|| value_text(value), |word| word.word.clone())
    }

    /// What the take keeps of `value`, one that was written.
    pub(super) fn kept(&self, value: &Value) -> Value {
        match value.as_f64() {
            Some(written) if self.per_kept != 1.0 => Number::from_f64(written / self.per_kept).into(),
            _ => value.clone(),
        }
    }

    /// The setting with `value`, as “Target Z 8 m”: nothing in it that names of files may not hold. Without a word of its own it is
    /// called as the JSON pointer `place` of `take` ends.
    pub(super) fn told(&self, value: &Value, take: &Value, place: &str) -> String {
        let own = || own_name(take, place);
        let name = if self.name.is_empty() { own() } else { self.name.clone() };
        let text = format!("{name} {}{}", self.word_of(value), self.suffix);
        text.chars().map(|c| if NOT_IN_FILE_NAMES.contains(c) || c.is_control() { '_' } else { c }).collect()
    }
}

/// What one system or another refuses in names of files.
const NOT_IN_FILE_NAMES: &str = "/\\:*?\"<>|";

/// The end of `place` in `take`: of a point or a list also what it is part of.
fn own_name(take: &Value, place: &str) -> String {
    let parts: Vec<&str> = place.trim_start_matches('/').split('/').collect();
    let names = FieldName::along(take, &parts);
    let from = parts.iter().rposition(|part| part.parse::<usize>().is_err()).unwrap_or(0);
    names[from..].iter().map(|part| part.name.replace('_', " ")).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_setting_is_told_by_its_word_or_as_projects_call_it_and_as_files_may_be_called() {
        let take = json!({ "stages": [{ "stretch": { "dead_zone": 0.1, "target": { "world": [0.0, 0.0, 5.0] } } }] });
        let far = "/stages/0/stretch/target/world/2";
        let own = Wording::default();
        assert_eq!(own.told(&json!(8), &take, far), "world z 8");
        assert_eq!(own.told(&json!(0.25), &take, "/stages/0/stretch/dead_zone"), "dead zone 0.25");
        assert_eq!(own.told(&json!("a/b?"), &take, "/mirrored"), "mirrored a_b_");
        let told = Wording { name: "Target Z".into(), suffix: " m", ..Wording::default() };
        assert_eq!(told.told(&json!(8), &take, far), "Target Z 8 m");
        let speed = Wording { name: "Speed".into(), suffix: " m/s", ..Wording::default() };
        assert_eq!(speed.told(&json!(1.5), &take, far), "Speed 1.5 m_s");
    }
}
