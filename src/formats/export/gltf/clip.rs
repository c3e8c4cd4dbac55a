//! Writes one clip as a glTF animation.

use glam::Quat;
use serde_json::{Value, json};

use super::buffer_ranges::float_bytes;
use super::clip_edit::ClipEdit;
use super::region::Region;
use crate::export::ExportError;
use portamento_anim::{Curve, GltfSource, Interpolation, Joint, JointTracks, Skeleton};

/// The file into which clips are written.
pub(super) struct Target<'a> {
    pub source: &'a GltfSource,
    pub skeleton: &'a Skeleton,
    /// True if clips are added to those of the file. They repeat no fault of its samplers, which would then count twice.
    pub adds: bool,
}

/// Returns the animation entry for `edit`. New keys are stored in `region`. Returns `Err` if a joint is not a node of the
/// file, a curve is invalid, or nothing is animated.
pub(super) fn animation(target: &Target, edit: &ClipEdit, region: &mut Region) -> Result<Value, ExportError> {
    let mut writer = Writer { target, edit, region, samplers: Vec::new(), channels: Vec::new() };
    let still = JointTracks::default();
    for (index, (joint, tracks)) in target.skeleton.joints.iter().zip(&edit.clip.tracks).enumerate() {
        if !tracks.is_empty() && target.source.json.pointer(&format!("/nodes/{}", joint.node)).is_none() {
            let file = target.source.path.display().to_string();
            return Err(ExportError::ForeignJoint { joint: joint.name.clone(), file });
        }
        let old = edit.original.and_then(|(_, clip)| clip.tracks.get(index)).unwrap_or(&still);
        writer.add(joint, &TRANSLATION, Curves::of(&tracks.translation, &old.translation), |value| value.to_array())?;
        // Rotations that the import normalised are stored again once the user has them repaired (`not_unit` differs).
        let is_repaired = tracks.not_unit != old.not_unit || target.adds && tracks.not_unit > 0;
        let old_rotation = if is_repaired { &None } else { &old.rotation };
        let rotation = tracks.rotation.as_ref().map(normalised);
        writer.add(joint, &ROTATION, Curves::of(&rotation, old_rotation), |value| value.to_array())?;
        writer.add(joint, &SCALE, Curves::of(&tracks.scale, &old.scale), |value| value.to_array())?;
        writer.add(joint, &WEIGHTS, Curves::of(&tracks.morphs, &old.morphs), |value| [value])?;
    }
    if writer.channels.is_empty() {
        return Err(ExportError::EmptyClip { clip: edit.clip.name.clone() });
    }
    Ok(json!({ "name": edit.clip.name, "channels": writer.channels, "samplers": writer.samplers }))
}

/// The property that a channel animates and the type of its values.
struct Path {
    name: &'static str,
    kind: &'static str,
}

const TRANSLATION: Path = Path { name: "translation", kind: "VEC3" };
const ROTATION: Path = Path { name: "rotation", kind: "VEC4" };
const SCALE: Path = Path { name: "scale", kind: "VEC3" };
const WEIGHTS: Path = Path { name: "weights", kind: "SCALAR" };

/// Builder of one animation entry.
struct Writer<'a> {
    target: &'a Target<'a>,
    edit: &'a ClipEdit<'a>,
    region: &'a mut Region,
    samplers: Vec<Value>,
    channels: Vec<Value>,
}

/// The new and the original curve of one property of a joint.
struct Curves<'a, T> {
    new: Option<&'a Curve<T>>,
    old: Option<&'a Curve<T>>,
}

impl<'a, T> Curves<'a, T> {
    /// Creates the pair of the `new` curve and the `old` one of the file.
    fn of(new: &'a Option<Curve<T>>, old: &'a Option<Curve<T>>) -> Self {
        Self { new: new.as_ref(), old: old.as_ref() }
    }
}

