//! Writes clips into a file: appended, in place of existing ones, or alone.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::clip::{Target, animation};
use super::clip_edit::ClipEdit;
use super::compact::{collect_extensions, compact, may_have_unknown_references};
use super::region::{Region, push};
use super::unused_data::drop_unused_by_clips;
use crate::export::ExportError;
use portamento_anim::clip::unique_names;
use portamento_anim::{GltfSource, Skeleton};

/// The rule for clips already in the file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Keep {
    /// Keep them and append the written clips, whose names must be new. A clip that is in the file as it is stays there.
    #[default]
    Append,
    /// Replace the clips with the same names. Data that only those clips used is dropped.
    Replace,
    /// Write only the given clips, with meshes and skeleton. Unreferenced data is dropped.
    Alone,
    /// Write only the given clips, with the skeleton. Meshes, materials and images are dropped.
    Motion,
}

portamento_base::named!(Keep { Append: "append", Replace: "replace", Alone: "alone", Motion: "motion" });

impl Keep {
    /// True if no other clip of the file is written.
    pub fn is_alone(self) -> bool {
        matches!(self, Self::Alone | Self::Motion)
    }
}

/// The clips to write into a file.
#[derive(Clone, Debug)]
pub struct ClipEdits<'a> {
    /// The rule for clips already in the file.
    pub keep: Keep,
    /// The clips; at least one, and each must animate something.
    pub clips: Vec<ClipEdit<'a>>,
}

/// Returns the file of `source` with `edits` applied. `skeleton` is the one imported from it.
///
/// Returns `Err` if a clip is empty or invalid, or if its name exists for another clip (append) or does not exist (replace). Also if the
/// skeleton does not match the file. Animations replaced keep their name, their extras and other fields.
pub fn write(source: &GltfSource, skeleton: &Skeleton, edits: &ClipEdits) -> Result<GltfSource, ExportError> {
    if edits.clips.is_empty() {
        return Err(ExportError::EmptyClip { clip: String::new() });
    }
    let mut out = match edits.keep {
        Keep::Alone | Keep::Motion => without_clips(source),
        Keep::Append | Keep::Replace => source.clone(),
    };
    let mut region = Region::new(&out.json);
    let mut written = Vec::new();
    let is_in_file =
        |edit: &&ClipEdit| edits.keep == Keep::Append && edit.is_unchanged() && has_animation(source, edit);
    for edit in edits.clips.iter().filter(|edit| !is_in_file(edit)) {
        let target = Target { source, skeleton, adds: edits.keep == Keep::Append };
        let animation_index = animation_index(&out.json, &edit.clip.name, edits.keep)?;
        let mut entry = animation(&target, edit, &mut region)?;
        decompose_matrices(&mut out.json, skeleton, &entry);
        match (edits.keep, animation_index) {
            (Keep::Replace, Some(index)) => {
                copy_other_fields(&out.json["animations"][index], &mut entry, true, |_| true);
                let name = &out.json["animations"][index]["name"];
                if name.is_string() {
                    entry["name"] = name.clone();
                }
                out.json["animations"][index] = entry;
            }
            (keep, _) => {
                if let Some((index, original)) = edit.original {
                    let timed = original.duration == edit.clip.duration;
                    // Fields that glTF does not know stay where they are and are not repeated.
                    let is_known = |key: &str| keep == Keep::Alone || ["extras", "extensions"].contains(&key);
                    copy_other_fields(&source.json["animations"][index], &mut entry, timed, is_known);
                }
                match keep {
                    Keep::Alone | Keep::Motion => written.push(entry),
                    _ => push(&mut out.json, "animations", entry),
                }
            }
        }
    }
    if edits.keep.is_alone() {
        out.json["animations"] = Value::Array(written);
        // Compacting copies the used bytes of all buffers into one, so they need not be joined before.
        match may_have_unknown_references(&out) {
            true => region.attach(&mut out.json, &mut out.buffers),
            false => region.attach_apart(&mut out.json, &mut out.buffers),
        }
        if edits.keep == Keep::Motion {
            drop_meshes(&mut out.json);
        }
        compact(&mut out);
    } else {
        region.attach(&mut out.json, &mut out.buffers);
        drop_unused_by_clips(&mut out, &source.json);
    }
    Ok(out)
}

