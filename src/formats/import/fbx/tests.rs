//! Compares the import of FBX files with `ufbx`'s own evaluation, and checks damaged files.

use std::path::PathBuf;

use glam::Vec3;

use super::*;
use portamento_anim::{Pose, skinning};
use portamento_test_support::{corpus, fixture};

mod figure;
mod seven;
mod six;
mod tree;
mod versions;

/// Largest allowed error relative to the body size.
const MAX_RELATIVE_ERROR: f32 = 1e-5;

/// Loads the file without converting it, except for axes and unit.
fn load_unconverted(bytes: &[u8]) -> SceneRoot {
    let options = LoadOpts {
        file_format: FileFormat::Fbx,
        target_axes: CoordinateAxes::right_handed_y_up(),
        target_unit_meters: 1.0,
        space_conversion: SpaceConversion::TransformRoot,
        handedness_conversion_axis: MirrorAxis::X,
        ..LoadOpts::default()
    };
    ufbx::load_memory(bytes, options).unwrap()
}

/// Returns the largest distances of joints and of vertices from `ufbx`'s evaluation over all clips, in metres.
fn distances(path: &std::path::Path, bytes: &[u8]) -> [f32; 2] {
    distances_from(path, bytes, bytes)
}

/// Returns the same distances from `ufbx`'s evaluation of `same`, an equivalent file.
fn distances_from(path: &std::path::Path, bytes: &[u8], same: &[u8]) -> [f32; 2] {
    let (scene, imported) = (load_unconverted(same), from_bytes(path, bytes).unwrap());
    let model = &imported.model;
    let stacks: Vec<_> = scene.anim_stacks.iter().filter(|stack| StackOf::new(stack).is_some()).collect();
    assert_eq!(stacks.len(), model.clips.len());
    let mut worst = if stacks.is_empty() { rest_off(model, &scene) } else { [0.0; 2] };
    for (stack, clip) in stacks.iter().zip(&model.clips) {
        let begin = StackOf::new(stack).unwrap().0;
        let played = prepared_stack::prepare(&scene, stack).unwrap();
        assert!(played.layered.is_empty(), "`ufbx` would take curves of another joint");
        // Keys are added on frames only; between frames the motion is not exact.
        let fps = stack_times::StackTimes::read(stack).unwrap().frame_rate(scene.settings.frames_per_second);
        let frames = (clip.duration * fps).floor() as usize;
        for frame in 0..=frames {
            let time = frame as f64 / fps;
            let skins = frame % 10 == 3;
            let options = ufbx::EvaluateOpts { evaluate_skinning: skins, ..Default::default() };
            // After a jump: rounding the sum of two times may put the sample before it.
            let behind = begin + time + 1e-9;
            let truth = ufbx::evaluate_scene(&scene, &played.anim, behind, options).unwrap();
            let pose = clip.pose_at(&model.skeleton, time);
            let mut world = Vec::new();
            pose.world_from_joints(&model.skeleton, &mut world);
            worst[0] = worst[0].max(joints_off(model, &world, &truth));
            if skins {
                worst[1] = worst[1].max(vertices_off(model, &pose, &truth));
            }
        }
    }
    worst
}

/// Returns the largest distance of joints at rest, for a file without clips.
fn rest_off(model: &Model, scene: &Scene) -> [f32; 2] {
    let options = ufbx::EvaluateOpts { evaluate_skinning: true, ..Default::default() };
    let truth = ufbx::evaluate_scene(scene, &scene.anim, 0.0, options).unwrap();
    let pose = Pose::rest(&model.skeleton);
    let mut world = Vec::new();
    pose.world_from_joints(&model.skeleton, &mut world);
    [joints_off(model, &world, &truth), vertices_off(model, &pose, &truth)]
}

/// The begin time of a stack in seconds: from its range, or from its keys if the range is empty.
struct StackOf(f64);

