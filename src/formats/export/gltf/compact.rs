//! Drops unreferenced data after animations were removed.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::pack::is_missing;
use portamento_anim::{GltfSource, SharedList};

/// Extensions known not to refer to accessors or buffer views.
const REFERENCE_FREE_EXTENSIONS: [&str; 10] = [
    "KHR_animation_pointer",
    "KHR_materials_",
    "KHR_texture_",
    "KHR_mesh_quantization",
    "KHR_lights_punctual",
    "KHR_node_",
    "KHR_xmp",
    "EXT_texture_webp",
    "VRM",
    "VRMC_",
];

/// Drops unreferenced accessors, buffer views and bytes, and joins the remaining bytes into one buffer.
///
/// Does nothing if unknown content might refer to accessors, or if the bytes of a buffer are missing.
pub(super) fn compact(out: &mut GltfSource) {
    if !may_have_unknown_references(out) {
        keep_referenced(&mut out.json, "accessors", accessor_references);
        keep_referenced(&mut out.json, "bufferViews", view_references);
        gather_bytes(out);
    }
}

/// True if unknown content might refer to accessors or buffer views, or if the bytes of a buffer are missing.
pub(super) fn may_have_unknown_references(file: &GltfSource) -> bool {
    let is_known = |name: &str| REFERENCE_FREE_EXTENSIONS.iter().any(|known| name.starts_with(known));
    let mut used = file.json["extensionsUsed"].as_array().into_iter().flatten().filter_map(Value::as_str);
    let mut present = BTreeSet::new();
    collect_extensions(&file.json, &mut present);
    let is_missing = |(index, bytes): (usize, &SharedList<u8>)| is_missing(&file.json, index, bytes);
    !used.all(is_known)
        || !present.iter().all(|name| is_known(name))
        || extras_refer(&file.json, false)
        || file.buffers.iter().enumerate().any(is_missing)
}

/// True if a field in any extras is named like an accessor or buffer view reference. `in_extras` tells whether `value`
/// itself is within extras.
fn extras_refer(value: &Value, in_extras: bool) -> bool {
    let refers = |name: &str| {
        let name = name.to_lowercase().replace('_', "");
        name.contains("accessor") || name.contains("bufferview")
    };
    match value {
        Value::Array(list) => list.iter().any(|value| extras_refer(value, in_extras)),
        Value::Object(fields) => fields
            .iter()
            .any(|(name, value)| (in_extras && refers(name)) || extras_refer(value, in_extras || name == "extras")),
        _ => false,
    }
}

/// Collects the names of all extensions used in `value`.
pub(super) fn collect_extensions(value: &Value, names: &mut BTreeSet<String>) {
    match value {
        Value::Array(list) => list.iter().for_each(|value| collect_extensions(value, names)),
        Value::Object(fields) => {
            let own = fields.get("extensions").and_then(Value::as_object);
            names.extend(own.into_iter().flat_map(|own| own.keys().cloned()));
            fields.values().for_each(|value| collect_extensions(value, names));
        }
        _ => {}
    }
}

pub(super) type References = fn(&mut Value, &mut dyn FnMut(&mut Value));

/// Returns the entries of the list `key` of `value`; none if it is no list.
pub(super) fn each<'a>(value: &'a mut Value, key: &str) -> impl Iterator<Item = &'a mut Value> {
    value.get_mut(key).and_then(Value::as_array_mut).into_iter().flatten()
}

/// Calls `visit` with the field `key` of `value`, if present.
fn at(value: &mut Value, key: &str, visit: &mut dyn FnMut(&mut Value)) {
    if let Some(found) = value.get_mut(key) {
        visit(found);
    }
}

/// Calls `visit` with every reference to an accessor in meshes, skins and animations. References within extensions
/// are not visited. The list is complete only if [`may_have_unknown_references`] is false.
pub(super) fn accessor_references(json: &mut Value, visit: &mut dyn FnMut(&mut Value)) {
    for primitive in each(json, "meshes").flat_map(|mesh| each(mesh, "primitives")) {
        at(primitive, "indices", visit);
        let attributes = primitive.get_mut("attributes").and_then(Value::as_object_mut);
        attributes.into_iter().flatten().for_each(|(_, accessor)| visit(accessor));
        let targets = each(primitive, "targets").filter_map(Value::as_object_mut);
        targets.flatten().for_each(|(_, accessor)| visit(accessor));
    }
    each(json, "skins").for_each(|skin| at(skin, "inverseBindMatrices", visit));
    for sampler in each(json, "animations").flat_map(|animation| each(animation, "samplers")) {
        at(sampler, "input", visit);
        at(sampler, "output", visit);
    }
}

