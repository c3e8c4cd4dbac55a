//! Reads the spring bones of VRM 0.x or VRM 1.0 from the JSON of a glTF.

mod vrm0;
mod vrm1;

use glam::DVec3;
use serde_json::Value;

use portamento_anim::{SpringBoneFormat, SpringBones};

/// Returns the spring bones of the file, or `None` if it has none.
///
/// If a file has both kinds, the kind that matches the version of the avatar is read.
pub fn read(json: &Value) -> Option<SpringBones> {
    match SpringBoneFormat::of_file(json) {
        SpringBoneFormat::Vrm0 => vrm0::read(json).or_else(|| vrm1::read(json)),
        SpringBoneFormat::Vrm1 => vrm1::read(json),
    }
}

/// Returns the list under `key`; empty if it is missing or no list.
fn list<'a>(value: &'a Value, key: &str) -> &'a [Value] {
    value.get(key).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

/// Returns the index under `key`; `None` if it is missing or not below `count`.
fn index(value: &Value, key: &str, count: usize) -> Option<usize> {
    value.get(key)?.as_u64().map(|index| index as usize).filter(|&index| index < count)
}

/// Returns the indices in the list under `key` that are below `count`.
fn indices(value: &Value, key: &str, count: usize) -> Vec<usize> {
    let indices = list(value, key).iter().filter_map(Value::as_u64).map(|index| index as usize);
    indices.filter(|&index| index < count).collect()
}

/// Returns the number under `key`, or `default` if it is missing or not finite.
fn number(value: &Value, key: &str, default: f64) -> f64 {
    value.get(key).and_then(Value::as_f64).filter(|number| number.is_finite()).unwrap_or(default)
}

/// Returns the three numbers under `key`, or `default` if they are not exactly three.
fn vector(value: &Value, key: &str, default: DVec3) -> DVec3 {
    let parts: Vec<f64> = list(value, key).iter().filter_map(Value::as_f64).collect();
    <[f64; 3]>::try_from(parts).map_or(default, DVec3::from_array)
}

/// Returns the name of the entry; empty if it has none.
fn name(value: &Value) -> String {
    value.get("name").and_then(Value::as_str).unwrap_or_default().into()
}