impl Writer<'_> {
    /// Adds the new curve, if there is one. If it equals the original bit by bit, the file's own sampler is reused. `parts`
    /// splits a value into its components.
    fn add<T: Copy, const N: usize>(
        &mut self,
        joint: &Joint,
        path: &Path,
        curves: Curves<T>,
        parts: impl Fn(T) -> [f32; N],
    ) -> Result<(), ExportError> {
        let Some(curve) = curves.new else { return Ok(()) };
        let stored =
            curves.old.filter(|old| is_bit_equal(old, curve, &parts)).and_then(|_| self.stored(joint.node, path));
        // The import corrects key times that the file must not have.
        let stored = stored.filter(|sampler| holds_times(self.target.source, sampler, &curve.times));
        let stored = match self.target.adds {
            true => stored.filter(|sampler| is_sound(self.target.source, sampler, curve, &parts)).map(known_fields),
            false => stored,
        };
        let sampler = match stored {
            Some(sampler) => sampler,
            None => self.store(joint, path, curve, &parts)?,
        };
        let channel = json!({ "sampler": self.samplers.len(), "target": { "node": joint.node, "path": path.name } });
        self.channels.push(channel);
        self.samplers.push(sampler);
        Ok(())
    }

    /// Stores the keys of `curve` and returns a sampler for them. Returns `Err` if the curve is invalid.
    fn store<T: Copy, const N: usize>(
        &mut self,
        joint: &Joint,
        path: &Path,
        curve: &Curve<T>,
        parts: &impl Fn(T) -> [f32; N],
    ) -> Result<Value, ExportError> {
        let floats: Vec<f32> = curve.values.iter().flat_map(|&value| parts(value)).collect();
        let width = if path.kind == "SCALAR" { joint.morph_count } else { 1 };
        if let Some(reason) = write_error(curve, width, &floats) {
            let (clip, joint) = (self.edit.clip.name.clone(), joint.name.clone());
            return Err(ExportError::BadCurve { clip, joint, path: path.name, reason });
        }
        let interpolation = match curve.interpolation {
            Interpolation::Step => "STEP",
            Interpolation::Linear => "LINEAR",
            Interpolation::CubicSpline => "CUBICSPLINE",
        };
        let (input, output) = (self.region.times(&curve.times), self.region.values(path.kind, &floats));
        Ok(json!({ "input": input, "interpolation": interpolation, "output": output }))
    }

    /// Returns the file's sampler for this property of the node; `None` if there is none, or more than one.
    fn stored(&self, node: usize, path: &Path) -> Option<Value> {
        let animation = self.target.source.json.get("animations")?.get(self.edit.original?.0)?;
        let moves = |channel: &&Value| {
            channel.pointer("/target/node").and_then(Value::as_u64) == Some(node as u64)
                && channel.pointer("/target/path").and_then(Value::as_str) == Some(path.name)
        };
        let mut channels = animation.get("channels")?.as_array()?.iter().filter(moves);
        // If two channels have the same target, only one was read, and it is not known which.
        let channel = channels.next().filter(|_| channels.next().is_none())?;
        animation.get("samplers")?.get(usize::try_from(channel.get("sampler")?.as_u64()?).ok()?).cloned()
    }
}

/// True if the input of `sampler` stores these key times. Where the bytes are sparse or compressed, their number and the
/// smallest one decide.
fn holds_times(source: &GltfSource, sampler: &Value, times: &[f32]) -> bool {
    let input = sampler.get("input").and_then(Value::as_u64).unwrap_or(u64::MAX) as usize;
    let Some(accessor) = source.json.pointer(&format!("/accessors/{input}")) else { return false };
    if let Some(bytes) = float_bytes(source, accessor) {
        return bytes.len() == 4 * times.len()
            && bytes.chunks_exact(4).zip(times).all(|(bytes, time)| *bytes == time.to_le_bytes());
    }
    let smallest = accessor.pointer("/min/0").and_then(Value::as_f64);
    accessor.get("count").and_then(Value::as_u64) == Some(times.len() as u64)
        && smallest.zip(times.first()).is_none_or(|(smallest, first)| smallest as f32 == *first)
}

