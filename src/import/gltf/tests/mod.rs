//! What import claims, on small models, on the corpus and on damaged files.

mod dump;
mod mutation;

use super::*;
pub(crate) use mutation::small_model;
use std::path::PathBuf;

/// Every glTF of the corpus; none, with one line said, where it is absent.
pub(crate) fn corpus_files() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/corpus");
    let folders = ["characters", "morph", "springs"].map(|folder| std::fs::read_dir(root.join(folder)));
    let mut files: Vec<PathBuf> = folders.into_iter().flatten().flatten().flatten().map(|entry| entry.path()).collect();
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
    let nodes =
        serde_json::json!([{ "name": "toe" }, { "name": "leg", "children": [0] }, { "name": "hips", "children": [1] }]);
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
