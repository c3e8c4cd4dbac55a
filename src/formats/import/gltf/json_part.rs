//! Reads parts of the JSON as types of the `gltf` crate.

use gltf::json::Value;
use serde::de::DeserializeOwned;

use crate::import::Fault;

/// The fields that are read from any kind of part. All others are ignored if the crate rejects them.
const READ_FIELDS: &[&str] = &[
    "accessors",
    "alphaCutoff",
    "alphaMode",
    "attributes",
    "baseColorFactor",
    "baseColorTexture",
    "buffer",
    "bufferView",
    "byteLength",
    "byteOffset",
    "byteStride",
    "channels",
    "children",
    "componentType",
    "count",
    "doubleSided",
    "index",
    "indices",
    "input",
    "interpolation",
    "inverseBindMatrices",
    "joints",
    "material",
    "matrix",
    "mesh",
    "mode",
    "name",
    "node",
    "nodes",
    "normalized",
    "output",
    "path",
    "pbrMetallicRoughness",
    "primitives",
    "rotation",
    "sampler",
    "scale",
    "skin",
    "source",
    "sparse",
    "target",
    "targets",
    "texCoord",
    "translation",
    "type",
    "uri",
    "values",
    "weights",
];

/// Returns the list under `key`, or an empty one.
pub(super) fn list<'a>(value: &'a Value, key: &str) -> &'a [Value] {
    value.get(key).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

/// Returns `node "hips"`, or `node 12` if it has no name.
pub(super) fn label(kind: &str, value: &Value, index: usize) -> String {
    match value.get("name").and_then(Value::as_str) {
        Some(name) if !name.is_empty() => format!("{kind} \"{name}\""),
        _ => format!("{kind} {index}"),
    }
}

/// Returns the name of element `index`, or for example `mesh 3` if it has none.
pub(super) fn name(value: &Value, kind: &str, index: usize) -> String {
    match value.get("name").and_then(Value::as_str) {
        Some(name) if !name.is_empty() => name.to_owned(),
        _ => format!("{kind} {index}"),
    }
}

/// Reads `value` as a type of the crate.
/// If the crate rejects it, retries without unused fields and with whole numbers such as `3.0` as integers. Returns `Err`
/// with `name` if that fails too.
pub(super) fn part<T: DeserializeOwned>(value: &Value, name: impl Fn() -> String) -> Result<T, Fault> {
    T::deserialize(value).or_else(|error| {
        let repaired = T::deserialize(repaired(value));
        repaired.map_err(|_| Fault::new(name(), format!("cannot be read ({})", shortened(&error.to_string()))))
    })
}

/// Returns the first 120 characters.
fn shortened(text: &str) -> String {
    text.chars().take(120).collect()
}

/// Removes unused fields and converts whole numbers such as `3.0` to integers.
fn repaired(value: &Value) -> Value {
    match value {
        Value::Array(items) => items.iter().map(repaired).collect(),
        Value::Object(fields) => {
            let is_read = |key: &str, field: &Value| match key {
                "name" => field.is_string(),
                // Upper-case keys are attributes of a primitive.
                _ => READ_FIELDS.contains(&key) || key.chars().all(|letter| !letter.is_ascii_lowercase()),
            };
            let fields = fields.iter().filter(|(key, field)| is_read(key, field));
            Value::Object(fields.map(|(key, field)| (key.clone(), repaired(field))).collect())
        }
        Value::Number(number) => match number.as_f64() {
            Some(float) if number.is_f64() && float.fract() == 0.0 && (0.0..9e15).contains(&float) => {
                Value::from(float as u64)
            }
            _ => value.clone(),
        },
        _ => value.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn only_whole_numbers_written_with_a_decimal_point_are_repaired() {
        let value = json!({ "matrix": [0.0, 0.5, -1.0, 3, 2.0], "TEXCOORD_0": 4.0 });
        assert_eq!(repaired(&value), json!({ "matrix": [0, 0.5, -1.0, 3, 2], "TEXCOORD_0": 4 }));
    }
}