/// True if the input of `sampler` has its bounds, and if its output stores the values of `curve`, which were normalised.
fn is_sound<T: Copy, const N: usize>(
    source: &GltfSource,
    sampler: &Value,
    curve: &Curve<T>,
    parts: &impl Fn(T) -> [f32; N],
) -> bool {
    let accessor = |key: &str| {
        let index = sampler.get(key).and_then(Value::as_u64)?;
        source.json.pointer(&format!("/accessors/{index}"))
    };
    let has = |input: &Value, bound: &str| input.pointer(bound).is_some_and(Value::is_number);
    let has_bounds = accessor("input").is_some_and(|input| has(input, "/min/0") && has(input, "/max/0"));
    let bytes = accessor("output").and_then(|output| float_bytes(source, output));
    let floats = curve.values.iter().flat_map(|&value| parts(value)).flat_map(f32::to_le_bytes);
    has_bounds && bytes.is_none_or(|bytes| bytes.iter().copied().eq(floats))
}

/// Returns `sampler` without fields that glTF does not know.
fn known_fields(sampler: Value) -> Value {
    let known = ["input", "interpolation", "output", "extras", "extensions"];
    let fields = sampler.as_object().into_iter().flatten().filter(|(key, _)| known.contains(&key.as_str()));
    fields.map(|(key, value)| (key.clone(), value.clone())).collect()
}

/// Returns the reason why the curve cannot be written, or `None`. There are `width` values per key. The reason is the rest
/// of a sentence, in English. `floats` are the components of all values.
fn write_error<T>(curve: &Curve<T>, width: usize, floats: &[f32]) -> Option<String> {
    let rows = if curve.interpolation == Interpolation::CubicSpline { 3 } else { 1 };
    let needed = curve.times.len() * rows * width;
    let is_increasing =
        curve.times.iter().all(|time| time.is_finite() && *time >= 0.0) && curve.times.is_sorted_by(|a, b| a < b);
    if curve.times.is_empty() {
        Some("has no keys".to_owned())
    } else if !is_increasing {
        Some("has key times that do not increase from 0".to_owned())
    } else if curve.values.len() != needed || needed == 0 {
        Some(format!("has {} values where its {} keys need {needed}", curve.values.len(), curve.times.len()))
    } else if !floats.iter().all(|float| float.is_finite()) {
        Some("has a key that is not a number".to_owned())
    } else {
        None
    }
}

/// True if both curves are equal bit by bit; −0 and 0 differ.
fn is_bit_equal<T: Copy, const N: usize>(a: &Curve<T>, b: &Curve<T>, parts: &impl Fn(T) -> [f32; N]) -> bool {
    let bits = |value: &T| parts(*value).map(f32::to_bits);
    let is_equal_time = |(a, b): (&f32, &f32)| a.to_bits() == b.to_bits();
    let has_equal_times =
        a.times.is_same(&b.times) || a.times.len() == b.times.len() && a.times.iter().zip(&b.times).all(is_equal_time);
    let has_equal_values = || {
        a.values.is_same(&b.values)
            || a.values.len() == b.values.len() && a.values.iter().zip(&b.values).all(|(a, b)| bits(a) == bits(b))
    };
    a.interpolation == b.interpolation && has_equal_times && has_equal_values()
}

/// Normalises rotations. Those of length 1 keep their bits, and tangents of splines keep their length.
fn normalised(curve: &Curve<Quat>) -> Curve<Quat> {
    let cubic = curve.interpolation == Interpolation::CubicSpline;
    let is_changed = |i: usize, value: &Quat| (!cubic || i % 3 == 1) && (value.length_squared() - 1.0).abs() > 1e-6;
    let mut normalised = curve.clone();
    if curve.values.iter().enumerate().any(|(i, value)| is_changed(i, value)) {
        let changed = normalised.values.iter_mut().enumerate().filter(|(i, value)| is_changed(*i, value));
        changed.for_each(|(_, value)| *value = value.as_dquat().normalize().as_quat());
    }
    normalised
}
