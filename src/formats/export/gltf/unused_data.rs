//! Drops data that only replaced clips used: accessors, buffer views and bytes. Everything else keeps its bytes and order.

use std::collections::BTreeSet;
use std::ops::Range;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use super::buffer_ranges::{BufferRange, accessor_ranges, view_range, visit_parts};
use super::compact::{accessor_references, each, keep, may_have_unknown_references, view_references};
use portamento_anim::{GltfSource, SharedList};

/// Drops what only the animations of the file `before` used, and `out` no longer refers to.
/// A buffer view shared with other data loses only the unused bytes.
///
/// If unknown content might refer to accessors, or an accessor's range is not described, everything is kept.
pub(super) fn drop_unused_by_clips(out: &mut GltfSource, before: &Value) {
    let dead = unused_accessors(&mut out.json, before);
    if dead.is_empty() || may_have_unknown_references(out) {
        return;
    }
    let Some(cut) = Cut::new(&mut out.json, &out.buffers, &dead) else { return };
    cut.apply(out);
    let without = |count: usize, dead: &BTreeSet<u64>| -> Vec<u64> {
        (0..count as u64).filter(|index| !dead.contains(index)).collect()
    };
    let count = |json: &Value, key: &str| json[key].as_array().map_or(0, Vec::len);
    let accessors = without(count(&out.json, "accessors"), &dead);
    keep(&mut out.json, "accessors", accessor_references, &accessors);
    let views = without(count(&out.json, "bufferViews"), &cut.dead_views);
    keep(&mut out.json, "bufferViews", view_references, &views);
    drop_empty_buffers(out, &cut);
}

/// Returns the indices of the accessors that animations of `before` refer to and nothing in `json` does.
fn unused_accessors(json: &mut Value, before: &Value) -> BTreeSet<u64> {
    let referred = |json: &mut Value| {
        let mut found = BTreeSet::new();
        accessor_references(json, &mut |reference| found.extend(reference.as_u64()));
        found
    };
    let played = referred(&mut json!({ "animations": before["animations"] }));
    &played - &referred(json)
}

/// The bytes to be removed from the buffers.
struct Cut {
    /// The ranges of each buffer, in order.
    bytes: Vec<Vec<Range<usize>>>,
    /// The original range of each buffer view.
    views: Vec<BufferRange>,
    /// Buffer views that are no longer used.
    dead_views: BTreeSet<u64>,
}

impl Cut {
    /// Finds the bytes that only accessors of `dead` cover. Returns `None` if a range is not described.
    fn new(json: &mut Value, buffers: &[SharedList<u8>], dead: &BTreeSet<u64>) -> Option<Self> {
        let count = json["bufferViews"].as_array().map_or(0, Vec::len);
        let views = (0..count).map(|view| view_range(json, view)).collect::<Option<Vec<_>>>()?;
        let (mut living, mut dying) = (Vec::new(), Vec::new());
        for (index, accessor) in json["accessors"].as_array().into_iter().flatten().enumerate() {
            let part = if dead.contains(&(index as u64)) { &mut dying } else { &mut living };
            part.extend(accessor_ranges(json, accessor, &views)?);
        }
        each(json, "images").filter_map(|image| image.get("bufferView")?.as_u64()).for_each(|view| {
            living.extend(views.get(view as usize).cloned());
        });
        let has_view = |ranges: &[BufferRange], view: u64| ranges.iter().any(|range| range.view == view);
        let dead_views = (0..count as u64).filter(|&view| has_view(&dying, view) && !has_view(&living, view)).collect();
        for (view, range) in (0_u64..).zip(&views) {
            match (has_view(&dying, view), has_view(&living, view)) {
                (true, false) => dying.push(range.clone()),
                (false, _) => living.push(range.clone()),
                (true, true) => {}
            }
        }
        let of = |ranges: &[BufferRange], buffer: usize| -> Vec<Range<usize>> {
            ranges.iter().filter(|range| range.buffer == buffer).map(|range| range.bytes.clone()).collect()
        };
        let cut =
            |(at, bytes): (usize, &SharedList<u8>)| exclusive_ranges(&of(&dying, at), &of(&living, at), bytes.len());
        Some(Self { bytes: buffers.iter().enumerate().map(cut).collect(), views, dead_views })
    }

    /// Returns the byte offset in `buffer` that `offset` has after the removal.
    fn moved(&self, buffer: usize, offset: usize) -> usize {
        let before = |cut: &Range<usize>| cut.end.min(offset).saturating_sub(cut.start);
        offset - self.bytes[buffer].iter().map(before).sum::<usize>()
    }

