//! glTF 2.0 and GLB, including VRM, which is a GLB with extensions.
//!
//! The JSON is parsed once, into a tree that export can give back unchanged; everything else is read from that tree and
//! the buffers by a reader that checks every bound. What contradicts itself is either an error that names the part (the
//! shell, the node tree) or left out with a warning (one primitive, one track, one image), whichever leaves more to use.
//! <https://registry.khronos.org/glTF/specs/2.0/glTF-2.0.html>

use std::path::Path;
use std::sync::Arc;

use serde_json::Value;

use super::{Fault, ImportError, Imported, file_name};
use crate::anim::{GltfSource, Model};
use container::Container;
use reader::{Document, list, required};

mod buffers;
mod clips;
mod container;
mod materials;
mod meshes;
mod nodes;
mod primitive;
mod reader;
mod skins;

/// Extensions whose content is read, or which change nothing that is shown or animated.
const HARMLESS: [&str; 10] = [
    "KHR_mesh_quantization",
    "KHR_materials_",
    "KHR_lights_punctual",
    "KHR_xmp_json_ld",
    "KHR_node_visibility",
    "EXT_texture_webp",
    "VRM",
    "VRMC_",
    "MSFT_lod",
    "KHR_texture_transform",
];

/// Reads the glTF or GLB in `bytes`; `path` is where it came from and where its buffers and images are looked for.
///
/// Errors when the shell, the JSON or the node tree is broken, when it requires an extension that is not read, or when it
/// refers to a buffer outside its folder. Damage in single parts leaves these out and adds a warning.
pub fn from_bytes(path: &Path, bytes: &[u8]) -> Result<Imported, ImportError> {
    let Container { json, bin, chunks, binary } = container::open(bytes).map_err(|fault| fault.in_file(path))?;
    check_version(&json).map_err(|fault| fault.in_file(path))?;
    let mut warnings = Vec::new();
    check_extensions(path, &json, &mut warnings)?;
    let buffers = buffers::load(path, &json, bin, &mut warnings)?;
    let source = GltfSource { path: path.to_owned(), json, buffers, binary, chunks };
    let model = model(&source, &mut warnings).map_err(|fault| fault.in_file(path))?;
    let metres_per_unit = super::unit::of_gltf(&model);
    Ok(Imported { model, source: Some(Arc::new(source)), metres_per_unit, warnings })
}