impl StackOf {
    fn new(stack: &ufbx::AnimStack) -> Option<Self> {
        let curves = || {
            stack
                .layers
                .iter()
                .flat_map(|layer| layer.anim_values.iter())
                .flat_map(|value| value.curves.iter().flatten())
        };
        let first = curves().flat_map(|curve| curve.keyframes.iter().map(|key| key.time)).fold(f64::INFINITY, f64::min);
        let is_sound = stack.time_end > stack.time_begin;
        first.is_finite().then_some(Self(if is_sound { stack.time_begin } else { first }))
    }
}

fn joints_off(model: &Model, world: &[glam::Affine3A], truth: &Scene) -> f32 {
    let mut worst = 0.0_f32;
    let mut seen = std::collections::BTreeMap::<&str, usize>::new();
    for node in truth.nodes.iter().filter(|node| !node.is_root) {
        // Joints with equal names have the same order in both.
        let nth = seen.entry(&node.element.name).or_default();
        let same = model.skeleton.joints.iter().enumerate().filter(|(_, joint)| joint.name == *node.element.name);
        let found = same.map(|(index, _)| index).nth(*nth);
        *nth += 1;
        let Some(joint) = found else {
            let is_equipment = node.mesh.is_none() && node.bone.is_none() && node.children.is_empty();
            assert!(is_equipment, "{} is missing", &*node.element.name);
            continue;
        };
        let m = &node.node_to_world;
        let position = glam::DVec3::new(m.m03, m.m13, m.m23).as_vec3();
        worst = worst.max(position.distance(Vec3::from(world[joint].translation)));
    }
    worst
}

fn vertices_off(model: &Model, pose: &Pose, truth: &Scene) -> f32 {
    let mut world = Vec::new();
    pose.world_from_joints(&model.skeleton, &mut world);
    let mut worst = 0.0_f32;
    for instance in &model.instances {
        let name = &model.skeleton.joints[instance.joint].name;
        let node = truth.nodes.iter().find(|node| *node.element.name == **name && node.mesh.is_some());
        let Some(node) = node else { continue };
        let mesh = node.mesh.as_ref().unwrap();
        let mut parts = mesh.material_parts.iter().filter(|part| part.num_triangles > 0);
        for primitive in &model.meshes[instance.mesh].primitives {
            let (mut positions, mut normals, mut palette) = (Vec::new(), Vec::new(), Vec::new());
            let morphs = skinning::morphs_of(model, instance, &pose.morphs);
            let carrier = match instance.skin {
                Some(skin) => {
                    skinning::palette(&model.skins[skin], &world, &mut palette);
                    skinning::MeshTransform::Skinned(&palette)
                }
                None => skinning::MeshTransform::Rigid(world[instance.joint]),
            };
            skinning::deform(primitive, carrier, morphs, &mut positions, &mut normals);
            let mut triangles = vec![0; 3 * mesh.max_face_triangles];
            let mut corners = Vec::new();
            for &face in &parts.next().unwrap().face_indices {
                let count = mesh.triangulate_face(&mut triangles, ufbx::Face { ..mesh.faces[face as usize] }) as usize;
                corners.extend_from_slice(&triangles[..3 * count]);
            }
            assert_eq!(corners.len(), primitive.indices.len());
            for (&corner, &index) in corners.iter().zip(&primitive.indices) {
                let mut position = ufbx::get_vertex_vec3(&mesh.skinned_position, corner as usize);
                if mesh.skinned_is_local {
                    position = ufbx::transform_position(&node.geometry_to_world, position);
                }
                let position = glam::DVec3::new(position.x, position.y, position.z).as_vec3();
                worst = worst.max(position.distance(positions[index as usize]));
            }
        }
    }
    worst
}

fn check_against_ufbx(path: &std::path::Path) {
    let model = crate::import::import(path).unwrap().model;
    let size = model.rest_bounds().size().max_element();
    let [joints, vertices] = distances(path, &std::fs::read(path).unwrap()).map(|off| off / size);
    println!(
        "{}: {} joints {joints:.1e}, vertices {vertices:.1e} of {size:.2} m, {} clips, {} keys",
        file_name(path),
        model.skeleton.len(),
        model.clips.len(),
        model.clips.iter().flat_map(|clip| clip.key_times()).map(<[f32]>::len).sum::<usize>(),
    );
    assert!(
        joints <= MAX_RELATIVE_ERROR && vertices <= MAX_RELATIVE_ERROR,
        "{}: joints {joints}, vertices {vertices}",
        path.display()
    );
}

