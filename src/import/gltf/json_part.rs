//! Parts of the JSON of a file, read as the crate's types.

use gltf::json::Value;
use serde::de::DeserializeOwned;

use crate::import::Fault;

/// Fields that are read here of each kind of part; the rest may be anything.
const USED: &[&str] = &[
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

/// The list under `key`; empty when there is none.
pub(super) fn list<'a>(value: &'a Value, key: &str) -> &'a [Value] {
    value.get(key).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

/// `node "hips"`, or `node 12` where it has no name.
pub(super) fn label(kind: &str, value: &Value, index: usize) -> String {
    match value.get("name").and_then(Value::as_str) {
        Some(name) if !name.is_empty() => format!("{kind} \"{name}\""),
        _ => format!("{kind} {index}"),
    }
}

/// The name of element `index`, else `kind 3`.
pub(super) fn name(value: &Value, kind: &str, index: usize) -> String {
    match value.get("name").and_then(Value::as_str) {
        Some(name) if !name.is_empty() => name.to_owned(),
        _ => format!("{kind} {index}"),
    }
}

/// `value` as a type of the crate. What the crate refuses over fields that are not read here, or over whole numbers
/// written as `3.0`, is mended first.
pub(super) fn part<T: DeserializeOwned>(value: &Value, name: impl Fn() -> String) -> Result<T, Fault> {
    T::deserialize(value).or_else(|error| {
        let mended = T::deserialize(mended(value));
        mended.map_err(|_| Fault::new(name(), format!("cannot be read ({})", shortened(&error.to_string()))))
    })
}

fn shortened(text: &str) -> String {
    text.chars().take(120).collect()
}

fn mended(value: &Value) -> Value {
    match value {
        Value::Array(items) => items.iter().map(mended).collect(),
        Value::Object(fields) => {
            let kept = |key: &str, field: &Value| match key {
                "name" => field.is_string(),
                // Attributes of a primitive.
                _ => USED.contains(&key) || key.chars().all(|letter| !letter.is_ascii_lowercase()),
            };
            let fields = fields.iter().filter(|(key, field)| kept(key, field));
            Value::Object(fields.map(|(key, field)| (key.clone(), mended(field))).collect())
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
    fn only_whole_numbers_that_are_written_with_a_point_are_mended() {
        let value = json!({ "matrix": [0.0, 0.5, -1.0, 3, 2.0], "TEXCOORD_0": 4.0 });
        assert_eq!(mended(&value), json!({ "matrix": [0, 0.5, -1.0, 3, 2], "TEXCOORD_0": 4 }));
    }
}
