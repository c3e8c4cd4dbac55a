//! glTF 2.0 and GLB, including VRM, which is a GLB with extensions.
//!
//! The JSON is parsed once, into a tree that export can give back unchanged. Documents, accessors, skins, animations,
//! morph targets, materials and images are read from that tree through the types and iterators of the `gltf` crate, part by
//! part. What contradicts itself is either an error that names the part (the shell, the node tree) or left out with a
//! warning (one primitive, one track, one image), whichever leaves more to use.
//!
//! Our own code stands where the crate refuses files that other programs open, or would end the program:
//! - `container`: the crate answers an unknown chunk with an error, where the format says to pass over it, and loses it.
//! - `document`: one channel of `KHR_animation_pointer` (it has no node), one `"count": 3.0` or one field of a wrong kind
//!   anywhere makes the crate refuse the whole file, as does a position accessor without `min` and `max`.
//! - `accessors`: the crate indexes without looking (`count` 0 and a sparse list without values end the program), reads
//!   positions and texture coordinates of `KHR_mesh_quantization` as floats, and drops sparse values out of order.
//! - `materials`: an embedded image without `mimeType` ends the program in the crate's `Image::source`; a texture whose
//!   only image is WebP is refused.
//! - `buffers`: the crate reads any path, also outside the file's folder.
//!
//! <https://registry.khronos.org/glTF/specs/2.0/glTF-2.0.html>

use std::path::Path;
use std::sync::Arc;

use serde_json::Value;

use super::{Fault, ImportError, Imported, file_name};
use crate::anim::{GltfSource, Model};
use crate::message::{Message, message};
use crate::progress::Progress;
use container::Container;
use document::Document;
use json_part::list;

mod accessor_table;
mod accessors;
mod buffers;
mod clips;
mod compressed;
mod container;
mod document;
mod json_part;
mod materials;
mod meshes;
mod nodes;
mod primitive;
mod skins;
mod texture_maps;

/// Extensions whose content is read, or which change nothing that is shown or animated.
const HARMLESS: [&str; 14] = [
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

/// Reads the glTF or GLB in `bytes`; `path` is where it came from and where its buffers and images are looked for.
///
/// Errors when the shell, the JSON or the node tree is broken, when it requires an extension that is not read, or when it
/// refers to a buffer outside its folder. Damage in single parts leaves these out and adds a warning.
pub fn from_bytes(path: &Path, bytes: &[u8]) -> Result<Imported, ImportError> {
    within(path, bytes, &Progress::new())
}

/// The JSON of the glTF or GLB in `bytes`, no reference of which is followed; none where it is broken.
pub fn json_of(bytes: &[u8]) -> Option<Value> {
    container::open(bytes).ok().map(|container| container.json)
}

/// [`from_bytes`] that can be stopped and takes its memory from the budget of `progress`.
pub(super) fn within(path: &Path, bytes: &[u8], progress: &Progress) -> Result<Imported, ImportError> {
    let budget = progress.budget();
    // What is stored once more: the chunk or the side files, and the JSON as a tree.
    budget.take(2 * bytes.len() as u64, &|| file_name(path))?;
    let Container { json, bin, chunks, binary } = container::open(bytes).map_err(|fault| fault.in_file(path))?;
    check_version(&json).map_err(|fault| fault.in_file(path))?;
    let mut warnings = Vec::new();
    check_extensions(path, &json, &mut warnings)?;
    let buffers = buffers::load(path, &json, bin, budget, &mut warnings)?;
    let source = GltfSource { path: path.to_owned(), json, buffers, binary, chunks };
    let model = model(&source, progress, &mut warnings)?;
    let metres_per_unit = super::unit::of_gltf(&model);
    Ok(Imported { model, source: Some(Arc::new(source)), metres_per_unit, warnings, ..Imported::default() })
}

fn model(source: &GltfSource, progress: &Progress, warnings: &mut Vec<Message>) -> Result<Model, ImportError> {
    let damaged = |fault: Fault| fault.in_file(&source.path);
    let unpacked = compressed::unpacked(&source.json, &source.buffers, progress, warnings)?;
    let (json, buffers) = match &unpacked {
        Some(unpacked) => (&unpacked.json, &unpacked.buffers),
        None => (&source.json, &source.buffers),
    };
    let document = Document::new(json, buffers, progress).map_err(damaged)?;
    let (skeleton, joint_of_node) = nodes::skeleton(&document).map_err(damaged)?;
    let surfaces = materials::load(&document, &source.path, warnings);
    let meshes = meshes::load(&document, &surfaces.uv_sets, warnings);
    // Each of these leaves out what it had not come to, which must not be taken for damage.
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

fn check_version(json: &Value) -> Result<(), Fault> {
    let version = json.get("asset").and_then(|asset| asset.get("version")).and_then(Value::as_str);
    match version {
        Some(version) if version.starts_with("2.") => Ok(()),
        Some(version) => {
            Err(Fault::new("the asset", format!("is of glTF version {version} where only 2.x can be read")))
        }
        None => Err(Fault::new("the asset", "has no glTF version")),
    }
}

fn check_extensions(path: &Path, json: &Value, warnings: &mut Vec<Message>) -> Result<(), ImportError> {
    let harmless = |name: &str| HARMLESS.iter().any(|known| name.starts_with(known));
    let names = |key| list(json, key).iter().filter_map(Value::as_str);
    if let Some(extension) = names("extensionsRequired").find(|name| !harmless(name)) {
        return Err(ImportError::Extension { file: file_name(path), extension: extension.to_owned() });
    }
    for name in names("extensionsUsed").filter(|name| !harmless(name)) {
        warnings.push(unseen(name));
    }
    Ok(())
}

/// What is told of an extension that is neither shown nor lost.
fn unseen(name: &str) -> Message {
    if name == "KHR_animation_pointer" {
        return message!(
            "warning.import.pointers",
            "What KHR_animation_pointer moves is not shown here. Export keeps it in the file's own clips and in those made of one of them that stay as long; blends, loops and walks are without it."
        );
    }
    message!(
        "warning.import.extension",
        "The extension %{name} is not shown here; export gives it back unchanged.",
        name
    )
}

#[cfg(test)]
pub(crate) mod tests;
