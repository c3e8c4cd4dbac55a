//! Round trips of exported FBX files through the import, which uses `ufbx`.

use std::path::{Path, PathBuf};

use glam::Vec3;

use super::*;
use crate::import::{fbx, gltf::tests::small_model};
use portamento_anim::geometry::Texture;
use portamento_anim::{Clip, Pose, skinning};
use portamento_test_support::corpus;

/// Largest allowed error of joints and vertices, relative to the body size.
const MAX_RELATIVE_ERROR: f32 = 1e-4;

fn round_trip(model: &Model) -> Model {
    let names: Vec<String> = (0..model.textures.len()).map(|index| format!("{index}.png")).collect();
    let bytes = to_bytes(model, &names, &Options::default()).unwrap();
    fbx::from_bytes(Path::new("again.fbx"), &bytes).unwrap().model
}

#[test]
fn a_texture_with_missing_bytes_does_not_prevent_the_export() {
    let mut model = small_model();
    model.textures.push(Texture { width: 2, height: 2, rgba: vec![0; 12] });
    let files = encode(Path::new("a.fbx"), &model, &Options::default()).unwrap();
    let [.., (_, png), _] = &files[..] else { panic!("an image and the FBX") };
    let white = image::load_from_memory(png).unwrap().into_rgba8();
    assert_eq!((white.dimensions(), &white.as_raw()[..]), ((1, 1), &[255; 4][..]));
}

/// Returns the world positions of all corners of all triangles.
fn corners(model: &Model, pose: &Pose) -> Vec<Vec3> {
    let mut world = Vec::new();
    pose.world_from_joints(&model.skeleton, &mut world);
    let mut all = Vec::new();
    for instance in &model.instances {
        let mut palette = Vec::new();
        let carrier = match instance.skin {
            Some(skin) => {
                skinning::palette(&model.skins[skin], &world, &mut palette);
                skinning::MeshTransform::Skinned(&palette)
            }
            None => skinning::MeshTransform::Rigid(world[instance.joint]),
        };
        for part in &model.meshes[instance.mesh].primitives {
            let (mut positions, mut normals) = (Vec::new(), Vec::new());
            let morphs = skinning::morphs_of(model, instance, &pose.morphs);
            skinning::deform(part, carrier, morphs, &mut positions, &mut normals);
            all.extend(part.indices.iter().map(|&index| positions[index as usize]));
        }
    }
    all
}

/// Returns the largest distances of joints (by name) and of nearest corners over all clips at 30 fps, relative to the body size.
fn largest_errors(model: &Model, written: &Model) -> [f32; 2] {
    let size = model.rest_bounds().size().max_element();
    let mut worst = [0.0_f32; 2];
    assert_eq!(
        model.clips.iter().map(|clip| &clip.name).collect::<Vec<_>>(),
        written.clips.iter().map(|clip| &clip.name).collect::<Vec<_>>()
    );
    for (clip, same) in model.clips.iter().zip(&written.clips) {
        assert!((clip.duration - same.duration).abs() < 1e-5, "{}: {} {}", clip.name, clip.duration, same.duration);
        for frame in 0..=(clip.duration * 30.0).floor() as usize {
            let time = frame as f64 / 30.0;
            let poses = [clip.pose_at(&model.skeleton, time), same.pose_at(&written.skeleton, time)];
            let [mut one, mut other] = [Vec::new(), Vec::new()];
            poses[0].world_from_joints(&model.skeleton, &mut one);
            poses[1].world_from_joints(&written.skeleton, &mut other);
            for (joint, place) in model.skeleton.joints.iter().zip(&one) {
                let same = written.skeleton.find(&joint.name).unwrap();
                worst[0] = worst[0].max(place.translation.distance(other[same].translation));
            }
            if frame % 15 == 7 {
                let (one, other) = (corners(model, &poses[0]), corners(written, &poses[1]));
                assert_eq!(one.len(), other.len());
                let some = one.iter().step_by((one.len() / 200).max(1));
                let nearest = |point: &Vec3| other.iter().map(|other| other.distance(*point)).fold(f32::MAX, f32::min);
                worst[1] = worst[1].max(some.map(nearest).fold(0.0, f32::max));
            }
        }
    }
    worst.map(|largest_errors| largest_errors / size)
}

#[test]
fn skin_shapes_material_and_clips_round_trip() {
    let model = small_model();
    let written = round_trip(&model);
    let [joints, vertices] = largest_errors(&model, &written);
    assert!(joints <= MAX_RELATIVE_ERROR && vertices <= MAX_RELATIVE_ERROR, "joints {joints}, vertices {vertices}");
    let (one, other) = (&model.meshes[0].primitives[0], &written.meshes[0].primitives[0]);
    assert_eq!((one.positions.len(), one.morphs.len()), (other.positions.len(), other.morphs.len()));
    assert_eq!(written.meshes[0].morph_names, model.meshes[0].morph_names);
    assert_eq!(model.materials[0].name, written.materials[0].name);
    assert_eq!(written.skeleton.rest_morphs, model.skeleton.rest_morphs);
    let rest = |model: &Model| corners(model, &Pose::rest(&model.skeleton));
    assert!(rest(&model).iter().zip(&rest(&written)).all(|(a, b)| a.distance(*b) < 1e-5));
}

#[test]
fn names_of_all_kinds_and_clips_without_curves_are_written() {
    let mut model = small_model();
    model.skeleton.joints[1].name = "膝\u{0}::\"knee\"".into();
    model.clips.push(Clip { name: "still".into(), duration: 1.0, tracks: vec![Default::default(); 4] });
    let written = round_trip(&model);
    assert!(written.skeleton.joints.iter().any(|joint| joint.name == "膝::\"knee\""), "{:?}", written.skeleton.joints);
}

#[test]
fn the_same_model_gives_the_same_bytes() {
    assert_eq!(
        to_bytes(&small_model(), &[], &Options::default()).unwrap(),
        to_bytes(&small_model(), &[], &Options::default()).unwrap()
    );
}

#[test]
fn a_fox_round_trips() {
    let Some(path) = corpus("characters/fox.glb") else { return };
    check_round_trip(&path, 4);
}

#[test]
#[ignore = "minutes: all clips of every character of the corpus; set PORTAMENTO_DUMP to a folder to keep the files"]
fn every_character_round_trips() {
    let Some(folder) = corpus("characters") else { return };
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files
        .iter()
        .filter(|file| file.extension().is_some_and(|end| end == "glb"))
        .for_each(|file| check_round_trip(file, 100));
}

fn check_round_trip(path: &Path, clips: usize) {
    let imported = crate::import::import(path).unwrap();
    let mut model = super::super::gltf::scaled_model(&imported.model, imported.metres_per_unit as f32);
    model.clips.truncate(clips);
    let written = round_trip(&model);
    let [joints, vertices] = largest_errors(&model, &written);
    println!("{}: joints {joints:.1e}, vertices {vertices:.1e}", path.display());
    if let Some(folder) = std::env::var_os("PORTAMENTO_DUMP") {
        let folder = Path::new(&folder);
        let stem = path.file_stem().unwrap().to_string_lossy();
        std::fs::write(folder.join(format!("{stem}.fbx")), to_bytes(&model, &[], &Options::default()).unwrap())
            .unwrap();
    }
    assert!(
        joints <= MAX_RELATIVE_ERROR && vertices <= MAX_RELATIVE_ERROR,
        "{}: joints {joints}, vertices {vertices}",
        path.display()
    );
}
