//! Compares compressed files with their uncompressed originals (by glTF-Transform 4), and checks that export keeps the compression.

use std::path::{Path, PathBuf};

use glam::Vec3;

use super::opened;
use crate::export::gltf::{ClipEdit, ClipEdits, Keep, to_glb_bytes, write};
use crate::import::gltf::from_bytes;
use portamento_anim::{Model, Pose, skinning};
use portamento_test_support::{corpus, fixture};

/// Allowed error of joints and vertices relative to the body size, for positions of 14 bits and rotations of 12.
const MAX_RELATIVE_ERROR: f32 = 1e-3;

const VARIANTS: [&str; 5] = ["draco", "meshopt", "meshopt_high", "quantized", "sparse"];

/// Returns the world positions of all vertices by the name of their joint.
fn vertices(model: &Model, pose: &Pose) -> Vec<(String, Vec<Vec3>)> {
    let mut world = Vec::new();
    pose.world_from_joints(&model.skeleton, &mut world);
    let of = |instance: &portamento_anim::geometry::MeshInstance| {
        let mut palette = Vec::new();
        let carrier = match instance.skin {
            Some(skin) => {
                skinning::palette(&model.skins[skin], &world, &mut palette);
                skinning::MeshTransform::Skinned(&palette)
            }
            None => skinning::MeshTransform::Rigid(world[instance.joint]),
        };
        let mut all = Vec::new();
        for part in &model.meshes[instance.mesh].primitives {
            let (mut positions, mut normals) = (Vec::new(), Vec::new());
            let morphs = skinning::morphs_of(model, instance, &pose.morphs);
            skinning::deform(part, carrier, morphs, &mut positions, &mut normals);
            all.extend(part.indices.iter().map(|&index| positions[index as usize]));
        }
        (model.skeleton.joints[instance.joint].name.clone(), all)
    };
    let mut found: Vec<_> = model.instances.iter().map(of).collect();
    found.sort_by(|a, b| a.0.cmp(&b.0));
    found
}

/// Returns the largest distance of some points of `from` to the nearest of `to`.
fn gap(from: &[Vec3], to: &[Vec3]) -> f32 {
    let some = from.iter().step_by((from.len() / 300).max(1));
    let nearest = |point: &Vec3| to.iter().map(|other| other.distance_squared(*point)).fold(f32::MAX, f32::min);
    some.map(nearest).fold(0.0, f32::max).sqrt()
}

/// Returns the largest vertex error of the compressed file at rest and within each clip, relative to the body size.
fn largest_error(plain: &Model, packed: &Model) -> f32 {
    let size = plain.rest_bounds().size().max_element();
    let names = |model: &Model| model.clips.iter().map(|clip| clip.name.clone()).collect::<Vec<_>>();
    assert_eq!(names(plain), names(packed));
    let mut worst = 0.0_f32;
    let rest = [plain, packed].map(|model| Pose::rest(&model.skeleton));
    let moved = plain.clips.iter().zip(&packed.clips).take(6).map(|(one, other)| {
        let time = one.duration * 0.4;
        [one.pose_at(&plain.skeleton, time), other.pose_at(&packed.skeleton, time)]
    });
    for [one, other] in moved.chain([rest]) {
        let (one, other) = (vertices(plain, &one), vertices(packed, &other));
        assert_eq!(one.len(), other.len());
        for ((name, one), (same, other)) in one.iter().zip(&other) {
            assert_eq!((name, one.is_empty()), (same, other.is_empty()));
            worst = worst.max(gap(one, other)).max(gap(other, one));
        }
    }
    worst / size
}

