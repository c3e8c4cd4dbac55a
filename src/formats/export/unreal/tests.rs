use std::process::Command;

use super::*;
use glam::DVec3;

use crate::export::markers::{AdditiveReference, Marker, WarpWindow};

fn clip(name: &str) -> UnrealClip {
    let marker = |name: &str, time: f64, until: Option<f64>| Marker { name: name.into(), time, until };
    let markers = vec![marker("left_foot_stands", 0.2, Some(0.5)), marker("hit", 0.4, None)];
    UnrealClip {
        markers: ClipMarkers {
            clip: name.into(),
            fps: 10.0,
            duration: 1.0,
            loops: true,
            markers,
            ..ClipMarkers::default()
        },
        root_motion: true,
    }
}

/// Runs the script of `import` for a file `name` with the documented classes of Unreal and returns the calls, or the error. `set` are
/// environment variables of the stub.
fn calls(
    import: &UnrealImport,
    name: &str,
    set: &[(&str, &str)],
    arguments: &[&str],
) -> Option<Result<Vec<Value>, String>> {
    run(&import.script(Path::new(name)), name, set, arguments)
}

/// Runs the script `text` as [`calls`] does, in a folder with an empty file `name`.
pub(super) fn run(
    text: &str,
    name: &str,
    set: &[(&str, &str)],
    arguments: &[&str],
) -> Option<Result<Vec<Value>, String>> {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join(name), "").unwrap();
    std::fs::write(folder.path().join("unreal.py"), include_str!("unreal_stub.py")).unwrap();
    let script = folder.path().join("run.import.py");
    std::fs::write(&script, text).unwrap();
    let mut python = Command::new("python3");
    python.arg(&script).args(arguments).env("PYTHONPATH", folder.path()).envs(set.iter().copied());
    let Ok(output) = python.output() else {
        portamento_test_support::skipped("PORTAMENTO_REQUIRE_GL", "python3 is not installed");
        return None;
    };
    let [out, error] = [output.stdout, output.stderr].map(|text| String::from_utf8(text).unwrap());
    Some(if output.status.success() { Ok(serde_json::from_str(&out).unwrap()) } else { Err(error) })
}

fn has(calls: &[Value], call: Value) -> bool {
    calls.contains(&call)
}

#[test]
fn the_script_imports_with_documented_settings_and_sets_what_the_file_cannot_store() {
    let import = UnrealImport { fps: 30.0, has_mesh: true, clips: vec![clip("run")] };
    let set = [("IMPORTED", "A_hero_run"), ("SELECTED", "SK_hero")];
    let Some(calls) = calls(&import, "A_hero_run.fbx", &set, &[]) else { return };
    let calls = calls.unwrap();
    for call in [
        json!(["FbxImportUI.mesh_type_to_import", "FBXIT_ANIMATION"]),
        json!(["FbxImportUI.import_mesh", false]),
        json!(["FbxImportUI.skeleton", "Skeleton(selected_Skeleton)"]),
        json!(["FbxAnimSequenceImportData.custom_sample_rate", 30]),
        json!(["AssetImportTask.destination_path", "/Game/Portamento"]),
        json!(["AssetImportTask.destination_name", "A_hero_run"]),
        json!(["AnimSequence.loop", true]),
        json!(["set_root_motion_enabled", "AnimSequence(A_hero_run)", true]),
        json!(["set_additive_animation_type", "AnimSequence(A_hero_run)", "AAT_NONE"]),
        json!(["add_animation_notify_track", "AnimSequence(A_hero_run)", "Feet"]),
        json!(["add_animation_sync_marker", "AnimSequence(A_hero_run)", "left_foot_stands", 0.2, "Feet"]),
        json!(["add_animation_sync_marker", "AnimSequence(A_hero_run)", "hit", 0.4, "Events"]),
        json!(["add_curve", "AnimSequence(A_hero_run)", "left_foot_stands", "RCT_FLOAT"]),
        json!(["save_loaded_asset", "AnimSequence(A_hero_run)"]),
    ] {
        assert!(has(&calls, call.clone()), "{call} is not among {calls:#?}");
    }
    let switch = calls.iter().find(|call| call[0] == "add_float_curve_keys" && call[2] == "left_foot_stands").unwrap();
    // 1 while the foot stands, 0 a frame before and after.
    assert_eq!(switch[4], json!([0.0, 0.0, 1.0, 1.0, 0.0, 0.0]));
    let times: Vec<f64> = serde_json::from_value(switch[3].clone()).unwrap();
    assert!(
        times.iter().zip([0.0, 0.1, 0.2, 0.5, 0.6, 1.0]).all(|(time, wanted)| (time - wanted).abs() < 1e-9),
        "{times:?}"
    );
}

