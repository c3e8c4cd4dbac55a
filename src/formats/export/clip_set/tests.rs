use serde_json::{Value, json};

use super::*;
use crate::export::markers::{ClipMarkers, Marker};
use glam::DVec3;
use portamento_sets::EndPose;

/// A looping gait of this speed (m/s) in this direction (degrees).
pub(crate) fn gait(name: &str, speed_mps: f64, direction_deg: f64) -> IndexedClip {
    IndexedClip {
        file: format!("{name}.glb"),
        clip: name.into(),
        loops: true,
        seconds: 1.0,
        speed_mps,
        direction_deg,
        ..IndexedClip::default()
    }
}

/// A measured clip whose only joint is at `begin` metres in the first pose and at `end` in the last.
pub(crate) fn measured(clip: IndexedClip, begin: f64, end: f64) -> MeasuredClip {
    let pose =
        |at: f64| EndPose { joints: [("hips".into(), [DVec3::X * at, DVec3::ZERO])].into(), ..EndPose::default() };
    MeasuredClip { clip, ends: Some([pose(begin), pose(end)]), aim: None, front: "+z" }
}

/// A set of this kind.
pub(crate) fn index(kind: SetKind, members: &[MeasuredClip], stance: Option<usize>) -> SetIndex {
    SetIndex::new("set", &SetRequirements { kind, ..SetRequirements::default() }, members, stance)
}

/// A ring of gaits to all sides and standing.
pub(crate) fn ring() -> SetIndex {
    let gaits = [
        gait("idle", 0.0, 0.0),
        gait("walk_fwd", 1.5, 0.0),
        gait("walk_right", 1.2, 90.0),
        gait("walk_back", 1.0, 180.0),
        gait("walk_left", 1.2, -90.0),
    ];
    index(SetKind::Ring, &gaits.map(|clip| measured(clip, 0.0, 0.0)), None)
}

/// A chain of start, loop and stop. The loop begins where the start ends; the stop begins 5 cm from the end of the loop.
pub(crate) fn chain() -> SetIndex {
    let once = |name: &str| IndexedClip { loops: false, ..gait(name, 1.0, 0.0) };
    let clips = [
        measured(once("start"), 0.0, 0.1),
        measured(gait("loop", 1.0, 0.0), 0.1, 0.1),
        measured(once("stop"), 0.15, 0.0),
    ];
    index(SetKind::Chain, &clips, None)
}

/// Two strikes around a stance.
pub(crate) fn strikes() -> SetIndex {
    let once = |name: &str| IndexedClip { loops: false, ..gait(name, 0.0, 0.0) };
    let clips = [once("punch"), once("kick"), gait("idle", 0.0, 0.0)];
    index(SetKind::Strikes, &clips.map(|clip| measured(clip, 0.0, 0.0)), Some(2))
}

#[test]
fn gaits_to_all_sides_span_two_axes_and_gaits_along_a_line_one() {
    let space = ring().blend_space.unwrap();
    let positions: Vec<&[f64]> = space.samples.iter().map(|sample| &sample.position[..]).collect();
    assert_eq!(positions, [&[0.0, 0.0][..], &[0.0, 1.5], &[1.2, 0.0], &[0.0, -1.0], &[-1.2, 0.0]]);
    assert_eq!((space.axes[0].name.as_str(), space.axes[0].min, space.axes[0].max), ("right", -1.2, 1.2));
    assert!(space.spans_area());
    let line = |gaits: &[IndexedClip]| BlendSpace::of_gaits(gaits.iter().enumerate());
    let along = line(&[gait("idle", 0.0, 0.0), gait("walk", 1.5, 5.0), gait("back", 1.0, 178.0)]).unwrap();
    let positions: Vec<f64> = along.samples.iter().map(|sample| sample.position[0]).collect();
    assert_eq!((along.axes.len(), along.axes[0].name.as_str(), positions), (1, "forward", vec![0.0, 1.5, -1.0]));
    let aside = line(&[gait("left", 1.0, -90.0), gait("right", 1.0, 90.0)]).unwrap();
    assert_eq!((aside.axes[0].name.as_str(), aside.axes[0].min), ("right", -1.0));
    let two = line(&[gait("walk", 1.0, 0.0), gait("right", 1.0, 90.0)]).unwrap();
    assert!(two.axes.len() == 2 && !two.spans_area(), "two points are a line");
    assert_eq!(line(&[gait("walk", 1.0, 0.0), gait("walk 2", 1.0, 0.0)]), None, "both are at one position");
}

#[test]
fn an_aim_grid_has_its_poses_at_yaw_and_pitch_from_the_middle() {
    let pose = |name: &str, aim| MeasuredClip { aim, ..measured(gait(name, 0.0, 0.0), 0.0, 0.0) };
    let poses =
        [pose("aim", Some([5.0, 1.0])), pose("aim_up", Some([5.0, 31.0])), pose("aim_left_down", Some([-40.0, -29.0]))];
    let space = index(SetKind::AimGrid, &poses, None).blend_space.unwrap();
    let positions: Vec<&[f64]> = space.samples.iter().map(|sample| &sample.position[..]).collect();
    assert_eq!(positions, [&[0.0, 0.0][..], &[0.0, 30.0], &[-45.0, -30.0]]);
    assert_eq!((space.axes[0].name.as_str(), space.axes[1].max, space.axes[0].unit.as_str()), ("yaw", 30.0, "deg"));
    let row =
        [pose("aim", Some([0.0, 0.2])), pose("aim_left", Some([-40.0, 0.0])), pose("aim_right", Some([40.0, 0.0]))];
    let row = index(SetKind::AimGrid, &row, None).blend_space.unwrap();
    assert_eq!((row.axes.len(), row.axes[0].name.as_str(), row.samples[1].position[0]), (1, "yaw", -40.0));
    assert_eq!(index(SetKind::AimGrid, &[poses[0].clone(), pose("aim_up", None)], None).blend_space, None);
}

