//! glTF 2.0 and GLB, including VRM, which is a GLB with extensions.
//!
//! The JSON is parsed once into a tree that export can write back unchanged.
//! The types and iterators of the `gltf` crate then read documents, accessors, skins, animations, morph targets, materials
//! and images from that tree, part by part.
//! Damage to the container or the node tree is an error that names the part.
//! Damage to a single primitive, track or image leaves it out with a warning.
//!
//! Modules that replace the crate where it rejects files that other programs open, or panics:
//! - `container`: the format requires unknown chunks to be ignored. The crate rejects them and does not keep them.
//! - `document`: the crate rejects the whole file over a channel of `KHR_animation_pointer` (it has no node), a `"count": 3.0`,
//!   a field of the wrong type, or a position accessor without `min` and `max`.
//! - `accessors`: the crate does not check bounds (`count` 0 and a sparse list without values panic), reads positions and
//!   texture coordinates of `KHR_mesh_quantization` as floats, and loses unsorted sparse values.
//! - `materials`: an embedded image without `mimeType` panics in the crate's `Image::source`, and a texture whose only image
//!   is WebP is rejected.
//! - `buffers`: the crate reads any path, including paths outside the folder of the file.
//!
//! <https://registry.khronos.org/glTF/specs/2.0/glTF-2.0.html>

use std::path::Path;
use std::sync::Arc;

use serde_json::Value;

use super::{Fault, ImportError, Imported, file_name};
use container::Container;
use document::Document;
use json_part::list;
use portamento_anim::{GltfSource, Model};
use portamento_base::message::{Message, message};
use portamento_base::progress::Progress;

mod accessor_table;
mod accessors;
mod buffers;
mod clips;
mod compressed;
mod container;
mod document;
mod json_part;
mod key_times;
mod materials;
mod meshes;
mod nodes;
mod primitive;
mod skins;
mod texture_maps;

/// Extensions that are read, or that do not affect what is shown or animated.
const SUPPORTED_EXTENSIONS: [&str; 14] = [
    "KHR_mesh_quantization",
    "KHR_draco_mesh_compression",
    "EXT_meshopt_compression",
    "KHR_meshopt_compression",
    "KHR_materials_",
    "KHR_lights_punctual",
    "KHR_xmp_json_ld",
    "KHR_node_visibility",
    "EXT_texture_webp",
    "VRM",
    "VRMC_",
    "MSFT_lod",
    "KHR_texture_transform",
    "KHR_texture_basisu",
];

/// Reads the glTF or GLB in `bytes`. `path` is its origin; buffers and images are resolved against it.
///
/// Returns `Err` if the container, the JSON or the node tree is damaged, if an unsupported extension is required, or if a
/// buffer is outside the folder. Damaged single parts are left out with a warning.
pub fn from_bytes(path: &Path, bytes: &[u8]) -> Result<Imported, ImportError> {
    read_bytes(path, bytes.to_vec(), &Progress::new())
}

/// Returns the JSON of the glTF or GLB in `bytes` without following references, or `None` if it is damaged.
pub fn json_of(bytes: &[u8]) -> Option<Value> {
    container::open(bytes).ok().map(|container| container.json)
}

/// [`from_bytes`] with cancellation. The bytes of a GLB become its buffer. Memory is taken from the budget of `progress`.
pub(super) fn read_bytes(path: &Path, bytes: Vec<u8>, progress: &Progress) -> Result<Imported, ImportError> {
    let budget = progress.budget();
    // Copies that will be made: other buffer files, and the JSON as a tree.
    budget.take(2 * bytes.len() as u64, &|| file_name(path))?;
    let Container { json, bin, chunks, binary } = container::open(&bytes).map_err(|fault| fault.in_file(path))?;
    check_version(&json).map_err(|fault| fault.in_file(path))?;
    let mut warnings = Vec::new();
    check_extensions(path, &json, &mut warnings)?;
    let bin = bin.map(|range| buffers::cut_to(bytes, range));
    let buffers = buffers::load(path, &json, bin, budget, &mut warnings)?;
    let source = GltfSource { path: path.to_owned(), json, buffers, binary, chunks };
    let model = model(&source, progress, &mut warnings)?;
    let mut guesses = Vec::new();
    let metres_per_unit = super::unit::of_metres(&model, &mut guesses);
    Ok(Imported { model, source: Some(Arc::new(source)), metres_per_unit, warnings, guesses, ..Imported::default() })
}