/// Drops meshes, materials, images and extensions, and the animation of blend shapes. Skins stay: readers recognise bones
/// by them. Nodes lose their extensions, and cameras go too.
fn drop_meshes(json: &mut Value) {
    const DROPPED: [&str; 7] = ["meshes", "materials", "textures", "images", "samplers", "cameras", "extensions"];
    let entries = |json: &mut Value, key: &str| json.get_mut(key).and_then(Value::as_array_mut).map(std::mem::take);
    if let Some(fields) = json.as_object_mut() {
        DROPPED.iter().for_each(|key| drop(fields.shift_remove(*key)));
    }
    for node in json.get_mut("nodes").and_then(Value::as_array_mut).into_iter().flatten() {
        let Some(fields) = node.as_object_mut() else { continue };
        ["mesh", "skin", "weights", "camera", "extensions"].iter().for_each(|key| drop(fields.shift_remove(*key)));
    }
    for animation in json.get_mut("animations").and_then(Value::as_array_mut).into_iter().flatten() {
        let channels = entries(animation, "channels").unwrap_or_default();
        let moves_a_node = |channel: &Value| {
            let path = channel.pointer("/target/path").and_then(Value::as_str);
            matches!(path, Some("translation" | "rotation" | "scale")) && channel.pointer("/target/node").is_some()
        };
        let (kept, _): (Vec<Value>, Vec<Value>) = channels.into_iter().partition(moves_a_node);
        let samplers = entries(animation, "samplers").unwrap_or_default();
        let mut used: Vec<Value> = Vec::with_capacity(kept.len());
        let channels = kept.into_iter().filter_map(|mut channel| {
            let sampler = channel.get("sampler").and_then(Value::as_u64)?;
            channel["sampler"] = json!(used.len());
            used.push(samplers.get(sampler as usize)?.clone());
            Some(channel)
        });
        animation["channels"] = Value::Array(channels.collect());
        animation["samplers"] = Value::Array(used);
    }
    let mut present = BTreeSet::new();
    collect_extensions(json, &mut present);
    for key in ["extensionsUsed", "extensionsRequired"] {
        let Some(mut names) = entries(json, key) else { continue };
        names.retain(|name| name.as_str().is_some_and(|name| present.contains(name)));
        match names.is_empty() {
            // glTF allows no empty lists.
            true => drop(json.as_object_mut().and_then(|fields| fields.shift_remove(key))),
            false => json[key] = Value::Array(names),
        }
    }
}

/// Returns the file without its animations. Their data stays in the buffers. The JSON of the animations, which may be hundreds, is
/// never copied.
fn without_clips(source: &GltfSource) -> GltfSource {
    let without_animations = |(key, value): (&String, &Value)| match key.as_str() {
        "animations" => (key.clone(), json!([])),
        _ => (key.clone(), value.clone()),
    };
    let json = source.json.as_object().into_iter().flatten().map(without_animations).collect();
    let GltfSource { path, buffers, binary, chunks, .. } = source;
    let (path, buffers, chunks) = (path.clone(), buffers.clone(), chunks.clone());
    GltfSource { path, json, buffers, binary: *binary, chunks }
}

/// True if the animation from which the clip of `edit` was made has its name.
fn has_animation(source: &GltfSource, edit: &ClipEdit) -> bool {
    let named = animation_index(&source.json, &edit.clip.name, Keep::Alone).ok().flatten();
    edit.original.is_some_and(|(index, _)| named == Some(index))
}

/// Returns the index of the animation named `name`, or `None` if there is none.
///
/// Returns `Err` if there is one and `keep` is [`Keep::Append`], or if there is none and `keep` is [`Keep::Replace`].
fn animation_index(json: &Value, name: &str, keep: Keep) -> Result<Option<usize>, ExportError> {
    let entries = json.get("animations").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    // An unnamed animation is called `clip 3`, and the second of a name `walk#2`, as in the import.
    let own = |(index, entry): (usize, &Value)| match entry.get("name").and_then(Value::as_str) {
        Some(own) if !own.is_empty() => own.to_owned(),
        _ => format!("clip {index}"),
    };
    let names: Vec<String> = entries.iter().enumerate().map(own).collect();
    let index = unique_names(&names).iter().position(|known| known == name);
    match keep {
        Keep::Append if index.is_some() => Err(ExportError::NameTaken { clip: name.to_owned() }),
        Keep::Replace if index.is_none() => Err(ExportError::NothingToReplace { clip: name.to_owned() }),
        _ => Ok(index),
    }
}