#[test]
fn a_chain_is_followed_at_its_ends_and_fades_where_poses_do_not_meet() {
    let [first, second] = chain().transitions[..] else { panic!() };
    assert_eq!((first.from, first.to, first.trigger, first.fade_s), (0, 1, Trigger::Automatic, 0.0));
    assert_eq!((second.from, second.to, second.trigger), (1, 2, Trigger::Request));
    assert_eq!((second.begins, second.fade_s, second.pose_gap_m), (Begins::AtEnd, 0.2, Some(0.05)));
}

#[test]
fn strikes_begin_from_the_stance_at_any_time_and_return_at_their_end() {
    let changes: Vec<_> =
        strikes().transitions.iter().map(|change| (change.from, change.to, change.begins, change.fade_s)).collect();
    let wanted = [
        (2, 0, Begins::AtOnce, 0.2),
        (0, 2, Begins::AtEnd, 0.0),
        (2, 1, Begins::AtOnce, 0.2),
        (1, 2, Begins::AtEnd, 0.0),
    ];
    assert_eq!(changes, wanted);
}

#[test]
fn contacts_are_grouped_by_foot_and_the_rest_are_events() {
    let marker = |name: &str, time: f64, until: Option<f64>| Marker { name: name.into(), time, until };
    let markers = vec![
        marker("left_foot_stands", 0.1, Some(0.40000004)),
        marker("hit", 0.25, None),
        marker("nobody_stands", 0.5, Some(0.6)),
    ];
    let markers = ClipMarkers { clip: "walk".into(), markers, duration: 1.0, ..ClipMarkers::default() };
    let feet = ["left_foot", "right_foot"].map(|name| IndexedFoot { name: name.into(), ..IndexedFoot::default() });
    let clip = IndexedClip::new("walk.glb".into(), None, &markers, feet.into());
    assert_eq!(clip.feet[0].contacts, [Contact { begin: 0.1, end: 0.4 }]);
    assert_eq!(clip.feet[1].contacts, []);
    let events: Vec<&str> = clip.events.iter().map(|event| &*event.name).collect();
    assert_eq!(events, ["hit", "nobody_stands"]);
}

/// True if `value` has only documented fields, all that are required, and no nested arrays.
fn fits(schema: &Value, value: &Value, all: &Value) -> bool {
    let schema = match schema["$ref"].as_str() {
        Some(name) => &all["$defs"][name.trim_start_matches("#/$defs/")],
        None => schema,
    };
    let is_listed = |list: &Value, value: &Value| list.as_array().is_some_and(|list| list.contains(value));
    match value {
        Value::Object(fields) => {
            let required = schema["required"].as_array().cloned().unwrap_or_default();
            required.iter().all(|name| fields.contains_key(name.as_str().unwrap()))
                && fields.iter().all(|(name, value)| {
                    schema["properties"].get(name).is_some_and(|property| fits(property, value, all))
                })
        }
        Value::Array(items) => {
            schema["type"] == "array" && items.iter().all(|item| !item.is_array() && fits(&schema["items"], item, all))
        }
        Value::String(_) if !schema["enum"].is_null() => is_listed(&schema["enum"], value),
        other if !schema["const"].is_null() => schema["const"] == *other,
        Value::String(_) => schema["type"] == "string",
        Value::Bool(_) => schema["type"] == "boolean",
        Value::Number(number) if number.is_u64() || number.is_i64() => {
            schema["type"] == "integer" || schema["type"] == "number"
        }
        Value::Number(_) => schema["type"] == "number",
        Value::Null => false,
    }
}

#[test]
fn an_index_has_the_fields_of_its_schema() {
    let schema: Value = serde_json::from_str(SCHEMA).unwrap();
    for mut index in [ring(), chain(), strikes()] {
        let member = &mut index.members[0];
        let foot = IndexedFoot { phase: Some(0.5), contacts: vec![Contact::default()], ..IndexedFoot::default() };
        (member.feet, member.fps, member.frames, member.strides) = (vec![foot], Some(30.0), Some(31), Some(1));
        member.distance = DistanceKeys { times: vec![0.0, 1.0], metres: vec![1.0, 0.0] };
        member.root = Some("root".into());
        member.events = vec![IndexedEvent { name: "hit \"\"\" ${x}\n".into(), time: 0.5, until: Some(0.6) }];
        let json: Value = serde_json::from_str(&index.json()).unwrap();
        assert!(fits(&schema, &json, &schema), "{json:#}");
        assert_eq!(json["members"][0]["events"][0]["name"], "hit \"\"\" ${x}\n");
    }
    assert!(!fits(&schema, &json!({ "version": 1 }), &schema));
}

#[test]
fn numbers_have_six_decimals_and_no_negative_zero() {
    assert_eq!([1.0 / 3.0, -1e-9, 0.1 + 0.2].map(rounded), [0.333333, 0.0, 0.3]);
    assert!(rounded(-1e-9).is_sign_positive());
}
