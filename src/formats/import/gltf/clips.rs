//! Reads animations (glTF 2.0 §3.11). Every channel that moves a node becomes a curve of its joint with the same keys.

use std::cell::RefCell;
use std::collections::BTreeMap;

use glam::{Quat, Vec3};
use gltf::animation::{Interpolation as GltfInterpolation, Property};
use gltf::json::animation;
use gltf::json::validation::Checked;

use super::Fault;
use super::document::{self, Animation, Document};
use super::json_part::{label, list};
use super::key_times;
use super::nodes::unit;
use portamento_anim::joint_tracks::UNIT;
use portamento_anim::{Clip, Curve, Interpolation, JointTracks, SharedList, Skeleton};
use portamento_base::message::{Message, message};

/// Reads one clip per animation, in the order of the file. Broken channels are left out with a warning. Stops early if the
/// user cancels or memory runs out.
pub(super) fn load(
    document: &Document,
    skeleton: &Skeleton,
    joint_of_node: &[usize],
    warnings: &mut Vec<Message>,
) -> Vec<Clip> {
    let entries = list(document.json, "animations");
    let mut clips = Vec::with_capacity(entries.len());
    for (index, entry) in entries.iter().enumerate() {
        if document.progress.step(entries.len() + index, 2 * entries.len()).is_err() {
            break;
        }
        let size = skeleton.len().saturating_mul(size_of::<JointTracks>());
        if let Err(fault) = document.charge(size, &|| label("animation", entry, index)) {
            warnings.push(message!("warning.import.no_clip", "A clip is left out: %{fault}.", fault));
            break;
        }
        let animation = document::animation(entry, index);
        let reader = Reader { document, animation: &animation, skeleton, joint_of_node, times: RefCell::default() };
        clips.push(reader.clip(warnings));
    }
    clips
}

/// Reads one animation of a document.
struct Reader<'a> {
    document: &'a Document<'a>,
    animation: &'a Animation,
    skeleton: &'a Skeleton,
    joint_of_node: &'a [usize],
    /// Checked key times by accessor. Most files have one list of times for all channels, which the curves then share.
    times: RefCell<BTreeMap<usize, SharedList<f32>>>,
}

