//! Stretching clips that nobody here made: game characters and motion capture.

mod support;

use glam::DVec3;
use portamento::anim::root_motion::world_at;
use portamento::anim::{Clip, Model, Roles, RootKind, RootMotion, Skeleton};
use portamento::export::gltf::{from_model, to_glb_bytes};
use portamento::import::gltf::from_bytes;
use portamento::import::import;
use portamento::progress::Progress;
use portamento::systems::stretch::{Built, Input, PathReport, Settings, Target, build};

fn to(x: f64, y: f64, z: f64) -> Settings {
    Settings { target: Some(Target::World(DVec3::new(x, y, z))), ..Settings::default() }
}

fn open(file: &str) -> Option<Model> {
    Some(import(&support::corpus(file)?).unwrap().model)
}

fn stretched(model: &Model, clip: &str, settings: &Settings) -> (RootMotion, Built) {
    let clip = model.clip(clip).unwrap();
    let roles = Roles::find(&model.skeleton, &model.clips);
    let root = RootMotion::find(&model.skeleton, clip, &roles).unwrap();
    let skeleton = &model.skeleton;
    let input = Input { skeleton, clip, roles: &roles, root, fps: clip.fps(), metres_per_unit: 1.0 };
    (root, build(&input, settings, &Progress::new()).unwrap())
}

/// Still frames of the source are still in the clip's keys; the end is met; only the root's translation differs.
fn assert_laws(model: &Model, name: &str, root: RootMotion, built: &Built) {
    let source = model.clip(name).unwrap();
    let report = &built.report;
    for i in 1..report.times.len() {
        let (made, old) = (&report.stretched.points, &report.source.points);
        if old[i] == old[i - 1] {
            assert_eq!(made[i], made[i - 1], "frame {i}");
        }
        let key = |clip: &Clip, i: usize| clip.tracks[root.joint].translation.as_ref().unwrap().sample(report.times[i]);
        if report.still[i] && key(source, i) == key(source, i - 1) {
            assert_eq!(key(built.clip(), i), key(built.clip(), i - 1), "frame {i}");
        }
    }
    assert!(report.end_error <= 1e-5, "{}", report.end_error);
    for (joint, (made, old)) in built.clip().tracks.iter().zip(&source.tracks).enumerate() {
        let moved = joint == root.joint;
        assert!(moved || made == old, "{joint}");
        assert!(made.rotation == old.rotation && made.scale == old.scale && made.morphs == old.morphs);
    }
}

#[test]
fn a_dash_on_the_pelvis_goes_further_and_keeps_its_height_and_its_pauses() {
    let Some(model) = open("characters/mannequiny.glb") else { return };
    let (root, built) = stretched(&model, "dash_root.001", &to(0.0, 0.0, 6.0));
    assert_eq!(model.skeleton.joints[root.joint].name, "pelvis");
    assert_eq!(root.kind, RootKind::HipsGroundPart);
    assert_laws(&model, "dash_root.001", root, &built);
    let end = world_at(&model.skeleton, built.clip(), root.joint, built.clip().duration).translation;
    assert!((end.x.powi(2) + (end.z - 6.0).powi(2)).sqrt() <= 1e-5, "{end}");
    let report = &built.report;
    let source = model.clip("dash_root.001").unwrap();
    let height = |clip: &Clip, time| world_at(&model.skeleton, clip, root.joint, time).translation.y;
    assert!(report.times.iter().all(|&time| (height(built.clip(), time) - height(source, time)).abs() <= 1.3e-7));
}

#[test]
fn characters_with_a_root_joint_are_stretched_by_it() {
    for (file, clip) in [("characters/minnyquinn.glb", "root-retreat"), ("characters/kaiju.glb", "Walk RM")] {
        let Some(model) = open(file) else { return };
        let (root, built) = stretched(&model, clip, &to(1.0, 0.2, -5.0));
        assert_eq!((model.skeleton.joints[root.joint].name.as_str(), root.kind), ("root", RootKind::Root), "{file}");
        assert_laws(&model, clip, root, &built);
    }
}

#[test]
fn the_legs_and_hips_of_foreign_characters_are_found() {
    for (file, hips, legs) in [
        ("knight", "hips", ["upperleg.l", "upperleg.r"]),
        ("mannequiny", "pelvis", ["thigh.l", "thigh.r"]),
        ("minnyquinn", "DEF-hips", ["DEF-thigh.L", "DEF-thigh.R"]),
        ("human_male_no_clips", "pelvis", ["thigh_l", "thigh_r"]),
        ("kaiju", "Hips", ["Back_Leg_Upper_L", "Back_Leg_Upper_R"]),
    ] {
        let Some(model) = open(&format!("characters/{file}.glb")) else { return };
        let roles = Roles::find(&model.skeleton, &model.clips);
        let name = |joint: usize| model.skeleton.joints[joint].name.as_str();
        assert_eq!(roles.hips.map(name), Some(hips), "{file}");
        let mut found: Vec<&str> = roles.legs.iter().map(|leg| name(leg.thigh)).collect();
        found.sort_unstable();
        assert!(legs.iter().all(|leg| found.contains(leg)), "{file} {found:?}");
    }
}