#[test]
fn a_crossing_gets_windows_of_motion_warping_and_curves_of_its_points() {
    let mut vault = clip("vault");
    let [point, root] = [DVec3::new(0.0, 1.0, 3.0), DVec3::new(0.0, 0.25, 2.5)];
    vault.markers.warps = vec![WarpWindow { name: "vault_near".into(), time: 0.25, until: 0.75, point, root }];
    let import = UnrealImport { fps: 30.0, has_mesh: true, clips: vec![vault] };
    let run = |known: &str, off: &[(&str, &str)]| {
        let set = [&[("IMPORTED", "vault"), ("SELECTED", "SK_hero"), ("KNOWN", known)], off].concat();
        calls(&import, "vault.fbx", &set, &[])
    };
    let Some(first) = run("", &[]) else { return };
    let curve = |axis: &str, centimetres: f64| {
        let name = format!("vault_near_{axis}");
        json!(["add_float_curve_keys", "AnimSequence(vault)", name, [0.0, 1.0], [centimetres, centimetres]])
    };
    let window = json!(["add_animation_notify_state_event", "Warping", 0.25, 0.5, "AnimNotifyState_MotionWarping"]);
    let target = json!(["RootMotionModifier_SkewWarp.warp_target_name", "vault_near"]);
    let first = first.unwrap();
    for call in [&window, &target, &curve("x", 0.0), &curve("y", -50.0), &curve("z", -75.0)] {
        assert!(has(&first, call.clone()), "{call} is not among {first:#?}");
    }
    let again = run("Warping", &[]).unwrap().unwrap();
    assert!(has(&again, json!(["remove_animation_notify_events_by_track", "AnimSequence(vault)", "Warping"])));
    let without = run("", &[("NO_WARPING", "1")]).unwrap().unwrap();
    assert!(!has(&without, window) && has(&without, curve("y", -50.0)));
    assert!(without.iter().any(|call| call[0] == "log_warning"), "{without:#?}");
}

#[test]
fn an_additive_clip_gets_its_type_and_the_rest_pose_as_its_base() {
    for (space, kind) in [
        ("parent", "AAT_LOCAL_SPACE_BASE"),
        ("local", "AAT_LOCAL_SPACE_BASE"),
        ("character", "AAT_ROTATION_OFFSET_MESH_SPACE"),
    ] {
        let mut aim = clip("aim");
        aim.markers.additive = Some(AdditiveReference { pose: "first_frame", frame: None, space });
        let import = UnrealImport { fps: 30.0, has_mesh: true, clips: vec![aim] };
        let Some(calls) = calls(&import, "aim.fbx", &[("IMPORTED", "aim"), ("SELECTED", "SK_hero")], &[]) else {
            return;
        };
        let calls = calls.unwrap();
        assert!(has(&calls, json!(["set_additive_animation_type", "AnimSequence(aim)", kind])), "{calls:#?}");
        assert!(has(&calls, json!(["set_additive_base_pose_type", "AnimSequence(aim)", "ABPT_REF_POSE"])));
    }
}

#[test]
fn a_second_run_replaces_the_markers_and_curves_of_the_first() {
    let import = UnrealImport { fps: 30.0, has_mesh: false, clips: vec![clip("run")] };
    let known = "Feet,Events,left_foot_stands,/Game/Portamento/run_Skeleton.run_Skeleton";
    let Some(calls) = calls(&import, "run.fbx", &[("IMPORTED", "run"), ("KNOWN", known)], &[]) else { return };
    let calls = calls.unwrap();
    assert!(has(&calls, json!(["FbxImportUI.skeleton", "Skeleton(run_Skeleton)"])), "{calls:#?}");
    assert!(has(&calls, json!(["remove_animation_sync_markers_by_track", "AnimSequence(run)", "Feet"])));
    assert!(has(&calls, json!(["remove_curve", "AnimSequence(run)", "left_foot_stands"])));
    assert!(!calls.iter().any(|call| call[0] == "add_animation_notify_track"));
}

