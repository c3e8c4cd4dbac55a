//! Writes clips as animation stacks.

use super::curves::{self, JointKeys, Keys, Precision};
use super::objects::{ROOT, Scene};
use super::record::{Property, Record};
use super::rotation_order::RotationOrder;
use crate::export::markers::ClipMarkers;
use portamento_anim::{Clip, Curve, Model};

/// FBX time units per second.
const TICKS_PER_SECOND: f64 = 46_186_158_000.0;
/// Interpolation flags of FBX keys: constant and linear.
const CONSTANT_FLAG: i32 = 2;
const LINEAR_FLAG: i32 = 4;
/// Largest error of rotations between keys in radians, and of offsets relative to the body size. A body may be off by 1e-5 of its
/// size; the levers of a chain of joints add up to some four sizes.
const FIT_TOLERANCE: f64 = 2.5e-6;

/// Smallest distance of added keys in frames: 1/64 is above it, 1/128 below.
const MIN_KEY_DISTANCE_FRAMES: f64 = 0.015;

/// The scene objects that clips animate.
pub(super) struct Targets<'a> {
    /// The object of each joint, or [`ROOT`] if it is left out and not animated.
    pub joints: &'a [i64],
    /// The rotation order of each joint.
    pub orders: &'a [RotationOrder],
    /// The objects of the blend shape channels of each joint.
    pub channels: &'a [Vec<Vec<i64>>],
    /// True for each joint that has keys even in clips that do not animate it.
    pub always: &'a [bool],
    /// Markers of clips by clip name.
    pub markers: &'a [ClipMarkers],
}

/// Adds a stack for every clip of `model`.
pub(super) fn add(scene: &mut Scene, model: &Model, targets: &Targets) {
    for clip in &model.clips {
        stack(scene, model, clip, targets);
    }
}

/// Returns the frame rate stored in the file. It is that of the first clip, or 30 without clips.
pub(super) fn rate(model: &Model) -> f64 {
    model.clips.first().map_or(30.0, Clip::fps)
}

/// Converts seconds to FBX time units.
pub(super) fn ticks(seconds: f64) -> i64 {
    (seconds * TICKS_PER_SECOND).round() as i64
}

/// Adds a stack with one layer and the curves of `clip`. Joints in [`Targets::always`] that it does not animate get a key
/// at rest.
fn stack(scene: &mut Scene, model: &Model, clip: &Clip, targets: &Targets) {
    let size = f64::from(model.rest_bounds().size().max_element()).max(1e-6);
    let precision = Precision { tolerance: FIT_TOLERANCE, min_key_distance: MIN_KEY_DISTANCE_FRAMES / rate(model) };
    let offset_precision = Precision { tolerance: FIT_TOLERANCE * size, ..precision };
    let (stack, layer) = (scene.id(), scene.id());
    let time = |name: &str, seconds: f64| Record::setting([name, "KTime", "Time", ""]).with(ticks(seconds));
    let range =
        [("LocalStart", 0.0), ("LocalStop", clip.duration), ("ReferenceStart", 0.0), ("ReferenceStop", clip.duration)];
    let markers = targets.markers.iter().find(|markers| markers.clip == clip.name);
    let settings = range
        .map(|(name, seconds)| time(name, seconds))
        .into_iter()
        .chain(markers.into_iter().flat_map(user_properties));
    let settings = Record::settings(settings);
    scene.add(Record::object("AnimationStack", stack, &clip.name, "").child(settings));
    scene.add(Record::object("AnimationLayer", layer, "BaseLayer", "").child(Record::new("Properties70")));
    scene.connect(layer, stack);
    let joints = model.skeleton.joints.iter().zip(&clip.tracks).enumerate();
    for (index, (joint, tracks)) in joints {
        let id = targets.joints[index];
        let mut curve_node = |name: &str, target: i64, property: &str, lanes: &[&str], keys: &Keys| {
            let node = scene.id();
            let first = |lane: usize| f64::from(keys.lanes[lane].first().copied().unwrap_or(0.0));
            let defaults = lanes.iter().enumerate();
            let defaults = defaults.map(|(at, lane)| Record::setting([lane, "Number", "", "A"]).with(first(at)));
            scene.add(Record::object("AnimationCurveNode", node, name, "").child(Record::settings(defaults)));
            scene.connect(node, layer);
            scene.connect_to(node, target, property);
            for (lane, values) in lanes.iter().zip(&keys.lanes) {
                let id = scene.id();
                scene.add(curve(id, keys, values));
                scene.connect_to(id, node, lane);
            }
        };
        let axes = ["d|X", "d|Y", "d|Z"];
        let moves = tracks.translation.is_some() || tracks.rotation.is_some() || tracks.scale.is_some();
        // A single curve makes readers use the rest values for the rest of the joint.
        let constant = (targets.always[index] && !moves && id != ROOT)
            .then(|| Curve::linear(vec![0.0], vec![joint.rest.rotation]));
        let rotation = tracks.rotation.as_ref().or(constant.as_ref());
        let keys = JointKeys::new(tracks, rotation, targets.orders[index], [offset_precision, precision]);
        let parts = [
            ("T", "Lcl Translation", keys.translation),
            ("R", "Lcl Rotation", keys.rotation),
            ("S", "Lcl Scaling", keys.scale),
        ];
        for (name, property, keys) in parts {
            if let Some(keys) = keys {
                curve_node(name, id, property, &axes, &keys);
            }
        }
        let Some(weights) = &tracks.morphs else { continue };
        for channels in &targets.channels[index] {
            for (shape, &channel) in channels.iter().enumerate().take(joint.morph_count) {
                let keys = curves::weights(weights, joint.morph_count, shape, precision);
                curve_node("DeformPercent", channel, "DeformPercent", &["d|DeformPercent"], &keys);
            }
        }
    }
}

/// Returns the user properties of a clip: whether it repeats, and its markers as JSON.
fn user_properties(markers: &ClipMarkers) -> [Record; 2] {
    let marker_list = markers.to_json()["markers"].to_string();
    [
        Record::setting(["loop", "bool", "", "U"]).with(i32::from(markers.loops)),
        Record::setting(["markers", "KString", "", "U"]).with(marker_list.as_str()),
    ]
}

/// Returns an animation curve with the object id `id` and `values` at the times of `keys`, of which there are as many.
fn curve(id: i64, keys: &Keys, values: &[f32]) -> Record {
    let flags = if keys.is_stepped { CONSTANT_FLAG } else { LINEAR_FLAG };
    Record::object("AnimationCurve", id, "", "").children([
        Record::of("Default", f64::from(values.first().copied().unwrap_or(0.0))),
        Record::of("KeyVer", 4008),
        Record::of("KeyTime", Property::Longs(keys.times.iter().map(|&time| ticks(time)).collect())),
        Record::of("KeyValueFloat", Property::Floats(values.to_vec())),
        // One set of flags for all keys. Linear and constant keys need no tangents.
        Record::of("KeyAttrFlags", vec![flags]),
        Record::of("KeyAttrDataFloat", Property::Floats(vec![0.0; 4])),
        Record::of("KeyAttrRefCount", vec![values.len() as i32]),
    ])
}
