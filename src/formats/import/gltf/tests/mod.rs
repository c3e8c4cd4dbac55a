//! Tests of the glTF import on small, complete and damaged files.

mod shape_names;
mod compressed;
mod dump;
mod mutation;

use super::*;
pub(crate) use mutation::small_model;
use portamento_anim::Interpolation;
use portamento_test_support::{corpus, fixture, gltf_files};

/// Returns the source of a file and the import.
pub(crate) fn opened(path: &Path) -> (Arc<GltfSource>, Imported) {
    let imported = crate::import::import(path).unwrap();
    (imported.source.clone().unwrap(), imported)
}

#[test]
fn files_open_with_warnings_only_where_something_is_missing_or_unknown() {
    for path in gltf_files() {
        let (_, imported) = opened(&path);
        let file = file_name(&path);
        let expected = ["interpolation", "everything"].iter().any(|start| file.starts_with(start))
            || path.parent().unwrap().ends_with("springs");
        assert_eq!(!imported.warnings.is_empty(), expected, "{file}: {:?}", imported.warnings);
        assert_eq!(!imported.guesses.is_empty(), file.starts_with("fox"), "{file}: the fox is in centimetres");
        assert!(!imported.model.skeleton.is_empty());
    }
}

#[test]
fn known_files_have_the_documented_content() {
    let find = |name: &str| corpus(name).map(|path| opened(&path).1.model);
    let Some(knight) = find("characters/knight.glb") else { return };
    assert_eq!((knight.clips.len(), knight.skins[0].joints.len(), knight.textures.len()), (76, 41, 1));
    let fox = find("characters/fox.glb").unwrap();
    assert_eq!(fox.clips.iter().map(|clip| clip.name.as_str()).collect::<Vec<_>>(), ["Survey", "Walk", "Run"]);
    assert_eq!(fox.meshes[0].primitives[0].positions.len(), 1728);
    let cube = find("morph/AnimatedMorphCube.gltf").unwrap();
    assert_eq!((cube.skeleton.rest_morphs.len(), cube.meshes[0].primitives[0].morphs.len()), (2, 2));
    assert!(cube.clips[0].tracks[0].morphs.is_some());
}

#[test]
fn an_avatar_has_a_humanoid_bone_map() {
    let Some(avatar) = corpus("wild/godette.vrm") else { return };
    let model = opened(&avatar).1.model;
    let hips = model.humanoid.iter().find(|bone| bone.name == "hips").unwrap();
    assert_eq!((model.humanoid.len(), model.skeleton.joints[hips.joint].node), (45, 1));
    assert!(model.humanoid.iter().all(|bone| bone.name != "leftThumbIntermediate"));
}

/// Compares the same content as JSON with a buffer file and as a GLB with an unknown chunk.
#[test]
fn a_file_with_one_of_everything_is_read_completely() {
    let [text, binary] = ["everything.gltf", "everything.glb"].map(|name| opened(&fixture(name)));
    assert_eq!(text.1.model, binary.1.model);
    assert_eq!(binary.0.chunks, [(u32::from_le_bytes(*b"XTRA"), b"only others read this\0\0\0".to_vec())]);
    assert_eq!(text.0.json["buffers"][0]["uri"], "everything%20else.bin");
    let model = text.1.model;
    let names: Vec<&str> = model.skeleton.joints.iter().map(|joint| joint.name.as_str()).collect();
    assert_eq!(names, ["body", "root", "hips", "骨", "toe", "lamp", "eye"]);
    assert_eq!((model.default_scene, &model.scenes[1].roots[..]), (Some(1), &[1, 0][..]));
    assert_eq!(model.skeleton.rest_morphs, [0.25, 0.0]);
    let [square, strip] = &model.meshes[0].primitives[..] else { panic!("two parts") };
    assert_eq!((square.positions[8], square.normals[8]), (glam::Vec3::new(0.5, 1.5, 0.4), glam::Vec3::Z));
    assert_eq!((square.uvs[8], square.colors[0][1]), (glam::Vec2::splat(2.0), 128.0 / 255.0));
    assert_eq!((square.joints[0..2].to_vec(), square.weights[0]), (vec![0, 1], 49_152.0 / 65_535.0));
    assert_eq!((square.indices.len(), strip.indices.len()), (24, 12));
    let sparse: Vec<f32> = square.morphs[1].positions.iter().map(|offset| offset.z).collect();
    assert_eq!(sparse, [0.0, 0.0, 0.25, 0.0, 0.0, 0.5, 0.0, 0.0, 0.0]);
    let pixels: Vec<_> = model.textures.iter().map(|texture| (texture.width, texture.rgba[0])).collect();
    assert_eq!(pixels, [(2, 255), (1, 128)]);
    assert_eq!(model.materials[0].alpha, portamento_anim::geometry::AlphaMode::Mask(0.25));
    let curves = |clip: usize, joint: usize| &model.clips[clip].tracks[joint];
    assert_eq!(model.clips.iter().map(|clip| clip.duration).collect::<Vec<_>>(), [1.0, 1.5, 0.5]);
    assert_eq!(curves(0, 2).translation.as_ref().unwrap().values[4], glam::Vec3::new(0.0, 0.75, 1.5));
    assert_eq!(curves(1, 3).rotation.as_ref().unwrap().interpolation, Interpolation::CubicSpline);
    assert_eq!(curves(1, 0).morphs.as_ref().unwrap().values.len(), 12);
    assert_eq!(curves(2, 2).scale.as_ref().unwrap().interpolation, Interpolation::Step);
}

/// Opens a file with the node list `nodes` and without buffers.
fn of_nodes(nodes: Value) -> Result<Imported, ImportError> {
    let json = serde_json::json!({ "asset": { "version": "2.0" }, "nodes": nodes });
    from_bytes(Path::new("tree.gltf"), json.to_string().as_bytes())
}

#[test]
fn children_listed_before_their_parents_are_reordered() {
    let nodes =
        serde_json::json!([{ "name": "toe" }, { "name": "leg", "children": [0] }, { "name": "hips", "children": [1] }]);
    let skeleton = of_nodes(nodes).unwrap().model.skeleton;
    let rows: Vec<_> = skeleton.joints.iter().map(|joint| (joint.name.as_str(), joint.parent, joint.node)).collect();
    assert_eq!(rows, [("hips", None, 2), ("leg", Some(0), 1), ("toe", Some(1), 0)]);
}

#[test]
fn a_broken_tree_is_refused_with_the_name_of_the_node() {
    let sentence = |nodes| of_nodes(nodes).unwrap_err().to_string();
    let two = sentence(serde_json::json!([{ "children": [2] }, { "children": [2] }, { "name": "hips" }]));
    let cycle = sentence(serde_json::json!([{ "name": "a", "children": [1] }, { "name": "b", "children": [0] }]));
    let lost = sentence(serde_json::json!([{ "name": "a", "children": [7] }]));
    assert!(two.contains("\"hips\"") && two.contains("tree.gltf"), "{two}");
    assert!(cycle.contains("node \"a\"") && cycle.contains("ancestor"), "{cycle}");
    assert!(lost.contains("child 7"), "{lost}");
}

#[test]
fn an_unsupported_required_extension_is_named() {
    let json = r#"{"asset":{"version":"2.0"},"extensionsRequired":["EXT_mesh_gpu_instancing"]}"#;
    let sentence = from_bytes(Path::new("a.gltf"), json.as_bytes()).unwrap_err().to_string();
    assert!(sentence.contains("EXT_mesh_gpu_instancing"), "{sentence}");
}

#[test]
fn a_matrix_is_decomposed() {
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