impl Reader<'_> {
    /// Reads the animation as a clip that ends at its last key, in seconds. Channels with a fault are left out with a warning.
    fn clip(&self, warnings: &mut Vec<Message>) -> Clip {
        let mut tracks = vec![JointTracks::default(); self.skeleton.len()];
        for (number, channel) in &self.animation.channels {
            let label = || format!("channel {number} of {}", self.animation.label);
            let channel = channel.as_ref().map_err(Clone::clone);
            if let Err(fault) = channel.and_then(|channel| self.add(channel, &label, &mut tracks)) {
                warnings.push(message!("warning.import.no_track", "A track is left out: %{fault}.", fault));
            }
        }
        let sorted = key_times::correct(&mut tracks, self.skeleton.joints.iter().map(|joint| joint.morph_count));
        if sorted > 0 {
            warnings.push(message!(
                "warning.import.keys_sorted",
                "The keys of %{tracks} %{tracks|track|tracks} of \"%{clip}\" were not in the order of their times; they were sorted.",
                clip = &self.animation.name,
                tracks = sorted
            ));
        }
        let mut clip = Clip { name: self.animation.name.clone(), duration: 0.0, tracks };
        let end = clip.key_times().filter_map(|times| times.last().copied()).fold(0.0, f32::max);
        clip.duration = f64::from(end);
        clip
    }

    /// Reads the channel into the tracks of its node's joint. A channel whose path belongs to an extension is ignored.
    ///
    /// Returns `Err` if the node or the sampler does not exist, if the keys are damaged, or if another channel has the same target.
    fn add(
        &self,
        channel: &animation::Channel,
        label: &dyn Fn() -> String,
        tracks: &mut [JointTracks],
    ) -> Result<(), Fault> {
        let node = channel.target.node.value();
        let missing = || Fault::new(label(), format!("moves node {node}, which does not exist"));
        let joint = *self.joint_of_node.get(node).ok_or_else(missing)?;
        // Other paths belong to extensions.
        let Checked::Valid(path) = channel.target.path else { return Ok(()) };
        let sampler = channel.sampler.value();
        let missing = || Fault::new(label(), format!("uses sampler {sampler}, which does not exist"));
        let sampler = self.animation.samplers.get(sampler).ok_or_else(missing)?;
        let sampler = sampler.as_ref().map_err(Clone::clone)?;
        let tracks = &mut tracks[joint];
        match path {
            Property::Translation => insert(&mut tracks.translation, self.vectors(sampler, label)?, label),
            Property::Scale => insert(&mut tracks.scale, self.vectors(sampler, label)?, label),
            Property::Rotation => {
                let (curve, not_unit) = self.rotations(sampler, label)?;
                insert(&mut tracks.rotation, curve, label)?;
                tracks.not_unit = not_unit;
                Ok(())
            }
            Property::MorphTargetWeights => {
                let width = self.skeleton.joints[joint].morph_count;
                let curve = self.curve(sampler, width, label, |accessor| {
                    self.document.floats(accessor, |[weight]: [f32; 1]| weight)
                })?;
                finite(curve.values.iter().copied(), label)?;
                insert(&mut tracks.morphs, curve, label)
            }
        }
    }

    /// Reads three numbers per key. Returns `Err` if one is not finite.
    fn vectors(&self, sampler: &animation::Sampler, label: &dyn Fn() -> String) -> Result<Curve<Vec3>, Fault> {
        let curve = self.curve(sampler, 1, label, |accessor| self.document.floats(accessor, Vec3::from_array))?;
        finite(curve.values.iter().flat_map(|value| value.to_array()), label)?;
        Ok(curve)
    }

    /// Returns the rotations normalised to length 1, and the number of keys that were not. Returns `Err` if a value
    /// is not finite, or a rotation has the length 0.
    fn rotations(
        &self,
        sampler: &animation::Sampler,
        label: &dyn Fn() -> String,
    ) -> Result<(Curve<Quat>, usize), Fault> {
        let mut curve = self.curve(sampler, 1, label, |accessor| self.document.floats(accessor, Quat::from_array))?;
        finite(curve.values.iter().flat_map(|value| value.to_array()), label)?;
        let cubic = curve.interpolation == Interpolation::CubicSpline;
        let mut not_unit = 0;
        for (i, value) in curve.values.iter_mut().enumerate() {
            // Tangents are not rotations and keep their length.
            if !cubic || i % 3 == 1 {
                not_unit += usize::from((value.length() - 1.0).abs() > UNIT);
                *value = unit(*value).ok_or_else(|| Fault::new(label(), "has a rotation of length 0"))?;
            }
        }
        Ok((curve, not_unit))
    }

    /// Reads the keys of a sampler. `values` reads the output accessor; there are `width` values per key. Returns `Err` if
    /// the number of values does not match or the interpolation is unknown. `label` names the channel in faults.
    fn curve<T>(
        &self,
        sampler: &animation::Sampler,
        width: usize,
        label: &dyn Fn() -> String,
        values: impl Fn(usize) -> Result<Vec<T>, Fault>,
    ) -> Result<Curve<T>, Fault> {
        let (interpolation, rows) = match sampler.interpolation {
            Checked::Valid(GltfInterpolation::Linear) => (Interpolation::Linear, 1),
            Checked::Valid(GltfInterpolation::Step) => (Interpolation::Step, 1),
            Checked::Valid(GltfInterpolation::CubicSpline) => (Interpolation::CubicSpline, 3),
            Checked::Invalid => return Err(Fault::new(label(), "has an interpolation that is not known")),
        };
        let times = self.times(sampler.input.value(), label)?;
        let values = values(sampler.output.value())?;
        let needed = times.len() * rows * width;
        if values.len() != needed || width == 0 {
            let found = format!("has {} values where its {} keys need {needed}", values.len(), times.len());
            return Err(Fault::new(label(), found));
        }
        Ok(Curve { interpolation, times, values: values.into() })
    }

    /// Reads the key times of an accessor, each accessor once, in the order of the file. Returns `Err` if there are none, or if
    /// they are not finite.
    fn times(&self, accessor: usize, label: &dyn Fn() -> String) -> Result<SharedList<f32>, Fault> {
        if let Some(known) = self.times.borrow().get(&accessor) {
            return Ok(known.clone());
        }
        let times = self.document.floats(accessor, |[time]: [f32; 1]| time)?;
        if times.is_empty() || !times.iter().all(|time| time.is_finite()) {
            return Err(Fault::new(label(), "has no keys, or key times that are not numbers"));
        }
        let times = SharedList::from(times);
        self.times.borrow_mut().insert(accessor, times.clone());
        Ok(times)
    }
}

