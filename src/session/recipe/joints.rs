//! JSON paths of joints and lengths in a stage.

use serde_json::Value;

/// Paths of joints that takes store by index and recipes by name. `*` is every entry of a list.
const NUMBERED: [&str; 7] = [
    "dynamics/settings/chains/*/joint",
    "dynamics/settings/chains/*/excluded/*",
    "dynamics/settings/chains/*/overrides/*/joint",
    "dynamics/settings/chains/*/center",
    "dynamics/settings/colliders/*/joint",
    "stretch/settings/aligner",
    "stretch/root/joint",
];

/// Paths of joints that both store by name.
const NAMED: [&str; 3] =
    ["layer/settings/upper/from", "layer/settings/upper/overrides/*/0", "layer/settings/blend_times/*/joint"];

/// Paths of lengths in the unit of the take's file.
const LENGTHS: [&str; 4] = [
    "stretch/settings/target/world/*",
    "stretch/settings/target/start/*",
    "stretch/settings/windows/*/target/world/*",
    "stretch/settings/windows/*/target/start/*",
];

/// Calls `change` on every joint of `stage` that takes store by index.
pub(super) fn each_numbered(stage: &mut Value, mut change: impl FnMut(&mut Value)) {
    NUMBERED.iter().for_each(|path| each(stage, path, &mut change));
}

/// Calls `change` on every joint of `stage` that takes store by name.
pub(super) fn each_named(stage: &mut Value, mut change: impl FnMut(&mut Value)) {
    NAMED.iter().for_each(|path| each(stage, path, &mut change));
}

/// Calls `change` on every length of `stage` in the unit of the take's file.
pub(super) fn each_length(stage: &mut Value, mut change: impl FnMut(&mut Value)) {
    LENGTHS.iter().for_each(|path| each(stage, path, &mut change));
}

/// Calls `change` on every value at `path` below `value`. Steps are separated by `/`; `*` is every entry of a list. Missing
/// entries are skipped.
fn each(value: &mut Value, path: &str, change: &mut dyn FnMut(&mut Value)) {
    let (step, rest) = path.split_once('/').unwrap_or((path, ""));
    match value {
        value if path.is_empty() => change(value),
        Value::Object(fields) => fields.get_mut(step).into_iter().for_each(|value| each(value, rest, change)),
        Value::Array(items) if step == "*" => items.iter_mut().for_each(|item| each(item, rest, change)),
        Value::Array(items) => {
            let item = step.parse::<usize>().ok().and_then(|index| items.get_mut(index));
            item.into_iter().for_each(|item| each(item, rest, change));
        }
        _ => {}
    }
}