fn files_of(folder: PathBuf) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|file| file.extension().is_some_and(|extension| extension == "fbx"));
    files.sort();
    files
}

#[test]
fn joints_and_vertices_match_ufbx() {
    let captured = corpus("mocap").map(files_of).unwrap_or_default();
    let files: Vec<PathBuf> = files_of(fixture("")).into_iter().chain(captured).collect();
    assert!(files.len() >= 2);
    files.iter().for_each(|file| check_against_ufbx(file));
}

#[test]
#[ignore = "set PORTAMENTO_FBX to a folder of FBX files"]
fn joints_and_vertices_of_any_folder_match_ufbx() {
    files_of(std::env::var_os("PORTAMENTO_FBX").unwrap().into()).iter().for_each(|file| check_against_ufbx(file));
}

#[test]
fn a_blender_figure_keeps_its_skin_shapes_material_and_clips() {
    let imported = crate::import::import(&fixture("figure.fbx")).unwrap();
    let model = &imported.model;
    let names: Vec<&str> = model.skeleton.joints.iter().map(|joint| joint.name.as_str()).collect();
    assert_eq!(names, ["Body", "Rig", "hips", "spine", "head", "leg.L", "leg.R"]);
    assert_eq!(model.clips.iter().map(|clip| clip.name.as_str()).collect::<Vec<_>>(), ["Rig|run", "Rig|walk"]);
    let part = &model.meshes[0].primitives[0];
    assert_eq!((part.influences, part.morphs.len(), part.uvs.len()), (4, 2, part.positions.len()));
    assert!(part.weights.as_chunks::<4>().0.iter().all(|four| (four.iter().sum::<f32>() - 1.0).abs() < 1e-6));
    let texture = &model.textures[model.materials[part.material.unwrap()].maps.color.unwrap().texture];
    assert_eq!((texture.width, texture.height), (4, 4));
    assert!(model.clips.iter().any(|clip| clip.tracks.iter().any(|tracks| tracks.morphs.is_some())));
    let warnings: Vec<String> = imported.warnings.iter().map(ToString::to_string).collect();
    assert!(warnings.iter().any(|warning| warning.starts_with("1 node outside the figure is")), "{warnings:?}");
    assert!(warnings.iter().any(|warning| warning.contains("bend between their keys")), "{warnings:?}");
}

#[test]
fn a_text_file_in_inches_keeps_its_pivots_its_range_and_its_steps() {
    let model = crate::import::import(&fixture("bend.fbx")).unwrap().model;
    let clip = &model.clips[0];
    assert_eq!((clip.name.as_str(), clip.duration), ("bend", 2.0));
    assert!((model.skeleton.joints[0].rest.translation.y - 40.0 * 0.0254).abs() < 1e-6);
    let scale = clip.tracks[0].scale.as_ref().unwrap();
    assert!((scale.sample(0.99).unwrap().x - 1.0).abs() < 1e-6 && (scale.sample(1.01).unwrap().x - 1.5).abs() < 1e-6);
    assert!(clip.tracks[1].translation.is_some(), "turning about a pivot moves the knee");
}

#[test]
fn a_file_of_version_6_has_its_takes_its_skin_and_no_camera() {
    let imported = crate::import::import(&fixture("old.fbx")).unwrap();
    let model = &imported.model;
    let clips: Vec<(&str, f64)> = model.clips.iter().map(|clip| (clip.name.as_str(), clip.duration)).collect();
    assert_eq!(clips, [("step", 1.0), ("stand", 0.5)]);
    let names: Vec<&str> = model.skeleton.joints.iter().map(|joint| joint.name.as_str()).collect();
    assert_eq!(names, ["hip", "knee", "foot", "leg"]);
    assert!((model.skeleton.joints[0].rest.translation.y - 0.9).abs() < 1e-6, "centimetres became metres");
    assert_eq!(model.meshes[0].primitives[0].influences, 4);
    let warnings: Vec<String> = imported.warnings.iter().map(ToString::to_string).collect();
    assert!(warnings.iter().any(|warning| warning.starts_with("1 node outside the figure is")), "{warnings:?}");
}