/// Copies from the original animation what is not a channel of a node: extras, extensions and other wanted fields.
/// If `in_time` is true, because the timing is unchanged, channels of extensions (`KHR_animation_pointer`) are copied too.
fn copy_other_fields(old: &Value, new: &mut Value, in_time: bool, is_wanted: impl Fn(&str) -> bool) {
    let Some(fields) = old.as_object() else { return };
    let own = ["channels", "samplers", "name"];
    for (key, value) in fields.iter().filter(|(key, _)| !own.contains(&key.as_str()) && is_wanted(key)) {
        new[key] = value.clone();
    }
    let channels = old.get("channels").filter(|_| in_time).and_then(Value::as_array);
    for channel in channels.into_iter().flatten() {
        let sampler = channel.get("sampler").and_then(Value::as_u64).map(|index| &old["samplers"][index as usize]);
        let on_node = channel.pointer("/target/node").is_some();
        if let (false, Some(sampler)) = (on_node, sampler) {
            let mut channel = channel.clone();
            channel["sampler"] = json!(new["samplers"].as_array().map_or(0, Vec::len));
            push(new, "samplers", sampler.clone());
            push(new, "channels", channel);
        }
    }
}

/// Replaces the matrix of the nodes that `animation` moves, which glTF forbids, by translation, rotation and scale. Blend
/// shape weights do not count.
fn decompose_matrices(json: &mut Value, skeleton: &Skeleton, animation: &Value) {
    for channel in animation["channels"].as_array().into_iter().flatten() {
        let node = channel.pointer("/target/node").and_then(Value::as_u64).unwrap_or(u64::MAX) as usize;
        let fields = json.get_mut("nodes").and_then(|nodes| nodes.get_mut(node)).and_then(Value::as_object_mut);
        let rest = skeleton.joint_of_node(node).map(|joint| skeleton.joints[joint].rest);
        let (Some(fields), Some(rest)) = (fields, rest) else { continue };
        if channel.pointer("/target/path").and_then(Value::as_str) != Some("weights")
            && fields.shift_remove("matrix").is_some()
        {
            fields.insert("translation".into(), json!(rest.translation.to_array()));
            fields.insert("rotation".into(), json!(rest.rotation.to_array()));
            fields.insert("scale".into(), json!(rest.scale.to_array()));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::export::gltf::{files, to_glb_bytes};
    use crate::import::gltf::tests::opened;
    use crate::import::{Imported, gltf::from_bytes};
    use portamento_anim::Clip;
    use portamento_test_support::gltf_files;
    use std::path::Path;

    /// Writes `source` as a GLB and reads it again.
    fn round_trip(source: &GltfSource) -> Imported {
        from_bytes(&source.path, &to_glb_bytes(source).unwrap()).unwrap()
    }

    fn replacing<'a>(clip: &'a Clip, original: &'a Clip) -> ClipEdits<'a> {
        ClipEdits { keep: Keep::Replace, clips: vec![ClipEdit { clip, original: Some((0, original)) }] }
    }

    /// Returns the JSON without the names of buffer and image files, which a copy changes.
    fn without_side_files(json: &serde_json::Value) -> serde_json::Value {
        let mut json = json.clone();
        for list in ["buffers", "images"] {
            let parts = json.get_mut(list).and_then(serde_json::Value::as_array_mut).into_iter().flatten();
            let uris = parts.filter_map(|part| part.get_mut("uri"));
            uris.filter(|uri| uri.as_str().is_some_and(|uri| !uri.starts_with("data:")))
                .for_each(|uri| *uri = true.into());
        }
        json
    }

    #[test]
    fn a_file_written_without_an_edit_is_unchanged() {
        for path in gltf_files() {
            let (source, before) = opened(&path);
            let folder = tempfile::tempdir().unwrap();
            let copy = folder.path().join(path.file_name().unwrap());
            crate::export::FileSet::write_now(|files| crate::export::gltf::save(files, &copy, &source)).unwrap();
            let (again, _) = opened(&copy);
            assert_eq!(without_side_files(&again.json), without_side_files(&source.json), "{}", path.display());
            assert_eq!(again.buffers, source.buffers, "{}", path.display());
            assert_eq!(files(&again, "x").len(), files(&source, "x").len());
            assert_eq!(round_trip(&source).model, before.model, "packed into a GLB: {}", path.display());
        }
    }

    #[test]
    fn an_appended_clip_round_trips_bit_by_bit_and_nothing_else_changes() {
        for path in gltf_files() {
            let (source, before) = opened(&path);
            let Some(original) = before.model.clips.first() else { continue };
            let clip = Clip { name: "written back".into(), ..original.clone() };
            let edits = ClipEdits { keep: Keep::Append, clips: vec![ClipEdit { clip: &clip, original: None }] };
            let out = write(&source, &before.model.skeleton, &edits).unwrap();
            for (old, new) in source.buffers.iter().zip(&out.buffers) {
                assert!(new.starts_with(old), "{}", path.display());
            }
            let mut rest = out.json.clone();
            for key in ["animations", "accessors", "bufferViews"] {
                let existing = source.json[key].as_array().unwrap().len();
                rest[key].as_array_mut().unwrap().truncate(existing);
            }
            rest["buffers"] = source.json["buffers"].clone();
            assert_eq!(rest, source.json, "{}", path.display());
            let after = round_trip(&out).model;
            assert_eq!(after.clip("written back").unwrap().tracks, clip.tracks, "{}", path.display());
            assert_eq!(after.clips[..before.model.clips.len()], before.model.clips, "{}", path.display());
            assert_eq!(after.meshes, before.model.meshes);
        }
    }

    #[test]
    fn untouched_curves_of_a_replaced_clip_are_not_stored_twice() {
        for path in gltf_files() {
            let (source, before) = opened(&path);
            let Some(original) = before.model.clips.first() else { continue };
            let mut edited = original.clone();
            let same = write(&source, &before.model.skeleton, &replacing(&edited, original)).unwrap();
            assert_eq!(same.buffers, source.buffers, "{}", path.display());
            assert_eq!(round_trip(&same).model.clips, before.model.clips);
            let Some(curve) = edited.tracks.iter_mut().find_map(|tracks| tracks.translation.as_mut()) else { continue };
            curve.values.iter_mut().for_each(|value| value.y += 1.0);
            let grown = write(&source, &before.model.skeleton, &replacing(&edited, original)).unwrap();
            let size = |source: &GltfSource| source.buffers.iter().map(|bytes| bytes.len()).sum::<usize>();
            let curve = edited.tracks.iter().find_map(|tracks| tracks.translation.as_ref()).unwrap();
            let added = 16 * curve.times.len() + (4 - size(&source) % 4) % 4;
            let replaced = if may_have_unknown_references(&source) { 0 } else { 12 * curve.times.len() };
            assert!((added - replaced..=added).contains(&(size(&grown) - size(&source))), "{}", path.display());
            assert_eq!(round_trip(&grown).model.clips[0], edited);
        }
    }

    #[test]
    fn normalised_rotations_are_stored_only_after_they_were_repaired() {
        let (source, before) = opened(&gltf_files()[0]);
        let mut original = before.model.clips[0].clone();
        let turning = original.tracks.iter().position(|tracks| tracks.rotation.is_some()).unwrap();
        original.tracks[turning].not_unit = 1;
        let mut mended = original.clone();
        let written =
            |clip: &Clip| write(&source, &before.model.skeleton, &replacing(clip, &original)).unwrap().buffers;
        assert_eq!(written(&mended), source.buffers);
        mended.tracks[turning].not_unit = 0;
        assert_ne!(written(&mended), source.buffers);
    }

    /// Returns a file whose clip turns a joint by quaternions of length 1.02, with key times without bounds and with
    /// fields that glTF does not know.
    fn faulty() -> GltfSource {
        let json = json!({ "asset": { "version": "2.0" }, "nodes": [{ "name": "hips" }],
            "buffers": [{ "byteLength": 40 }], "bufferViews": [{ "buffer": 0, "byteLength": 40 }],
            "accessors": [
                { "bufferView": 0, "componentType": 5126, "count": 2, "type": "SCALAR" },
                { "bufferView": 0, "byteOffset": 8, "componentType": 5126, "count": 2, "type": "VEC4" }],
            "animations": [{ "name": "turn", "mood": 1, "extras": { "event": 3 },
                "samplers": [{ "input": 0, "output": 1, "mood": 2 }],
                "channels": [{ "sampler": 0, "target": { "node": 0, "path": "rotation" } }] }] });
        let floats = [0.0_f32, 1.0, 0.0, 0.0, 0.0, 1.02, 0.0, 1.02, 0.0, 0.0];
        let bytes = floats.iter().flat_map(|value| value.to_le_bytes()).collect();
        GltfSource { path: "a.glb".into(), json, buffers: vec![bytes], binary: true, chunks: Vec::new() }
    }

    #[test]
    fn an_appended_clip_repeats_no_fault_of_its_original() {
        let source = faulty();
        let read = round_trip(&source).model;
        let clip = Clip { name: "again".into(), ..read.clips[0].clone() };
        let clips = vec![ClipEdit { clip: &clip, original: Some((0, &read.clips[0])) }];
        let out = write(&source, &read.skeleton, &ClipEdits { keep: Keep::Append, clips }).unwrap();
        assert_eq!(out.json["animations"][0], source.json["animations"][0]);
        let entry = &out.json["animations"][1];
        assert_eq!((entry.get("mood"), &entry["extras"]["event"]), (None, &json!(3)));
        let sampler = &entry["samplers"][0];
        assert_eq!(sampler.get("mood"), None);
        let accessor = |key: &str| &out.json["accessors"][sampler[key].as_u64().unwrap() as usize];
        assert_eq!((&accessor("input")["min"], &accessor("input")["max"]), (&json!([0.0]), &json!([1.0])));
        let floats = buffer_floats(&out, accessor("output"));
        for value in floats.chunks_exact(4) {
            let length = value.iter().map(|part| part * part).sum::<f32>().sqrt();
            assert!((length - 1.0).abs() < 1e-6, "{value:?}");
        }
        let same = write(&source, &read.skeleton, &replacing(&read.clips[0], &read.clips[0])).unwrap();
        assert_eq!((&same.buffers, &same.json["animations"]), (&source.buffers, &source.json["animations"]));
    }

    fn buffer_floats(source: &GltfSource, accessor: &Value) -> Vec<f32> {
        let bytes = crate::export::gltf::buffer_ranges::float_bytes(source, accessor).unwrap();
        bytes.chunks_exact(4).map(|four| f32::from_le_bytes(four.try_into().unwrap())).collect()
    }

    #[test]
    fn a_clip_alone_keeps_its_skeleton_and_drops_the_rest() {
        for path in gltf_files() {
            let (source, before) = opened(&path);
            let Some(clip) =
                before.model.clips.iter().find(|clip| clip.tracks.iter().any(|track| track.translation.is_some()))
            else {
                continue;
            };
            let index = before.model.clips.iter().position(|known| known == clip).unwrap();
            let clips = vec![ClipEdit { clip, original: Some((index, clip)) }];
            let alone = write(&source, &before.model.skeleton, &ClipEdits { keep: Keep::Alone, clips }).unwrap();
            let with = round_trip(&alone).model;
            assert_eq!(with.clips, std::slice::from_ref(clip), "{}", path.display());
            assert_eq!(
                (with.meshes, with.skins, with.textures),
                (before.model.meshes.clone(), before.model.skins.clone(), before.model.textures.clone())
            );
            let size = |source: &GltfSource| source.buffers.iter().map(|bytes| bytes.len()).sum::<usize>();
            // Keys stored as small integers grow when written as floats.
            let floats =
                source.json["accessors"].as_array().unwrap().iter().all(|accessor| accessor["componentType"] != 5122);
            // Buffer views that the clip shares with others are kept whole.
            assert!(!floats || size(&alone) <= size(&source), "{}", path.display());
        }
    }

    #[test]
    fn empty_duplicate_and_missing_clips_are_refused_by_name() {
        let json = json!({ "asset": { "version": "2.0" }, "nodes": [{ "name": "hips" }] });
        let source = GltfSource { path: "a.glb".into(), json, buffers: Vec::new(), binary: true, chunks: Vec::new() };
        let read = from_bytes(Path::new("a.glb"), &to_glb_bytes(&source).unwrap()).unwrap().model;
        let mut clip = Clip { name: "walk".into(), duration: 1.0, tracks: vec![Default::default()] };
        let attempt = |source: &GltfSource, clip: &Clip, keep| {
            let edits = ClipEdits { keep, clips: vec![ClipEdit { clip, original: None }] };
            write(source, &read.skeleton, &edits)
        };
        assert!(matches!(attempt(&source, &clip, Keep::Append), Err(ExportError::EmptyClip { .. })));
        clip.tracks[0].translation =
            Some(portamento_anim::Curve::linear(vec![0.0, 1.0], vec![glam::Vec3::ZERO, glam::Vec3::X]));
        assert!(matches!(attempt(&source, &clip, Keep::Replace), Err(ExportError::NothingToReplace { .. })));
        let once = attempt(&source, &clip, Keep::Append).unwrap();
        assert!(matches!(attempt(&once, &clip, Keep::Append), Err(ExportError::NameTaken { .. })));
        let appended = |original: &Clip| {
            let edit = ClipEdit { clip: &clip, original: Some((0, original)) };
            write(&once, &read.skeleton, &ClipEdits { keep: Keep::Append, clips: vec![edit] })
        };
        assert_eq!(appended(&clip).unwrap().json, once.json, "the clip is in the file as it is");
        let other = Clip { duration: 2.0, ..clip.clone() };
        assert!(matches!(appended(&other), Err(ExportError::NameTaken { .. })));
        clip.tracks[0].translation.as_mut().unwrap().values[1].x = f32::NAN;
        let sentence = attempt(&source, &clip, Keep::Append).unwrap_err().to_string();
        assert!(sentence.contains("hips") && sentence.contains("translation"), "{sentence}");
    }

    #[test]
    fn an_animated_node_loses_its_matrix_and_a_replaced_clip_keeps_foreign_fields() {
        let json = json!({ "asset": { "version": "2.0" }, "extensionsUsed": ["X_light"], "extras": { "by": "someone" },
            "nodes": [{ "name": "hips", "matrix": [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 3, 4, 5, 1], "extras": 7 }],
            "animations": [{ "name": "walk", "extras": "kept", "samplers": [{ "input": 8, "output": 9 }],
                "channels": [{ "sampler": 0, "target": { "path": "pointer", "extensions": { "X_light": {} } } }] }] });
        let source =
            GltfSource { path: "a.glb".into(), json, buffers: Vec::new(), binary: true, chunks: vec![(7, vec![1, 2])] };
        let read = round_trip(&source).model;
        let mut clip = read.clips[0].clone();
        clip.tracks[0].scale = Some(portamento_anim::Curve::linear(vec![0.0, 2.0], vec![glam::Vec3::ONE; 2]));
        let out = write(&source, &read.skeleton, &replacing(&clip, &read.clips[0])).unwrap();
        let node = &out.json["nodes"][0];
        assert!(node.get("matrix").is_none() && node["translation"] == json!([3.0, 4.0, 5.0]) && node["extras"] == 7);
        let walk = &out.json["animations"][0];
        assert_eq!((&walk["extras"], &walk["channels"][1]["target"]["path"]), (&json!("kept"), &json!("pointer")));
        assert_eq!(walk["samplers"][1], source.json["animations"][0]["samplers"][0]);
        let again = round_trip(&out);
        assert_eq!((again.model.clips[0].duration, &again.model.clips[0].tracks), (2.0, &clip.tracks));
        assert_eq!((&again.source.as_ref().unwrap().chunks[0].0, &out.json["extras"]), (&7, &source.json["extras"]));
    }

    #[test]
    fn motion_alone_has_the_skeleton_and_the_clip_but_no_mesh_and_no_image() {
        for path in gltf_files() {
            let (source, before) = opened(&path);
            let moves = |clip: &&Clip| {
                let tracks = clip.tracks.iter();
                tracks.filter(|tracks| tracks.rotation.is_some() || tracks.translation.is_some()).count() > 0
            };
            let Some(clip) = before.model.clips.iter().find(moves) else { continue };
            let edits = ClipEdits { keep: Keep::Motion, clips: vec![ClipEdit { clip, original: None }] };
            let out = write(&source, &before.model.skeleton, &edits).unwrap();
            let after = round_trip(&out).model;
            let shown = path.display();
            assert!(after.meshes.is_empty() && after.instances.is_empty() && after.textures.is_empty(), "{shown}");
            assert_eq!(after.clips.len(), 1, "{shown}");
            assert_eq!(after.skeleton.len(), before.model.skeleton.len(), "{shown}");
            for (old, new) in clip.tracks.iter().zip(&after.clips[0].tracks) {
                assert_eq!((&old.rotation, &old.translation), (&new.rotation, &new.translation), "{shown}");
            }
            let alone = ClipEdits { keep: Keep::Alone, clips: vec![ClipEdit { clip, original: None }] };
            let alone = write(&source, &before.model.skeleton, &alone).unwrap();
            let [motion, alone] = [out, alone].map(|file| to_glb_bytes(&file).unwrap().len());
            assert!(motion <= alone, "{shown}: {motion} of {alone}");
        }
    }

    #[test]
    fn an_appended_or_lone_clip_keeps_the_other_fields_of_its_original() {
        let json = json!({ "asset": { "version": "2.0" }, "extensionsUsed": ["KHR_animation_pointer"],
            "nodes": [{ "name": "hips" }],
            "buffers": [{ "byteLength": 24 }], "bufferViews": [{ "buffer": 0, "byteLength": 24 }],
            "accessors": [
                { "bufferView": 0, "componentType": 5126, "count": 2, "type": "SCALAR", "min": [0.0], "max": [1.0] },
                { "bufferView": 0, "byteOffset": 8, "componentType": 5126, "count": 2, "type": "SCALAR" }],
            "materials": [{ "name": "eye" }],
            "animations": [{ "name": "blink", "extras": { "event": 3 }, "extensions": { "X_tag": { "a": 1 } },
                "samplers": [{ "input": 0, "output": 1 }],
                "channels": [{ "sampler": 0, "target": { "path": "pointer", "extensions": {
                    "KHR_animation_pointer": { "pointer": "/materials/0/pbrMetallicRoughness/roughnessFactor" } } } }] }] });
        let bytes = [0.0_f32, 1.0, 0.25, 0.75, 0.0, 0.0].iter().flat_map(|value| value.to_le_bytes()).collect();
        let source = GltfSource { path: "a.glb".into(), json, buffers: vec![bytes], binary: true, chunks: Vec::new() };
        let read = round_trip(&source);
        assert!(
            read.warnings.iter().any(|warning| warning.to_string().contains("not in blends, loops and walks")),
            "{:?}",
            read.warnings
        );
        let read = read.model;
        let mut clip = Clip { name: "new".into(), duration: read.clips[0].duration, ..read.clips[0].clone() };
        clip.tracks[0].translation = Some(portamento_anim::Curve::linear(vec![0.0, 1.0], vec![glam::Vec3::X; 2]));
        let written = |clip: &Clip, keep| {
            let clips = vec![ClipEdit { clip, original: Some((0, &read.clips[0])) }];
            let out = write(&source, &read.skeleton, &ClipEdits { keep, clips }).unwrap();
            let last = out.json["animations"].as_array().unwrap().last().unwrap().clone();
            (out, last)
        };
        for keep in [Keep::Append, Keep::Alone] {
            let (out, entry) = written(&clip, keep);
            assert_eq!((&entry["extras"]["event"], &entry["extensions"]["X_tag"]["a"]), (&json!(3), &json!(1)));
            let pointer =
                entry["channels"].as_array().unwrap().iter().find(|channel| channel["target"]["path"] == "pointer");
            let sampler = &entry["samplers"][pointer.unwrap()["sampler"].as_u64().unwrap() as usize];
            let output = &out.json["accessors"][sampler["output"].as_u64().unwrap() as usize];
            assert_eq!((&output["count"], &output["type"]), (&json!(2), &json!("SCALAR")), "{keep:?}");
        }
        // With a different length, its keys would be at other moments of the motion.
        let longer = Clip { duration: clip.duration + 1.0, ..clip.clone() };
        let (_, entry) = written(&longer, Keep::Append);
        assert_eq!((entry["extras"]["event"].as_u64(), entry["channels"].as_array().unwrap().len()), (Some(3), 1));
    }
}
