//! Display names, units and words of a setting.

use serde_json::{Number, Value};

use super::value_text;
use portamento_takes::document::field_edit::FieldName;

/// The display form of a setting: name, unit and words of its values.
#[derive(Clone, Debug, PartialEq)]
pub struct Wording {
    /// Display name; empty if only the stored name exists.
    pub name: String,
    /// Unit suffix of values.
    pub suffix: &'static str,
    /// Displayed amount per stored unit, for example 100 for centimetres stored as metres.
    pub displayed_per_stored: f64,
    /// Display words of values.
    pub words: Vec<ValueWord>,
}

/// A value and its display word, such as `displacement` and “By displacement”.
#[derive(Clone, Debug, PartialEq)]
pub struct ValueWord {
    /// The stored value.
    pub value: Value,
    /// The display word.
    pub word: String,
}

impl Default for Wording {
    fn default() -> Self {
        Self { name: String::new(), suffix: "", displayed_per_stored: 1.0, words: Vec::new() }
    }
}

impl Wording {
    /// Returns the display word of `value`, or the value itself.
    pub(super) fn word_of(&self, value: &Value) -> String {
        let known = self.words.iter().find(|word| word.value == *value);
        known.map_or_else(|| value_text(value), |word| word.word.clone())
    }

    /// Converts a displayed number to the stored unit. Other values stay as they are.
    pub(super) fn to_stored(&self, value: &Value) -> Value {
        match value.as_f64() {
            Some(written) if self.displayed_per_stored != 1.0 => {
                Number::from_f64(written / self.displayed_per_stored).into()
            }
            _ => value.clone(),
        }
    }

    /// Returns the setting with its value, such as “Target Z 8 m”, using only characters allowed in file names.
    /// Without a display name, the end of the JSON pointer `place` of `take` is the name.
    pub(super) fn described(&self, value: &Value, take: &Value, place: &str) -> String {
        let own = || own_name(take, place);
        let name = if self.name.is_empty() { own() } else { self.name.clone() };
        let text = format!("{name} {}{}", self.word_of(value), self.suffix);
        text.chars().map(|c| if NOT_IN_FILE_NAMES.contains(c) || c.is_control() { '_' } else { c }).collect()
    }
}

/// Characters that some systems forbid in file names.
const NOT_IN_FILE_NAMES: &str = "/\\:*?\"<>|";

/// Returns the last field names of `place` in `take`; for elements of a list or point, with the name of their
/// container.
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
    fn a_setting_is_described_by_its_display_or_stored_name_with_file_name_characters() {
        let take = json!({ "stages": [{ "stretch": { "dead_zone": 0.1, "target": { "world": [0.0, 0.0, 5.0] } } }] });
        let target_z = "/stages/0/stretch/target/world/2";
        let own = Wording::default();
        assert_eq!(own.described(&json!(8), &take, target_z), "world z 8");
        assert_eq!(own.described(&json!(0.25), &take, "/stages/0/stretch/dead_zone"), "dead zone 0.25");
        assert_eq!(own.described(&json!("a/b?"), &take, "/mirrored"), "mirrored a_b_");
        let described = Wording { name: "Target Z".into(), suffix: " m", ..Wording::default() };
        assert_eq!(described.described(&json!(8), &take, target_z), "Target Z 8 m");
        let speed = Wording { name: "Speed".into(), suffix: " m/s", ..Wording::default() };
        assert_eq!(speed.described(&json!(1.5), &take, target_z), "Speed 1.5 m_s");
    }
}
