//! Blend and dynamics workflows through the session and the command line.

use std::path::Path;
use std::process::Command;

use portamento::anim::{Model, Roles};
use portamento::import::import;
use portamento_test_support::corpus;
use serde_json::Value;

/// Runs the program; returns exit code, report and error output.
fn run(arguments: &[&str]) -> (i32, Value, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_portamento")).args(arguments).output().unwrap();
    let report = serde_json::from_slice(&output.stdout).unwrap_or_default();
    (output.status.code().unwrap(), report, String::from_utf8_lossy(&output.stderr).into_owned())
}

fn hero() -> (tempfile::TempDir, String) {
    let folder = tempfile::tempdir().unwrap();
    portamento::samples::write_all(folder.path()).unwrap();
    let path = folder.path().join("hero.glb").display().to_string();
    (folder, path)
}

fn read(path: &str) -> Model {
    import(Path::new(path)).unwrap().model
}

#[test]
fn a_cast_on_the_run_keeps_the_legs_of_the_run_without_a_pop() {
    let Some(file) = corpus("characters/knight.glb") else { return };
    let folder = tempfile::tempdir().unwrap();
    let (out, weights) = (folder.path().join("out.glb"), folder.path().join("weights.json"));
    let [file, out, weights] = [&file, &out, &weights].map(|path| path.display().to_string());
    let clips = ["--run", "Running_A", "--stand", "Idle", "--skill", "Spellcast_Shoot"];
    let events = "0:run 0.8:cast 1.1:stop 1.9:end 2.4:run";
    let mut arguments =
        vec!["blend", &file, "--events", events, "-o", &out, "--weights", &weights, "--json", "--force"];
    arguments.extend(clips);
    let good = |interrupt: &str, more: &[&str]| {
        let (code, report, complaint) = run(&[&arguments[..], &["--interrupt", interrupt], more].concat());
        assert_eq!(code, 0, "{complaint}");
        let blend = report["takes"][0]["blend"].clone();
        assert_eq!(blend["pop_count"], 0);
        assert!(blend["hard_cut_pop_count"].as_u64().unwrap() > 0);
        assert_eq!(blend["legs_during_running_cast"]["different"], 0);
        blend
    };
    // Default transitions are not interrupted; with long ones, the run at 2.4 s interrupts the stop at 1.1 s.
    let [inertial, captured] = ["inertial", "captured"].map(|mode| good(mode, &["--trans-time", "1.6"]));
    assert_ne!(inertial["pop_meter"], captured["pop_meter"]);
    assert_eq!(good("inertial", &[]), good("captured", &[]));
    let blend = good("captured", &[]);
    let written: Value = serde_json::from_slice(&std::fs::read(&weights).unwrap()).unwrap();
    assert_eq!(written["weights"], blend["weights"]);
    // Compare the keys between 0.8 and 1.1 s with the plain run at the same time.
    let model = read(&out);
    let (made, plain) = (model.clip("blend").unwrap(), model.clip("Running_A").unwrap());
    let roles = Roles::find(&model.skeleton, &model.clips);
    let legs: Vec<usize> = roles.legs.iter().flat_map(|leg| model.skeleton.subtree(leg.thigh)).collect();
    assert!(legs.len() >= 8);
    for frame in 24..=33 {
        let time = f64::from(frame) / 30.0;
        let (cast, run) = [(made, time), (plain, time % plain.duration)]
            .map(|(clip, time)| clip.pose_at(&model.skeleton, f64::from(time as f32)))
            .into();
        for &leg in &legs {
            assert!(cast.locals[leg].rotation.dot(run.locals[leg].rotation).abs() > 1.0 - 1e-6, "{frame} {leg}");
        }
    }
}