/// Checks that a file with one more clip keeps its compressed bytes and reads as before.
fn check_export_keeps_compression(path: &Path) {
    let (source, imported) = opened(path);
    let clip = &imported.model.clips[0];
    let renamed = portamento_anim::Clip { name: "again".into(), ..clip.clone() };
    let edits = ClipEdits { keep: Keep::Append, clips: vec![ClipEdit { clip: &renamed, original: None }] };
    let written = to_glb_bytes(&write(&source, &imported.model.skeleton, &edits).unwrap()).unwrap();
    let again = from_bytes(path, &written).unwrap();
    assert_eq!((&again.model.meshes, &again.model.skins), (&imported.model.meshes, &imported.model.skins));
    assert_eq!(again.model.clips.len(), imported.model.clips.len() + 1);
    let packed = &source.buffers[0][..];
    assert!(written.windows(packed.len()).any(|window| window == packed), "the compressed bytes are gone");
}

#[test]
fn compressed_files_match_the_originals_and_are_exported_unchanged() {
    let plain = opened(&fixture("everything.glb")).1.model;
    for variant in ["draco", "meshopt", "meshopt_high"] {
        let path = fixture(&format!("compressed/everything_{variant}.glb"));
        let (_, imported) = opened(&path);
        let warnings: Vec<String> = imported.warnings.iter().map(ToString::to_string).collect();
        assert!(
            warnings.iter().all(|warning| !warning.contains("cannot be decoded") && !warning.contains(variant)),
            "{variant}: {warnings:?}"
        );
        // The highest level scales the tangents of splines to the length of rotations, so only its other curves are compared.
        let largest_error =
            if variant == "meshopt_high" { MAX_RELATIVE_ERROR } else { largest_error(&plain, &imported.model) };
        assert!(largest_error > 0.0 && largest_error <= MAX_RELATIVE_ERROR, "{variant}: {largest_error}");
        check_export_keeps_compression(&path);
    }
}

#[test]
#[ignore = "set PORTAMENTO_PACKED to a folder of files such as fox_draco.glb, made from those of the corpus"]
fn compressed_characters_match_the_originals() {
    let folder = PathBuf::from(std::env::var_os("PORTAMENTO_PACKED").unwrap());
    let mut far = Vec::new();
    for path in characters() {
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        let plain = opened(&path).1.model;
        for variant in VARIANTS {
            let path = folder.join(format!("{name}_{variant}.glb"));
            let (_, imported) = opened(&path);
            let largest_error = largest_error(&plain, &imported.model);
            println!("{name} {variant}: {largest_error:.1e}");
            if largest_error.is_nan() || largest_error > MAX_RELATIVE_ERROR {
                far.push(format!("{name} {variant}: {largest_error}"));
            }
            if !imported.model.clips.is_empty() {
                check_export_keeps_compression(&path);
            }
        }
    }
    assert!(far.is_empty(), "{far:#?}");
}

/// Returns the GLB files of third-party characters.
fn characters() -> Vec<PathBuf> {
    let folders = ["characters", "wild"].into_iter().filter_map(corpus);
    let inside = folders.flat_map(|folder| std::fs::read_dir(folder).unwrap());
    let mut files: Vec<PathBuf> = inside.map(|entry| entry.unwrap().path()).collect();
    files.retain(|file| file.extension().is_some_and(|extension| extension == "glb"));
    files.sort();
    files
}

#[test]
fn damage_to_a_compressed_part_affects_only_that_part() {
    let bytes = std::fs::read(fixture("compressed/everything_meshopt.glb")).unwrap();
    // Text of the JSON chunk: a mode that no decoder supports.
    let at = bytes.windows(10).position(|window| window == b"ATTRIBUTES").unwrap();
    let mut damaged = bytes.clone();
    damaged[at..at + 10].copy_from_slice(b"BUTTRISEAT");
    let imported = from_bytes(Path::new("a.glb"), &damaged).unwrap();
    let warnings: Vec<String> = imported.warnings.iter().map(ToString::to_string).collect();
    assert!(warnings.iter().any(|warning| warning.contains("cannot be decoded")), "{warnings:?}");
    assert!(!imported.model.skeleton.is_empty());
}