    /// Updates the offset of `part` of an accessor within its buffer view. Does nothing if it has none.
    fn move_within(&self, part: &mut Value) {
        let view = part.get("bufferView").and_then(Value::as_u64);
        let Some(BufferRange { buffer, bytes, .. }) = view.and_then(|view| self.views.get(view as usize)) else {
            return;
        };
        let own = part.get("byteOffset").and_then(Value::as_u64).unwrap_or(0) as usize;
        let moved = self.moved(*buffer, bytes.start + own) - self.moved(*buffer, bytes.start);
        set(part, "byteOffset", own, moved);
    }

    /// Removes the bytes from the buffers, and updates the offsets and lengths of buffers, buffer views and accessors. No entry is
    /// removed, so indices stay.
    fn apply(&self, out: &mut GltfSource) {
        for accessor in each(&mut out.json, "accessors") {
            visit_parts(accessor, &mut |part| self.move_within(part));
        }
        for (view, BufferRange { buffer, bytes, .. }) in each(&mut out.json, "bufferViews").zip(&self.views) {
            let [start, end] = [bytes.start, bytes.end].map(|offset| self.moved(*buffer, offset));
            set(view, "byteOffset", bytes.start, start);
            set(view, "byteLength", bytes.len(), end - start);
        }
        for (at, cuts) in self.bytes.iter().enumerate().filter(|(_, cuts)| !cuts.is_empty()) {
            remove_ranges(&mut out.buffers[at], cuts);
            let buffer = &mut out.json["buffers"][at];
            buffer["byteLength"] = out.buffers[at].len().into();
            if buffer["uri"].as_str().is_some_and(|uri| uri.starts_with("data:")) {
                let text = STANDARD.encode(&out.buffers[at][..]);
                buffer["uri"] = format!("data:application/octet-stream;base64,{text}").into();
            }
        }
    }
}

/// Removes the ranges `cuts`, which are in order and do not overlap, without further memory.
fn remove_ranges(bytes: &mut Vec<u8>, cuts: &[Range<usize>]) {
    let mut end = cuts.first().map_or(bytes.len(), |cut| cut.start);
    for (at, cut) in cuts.iter().enumerate() {
        let next = cuts.get(at + 1).map_or(bytes.len(), |next| next.start);
        bytes.copy_within(cut.end..next, end);
        end += next - cut.end;
    }
    bytes.truncate(end);
}

/// Sets `key` of `entry` to `is` if `is` differs from `was`.
fn set(entry: &mut Value, key: &str, was: usize, is: usize) {
    if was != is {
        entry[key] = is.into();
    }
}

/// Returns the ranges of `dying` that `living` does not cover, in whole words of 4 bytes to keep the alignment of later
/// data. `length` is that of the buffer, bytes. The ranges are in order.
fn exclusive_ranges(dying: &[Range<usize>], living: &[Range<usize>], length: usize) -> Vec<Range<usize>> {
    // Padding after unused data is unused too.
    let pad_to_word = |offset: usize| offset.next_multiple_of(4).min(length);
    let mut edges: Vec<(usize, i32, i32)> = Vec::new();
    edges.extend(dying.iter().flat_map(|range| [(range.start, 1, 0), (pad_to_word(range.end), -1, 0)]));
    edges.extend(living.iter().flat_map(|range| [(range.start, 0, 1), (range.end, 0, -1)]));
    edges.sort_unstable();
    let (mut cuts, mut dead, mut alive) = (Vec::<Range<usize>>::new(), 0, 0);
    for (at, next) in edges.iter().zip(edges.iter().skip(1)) {
        (dead, alive) = (dead + at.1, alive + at.2);
        if dead > 0 && alive == 0 && at.0 < next.0 {
            match cuts.last_mut().filter(|last| last.end == at.0) {
                Some(last) => last.end = next.0,
                None => cuts.push(at.0..next.0),
            }
        }
    }
    let to_whole_words = |cut: Range<usize>| {
        let end = if cut.end == length { length } else { cut.end / 4 * 4 };
        cut.start.next_multiple_of(4)..end
    };
    cuts.into_iter().map(to_whole_words).filter(|cut| cut.start < cut.end).collect()
}

/// Drops buffers that became empty.
fn drop_empty_buffers(out: &mut GltfSource, cut: &Cut) {
    let is_left = |at: &u64| !out.buffers[*at as usize].is_empty() || cut.bytes[*at as usize].is_empty();
    let left: Vec<u64> = (0..out.buffers.len() as u64).filter(is_left).collect();
    if left.len() < out.buffers.len() {
        keep(&mut out.json, "buffers", buffer_references, &left);
        out.buffers = left.iter().map(|&at| std::mem::take(&mut out.buffers[at as usize])).collect();
    }
}

