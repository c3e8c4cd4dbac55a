//! Animations (glTF 2.0 §3.11): every channel that moves a node becomes a curve of its joint, keys untouched.

use std::cmp::Ordering;

use glam::{Quat, Vec3};
use serde_json::Value;

use super::Fault;
use super::nodes::{label, unit};
use super::reader::{Document, list, name, number, required};
use crate::anim::{Clip, Curve, Interpolation, JointTracks, Skeleton};

/// One clip per animation of the file, in its order; broken channels are left out with a warning.
pub(super) fn load(
    document: &Document,
    skeleton: &Skeleton,
    joint_of_node: &[usize],
    warnings: &mut Vec<String>,
) -> Vec<Clip> {
    let entries = list(document.json, "animations");
    let mut clips = Vec::with_capacity(entries.len());
    for (index, entry) in entries.iter().enumerate() {
        let part = || label("animation", entry, index);
        let size = skeleton.len().saturating_mul(size_of::<JointTracks>());
        if let Err(fault) = document.charge(size, &part) {
            warnings.push(format!("A clip is left out: {fault}."));
            break;
        }
        clips.push(clip(document, skeleton, joint_of_node, (index, entry), warnings));
    }
    clips
}

fn clip(
    document: &Document,
    skeleton: &Skeleton,
    joint_of_node: &[usize],
    (index, entry): (usize, &Value),
    warnings: &mut Vec<String>,
) -> Clip {
    let mut tracks = vec![JointTracks::default(); skeleton.len()];
    let mut end = 0.0_f32;
    for (number, value) in list(entry, "channels").iter().enumerate() {
        let part = || format!("channel {number} of {}", label("animation", entry, index));
        let read = Channel { document, samplers: list(entry, "samplers"), skeleton, joint_of_node };
        match read.add(value, &part, &mut tracks) {
            Ok(last) => end = end.max(last),
            Err(fault) => warnings.push(format!("A track is left out: {fault}.")),
        }
    }
    Clip { name: name(entry, "clip", index), duration: f64::from(end), tracks }
}

struct Channel<'a> {
    document: &'a Document<'a>,
    samplers: &'a [Value],
    skeleton: &'a Skeleton,
    joint_of_node: &'a [usize],
}