#[test]
fn text_of_every_version_7_reads_alike() {
    let text = std::fs::read_to_string(fixture("bend.fbx")).unwrap();
    let of = |text: &str| from_bytes(Path::new("bend.fbx"), text.as_bytes()).unwrap().model;
    let model = of(&text);
    for version in ["7100", "7200", "7300", "7500", "7700"] {
        let other = text.replace("FBXVersion: 7400", &format!("FBXVersion: {version}"));
        assert_ne!(other, text);
        let other = of(&other);
        assert_eq!((&other.skeleton, &other.clips), (&model.skeleton, &model.clips), "{version}");
    }
}

#[test]
fn captured_walks_keep_their_name_length_and_size_and_leave_the_cameras() {
    let Some(path) = corpus("mocap/media__fbx__pab__walk.fbx") else { return };
    let imported = crate::import::import(&path).unwrap();
    let model = &imported.model;
    assert!(imported.source.is_none() && imported.metres_per_unit == 1.0);
    assert_eq!((model.clips[0].name.as_str(), (model.clips[0].duration * 30.0).round()), ("walk", 40.0));
    assert!(model.skeleton.joints.iter().all(|joint| !joint.name.contains("Camera")), "{:?}", model.skeleton.joints);
    let size = model.rest_bounds().size();
    assert!((1.0..2.2).contains(&size.max_element()), "{size}");
}

#[test]
fn clips_of_a_pack_have_the_rate_the_keys_and_the_name_of_their_file() {
    let Some(folder) = corpus("pack") else { return };
    let expected: serde_json::Value =
        serde_json::from_slice(&std::fs::read(folder.join("expected.json")).unwrap()).unwrap();
    let files = files_of(folder).into_iter().filter(|path| !path.ends_with("knight_tpose.fbx"));
    let mut count = 0;
    for path in files {
        let imported = crate::import::import(&path).unwrap();
        let [clip] = &imported.model.clips[..] else { panic!("{} clips", imported.model.clips.len()) };
        let name = file_name(&path);
        let clips = &expected["clips"];
        let (fps, keys) = (clips[&name]["fps"].as_f64().unwrap(), clips[&name]["keys"].as_u64().unwrap());
        assert_eq!(clip.key_rate(), Some(fps), "{name}");
        let longest = clip.key_times().map(<[f32]>::len).max().unwrap() as u64;
        assert!(longest <= keys, "{name}: {longest} keys for {keys}");
        assert_eq!(Some(clip.name.as_str()), path.file_stem().unwrap().to_str(), "{name}");
        // Older projects refer to the clip by the name in the file.
        assert_eq!(imported.model.clip("mixamo.com"), Some(clip), "{name}");
        count += 1;
    }
    assert_eq!(count, 12);
}

#[test]
fn a_file_that_is_not_fbx_is_refused_with_a_message() {
    let sentence = |bytes: &[u8]| from_bytes(Path::new("a.fbx"), bytes).unwrap_err().to_string();
    assert!(sentence(b"v 0 0 0").starts_with("a.fbx is damaged: the FBX cannot be read"), "{}", sentence(b"v 0 0 0"));
    let bytes = std::fs::read(fixture("figure.fbx")).unwrap();
    assert!(sentence(&bytes[..bytes.len() / 2]).contains("cannot be read"), "{}", sentence(&bytes[..bytes.len() / 2]));
    let small =
        read_bytes(Path::new("a.fbx"), &bytes, &Progress::within(portamento_base::budget::Budget::with_limit(100_000)))
            .unwrap_err()
            .to_string();
    assert!(small.contains("of memory"), "{small}");
}

