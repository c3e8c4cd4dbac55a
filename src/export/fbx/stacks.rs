//! Clips as animation stacks.

use super::curves::{self, Fineness, Keys};
use super::objects::{ROOT, Scene};
use super::record::{Property, Record};
use super::rotation_order::RotationOrder;
use crate::anim::{Clip, Curve, Model};
use crate::export::markers::ClipMarkers;

/// FBX counts time in these per second.
const TICKS: f64 = 46_186_158_000.0;
/// Keys' interpolations as FBX flags them.
const CONSTANT: i32 = 2;
const LINEAR: i32 = 4;
/// Largest error of rotations between keys, radians, and of offsets by the size of the body: a tenth of what is promised for a chain.
const TOLERANCE: f64 = 1e-5;

/// Keys that are added between two frames are at least this part of a frame apart: 1/64 is more, 1/128 less.
const PART_OF_FRAME: f64 = 0.015;

/// What of the scene the clips move.
pub(super) struct Targets<'a> {
    /// The object of each joint; [`ROOT`] where it is left out, and then nothing moves it.
    pub joints: &'a [i64],
    /// In which order the angles of each joint turn.
    pub orders: &'a [RotationOrder],
    /// For each joint the objects of its blend shape channels.
    pub channels: &'a [Vec<Vec<i64>>],
    /// Whether each joint has keys even where a clip does not move it.
    pub always: &'a [bool],
    /// What happens when in the clips of these names.
    pub markers: &'a [ClipMarkers],
}

/// Adds every clip of `model`.
pub(super) fn add(scene: &mut Scene, model: &Model, targets: &Targets) {
    for clip in &model.clips {
        stack(scene, model, clip, targets);
    }
}

/// Frames per second that the file says it has.
pub(super) fn rate(model: &Model) -> f64 {
    model.clips.first().map_or(30.0, Clip::fps)
}

/// Seconds in FBX's own.
pub(super) fn ticks(seconds: f64) -> i64 {
    (seconds * TICKS).round() as i64
}

fn stack(scene: &mut Scene, model: &Model, clip: &Clip, targets: &Targets) {
    let size = f64::from(model.rest_bounds().size().max_element()).max(1e-6);
    let fine = Fineness { tolerance: TOLERANCE, nearest: PART_OF_FRAME / rate(model) };
    let fine_places = Fineness { tolerance: TOLERANCE * size, ..fine };
    let (stack, layer) = (scene.id(), scene.id());
    let time = |name: &str, seconds: f64| Record::setting([name, "KTime", "Time", ""]).with(ticks(seconds));
    let range =
        [("LocalStart", 0.0), ("LocalStop", clip.duration), ("ReferenceStart", 0.0), ("ReferenceStop", clip.duration)];
    let told = targets.markers.iter().find(|told| told.clip == clip.name);
    let settings = range.map(|(name, seconds)| time(name, seconds)).into_iter().chain(told.into_iter().flat_map(user));
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
        // One curve makes a reader take all else of the joint from where it rests.
        let held = (targets.always[index] && !moves && id != ROOT)
            .then(|| Curve::linear(vec![0.0], vec![joint.rest.rotation]));
        let rotation = tracks.rotation.as_ref().or(held.as_ref());
        if let Some(keys) = tracks.translation.as_ref().map(|curve| curves::vectors(curve, fine_places)) {
            curve_node("T", id, "Lcl Translation", &axes, &keys);
        }
        if let Some(keys) = rotation.map(|curve| curves::angles(curve, targets.orders[index], fine)) {
            curve_node("R", id, "Lcl Rotation", &axes, &keys);
        }
        if let Some(keys) = tracks.scale.as_ref().map(|curve| curves::vectors(curve, fine)) {
            curve_node("S", id, "Lcl Scaling", &axes, &keys);
        }
        let Some(weights) = &tracks.morphs else { continue };
        for channels in &targets.channels[index] {
            for (shape, &channel) in channels.iter().enumerate().take(joint.morph_count) {
                let keys = curves::weights(weights, joint.morph_count, shape, fine);
                curve_node("DeformPercent", channel, "DeformPercent", &["d|DeformPercent"], &keys);
            }
        }
    }
}

/// The user properties that tell of a clip: whether it repeats, and its markers as JSON.
fn user(told: &ClipMarkers) -> [Record; 2] {
    let markers = told.to_json()["markers"].to_string();
    [
        Record::setting(["loop", "bool", "", "U"]).with(i32::from(told.loops)),
        Record::setting(["markers", "KString", "", "U"]).with(markers.as_str()),
    ]
}

fn curve(id: i64, keys: &Keys, values: &[f32]) -> Record {
    let flags = if keys.held { CONSTANT } else { LINEAR };
    Record::object("AnimationCurve", id, "", "").children([
        Record::of("Default", f64::from(values.first().copied().unwrap_or(0.0))),
        Record::of("KeyVer", 4008),
        Record::of("KeyTime", Property::Longs(keys.times.iter().map(|&time| ticks(time)).collect())),
        Record::of("KeyValueFloat", Property::Floats(values.to_vec())),
        // One set of flags for all keys: no tangents, which lines and steps have no use for.
        Record::of("KeyAttrFlags", vec![flags]),
        Record::of("KeyAttrDataFloat", Property::Floats(vec![0.0; 4])),
        Record::of("KeyAttrRefCount", vec![values.len() as i32]),
    ])
}
