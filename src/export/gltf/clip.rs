//! One clip as a glTF animation.

use glam::{Quat, Vec3};
use serde_json::{Value, json};

use super::edits::ClipEdit;
use super::region::Region;
use crate::anim::{Curve, GltfSource, Interpolation, Skeleton};
use crate::export::ExportError;

/// The file that clips are written into.
pub(super) struct Target<'a> {
    pub source: &'a GltfSource,
    pub skeleton: &'a Skeleton,
    /// Whether the written file has meshes for morph weights to move.
    pub morphs: bool,
}

/// The animation entry for `edit`, its new keys stored in `region`.
pub(super) fn animation(target: &Target, edit: &ClipEdit, region: &mut Region) -> Result<Value, ExportError> {
    let mut lists = Lists { samplers: Vec::new(), channels: Vec::new() };
    for (index, (joint, tracks)) in target.skeleton.joints.iter().zip(&edit.clip.tracks).enumerate() {
        if !tracks.is_empty() && target.source.json.pointer(&format!("/nodes/{}", joint.node)).is_none() {
            let file = target.source.path.display().to_string();
            return Err(ExportError::ForeignJoint { joint: joint.name.clone(), file });
        }
        let old = edit.original.and_then(|(_, clip)| clip.tracks.get(index));
        let at = Place {
            target,
            edit,
            node: joint.node,
            joint: &joint.name,
            old: edit.original.map(|(animation, _)| animation),
        };
        let same = |equal: bool| equal && old.is_some();
        let vec3 = |values: &[Vec3]| values.iter().flat_map(|it| it.to_array()).collect();
        if let Some(curve) = &tracks.translation {
            let same =
                same(old.is_some_and(|old| {
                    old.translation.as_ref().is_some_and(|old| equal(old, curve, |v| v.to_array()))
                }));
            at.add(("translation", "VEC3", 1), curve, same, region, &mut lists, vec3)?;
        }
        if let Some(curve) = &tracks.rotation {
            let same = same(
                old.is_some_and(|old| old.rotation.as_ref().is_some_and(|old| equal(old, curve, |q| q.to_array()))),
            );
            let cubic = curve.interpolation == Interpolation::CubicSpline;
            at.add(("rotation", "VEC4", 1), curve, same, region, &mut lists, |values| unit_quaternions(values, cubic))?;
        }
        if let Some(curve) = &tracks.scale {
            let same =
                same(old.is_some_and(|old| old.scale.as_ref().is_some_and(|old| equal(old, curve, |v| v.to_array()))));
            at.add(("scale", "VEC3", 1), curve, same, region, &mut lists, vec3)?;
        }
        if let (Some(curve), true) = (&tracks.morphs, target.morphs) {
            let same = same(old.is_some_and(|old| old.morphs.as_ref().is_some_and(|old| equal(old, curve, |w| [w]))));
            at.add(("weights", "SCALAR", joint.morph_count), curve, same, region, &mut lists, <[f32]>::to_vec)?;
        }
    }
    if lists.channels.is_empty() {
        return Err(ExportError::EmptyClip { clip: edit.clip.name.clone() });
    }
    Ok(json!({ "name": edit.clip.name, "channels": lists.channels, "samplers": lists.samplers }))
}

struct Lists {
    samplers: Vec<Value>,
    channels: Vec<Value>,
}

struct Place<'a> {
    target: &'a Target<'a>,
    edit: &'a ClipEdit<'a>,
    node: usize,
    joint: &'a str,
    old: Option<usize>,
}

impl Place<'_> {
    fn add<T>(
        &self,
        (path, kind, width): (&'static str, &'static str, usize),
        curve: &Curve<T>,
        same: bool,
        region: &mut Region,
        lists: &mut Lists,
        floats: impl Fn(&[T]) -> Vec<f32>,
    ) -> Result<(), ExportError> {
        let stored = if same { self.old.and_then(|animation| self.stored(animation, path)) } else { None };
        let sampler = match stored {
            Some(sampler) => sampler,
            None => {
                let values = floats(&curve.values);
                self.check(path, curve, width, &values)?;
                let interpolation = match curve.interpolation {
                    Interpolation::Step => "STEP",
                    Interpolation::Linear => "LINEAR",
                    Interpolation::CubicSpline => "CUBICSPLINE",
                };
                let (input, output) = (region.times(&curve.times), region.values(kind, &values));
                json!({ "input": input, "interpolation": interpolation, "output": output })
            }
        };
        lists.channels.push(json!({ "sampler": lists.samplers.len(), "target": { "node": self.node, "path": path } }));
        lists.samplers.push(sampler);
        Ok(())
    }

    /// The sampler of the file that already moves this node so.
    fn stored(&self, animation: usize, path: &str) -> Option<Value> {
        let animation = self.target.source.json.get("animations")?.get(animation)?;
        let moves = |channel: &&Value| {
            channel.pointer("/target/node").and_then(Value::as_u64) == Some(self.node as u64)
                && channel.pointer("/target/path").and_then(Value::as_str) == Some(path)
        };
        let channel = animation.get("channels")?.as_array()?.iter().find(moves)?;
        animation.get("samplers")?.get(usize::try_from(channel.get("sampler")?.as_u64()?).ok()?).cloned()
    }

    fn check<T>(&self, path: &'static str, curve: &Curve<T>, width: usize, floats: &[f32]) -> Result<(), ExportError> {
        let rows = if curve.interpolation == Interpolation::CubicSpline { 3 } else { 1 };
        let needed = curve.times.len() * rows * width;
        let reason = if curve.times.is_empty() {
            "has no keys".to_owned()
        } else if !curve.times.iter().all(|time| time.is_finite() && *time >= 0.0)
            || !curve.times.is_sorted_by(|a, b| a < b)
        {
            "has key times that do not increase from 0".to_owned()
        } else if curve.values.len() != needed || needed == 0 {
            format!("has {} values where its {} keys need {needed}", curve.values.len(), curve.times.len())
        } else if !floats.iter().all(|float| float.is_finite()) {
            "has a key that is not a number".to_owned()
        } else {
            return Ok(());
        };
        Err(ExportError::BadCurve { clip: self.edit.clip.name.clone(), joint: self.joint.to_owned(), path, reason })
    }
}

/// Equal to the last bit, so that −0 and 0 differ.
fn equal<T: Copy, const N: usize>(a: &Curve<T>, b: &Curve<T>, parts: impl Fn(T) -> [f32; N]) -> bool {
    let bits = |value: &T| parts(*value).map(f32::to_bits);
    let times = |curve: &Curve<T>| curve.times.iter().map(|time| time.to_bits()).collect::<Vec<_>>();
    a.interpolation == b.interpolation
        && times(a) == times(b)
        && a.values.iter().map(bits).eq(b.values.iter().map(bits))
}

/// Rotations at length 1; those that already are keep their bits, and the tangents of splines keep their length.
fn unit_quaternions(values: &[Quat], cubic: bool) -> Vec<f32> {
    let unit = |(i, value): (usize, &Quat)| {
        let rotation = !cubic || i % 3 == 1;
        let off = (value.length_squared() - 1.0).abs() > 1e-6;
        let value = if rotation && off { value.as_dquat().normalize().as_quat() } else { *value };
        value.to_array()
    };
    values.iter().enumerate().flat_map(unit).collect()
}