/// Reads the model of a parsed file. Joints are all nodes of the file, not only those of skins.
fn model(source: &GltfSource, progress: &Progress, warnings: &mut Vec<Message>) -> Result<Model, ImportError> {
    let damaged = |fault: Fault| fault.in_file(&source.path);
    let unpacked = compressed::unpack(&source.json, &source.buffers, progress, warnings)?;
    let (json, buffers) = match &unpacked {
        Some(unpacked) => (&unpacked.json, &unpacked.buffers),
        None => (&source.json, &source.buffers),
    };
    let document = Document::new(json, buffers, progress).map_err(damaged)?;
    let (skeleton, joint_of_node) = nodes::skeleton(&document).map_err(damaged)?;
    let surfaces = materials::load(&document, &source.path, warnings);
    let meshes = meshes::load(&document, &surfaces.uv_sets, warnings);
    // A cancelled step leaves out the rest of its parts, which must not be reported as damage.
    progress.step(1, 2)?;
    let skins = skins::load(&document, &joint_of_node, warnings);
    let instances = skins::instances(&document, &joint_of_node, &meshes, &skins, warnings).map_err(damaged)?;
    let clips = clips::load(&document, &skeleton, &joint_of_node, warnings);
    progress.step(1, 1)?;
    let scenes = nodes::scenes(&document, &joint_of_node).map_err(damaged)?;
    let default_scene = source.json.get("scene").and_then(Value::as_u64).and_then(|scene| usize::try_from(scene).ok());
    let humanoid = super::humanoid::read(&source.json, &joint_of_node);
    Ok(Model {
        name: source.path.file_stem().unwrap_or_default().to_string_lossy().into_owned(),
        skeleton,
        meshes,
        skins: skins.skins,
        instances,
        materials: surfaces.materials,
        textures: surfaces.textures,
        clips,
        humanoid,
        default_scene: default_scene.filter(|&scene| scene < scenes.len()),
        scenes,
    })
}

/// Returns `Err` unless the asset declares a version 2.x of glTF.
fn check_version(json: &Value) -> Result<(), Fault> {
    let version = json.get("asset").and_then(|asset| asset.get("version")).and_then(Value::as_str);
    match version {
        Some(version) if version.starts_with("2.") => Ok(()),
        Some(version) => Err(Fault::new("the asset", format!("has glTF version {version}; only 2.x can be read"))),
        None => Err(Fault::new("the asset", "has no glTF version")),
    }
}

/// Returns `Err` for an unsupported required extension, and adds a warning for each unsupported used one.
fn check_extensions(path: &Path, json: &Value, warnings: &mut Vec<Message>) -> Result<(), ImportError> {
    let is_supported = |name: &str| SUPPORTED_EXTENSIONS.iter().any(|known| name.starts_with(known));
    let names = |key| list(json, key).iter().filter_map(Value::as_str);
    if let Some(extension) = names("extensionsRequired").find(|name| !is_supported(name)) {
        return Err(ImportError::Extension { file: file_name(path), extension: extension.to_owned() });
    }
    for name in names("extensionsUsed").filter(|name| !is_supported(name)) {
        warnings.push(not_shown_warning(name));
    }
    Ok(())
}

/// Returns the warning about an extension that is not shown but is exported again.
fn not_shown_warning(name: &str) -> Message {
    if name == "KHR_animation_pointer" {
        return message!(
            "warning.import.pointers",
            "Animation of KHR_animation_pointer is not shown. Export keeps it in the clips of the file and in takes that use one clip at its original length, but not in blends, loops and walks."
        ).harmless();
    }
    message!("warning.import.extension", "The extension %{name} is not shown; export writes it back unchanged.", name)
        .harmless()
}

#[cfg(test)]
pub mod tests;