/// Returns a text FBX with `joints` joints, as a chain if `chained`, and `stacks` stacks.
/// Each stack rotates each of the first `turned` joints by almost a million degrees between two keys, without visible regularity.
fn text(joints: usize, chained: bool, stacks: usize, turned: usize) -> String {
    let (mut objects, mut links) = (String::new(), String::new());
    for joint in 0..joints {
        let id = 1000 + joint;
        objects += &format!("Model: {id}, \"Model::j{joint}\", \"LimbNode\" {{\n}}\n");
        links += &format!("C: \"OO\",{id},{}\n", if chained && joint > 0 { id - 1 } else { 0 });
    }
    for stack in 0..stacks {
        let (id, layer) = (1_000_000 + 2 * stack, 1_000_001 + 2 * stack);
        objects += &format!("AnimationStack: {id}, \"AnimStack::s{stack}\", \"\" {{\n}}\n");
        objects += &format!("AnimationLayer: {layer}, \"AnimLayer::l\", \"\" {{\n}}\n");
        links += &format!("C: \"OO\",{layer},{id}\n");
        for joint in 0..turned {
            let (node, curve) = (10_000_000 + 2 * (stack * turned + joint), 10_000_001 + 2 * (stack * turned + joint));
            objects += &format!("AnimationCurveNode: {node}, \"AnimCurveNode::R\", \"\" {{\n}}\n");
            objects += &format!(
                "AnimationCurve: {curve}, \"AnimCurve::\", \"\" {{\nKeyTime: *2 {{\na: 0,46186158000\n}}\n\
                 KeyValueFloat: *2 {{\na: 0,999783\n}}\nKeyAttrFlags: *1 {{\na: 4\n}}\n\
                 KeyAttrDataFloat: *4 {{\na: 0,0,0,0\n}}\nKeyAttrRefCount: *1 {{\na: 2\n}}\n}}\n"
            );
            links += &format!("C: \"OO\",{node},{layer}\nC: \"OP\",{node},{}, \"Lcl Rotation\"\n", 1000 + joint);
            links += &format!("C: \"OP\",{curve},{node}, \"d|X\"\n");
        }
    }
    format!(
        "; FBX 7.4.0 project file\nFBXHeaderExtension:  {{\nFBXVersion: 7400\n}}\nObjects:  {{\n{objects}}}\n\
         Connections:  {{\n{links}}}\n"
    )
}

fn within_memory(text: &str, bytes: u64) -> Result<Imported, ImportError> {
    let budget = portamento_base::budget::Budget::with_limit(bytes);
    read_bytes(Path::new("a.fbx"), text.as_bytes(), &Progress::within(budget))
}

#[test]
fn a_small_fbx_cannot_ask_for_more_memory_or_keys_than_it_is_worth() {
    let crowded = text(500, false, 500, 1);
    let sentence = within_memory(&crowded, 16 << 20).unwrap_err().to_string();
    assert!(crowded.len() < 1 << 20 && sentence.contains("of memory, but only"), "{sentence}");
    // A chain deeper than any call stack.
    let deep = within_memory(&text(20_000, true, 1, 1), 1 << 30).unwrap();
    assert_eq!(deep.model.skeleton.len(), 20_000);
    // More rotation between two keys than can be fitted, on many joints.
    let wild = within_memory(&text(200, false, 1, 200), 1 << 30).unwrap();
    let keys = |track: &portamento_anim::JointTracks| track.rotation.as_ref().map_or(0, |curve| curve.times.len());
    let keys: usize = wild.model.clips[0].tracks.iter().map(keys).sum();
    println!("{keys} keys");
    // One second at 30 frames per second.
    assert!(keys > 200 * 16 && keys <= 200 * 31, "{keys}");
    let warnings: Vec<String> = wild.warnings.iter().map(ToString::to_string).collect();
    assert!(warnings.iter().any(|warning| warning.contains("change too quickly")), "{warnings:?}");
}
