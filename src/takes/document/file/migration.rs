//! Migration of projects of older versions, one version at a time.
//!
//! A step edits only the JSON, so it stays valid when the Rust types change. `tests/fixtures/projects` contains a file saved by
//! each version.

use serde_json::{Map, Value};

/// The version this program writes.
pub const VERSION: u32 = 4;

/// Migration steps: index i converts version i + 1 to i + 2.
const STEPS: [fn(&mut Value); VERSION as usize - 1] = [from_1, from_2, from_3];

/// Migrates a project of `version` to [`VERSION`]. Does nothing but set the version for newer ones.
pub(super) fn migrate(project: &mut Value, version: u64) {
    let done = usize::try_from(version.saturating_sub(1)).unwrap_or(STEPS.len());
    STEPS.iter().skip(done).for_each(|step| step(project));
    project["version"] = VERSION.into();
}

/// Renames fields of dynamic bone chains and walks to the terms of glTF and navigation.
fn from_1(project: &mut Value) {
    for take in objects(project.pointer_mut("/document/takes")) {
        let chains = objects(take.get_mut("modifiers")).filter_map(|modifier| {
            let settings = modifier.get_mut("dynamics")?.get_mut("settings")?;
            settings.get_mut("chains")?.as_array_mut()
        });
        for chain in chains.flatten().filter_map(Value::as_object_mut) {
            rename(chain, "spared", "ignored_colliders");
            rename(chain, "centre", "center");
        }
        if let Some(walk) = take.get_mut("source").and_then(|source| source.get_mut("walk")?.as_object_mut()) {
            rename(walk, "fan", "routes");
        }
    }
}

/// Renames modifiers to stages and adds ids to them.
fn from_2(project: &mut Value) {
    for take in objects(project.pointer_mut("/document/takes")) {
        rename(take, "modifiers", "stages");
        for (id, stage) in (1..).zip(objects(take.get_mut("stages"))) {
            stage.entry("id").or_insert(Value::from(id));
        }
    }
}

/// Keeps what newer projects do otherwise: chains keep the energy of their swing, and casts hold the last pose of their clip.
fn from_3(project: &mut Value) {
    for take in objects(project.pointer_mut("/document/takes")) {
        for stage in objects(take.get_mut("stages")) {
            let chains = stage.get_mut("dynamics").and_then(|dynamics| dynamics.pointer_mut("/settings/chains"));
            for chain in objects(chains) {
                chain.entry("length_correction").or_insert("energy_keeping".into());
            }
            let layer = stage.get_mut("layer").and_then(|layer| layer.get_mut("settings")?.as_object_mut());
            layer.into_iter().for_each(hold_skill);
        }
        let Some(blend) = take.get_mut("source").and_then(|source| source.pointer_mut("/scenario/settings")) else {
            continue;
        };
        blend.get_mut("scenario").and_then(Value::as_object_mut).into_iter().for_each(hold_skill);
        for node in objects(blend.pointer_mut("/tree/nodes")) {
            let standard = node.get_mut("kind").and_then(|kind| kind.get_mut("standard")?.as_object_mut());
            standard.into_iter().for_each(hold_skill);
        }
    }
}

/// Makes a cast hold the last pose of its clip, unless the settings say otherwise.
fn hold_skill(settings: &mut Map<String, Value>) {
    settings.entry("skill_holds").or_insert(true.into());
}

/// Returns the JSON objects in `list`; none if it is missing.
fn objects(list: Option<&mut Value>) -> impl Iterator<Item = &mut Map<String, Value>> {
    list.and_then(Value::as_array_mut).into_iter().flatten().filter_map(Value::as_object_mut)
}

/// Renames a field unless the new name already exists.
fn rename(object: &mut Map<String, Value>, old: &str, new: &str) {
    if let Some(value) = object.remove(old) {
        object.entry(new).or_insert(value);
    }
}