/// Stores `curve` unless the track already has one. Returns `Err` if it has.
fn insert<T>(slot: &mut Option<Curve<T>>, curve: Curve<T>, label: &dyn Fn() -> String) -> Result<(), Fault> {
    if slot.is_some() {
        return Err(Fault::new(label(), "has the same target as another channel"));
    }
    *slot = Some(curve);
    Ok(())
}

/// Returns `Err` if a value is not finite.
fn finite(mut values: impl Iterator<Item = f32>, label: &dyn Fn() -> String) -> Result<(), Fault> {
    if values.all(f32::is_finite) { Ok(()) } else { Err(Fault::new(label(), "has a key that is not a number")) }
}

#[cfg(test)]
mod tests {
    use super::super::from_bytes;
    use super::super::tests::small_model;
    use super::*;
    use crate::export::gltf::{from_model, to_glb_bytes};
    use portamento_anim::GltfSource;
    use serde_json::json;

    type Change = fn(&mut GltfSource);

    /// Reads the small model's file after `change`. Returns its only clip and the warnings.
    fn changed(change: impl FnOnce(&mut GltfSource)) -> (Clip, Vec<Message>) {
        let mut source = from_model(&small_model(), None);
        change(&mut source);
        let mut read = from_bytes(&source.path, &to_glb_bytes(&source).unwrap()).unwrap();
        (read.model.clips.remove(0), read.warnings)
    }

    #[test]
    fn a_broken_track_is_dropped_with_a_warning_and_the_others_remain() {
        let breaks: [(&str, Change); 4] = [
            ("values where", |source| {
                source.json["animations"][0]["samplers"][0]["output"] =
                    json!(source.json["animations"][0]["samplers"][2]["output"])
            }),
            ("interpolation", |source| source.json["animations"][0]["samplers"][0]["interpolation"] = json!("BEZIER")),
            ("node 40", |source| source.json["animations"][0]["channels"][0]["target"]["node"] = json!(40)),
            ("not numbers", |source| {
                let input = source.json["animations"][0]["samplers"][0]["input"].as_u64().unwrap() as usize;
                let accessor = &source.json["accessors"][input];
                let view = &source.json["bufferViews"][accessor["bufferView"].as_u64().unwrap() as usize];
                let at = (view["byteOffset"].as_u64().unwrap() + accessor["byteOffset"].as_u64().unwrap()) as usize;
                source.buffers[0][at..at + 4].copy_from_slice(&f32::NAN.to_le_bytes());
            }),
        ];
        for (word, change) in breaks {
            let (clip, warnings) = changed(change);
            assert!(clip.tracks[0].translation.is_none() && clip.tracks[3].morphs.is_some(), "{word}");
            assert!(
                warnings.iter().any(|warning| {
                    let warning = warning.to_string();
                    warning.contains(word) && warning.contains("animation \"move\"")
                }),
                "{word}: {warnings:?}"
            );
        }
        assert!(changed(|_| {}).1.is_empty());
    }

    /// Returns the position of the key times of the first sampler in the first buffer.
    fn times_offset(source: &GltfSource) -> usize {
        let input = source.json["animations"][0]["samplers"][0]["input"].as_u64().unwrap() as usize;
        let accessor = &source.json["accessors"][input];
        let view = &source.json["bufferViews"][accessor["bufferView"].as_u64().unwrap() as usize];
        let offset = |value: &serde_json::Value| value["byteOffset"].as_u64().unwrap_or(0) as usize;
        offset(view) + offset(accessor)
    }