#[test]
fn a_tail_moves_equally_at_every_frame_rate_and_other_joints_are_unchanged() {
    let Some(file) = corpus("characters/dragon.glb") else { return };
    let folder = tempfile::tempdir().unwrap();
    let file = file.display().to_string();
    let models = ["30", "60"].map(|fps| {
        let out = folder.path().join(format!("{fps}.glb")).display().to_string();
        let (code, report, complaint) =
            run(&["dynamics", &file, "--clip", "Walk", "--chain", "tail_1", "--fps", fps, "-o", &out, "--json"]);
        assert_eq!(code, 0, "{complaint}");
        let numbers = &report["takes"][0]["dynamics"];
        assert!(numbers["length_error"].as_f64().unwrap() <= 1e-6, "{numbers:#}");
        assert!(numbers["twist_radians"].as_f64().unwrap() <= 1e-5, "{numbers:#}");
        read(&out)
    });
    let [slow, fast] = models.each_ref().map(|model| model.clip("Walk swinging").unwrap());
    let plain = models[0].clip("Walk").unwrap();
    let mut swinging = 0;
    for (joint, tracks) in slow.tracks.iter().enumerate() {
        if *tracks == plain.tracks[joint] {
            assert_eq!(fast.tracks[joint], *tracks);
            continue;
        }
        swinging += 1;
        assert!(models[0].skeleton.joints[joint].name.starts_with("tail"));
        let keys = |clip: &portamento::anim::Clip| clip.tracks[joint].rotation.clone().unwrap();
        let (slow, fast) = (keys(slow), keys(fast));
        for (key, time) in slow.times.iter().enumerate() {
            let same = fast.times.iter().position(|other| other == time).unwrap();
            assert_eq!(slow.values[key], fast.values[same], "{joint} at {time}");
        }
    }
    assert!(swinging > 2);
}

#[test]
fn a_looping_tail_ends_in_its_start_pose() {
    let Some(file) = corpus("characters/kaiju.glb") else { return };
    let folder = tempfile::tempdir().unwrap();
    let [file, out] = [file, folder.path().join("out.glb")].map(|path| path.display().to_string());
    let (code, report, complaint) =
        run(&["dynamics", &file, "--clip", "Walk", "--chain", "Tail_Base", "--loop", "-o", &out, "--json"]);
    assert_eq!(code, 0, "{complaint}");
    let numbers = &report["takes"][0]["dynamics"];
    assert!(numbers["residue"].as_f64().unwrap() <= 1e-5 && numbers["cycles"].as_u64().unwrap() <= 64, "{numbers:#}");
}

#[test]
fn missing_items_are_named_with_exit_code_2() {
    let (folder, hero) = hero();
    let out = folder.path().join("out.glb").display().to_string();
    let blend = |skill: &str, events: &str, upper: &str| {
        let clips = ["--run", "run", "--stand", "idle", "--skill", skill];
        let rest = ["--events", events, "--upper-from", upper, "-o", &out];
        run(&[&["blend", &hero][..], &clips, &rest].concat())
    };
    let swing = |clip: &str, chain: &str, preset: &str| {
        run(&["dynamics", &hero, "--clip", clip, "--chain", chain, "--preset", preset, "-o", &out])
    };
    let wrong = [
        (blend("fly", "0:run", "head"), "no clip “fly”"),
        (blend("cast", "0:fly", "head"), "unknown event “fly”"),
        (blend("cast", "0:run", "wing"), "no joint “wing”"),
        (
            run(&[
                "blend",
                &hero,
                "--run",
                "run",
                "--stand",
                "idle",
                "--skill",
                "cast",
                "--events",
                "0:run",
                "--interrupt",
                "fly",
                "-o",
                &out,
            ]),
            "captured or inertial",
        ),
        (swing("fly", "hair.1", "hair"), "no clip “fly”"),
        (swing("run", "wing", "hair"), "no joint “wing”"),
        (swing("run", "hair.1", "plank"), "no preset"),
    ];
    for ((code, _, complaint), says) in wrong {
        assert_eq!(code, 2, "{complaint}");
        assert!(complaint.contains(says), "{says}: {complaint}");
    }
    assert!(!Path::new(&out).exists());
}
