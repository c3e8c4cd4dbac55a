//! The script is compiled with a stub of Unity's documented API and imports the files of a set there. No editor was run.

use std::process::Command;

use serde_json::{Value, json};

use super::*;
use crate::export::clip_set::tests::{chain, gait, index, measured, ring, strikes};
use crate::export::clip_set::{Contact, DistanceKeys, IndexedClip, IndexedEvent, IndexedFoot, SetIndex};
use portamento_sets::SetKind;

/// Imports the files of `set` except `left_out`, and all of them `rounds` times; returns the settings and calls. `None` without Mono.
fn imported(set: &SetIndex, left_out: Option<usize>, rounds: u32) -> Option<Vec<Value>> {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    std::fs::write(at("PortamentoSets.cs"), SCRIPT).unwrap();
    std::fs::write(at("UnityStub.cs"), include_str!("UnityStub.cs")).unwrap();
    let sources = ["PortamentoSets.cs", "UnityStub.cs"].map(at);
    let Ok(compiled) = Command::new("mcs").arg(format!("-out:{}", at("run.exe").display())).args(sources).output()
    else {
        portamento_test_support::skipped("PORTAMENTO_REQUIRE_MONO", "mcs of Mono is not installed");
        return None;
    };
    assert!(compiled.status.success(), "{}", String::from_utf8_lossy(&compiled.stderr));
    let assets = at("assets");
    std::fs::create_dir(&assets).unwrap();
    std::fs::write(assets.join("set.set.json"), set.json()).unwrap();
    for (at, member) in set.members.iter().enumerate() {
        if Some(at) != left_out {
            std::fs::write(assets.join(&member.file), &member.clip).unwrap();
        }
    }
    let ran = Command::new("mono").arg(at("run.exe")).arg(&assets).arg(rounds.to_string()).output().unwrap();
    assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
    let lines = String::from_utf8(ran.stdout).unwrap();
    Some(lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect())
}

/// Returns `set` with its members in FBX files that are named by their number.
fn with_fbx(mut set: SetIndex) -> SetIndex {
    for (at, member) in set.members.iter_mut().enumerate() {
        member.file = format!("{at}.fbx");
    }
    set
}

fn has(calls: &[Value], call: Value) {
    assert!(calls.contains(&call), "{call} is not among {calls:#?}");
}

#[test]
fn a_ring_becomes_a_blend_tree_with_its_clips_at_their_velocities() {
    let Some(calls) = imported(&with_fbx(ring()), None, 1) else { return };
    has(&calls, json!(["tree", "set", "FreeformCartesian2D", "right", "forward", false]));
    let children: Vec<&Value> = calls.iter().filter(|call| call[0] == "child").collect();
    assert_eq!(children.len(), 5);
    has(&calls, json!(["child", "walk_left", -1.2, 0]));
    has(&calls, json!(["parameter", "forward", "Float"]));
    let line = [gait("run", 4.0, 0.0), gait("walk", 1.5, 0.0)].map(|clip| measured(clip, 0.0, 0.0));
    let calls = imported(&with_fbx(index(SetKind::Ring, &line, None)), None, 1).unwrap();
    has(&calls, json!(["tree", "set", "Simple1D", "forward", "", false]));
    let children: Vec<&Value> = calls.iter().filter(|call| call[0] == "child").map(|call| &call[1]).collect();
    assert_eq!(children, ["walk", "run"], "thresholds increase");
}

#[test]
fn clips_get_loop_root_transform_events_and_curves() {
    let mut set = with_fbx(ring());
    let member = &mut set.members[1];
    (member.seconds, member.travel_m, member.turn_deg) = (2.0, 3.0, 1.0);
    member.feet = vec![IndexedFoot {
        name: "left_foot".into(),
        contacts: vec![Contact { begin: 0.5, end: 1.0 }, Contact { begin: 1.5, end: 2.0 }],
        ..IndexedFoot::default()
    }];
    member.events = vec![IndexedEvent { name: "hit".into(), time: 0.5, until: None }];
    member.distance = DistanceKeys { times: vec![0.0, 1.0, 2.0], metres: vec![3.0, 1.0, 0.0] };
    (set.members[2].in_place, set.members[2].climb_m) = (true, 0.5);
    let Some(calls) = imported(&set, None, 1) else { return };
    // Name, loop time, loop pose, then what is baked into the pose: position, height, rotation.
    has(&calls, json!(["clip", "walk_fwd", true, false, false, true, true]));
    has(&calls, json!(["clip", "walk_right", true, false, true, false, true]));
    has(&calls, json!(["event", "walk_fwd", "OnClipEvent", "hit", 0.25]));
    has(&calls, json!(["curve", "walk_fwd", "left_foot", [0, 0.25, 0.5, 0.75], [0, 1, 0, 1]]));
    has(&calls, json!(["curve", "walk_fwd", "distance", [0, 0.5, 1], [3, 1, 0]]));
}

#[test]
fn a_chain_becomes_states_that_change_at_their_ends_and_on_request() {
    let Some(calls) = imported(&with_fbx(chain()), None, 1) else { return };
    for call in [
        json!(["default", "start"]),
        json!(["state", "loop", "loop"]),
        // Exit time, its fraction, fixed duration, seconds.
        json!(["transition", "start", "loop", true, 1, true, 0]),
        json!(["transition", "loop", "stop", true, 1, true, 0.2]),
        json!(["parameter", "to stop", "Trigger"]),
        json!(["condition", "If", "to stop"]),
    ] {
        has(&calls, call);
    }
    let calls = imported(&with_fbx(strikes()), None, 1).unwrap();
    has(&calls, json!(["default", "idle"]));
    has(&calls, json!(["transition", "idle", "kick", false, 1, true, 0.2]));
    has(&calls, json!(["transition", "kick", "idle", true, 1, true, 0]));
}

#[test]
fn a_second_import_empties_the_controller_and_a_missing_clip_is_named() {
    let Some(calls) = imported(&with_fbx(chain()), None, 2) else { return };
    assert_eq!(calls.iter().filter(|call| call[0] == "controller").count(), 1);
    assert_eq!(calls.iter().filter(|call| call[0] == "state").count(), 3);
    let calls = imported(&with_fbx(chain()), Some(1), 1).unwrap();
    let warning = "The set set has no controller, because the clip loop is not imported.";
    has(&calls, json!(["warning", warning]));
    assert!(!calls.iter().any(|call| call[0] == "controller"));
}

#[test]
fn names_never_leave_their_string() {
    let hostile = ["\"); throw null; //", "a\nb", "${x}\\", "\"\"\"", "*/ } }", "é 走 \u{2028}😀", "a.b/c", "\t"];
    let clips = hostile.map(|name| measured(IndexedClip { loops: false, ..gait(name, 1.0, 0.0) }, 0.0, 0.0));
    let mut set = with_fbx(index(SetKind::Chain, &clips, None));
    for member in &mut set.members {
        member.events = vec![IndexedEvent { name: member.clip.clone(), time: 0.0, until: None }];
    }
    let Some(calls) = imported(&set, None, 1) else { return };
    for name in hostile {
        has(&calls, json!(["state", name.replace(['.', '/'], "_"), name]));
        has(&calls, json!(["event", name, "OnClipEvent", name, 0]));
    }
}
