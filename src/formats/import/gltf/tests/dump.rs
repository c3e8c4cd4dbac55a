//! Writes world matrices of every joint per frame, for comparison with other programs.

use glam::{DAffine3, DMat4, Mat4};
use serde_json::json;

use super::opened;
use crate::export::gltf::{self as export, ClipEdit, ClipEdits, Keep};
use portamento_anim::{Clip, GltfSource, Model, Pose};
use portamento_test_support::gltf_files;

/// Returns the world matrix of every joint in f64, by the formulas of [`Pose::world_from_joints`].
fn world_f64(model: &Model, pose: &Pose) -> Vec<DMat4> {
    let mut world: Vec<DAffine3> = Vec::new();
    for (joint, local) in model.skeleton.joints.iter().zip(&pose.locals) {
        let local = local.to_affine_f64();
        world.push(joint.parent.map_or(local, |parent| world[parent] * local));
    }
    world.into_iter().map(DMat4::from).collect()
}

fn world_f32(model: &Model, pose: &Pose) -> Vec<DMat4> {
    let mut world = Vec::new();
    pose.world_from_joints(&model.skeleton, &mut world);
    world.into_iter().map(|matrix| Mat4::from(matrix).as_dmat4()).collect()
}

fn dump(model: &Model, clip: &Clip, fps: f64, double: bool) -> serde_json::Value {
    let times: Vec<f64> = (0..).map(|i| f64::from(i) / fps).take_while(|&time| time <= clip.duration + 1e-9).collect();
    let mut rows: Vec<Vec<Vec<f64>>> = vec![Vec::new(); model.skeleton.len()];
    for &time in &times {
        let pose = clip.pose_at(&model.skeleton, time.min(clip.duration));
        let world = if double { world_f64(model, &pose) } else { world_f32(model, &pose) };
        rows.iter_mut().zip(world).for_each(|(row, place)| row.push(place.to_cols_array().to_vec()));
    }
    let joints: serde_json::Map<String, serde_json::Value> = model
        .skeleton
        .joints
        .iter()
        .zip(rows)
        .map(|(joint, row)| (joint.node.to_string(), json!({ "name": joint.name, "m": row })))
        .collect();
    json!({ "client": if double { "portamento f64" } else { "portamento" }, "clip": clip.name, "duration": clip.duration,
        "times": times, "joints": joints })
}

/// Writes `<file>.<clip index>.json` for every clip of the corpus to the folder in `PORTAMENTO_DUMP`.
#[test]
#[ignore = "writes files for comparison with other programs: set PORTAMENTO_DUMP to a folder"]
fn dump_every_clip() {
    let folder = std::env::var("PORTAMENTO_DUMP").expect("PORTAMENTO_DUMP names a folder");
    let double = std::env::var("PORTAMENTO_DUMP_F64").is_ok();
    for path in gltf_files() {
        let model = crate::import::import(&path).unwrap().model;
        for (index, clip) in model.clips.iter().enumerate() {
            let name = format!("{folder}/{}.{index}.json", path.file_name().unwrap().to_string_lossy());
            std::fs::write(name, dump(&model, clip, 60.0, double).to_string()).unwrap();
        }
    }
}

/// Writes exports of every corpus file for validators: appended, replaced and alone.
#[test]
#[ignore = "writes files for validation by other programs: set PORTAMENTO_DUMP to a folder"]
fn export_every_file() {
    let folder = std::path::PathBuf::from(std::env::var("PORTAMENTO_DUMP").expect("PORTAMENTO_DUMP names a folder"));
    let save = |name: String, source: &GltfSource| {
        crate::export::FileSet::write_now(|files| export::save(files, &folder.join(name), source)).unwrap();
    };
    save("small_model.glb".into(), &export::from_model(&super::mutation::small_model(), None));
    for path in gltf_files() {
        let (source, imported) = opened(&path);
        let (file, model) = (path.file_name().unwrap().to_string_lossy().into_owned(), &imported.model);
        save(format!("{file}.same.glb"), &source);
        save(format!("{file}.from_model.glb"), &export::from_model(model, None));
        let Some(original) = model.clips.first() else { continue };
        let renamed = Clip { name: "written back".into(), ..original.clone() };
        let modes = [
            ("append", Keep::Append, &renamed, None),
            ("replace", Keep::Replace, original, None),
            ("alone", Keep::Alone, original, Some((0, original))),
        ];
        for (mode, keep, clip, original) in modes {
            let edits = ClipEdits { keep, clips: vec![ClipEdit { clip, original }] };
            let Ok(out) = export::write(&source, &model.skeleton, &edits) else { continue };
            save(format!("{file}.{mode}.glb"), &out);
            save(format!("{file}.{mode}/{file}.gltf"), &out);
        }
    }
}