impl Channel<'_> {
    /// Reads the channel into its joint's tracks; answers the time of its last key, 0 when it moves no node.
    fn add(&self, channel: &Value, part: &dyn Fn() -> String, tracks: &mut [JointTracks]) -> Result<f32, Fault> {
        let target = channel.get("target").unwrap_or(&Value::Null);
        // A channel without a node belongs to an extension.
        let Some(node) = number(target, "node", part)? else { return Ok(0.0) };
        let missing = || Fault::new(part(), format!("moves node {node}, which does not exist"));
        let joint = *self.joint_of_node.get(node).ok_or_else(missing)?;
        let sampler = required(channel, "sampler", part)?;
        let sampler = self
            .samplers
            .get(sampler)
            .ok_or_else(|| Fault::new(part(), format!("uses sampler {sampler}, which does not exist")))?;
        let path = target.get("path").and_then(Value::as_str).unwrap_or_default();
        let tracks = &mut tracks[joint];
        match path {
            "translation" => place(&mut tracks.translation, self.vectors(sampler, part)?, part),
            "scale" => place(&mut tracks.scale, self.vectors(sampler, part)?, part),
            "rotation" => place(&mut tracks.rotation, self.rotations(sampler, part)?, part),
            "weights" => {
                let width = self.skeleton.joints[joint].morph_count;
                let curve = self.curve(sampler, width, part, |accessor| {
                    self.document.floats(accessor, |[weight]: [f32; 1]| weight)
                })?;
                finite(curve.values.iter().copied(), part)?;
                place(&mut tracks.morphs, curve, part)
            }
            // Other paths belong to extensions.
            _ => Ok(0.0),
        }
    }

    fn vectors(&self, sampler: &Value, part: &dyn Fn() -> String) -> Result<Curve<Vec3>, Fault> {
        let curve = self.curve(sampler, 1, part, |accessor| self.document.floats(accessor, Vec3::from_array))?;
        finite(curve.values.iter().flat_map(|value| value.to_array()), part)?;
        Ok(curve)
    }

    fn rotations(&self, sampler: &Value, part: &dyn Fn() -> String) -> Result<Curve<Quat>, Fault> {
        let mut curve = self.curve(sampler, 1, part, |accessor| self.document.floats(accessor, Quat::from_array))?;
        finite(curve.values.iter().flat_map(|value| value.to_array()), part)?;
        let cubic = curve.interpolation == Interpolation::CubicSpline;
        for (i, value) in curve.values.iter_mut().enumerate() {
            // Tangents are no rotations and keep their length.
            if !cubic || i % 3 == 1 {
                *value = unit(*value).ok_or_else(|| Fault::new(part(), "has a rotation of length 0"))?;
            }
        }
        Ok(curve)
    }

    /// The sampler's keys with values read by `values`; `width` values per key.
    fn curve<T>(
        &self,
        sampler: &Value,
        width: usize,
        part: &dyn Fn() -> String,
        values: impl Fn(usize) -> Result<Vec<T>, Fault>,
    ) -> Result<Curve<T>, Fault> {
        let (interpolation, rows) = match sampler.get("interpolation").and_then(Value::as_str) {
            None | Some("LINEAR") => (Interpolation::Linear, 1),
            Some("STEP") => (Interpolation::Step, 1),
            Some("CUBICSPLINE") => (Interpolation::CubicSpline, 3),
            Some(other) => return Err(Fault::new(part(), format!("has the unknown interpolation {other}"))),
        };
        let times = self.document.floats(required(sampler, "input", part)?, |[time]: [f32; 1]| time)?;
        if let Some(key) = times.windows(2).position(|pair| pair[0].partial_cmp(&pair[1]) != Some(Ordering::Less)) {
            return Err(Fault::new(part(), format!("has key times that do not increase, from key {key} to the next")));
        }
        if times.is_empty() || !times.iter().all(|time| time.is_finite()) {
            return Err(Fault::new(part(), "has no keys, or key times that are not numbers"));
        }
        let values = values(required(sampler, "output", part)?)?;
        let needed = times.len() * rows * width;
        if values.len() != needed || width == 0 {
            let found = format!("has {} values where its {} keys need {needed}", values.len(), times.len());
            return Err(Fault::new(part(), found));
        }
        Ok(Curve { interpolation, times, values })
    }
}

fn place<T>(slot: &mut Option<Curve<T>>, curve: Curve<T>, part: &dyn Fn() -> String) -> Result<f32, Fault> {
    if slot.is_some() {
        return Err(Fault::new(part(), "moves what another channel already moves"));
    }
    let end = curve.times.last().copied().unwrap_or(0.0);
    *slot = Some(curve);
    Ok(end)
}

fn finite(mut values: impl Iterator<Item = f32>, part: &dyn Fn() -> String) -> Result<(), Fault> {
    if values.all(f32::is_finite) { Ok(()) } else { Err(Fault::new(part(), "has a key that is not a number")) }
}

#[cfg(test)]
mod tests {
    use super::super::from_bytes;
    use super::super::tests::small_model;
    use super::*;
    use crate::anim::GltfSource;
    use crate::export::gltf::{from_model, to_glb_bytes};
    use serde_json::json;

    type Change = fn(&mut GltfSource);

    /// The small model's file after `change`, read: its only clip and the warnings.
    fn changed(change: impl FnOnce(&mut GltfSource)) -> (Clip, Vec<String>) {
        let mut source = from_model(&small_model(), None);
        change(&mut source);
        let mut read = from_bytes(&source.path, &to_glb_bytes(&source).unwrap()).unwrap();
        (read.model.clips.remove(0), read.warnings)
    }

    #[test]
    fn a_broken_track_is_dropped_with_a_sentence_and_the_others_stay() {
        let breaks: [(&str, Change); 4] = [
            ("values where", |source| {
                source.json["animations"][0]["samplers"][0]["output"] =
                    json!(source.json["animations"][0]["samplers"][2]["output"])
            }),
            ("BEZIER", |source| source.json["animations"][0]["samplers"][0]["interpolation"] = json!("BEZIER")),
            ("node 40", |source| source.json["animations"][0]["channels"][0]["target"]["node"] = json!(40)),
            ("increase", |source| {
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
                warnings.iter().any(|it| it.contains(word) && it.contains("animation \"move\"")),
                "{word}: {warnings:?}"
            );
        }
        assert!(changed(|_| {}).1.is_empty());
    }
}