fn model(source: &GltfSource, warnings: &mut Vec<String>) -> Result<Model, Fault> {
    let document = Document::new(&source.json, &source.buffers);
    let (skeleton, joint_of_node) = nodes::skeleton(&document)?;
    let surfaces = materials::load(&document, &source.path, warnings);
    let meshes = meshes::load(&document, &surfaces.uv_sets, warnings);
    let (skins, skin_of) = skins::load(&document, &joint_of_node, warnings);
    let instances = skins::instances(&document, &joint_of_node, (&meshes, &skins, &skin_of), warnings)?;
    let clips = clips::load(&document, &skeleton, &joint_of_node, warnings);
    let scenes = nodes::scenes(&document, &joint_of_node)?;
    let default_scene =
        reader::number(&source.json, "scene", &|| "the file".to_owned())?.filter(|&it| it < scenes.len());
    Ok(Model {
        name: source.path.file_stem().unwrap_or_default().to_string_lossy().into_owned(),
        skeleton,
        meshes,
        skins,
        instances,
        materials: surfaces.materials,
        textures: surfaces.textures,
        clips,
        scenes,
        default_scene,
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

fn check_extensions(path: &Path, json: &Value, warnings: &mut Vec<String>) -> Result<(), ImportError> {
    let harmless = |name: &str| HARMLESS.iter().any(|known| name.starts_with(known));
    let names = |key| list(json, key).iter().filter_map(Value::as_str);
    if let Some(extension) = names("extensionsRequired").find(|name| !harmless(name)) {
        return Err(ImportError::Extension { file: file_name(path), extension: extension.to_owned() });
    }
    for name in names("extensionsUsed").filter(|name| !harmless(name) || *name == "KHR_texture_transform") {
        warnings.push(format!("The extension {name} is not shown here; export gives it back unchanged."));
    }
    Ok(())
}

#[cfg(test)]
mod dump;
#[cfg(test)]
mod mutation;

#[cfg(test)]
pub(crate) mod tests {
    pub(crate) use super::mutation::small_model;
    use super::*;
    use std::path::PathBuf;

    /// Every glTF of the corpus; none, with one line said, where it is absent.
    pub(crate) fn corpus_files() -> Vec<PathBuf> {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/corpus");
        let folders = ["characters", "morph", "springs"].map(|folder| std::fs::read_dir(root.join(folder)));
        let mut files: Vec<PathBuf> =
            folders.into_iter().flatten().flatten().flatten().map(|entry| entry.path()).collect();
        files.retain(|file| file.extension().is_some_and(|it| it == "glb" || it == "gltf"));
        files.sort();
        if files.is_empty() {
            println!("skipped: corpus absent");
        }
        files
    }

    /// The file as read, and its source.
    pub(crate) fn opened(path: &Path) -> (Arc<GltfSource>, Imported) {
        let imported = crate::import::import(path).unwrap();
        (imported.source.clone().unwrap(), imported)
    }

    #[test]
    fn the_corpus_opens_with_warnings_only_where_files_are_missing() {
        for path in corpus_files() {
            let (_, imported) = opened(&path);
            let file = file_name(&path);
            let expected = file.starts_with("interpolation") || path.parent().unwrap().ends_with("springs");
            assert_eq!(!imported.warnings.is_empty(), expected, "{file}: {:?}", imported.warnings);
            assert!(!imported.model.skeleton.is_empty());
        }
    }

    #[test]
    fn known_files_hold_what_their_makers_say() {
        let find =
            |name: &str| corpus_files().into_iter().find(|path| path.ends_with(name)).map(|path| opened(&path).1.model);
        let Some(knight) = find("characters/knight.glb") else { return };
        assert_eq!((knight.clips.len(), knight.skins[0].joints.len(), knight.textures.len()), (76, 41, 1));
        let fox = find("characters/fox.glb").unwrap();
        assert_eq!(fox.clips.iter().map(|clip| clip.name.as_str()).collect::<Vec<_>>(), ["Survey", "Walk", "Run"]);
        assert_eq!(fox.meshes[0].primitives[0].positions.len(), 1728);
        let cube = find("morph/AnimatedMorphCube.gltf").unwrap();
        assert_eq!((cube.skeleton.rest_morphs.len(), cube.meshes[0].primitives[0].morphs.len()), (2, 2));
        assert!(cube.clips[0].tracks[0].morphs.is_some());
    }

    /// A file of one node list, without buffers.
    fn of_nodes(nodes: Value) -> Result<Imported, ImportError> {
        let json = serde_json::json!({ "asset": { "version": "2.0" }, "nodes": nodes });
        from_bytes(Path::new("tree.gltf"), json.to_string().as_bytes())
    }

    #[test]
    fn children_listed_before_their_parents_come_after_them() {
        let nodes = serde_json::json!([{ "name": "toe" }, { "name": "leg", "children": [0] }, { "name": "hips", "children": [1] }]);
        let skeleton = of_nodes(nodes).unwrap().model.skeleton;
        let rows: Vec<_> = skeleton.joints.iter().map(|it| (it.name.as_str(), it.parent, it.node)).collect();
        assert_eq!(rows, [("hips", None, 2), ("leg", Some(0), 1), ("toe", Some(1), 0)]);
    }

    #[test]
    fn a_broken_tree_is_refused_by_the_name_of_the_node() {
        let sentence = |nodes| of_nodes(nodes).unwrap_err().to_string();
        let two = sentence(serde_json::json!([{ "children": [2] }, { "children": [2] }, { "name": "hips" }]));
        let cycle = sentence(serde_json::json!([{ "name": "a", "children": [1] }, { "name": "b", "children": [0] }]));
        let lost = sentence(serde_json::json!([{ "name": "a", "children": [7] }]));
        assert!(two.contains("\"hips\"") && two.contains("tree.gltf"), "{two}");
        assert!(cycle.contains("node \"a\"") && cycle.contains("ancestor"), "{cycle}");
        assert!(lost.contains("child 7"), "{lost}");
    }

    #[test]
    fn an_extension_that_must_be_read_and_cannot_is_named() {
        let json = r#"{"asset":{"version":"2.0"},"extensionsRequired":["KHR_draco_mesh_compression"]}"#;
        let sentence = from_bytes(Path::new("a.gltf"), json.as_bytes()).unwrap_err().to_string();
        assert!(sentence.contains("KHR_draco_mesh_compression"), "{sentence}");
    }

    #[test]
    fn a_matrix_is_taken_apart() {
        let matrix = glam::Mat4::from_scale_rotation_translation(
            glam::Vec3::splat(2.0),
            glam::Quat::from_rotation_y(0.5),
            glam::Vec3::new(1.0, 2.0, 3.0),
        );
        let rest =
            of_nodes(serde_json::json!([{ "matrix": matrix.to_cols_array() }])).unwrap().model.skeleton.joints[0].rest;
        assert!(rest.translation.abs_diff_eq(glam::Vec3::new(1.0, 2.0, 3.0), 1e-6));
        assert!(rest.rotation.abs_diff_eq(glam::Quat::from_rotation_y(0.5), 1e-6));
        assert!(rest.scale.abs_diff_eq(glam::Vec3::splat(2.0), 1e-6));
    }
}