#[test]
fn several_clips_find_their_sequences_and_a_missing_one_is_named() {
    let import = UnrealImport { fps: 30.0, has_mesh: true, clips: vec![clip("walk"), clip("fast walk"), clip("jump")] };
    let set = [("IMPORTED", "hero_walk,hero_fast_walk"), ("SELECTED", "SK_hero")];
    let Some(calls) = calls(&import, "hero.fbx", &set, &[]) else { return };
    let calls = calls.unwrap();
    let logs: Vec<&Value> = calls.iter().filter(|call| call[0] == "log").map(|call| &call[1]).collect();
    assert_eq!(
        logs,
        ["imported fast walk as /Game/hero_fast_walk.hero_fast_walk", "imported walk as /Game/hero_walk.hero_walk"]
    );
    assert!(has(&calls, json!(["log_warning", "The clip jump has no sequence, so nothing was set for it."])));
}

#[test]
fn without_a_skeleton_the_mesh_makes_one_and_without_both_it_says_what_to_do() {
    let with_mesh = UnrealImport { fps: 30.0, has_mesh: true, clips: vec![clip("run")] };
    let Some(made) = calls(&with_mesh, "run.fbx", &[("IMPORTED", "run")], &[]) else { return };
    assert!(has(&made.unwrap(), json!(["FbxImportUI.mesh_type_to_import", "FBXIT_SKELETAL_MESH"])));
    let without = UnrealImport { has_mesh: false, ..with_mesh.clone() };
    let refused = calls(&without, "run.fbx", &[("IMPORTED", "run")], &[]).unwrap().unwrap_err();
    assert!(refused.contains("Select a skeleton in the Content Browser, or name one with --skeleton."), "{refused}");
    let wrong =
        calls(&with_mesh, "run.fbx", &[("IMPORTED", "run")], &["--skeleton", "/Game/none"]).unwrap().unwrap_err();
    assert!(wrong.contains("/Game/none is not a skeleton or a skeletal mesh."), "{wrong}");
}

#[test]
fn a_watch_imports_each_changed_file_once_and_outlives_a_failure() {
    let import = UnrealImport { fps: 30.0, has_mesh: true, clips: vec![clip("run")] };
    // The file is written again, its script is broken and mended, and another file has no script.
    let mended = import.script(Path::new("run.fbx"));
    let script = "run.import.py";
    let edits =
        json!([["run.fbx", "longer"], [script, "raise ValueError('half')"], [script, mended], ["other.fbx", "x"]]);
    let edits = edits.to_string();
    let set = [("IMPORTED", "run"), ("SELECTED", "SK_hero"), ("EDITS", &*edits)];
    let Some(calls) = calls(&import, "run.fbx", &set, &["--watch", "--folder", "/Game/A"]) else { return };
    let calls = calls.unwrap();
    let said = calls.iter().filter_map(|call| match call[0].as_str().unwrap() {
        "edit" => Some("edit"),
        "AssetImportTask.destination_path" => call[1].as_str(),
        "log_error" => Some("error"),
        _ => None,
    });
    let said: Vec<&str> = said.collect();
    assert_eq!(said, ["/Game/A", "edit", "/Game/A", "edit", "error", "edit", "/Game/A", "edit"]);
    assert!(has(&calls, json!(["log_error", "run.import.py: half"])));
    assert!(has(&calls, json!(["FbxImportUI.skeleton", "Skeleton(selected_Skeleton)"])), "the selection at the begin");
    let stopped = self::calls(&import, "run.fbx", &set, &["--stop"]).unwrap().unwrap();
    assert!(!stopped.iter().any(|call| call[0] == "AssetImportTask.filename"), "{stopped:#?}");
}

#[test]
fn names_never_leave_their_string() {
    let hostile = ["\"\"\"; raise SystemExit(3) #", "a\nb", "${x}\\", "'); print('x", "é\u{2028}\u{0}😀", "%DATA%"];
    for name in hostile {
        let import = UnrealImport { fps: 30.0, has_mesh: true, clips: vec![clip(name)] };
        let set = [("IMPORTED", "run"), ("SELECTED", "SK_hero")];
        let Some(calls) = calls(&import, "run.fbx", &set, &[]) else { return };
        let logged = format!("imported {name} as /Game/run.run");
        assert!(has(&calls.unwrap(), json!(["log", logged])), "{name:?}");
    }
}