/// Calls `visit` for the buffer index of each buffer view.
fn buffer_references(json: &mut Value, visit: &mut dyn FnMut(&mut Value)) {
    each(json, "bufferViews").filter_map(|view| view.get_mut("buffer")).for_each(visit);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::export::gltf::{ClipEdit, ClipEdits, Keep, to_glb_bytes, write};
    use crate::import::gltf::{from_bytes, tests::opened};
    use portamento_anim::Clip;
    use portamento_test_support::gltf_files;

    /// Returns `clip` with every key changed.
    fn moved(clip: &Clip) -> Clip {
        let mut moved = clip.clone();
        for tracks in &mut moved.tracks {
            tracks.translation.iter_mut().flat_map(|curve| &mut curve.values).for_each(|value| value.y += 1.0);
            tracks.scale.iter_mut().flat_map(|curve| &mut curve.values).for_each(|value| *value *= 2.0);
            let turned = tracks.rotation.iter_mut().flat_map(|curve| &mut curve.values);
            turned.for_each(|value| *value = glam::Quat::from_xyzw(value.w, value.x, value.y, value.z));
        }
        moved
    }

    fn replaced(source: &GltfSource, clips: &[Clip]) -> GltfSource {
        let skeleton = from_bytes(&source.path, &to_glb_bytes(source).unwrap()).unwrap().model.skeleton;
        let moved: Vec<Clip> = clips.iter().map(moved).collect();
        let edit = |(at, clip)| ClipEdit { clip, original: Some((at, &clips[at])) };
        let edits = ClipEdits { keep: Keep::Replace, clips: moved.iter().enumerate().map(edit).collect() };
        write(source, &skeleton, &edits).unwrap()
    }

    fn size(source: &GltfSource) -> usize {
        source.buffers.iter().map(|bytes| bytes.len()).sum()
    }

    #[test]
    fn data_of_replaced_clips_is_dropped_and_everything_else_keeps_its_bits() {
        let mut shrunk = 0;
        for path in gltf_files() {
            let (source, before) = opened(&path);
            if before.model.clips.is_empty() {
                continue;
            }
            let mut out = replaced(&source, &before.model.clips);
            let after = from_bytes(&path, &to_glb_bytes(&out).unwrap()).unwrap().model;
            assert_eq!(
                (&after.meshes, &after.skins, &after.skeleton),
                (&before.model.meshes, &before.model.skins, &before.model.skeleton)
            );
            assert_eq!(after.textures, before.model.textures);
            let tracks = |clips: &[Clip]| clips.iter().map(|clip| clip.tracks.clone()).collect::<Vec<_>>();
            let moved: Vec<Clip> = before.model.clips.iter().map(moved).collect();
            assert_eq!(tracks(&after.clips), tracks(&moved), "{}", path.display());
            if may_have_unknown_references(&source) {
                assert!(out.buffers.iter().zip(&source.buffers).all(|(new, old)| new.starts_with(old)));
                continue;
            }
            shrunk += 1;
            assert!(
                unused_accessors(&mut out.json, &source.json).is_empty()
                    || out.json["accessors"] != source.json["accessors"]
            );
            let again = replaced(&out, &after.clips);
            assert!(size(&again) <= size(&out), "a second time nothing is added: {}", path.display());
        }
        assert!(shrunk > 3);
    }

    /// Returns two clips and a mesh in one buffer view. The first clip uses accessors 0 and 1, the second 0 and 3.
    fn shared() -> GltfSource {
        let float = |at: usize, count: usize, kind: &str| json!({ "bufferView": 0, "byteOffset": at, "componentType": 5126, "count": count, "type": kind });
        let animation = |name: &str, output: usize| {
            json!({ "name": name, "samplers": [{ "input": 0, "output": output }],
                "channels": [{ "sampler": 0, "target": { "node": 0, "path": "translation" } }] })
        };
        let mut times = float(0, 2, "SCALAR");
        (times["min"], times["max"]) = (json!([0.0]), json!([1.0]));
        let json = json!({ "asset": { "version": "2.0" }, "nodes": [{ "name": "hips" }],
            "buffers": [{ "byteLength": 72 }],
            "bufferViews": [{ "buffer": 0, "byteLength": 56 }, { "buffer": 0, "byteOffset": 56, "byteLength": 16 }],
            "accessors": [times, float(8, 2, "VEC3"),
                { "componentType": 5126, "count": 8, "type": "SCALAR", "sparse": { "count": 2,
                    "indices": { "bufferView": 1, "componentType": 5123 }, "values": { "bufferView": 1, "byteOffset": 4 } } },
                float(32, 2, "VEC3")],
            "animations": [animation("first", 1), animation("second", 3)] });
        let floats = (0..16).map(|at| if at < 2 { at as f32 } else { 10.0 + at as f32 });
        let bytes = floats.flat_map(f32::to_le_bytes).chain([0_u8, 0, 1, 0, 7, 7, 7, 7]).collect();
        GltfSource { path: "a.glb".into(), json, buffers: vec![bytes], binary: true, chunks: Vec::new() }
    }

    #[test]
    fn a_shared_buffer_view_loses_only_unused_bytes_and_sparse_accessors_are_updated() {
        let source = shared();
        let clips = from_bytes(&source.path, &to_glb_bytes(&source).unwrap()).unwrap().model.clips;
        let out = replaced(&source, &clips[..1]);
        // The times and the other clip remain; the data of the first is stored once.
        assert_eq!(size(&out), 72 - 24 + 8 + 24);
        let accessors = &out.json["accessors"];
        assert_eq!(
            (&accessors[1]["sparse"], accessors[2]["byteOffset"].as_u64()),
            (&source.json["accessors"][2]["sparse"], Some(8))
        );
        assert_eq!(
            (&out.json["bufferViews"][0]["byteLength"], &out.json["bufferViews"][1]["byteOffset"]),
            (&json!(32), &json!(32))
        );
        assert_eq!(out.buffers[0][32..48], source.buffers[0][56..72]);
        let again = from_bytes(&source.path, &to_glb_bytes(&out).unwrap()).unwrap().model.clips;
        assert_eq!(
            (again[1].tracks.clone(), again[0].tracks.clone()),
            (clips[1].tracks.clone(), moved(&clips[0]).tracks)
        );
    }

    #[test]
    fn data_that_unknown_content_might_use_is_kept() {
        let note = |source: &mut GltfSource| source.json["nodes"][0]["extras"] = json!({ "curve": { "accessor": 1 } });
        let extension =
            |source: &mut GltfSource| source.json["nodes"][0]["extensions"] = json!({ "X_curve": { "of": 1 } });
        let broken = |source: &mut GltfSource| source.json["accessors"][2]["sparse"]["values"]["bufferView"] = json!(9);
        for change in [note as fn(&mut GltfSource), extension, broken] {
            let mut source = shared();
            let clips = from_bytes(&source.path, &to_glb_bytes(&source).unwrap()).unwrap().model.clips;
            change(&mut source);
            let out = replaced(&shared(), &clips[..1]);
            assert_eq!(out.json["accessors"].as_array().map(Vec::len), Some(5));
            let mut unknown = source.clone();
            unknown.json["animations"][0]["samplers"][0] = json!({ "input": 0, "output": 0 });
            drop_unused_by_clips(&mut unknown, &source.json);
            assert_eq!((&unknown.buffers, &unknown.json["accessors"]), (&source.buffers, &source.json["accessors"]));
        }
    }

    #[test]
    fn embedded_base64_bytes_are_rewritten() {
        let mut source = shared();
        let text = STANDARD.encode(&source.buffers[0][..]);
        source.json["buffers"][0]["uri"] = format!("data:application/octet-stream;base64,{text}").into();
        let clips = from_bytes(&source.path, &to_glb_bytes(&source).unwrap()).unwrap().model.clips;
        let out = replaced(&source, &clips[..1]);
        let uri = out.json["buffers"][0]["uri"].as_str().unwrap();
        assert_eq!(STANDARD.decode(uri.split_once(',').unwrap().1).unwrap(), out.buffers[0]);
        assert_eq!(out.buffers[0].len(), 48);
    }

    #[test]
    fn only_whole_unused_words_are_removed() {
        let left = |dying: &[[usize; 2]], living: &[[usize; 2]], length: usize| -> Vec<[usize; 2]> {
            let [dying, living] =
                [dying, living].map(|all| all.iter().map(|[start, end]| *start..*end).collect::<Vec<_>>());
            exclusive_ranges(&dying, &living, length).into_iter().map(|cut| [cut.start, cut.end]).collect()
        };
        assert_eq!(left(&[[0, 6], [8, 20]], &[[12, 14]], 24), [[0, 12], [16, 20]]);
        assert_eq!(left(&[[3, 9]], &[], 9), [[4, 9]]);
        assert_eq!(left(&[[0, 8]], &[[0, 8]], 8), [[0; 2]; 0]);
        assert_eq!(left(&[[0, 4], [4, 8], [2, 6]], &[[8, 12]], 12), [[0, 8]]);
    }
}