#[test]
fn captured_hops_go_further_and_their_noisy_pauses_do_not_drift() {
    let Some(model) = open("mocap/cmu_01_01.bvh") else { return };
    let clip = &model.clips[0];
    let roles = Roles::find(&model.skeleton, &model.clips);
    let root = RootMotion::find(&model.skeleton, clip, &roles).unwrap();
    assert_eq!(root, RootMotion { joint: 0, kind: RootKind::HipsGroundPart });
    let skeleton = &model.skeleton;
    let input = Input { skeleton, clip, roles: &roles, root, fps: clip.fps(), metres_per_unit: 0.056_444 };
    let end = world_at(skeleton, clip, 0, clip.duration).translation;
    let settings = Settings { dead_zone: 0.15, ..to(end.x + 40.0, 0.0, end.z - 30.0) };
    let report = build(&input, &settings, &Progress::new()).unwrap().report;
    assert!(report.end_error <= 1e-5, "{}", report.end_error);
    let still: Vec<usize> = (1..report.times.len()).filter(|&i| report.still[i]).collect();
    assert!(still.len() > 100, "{}", still.len());
    let drift = |path: &PathReport, i: usize| {
        ((path.points[i] - path.points[i - 1]) - (report.source.points[i] - report.source.points[i - 1])).length()
    };
    assert!(still.iter().all(|&i| drift(&report.stretched, i) < 1e-12));
    assert!(still.iter().map(|&i| drift(&report.uniform, i)).sum::<f64>() > 0.5);
}

/// The largest way a foot slides in a frame, over frames in which it moves less than `standing` in `source`.
fn slide(skeleton: &Skeleton, source: &Clip, made: &Clip, (foot, standing): (usize, f64), times: &[f64]) -> f64 {
    let at = |clip: &Clip, i: usize| world_at(skeleton, clip, foot, times[i]).translation;
    let stands = |&i: &usize| (at(source, i) - at(source, i - 1)).length() < standing;
    (1..times.len()).filter(stands).map(|i| (at(made, i) - at(made, i - 1)).length()).fold(0.0, f64::max)
}

#[test]
fn the_feet_of_a_foreign_dash_slide_less_where_the_legs_reach() {
    let Some(model) = open("characters/mannequiny.glb") else { return };
    let source = model.clip("dash_root.001").unwrap();
    let roles = Roles::find(&model.skeleton, &model.clips);
    let end = world_at(&model.skeleton, source, roles.hips.unwrap(), source.duration).translation;
    let settings = |feet| Settings { feet, ..to(end.x, 0.0, end.z * 1.1) };
    let built = |feet| stretched(&model, "dash_root.001", &settings(feet)).1;
    let (plain, planted) = (built(false), built(true));
    let rotations = planted.clip().tracks.iter().flat_map(|tracks| &tracks.rotation);
    assert!(rotations.flat_map(|curve| &curve.values).all(|value| value.is_finite()));
    for leg in &roles.legs {
        let slid = |built: &Built| {
            let toe = leg.toe.unwrap();
            slide(&model.skeleton, source, built.clip(), (toe, 2e-3), &built.report.times)
        };
        assert!(slid(&planted) <= slid(&plain));
    }
}

#[test]
fn exported_and_opened_again_the_end_is_met_and_pauses_are_pauses_at_the_keys() {
    let Some(mut model) = open("characters/minnyquinn.glb") else { return };
    let (root, built) = stretched(&model, "root-retreat", &to(1.0, 0.2, -5.0));
    model.clips = vec![built.clip().clone()];
    let bytes = to_glb_bytes(&from_model(&model, None)).unwrap();
    let again = from_bytes(std::path::Path::new("again.glb"), &bytes).unwrap().model;
    let joint = again.skeleton.find(&model.skeleton.joints[root.joint].name).unwrap();
    let key = |clip: &Clip, joint: usize| clip.tracks[joint].translation.clone().unwrap();
    let (made, read) = (key(built.clip(), root.joint), key(&again.clips[0], joint));
    assert_eq!((&made.times, &made.values), (&read.times, &read.values));
    let end = world_at(&again.skeleton, &again.clips[0], joint, again.clips[0].duration).translation;
    assert!(end.abs_diff_eq(DVec3::new(1.0, 0.2, -5.0), 1e-5), "{end}");
}
