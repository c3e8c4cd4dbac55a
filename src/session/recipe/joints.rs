//! Where the JSON of a stage means joints, and lengths in a file's unit.

use serde_json::Value;

/// By number in takes, by name in recipes. `*` is every entry of a list.
const NUMBERED: [&str; 7] = [
    "dynamics/settings/chains/*/joint",
    "dynamics/settings/chains/*/excluded/*",
    "dynamics/settings/chains/*/overrides/*/joint",
    "dynamics/settings/chains/*/center",
    "dynamics/settings/colliders/*/joint",
    "stretch/settings/aligner",
    "stretch/root/joint",
];

/// By name in both.
const NAMED: [&str; 3] =
    ["layer/settings/upper/from", "layer/settings/upper/overrides/*/0", "layer/settings/blend_times/*/joint"];

/// In the unit of the take's file.
const LENGTHS: [&str; 4] = [
    "stretch/settings/target/world/*",
    "stretch/settings/target/start/*",
    "stretch/settings/windows/*/target/world/*",
    "stretch/settings/windows/*/target/start/*",
];

/// Gives `change` every joint of `stage` that a take means by its number.
pub(super) fn each_numbered(stage: &mut Value, mut change: impl FnMut(&mut Value)) {
    NUMBERED.iter().for_each(|path| each(stage, path, &mut change));
}

/// Gives `change` every joint of `stage` that a take means by its name.
pub(super) fn each_named(stage: &mut Value, mut change: impl FnMut(&mut Value)) {
    NAMED.iter().for_each(|path| each(stage, path, &mut change));
}

/// Gives `change` every length of `stage` in the unit of the take's file.
pub(super) fn each_length(stage: &mut Value, mut change: impl FnMut(&mut Value)) {
    LENGTHS.iter().for_each(|path| each(stage, path, &mut change));
}

/// Gives `change` whatever stands at `path` below `value`.
fn each(value: &mut Value, path: &str, change: &mut dyn FnMut(&mut Value)) {
    let (step, rest) = path.split_once('/').unwrap_or((path, ""));
    match value {
        value if path.is_empty() => change(value),
        Value::Object(fields) => fields.get_mut(step).into_iter().for_each(|value| each(value, rest, change)),
        Value::Array(items) if step == "*" => items.iter_mut().for_each(|item| each(item, rest, change)),
        Value::Array(items) => {
            let item = step.parse::<usize>().ok().and_then(|place| items.get_mut(place));
            item.into_iter().for_each(|item| each(item, rest, change));
        }
        _ => {}
    }
}