    #[test]
    fn keys_out_of_order_are_sorted_and_said() {
        let sound = changed(|_| {}).0.tracks[0].translation.clone().unwrap();
        let (clip, warnings) = changed(|source| {
            let at = times_offset(source);
            let (first, second) = source.buffers[0][at..at + 8].split_at_mut(4);
            first.swap_with_slice(second);
        });
        let curve = clip.tracks[0].translation.as_ref().unwrap();
        assert_eq!((&curve.times, curve.values[0], curve.values[1]), (&sound.times, sound.values[1], sound.values[0]));
        assert!(warnings.iter().any(|warning| warning.to_string().contains("were sorted")), "{warnings:?}");
    }

    #[test]
    fn corrected_key_times_are_stored_again_and_sound_ones_are_reused() {
        use crate::export::gltf::{ClipEdit, ClipEdits, Keep, write};
        let sound = from_model(&small_model(), None);
        let read = from_bytes(&sound.path, &to_glb_bytes(&sound).unwrap()).unwrap();
        let keys = read.model.clips[0].tracks[0].translation.as_ref().unwrap().times.len();
        for first in [0.0, -0.25] {
            let times: Vec<f32> = (0..keys).map(|key| first + 0.25 * key as f32).collect();
            let mut source = sound.clone();
            let at = times_offset(&source);
            let bytes: Vec<u8> = times.iter().flat_map(|time| time.to_le_bytes()).collect();
            source.buffers[0][at..at + bytes.len()].copy_from_slice(&bytes);
            let read = from_bytes(&source.path, &to_glb_bytes(&source).unwrap()).unwrap();
            let clip = &read.model.clips[0];
            assert_eq!(clip.tracks[0].translation.as_ref().unwrap().times[0], 0.0);
            let edits = ClipEdits { keep: Keep::Replace, clips: vec![ClipEdit { clip, original: Some((0, clip)) }] };
            let written = write(&source, &read.model.skeleton, &edits).unwrap();
            let stored = |source: &GltfSource| {
                let at = times_offset(source);
                f32::from_le_bytes(source.buffers[0][at..at + 4].try_into().unwrap())
            };
            assert_eq!((stored(&source), stored(&written)), (first, 0.0));
            assert_eq!(written.buffers == source.buffers, first == 0.0);
            let again = from_bytes(&source.path, &to_glb_bytes(&written).unwrap()).unwrap();
            assert_eq!(again.model.clips[0].tracks, clip.tracks);
        }
    }

    #[test]
    fn rotations_not_of_length_one_are_normalised_and_counted() {
        let (sound, _) = changed(|_| {});
        let joint = (0..sound.tracks.len()).find(|&joint| sound.tracks[joint].rotation.is_some()).unwrap();
        assert_eq!(sound.tracks[joint].not_unit, 0);
        let (clip, warnings) = changed(|source| {
            let samplers = &source.json["animations"][0]["samplers"];
            let channels = source.json["animations"][0]["channels"].as_array().unwrap();
            let turning = channels.iter().find(|channel| channel["target"]["path"] == "rotation").unwrap();
            let output = samplers[turning["sampler"].as_u64().unwrap() as usize]["output"].as_u64().unwrap() as usize;
            let accessor = &source.json["accessors"][output];
            let view = &source.json["bufferViews"][accessor["bufferView"].as_u64().unwrap() as usize];
            let offset = |value: &serde_json::Value| value["byteOffset"].as_u64().unwrap_or(0) as usize;
            let at = offset(view) + offset(accessor);
            // In a cubic spline each value is stored between its two tangents.
            for bytes in source.buffers[0][at + 16..at + 32].chunks_exact_mut(4) {
                let longer = 1.3 * f32::from_le_bytes(bytes.try_into().unwrap());
                bytes.copy_from_slice(&longer.to_le_bytes());
            }
        });
        assert!(warnings.is_empty(), "{warnings:?}");
        let turning = clip.tracks.iter().find(|tracks| tracks.not_unit > 0).unwrap();
        assert_eq!(turning.not_unit, 1);
        let rotation = turning.rotation.as_ref().unwrap();
        assert!((0..rotation.times.len()).all(|key| (rotation.key(key).length() - 1.0).abs() < 1e-6));
    }
}