/// Calls `visit` with every reference to a buffer view in accessors and images. References within extensions are not
/// visited. The list is complete only if [`may_have_unknown_references`] is false.
pub(super) fn view_references(json: &mut Value, visit: &mut dyn FnMut(&mut Value)) {
    for accessor in each(json, "accessors") {
        at(accessor, "bufferView", visit);
        for key in ["indices", "values"] {
            let part = accessor.get_mut("sparse").and_then(|sparse| sparse.get_mut(key));
            part.into_iter().for_each(|part| at(part, "bufferView", visit));
        }
    }
    each(json, "images").for_each(|image| at(image, "bufferView", visit));
}

/// Keeps the entries of list `key` that `references` visits. Updates the references.
fn keep_referenced(json: &mut Value, key: &str, references: References) {
    let mut used = BTreeSet::new();
    references(json, &mut |reference| used.extend(reference.as_u64()));
    let count = json[key].as_array().map_or(0, Vec::len) as u64;
    keep(json, key, references, &used.into_iter().filter(|&index| index < count).collect::<Vec<_>>());
}

/// Keeps the entries of list `key` with the increasing indices `retained`, and updates the references. Removes the list if
/// nothing is left. References to other entries stay as they are.
pub(super) fn keep(json: &mut Value, key: &str, references: References, retained: &[u64]) {
    // The tree cannot be read while `references` visits it, so the list is taken out first.
    let Some(mut entries) = json.get_mut(key).and_then(Value::as_array_mut).map(std::mem::take) else { return };
    references(json, &mut |reference| {
        if let Some(new_index) = reference.as_u64().and_then(|old| retained.binary_search(&old).ok()) {
            *reference = json!(new_index);
        }
    });
    let retained: Vec<Value> = retained.iter().map(|&index| entries[index as usize].take()).collect();
    match retained.is_empty() {
        true => json.as_object_mut().and_then(|root| root.shift_remove(key)).map_or((), drop),
        false => json[key] = Value::Array(retained),
    }
}

/// Joins the bytes of all buffer views into a single buffer, each at a multiple of 4. Without any bytes, no buffer
/// remains.
fn gather_bytes(out: &mut GltfSource) {
    let views = out.json.get("bufferViews").and_then(Value::as_array);
    let padded = |view: &Value| bytes_of(view, &out.buffers).len().next_multiple_of(4);
    let mut bytes = Vec::with_capacity(views.into_iter().flatten().map(padded).sum());
    for view in each(&mut out.json, "bufferViews") {
        let old = bytes_of(view, &out.buffers);
        bytes.resize(bytes.len().next_multiple_of(4), 0);
        if let Some(view) = view.as_object_mut() {
            view.insert("buffer".into(), json!(0));
            view.insert("byteOffset".into(), json!(bytes.len()));
        }
        bytes.extend_from_slice(old);
    }
    if bytes.is_empty() {
        out.buffers.clear();
        out.json.as_object_mut().and_then(|root| root.shift_remove("buffers"));
        return;
    }
    out.json["buffers"] = json!([{ "byteLength": bytes.len() }]);
    out.buffers = vec![bytes.into()];
}

/// Returns the bytes of `view`; empty if they are missing or incomplete.
fn bytes_of<'b>(view: &Value, buffers: &'b [SharedList<u8>]) -> &'b [u8] {
    let field = |key: &str| view.get(key).and_then(Value::as_u64).unwrap_or(0) as usize;
    let (offset, length) = (field("byteOffset"), field("byteLength"));
    let bytes = buffers.get(field("buffer")).and_then(|bytes| bytes.get(offset..offset.checked_add(length)?));
    bytes.unwrap_or_default()
}
