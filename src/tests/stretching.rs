//! Stretching the sample character and corpus clips: game characters and motion capture.

use portamento_test_support as support;

use glam::{DVec3, Vec3};
use portamento::anim::root_motion::{self, world_at};
use portamento::anim::{Clip, Curve, Model, Roles, RootKind, RootMotion, Skeleton};
use portamento::export::gltf::{from_model, to_glb_bytes};
use portamento::import::gltf::from_bytes;
use portamento::import::import;
use portamento::progress::Progress;
use portamento::systems::stretch::{BuildError, Built, Input, PathReport, Settings, Target, WarningKind, build};

fn to(x: f64, y: f64, z: f64) -> Settings {
    Settings { target: Some(Target::World(DVec3::new(x, y, z))), ..Settings::default() }
}

fn open(file: &str) -> Option<Model> {
    Some(import(&support::corpus(file)?).unwrap().model)
}

/// The sample character, which travels on its root joint.
fn hero() -> Model {
    portamento_test_support::hero()
}

/// Returns the sample dash as in motion capture: carried by the hips, with up to `noise` metres of noise per frame.
fn hero_on_hips(noise: f32) -> Model {
    let mut model = hero();
    model.clips.retain(|clip| clip.name == DASH);
    let [root, hips] = ["root", "hips"].map(|name| model.skeleton.find(name).unwrap());
    let clip = &mut model.clips[0];
    let carried = std::mem::take(&mut clip.tracks[root]);
    assert!(
        carried
            .rotation
            .as_ref()
            .is_none_or(|curve| curve.values.iter().all(|turn| turn.angle_between(curve.values[0]) < 1e-6))
    );
    let (carried, own) = (carried.translation.unwrap(), clip.tracks[hips].translation.take().unwrap());
    // Multiples of the golden angle never repeat a direction.
    let shaken = |key: usize| Vec3::new((key as f32 * 2.4).cos(), 0.0, (key as f32 * 2.4).sin()) * noise;
    let values = carried.times.iter().enumerate();
    let values = values.map(|(key, &time)| carried.values[key] + own.sample(f64::from(time)).unwrap() + shaken(key));
    clip.tracks[hips].translation = Some(Curve::linear(carried.times.to_vec(), values.collect()));
    model
}

const DASH: &str = "dash_back_step";

fn stretched(model: &Model, clip: &str, settings: &Settings) -> (RootMotion, Built) {
    let clip = model.clip(clip).unwrap();
    let roles = Roles::find(&model.skeleton, &model.clips);
    let root = RootMotion::find(&model.skeleton, clip, &roles).unwrap();
    let skeleton = &model.skeleton;
    let mesh_joints = &model.mesh_joints();
    let input = Input { skeleton, clip, roles: &roles, root, fps: clip.fps(), metres_per_unit: 1.0, mesh_joints };
    (root, build(&input, settings, &Progress::new()).unwrap())
}

/// Checks that still frames stay still at the keys, the end is reached, and only the root translation differs.
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

/// Checks that a dash carried by the hips reaches z = `far` and keeps its height.
fn assert_dash(model: &Model, name: &str, hips: &str, far: f64) {
    let (root, built) = stretched(model, name, &to(0.0, 0.0, far));
    assert_eq!(model.skeleton.joints[root.joint].name, hips);
    assert_eq!(root.kind, RootKind::HipsGroundPart);
    assert_laws(model, name, root, &built);
    let end = world_at(&model.skeleton, built.clip(), root.joint, built.clip().duration).translation;
    assert!((end.x.powi(2) + (end.z - far).powi(2)).sqrt() <= 1e-5, "{end}");
    let report = &built.report;
    let source = model.clip(name).unwrap();
    let height = |clip: &Clip, time| world_at(&model.skeleton, clip, root.joint, time).translation.y;
    assert!(report.times.iter().all(|&time| (height(built.clip(), time) - height(source, time)).abs() <= 1.3e-7));
}

#[test]
fn a_dash_on_the_hips_goes_further_and_keeps_its_height_and_its_pauses() {
    assert_dash(&hero_on_hips(0.0), DASH, "hips", 6.0);
}

#[test]
fn a_foreign_dash_on_the_pelvis_goes_further_and_keeps_its_height_and_its_pauses() {
    let Some(model) = open("characters/mannequiny.glb") else { return };
    assert_dash(&model, "dash_root.001", "pelvis", 6.0);
}

fn assert_by_root(model: &Model, clip: &str) {
    let (root, built) = stretched(model, clip, &to(1.0, 0.2, -5.0));
    assert_eq!((model.skeleton.joints[root.joint].name.as_str(), root.kind), ("root", RootKind::Root), "{clip}");
    assert_laws(model, clip, root, &built);
}

#[test]
fn a_character_with_a_root_joint_is_stretched_by_it() {
    for clip in [DASH, "leap_strike", "run"] {
        assert_by_root(&hero(), clip);
    }
}

#[test]
fn foreign_characters_with_a_root_joint_are_stretched_by_it() {
    for (file, clip) in [("characters/minnyquinn.glb", "root-retreat"), ("characters/kaiju.glb", "Walk RM")] {
        let Some(model) = open(file) else { return };
        assert_by_root(&model, clip);
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

/// Moves the end of the only clip by `further` and checks that frames with noise only do not move.
fn assert_quiet_pauses(model: &Model, metres_per_unit: f64, dead_zone: f64, further: DVec3) {
    let clip = &model.clips[0];
    let roles = Roles::find(&model.skeleton, &model.clips);
    let root = RootMotion::find(&model.skeleton, clip, &roles).unwrap();
    assert_eq!(root.kind, RootKind::HipsGroundPart);
    let skeleton = &model.skeleton;
    let mesh_joints = &[];
    let input = Input { skeleton, clip, roles: &roles, root, fps: clip.fps(), metres_per_unit, mesh_joints };
    let end = world_at(skeleton, clip, root.joint, clip.duration).translation + further;
    let settings = Settings { dead_zone, ..to(end.x, 0.0, end.z) };
    let report = build(&input, &settings, &Progress::new()).unwrap().report;
    assert!(report.end_error <= 1e-5, "{}", report.end_error);
    let still: Vec<usize> = (1..report.times.len()).filter(|&i| report.still[i]).collect();
    assert!(still.len() > report.times.len() / 30, "{} of {}", still.len(), report.times.len());
    let drift = |path: &PathReport, i: usize| {
        ((path.points[i] - path.points[i - 1]) - (report.source.points[i] - report.source.points[i - 1])).length()
    };
    assert!(still.iter().all(|&i| drift(&report.stretched, i) < 1e-12));
    let spread = still.iter().map(|&i| drift(&report.uniform, i)).sum::<f64>();
    assert!(spread > 0.005 * further.length(), "{spread}");
}

#[test]
fn noisy_pauses_of_a_dash_on_the_hips_do_not_drift() {
    assert_quiet_pauses(&hero_on_hips(0.001), 1.0, 0.15, DVec3::new(3.0, 0.0, 1.0));
}

#[test]
fn captured_hops_go_further_and_their_noisy_pauses_do_not_drift() {
    let Some(model) = open("mocap/cmu_01_01.bvh") else { return };
    assert_quiet_pauses(&model, 0.056_444, 0.15, DVec3::new(40.0, 0.0, -30.0));
}

/// Returns the largest slide of a foot per frame, over frames in which it moves less than `standing` in `source`.
fn slide(skeleton: &Skeleton, source: &Clip, made: &Clip, (foot, standing): (usize, f64), times: &[f64]) -> f64 {
    let at = |clip: &Clip, i: usize| world_at(skeleton, clip, foot, times[i]).translation;
    let is_planted = |&i: &usize| (at(source, i) - at(source, i - 1)).length() < standing;
    (1..times.len()).filter(is_planted).map(|i| (at(made, i) - at(made, i - 1)).length()).fold(0.0, f64::max)
}

fn assert_feet(model: &Model, name: &str) {
    let source = model.clip(name).unwrap();
    let roles = Roles::find(&model.skeleton, &model.clips);
    let root = RootMotion::find(&model.skeleton, source, &roles).unwrap();
    let end = world_at(&model.skeleton, source, root.joint, source.duration).translation;
    let settings = |feet| Settings { feet, ..to(end.x * 1.1, end.y, end.z * 1.1) };
    let built = |feet| stretched(model, name, &settings(feet)).1;
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
fn the_feet_of_a_dash_slide_less_where_the_legs_reach() {
    assert_feet(&hero(), DASH);
}

#[test]
fn the_feet_of_a_foreign_dash_slide_less_where_the_legs_reach() {
    let Some(model) = open("characters/mannequiny.glb") else { return };
    assert_feet(&model, "dash_root.001");
}

fn assert_survives_a_file(mut model: Model, name: &str) {
    let (root, built) = stretched(&model, name, &to(1.0, 0.2, -5.0));
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

#[test]
fn an_exported_file_reaches_the_target_and_keeps_pauses_at_the_keys() {
    assert_survives_a_file(hero(), DASH);
    if let Some(model) = open("characters/minnyquinn.glb") {
        assert_survives_a_file(model, "root-retreat");
    }
}

/// Returns the sample and corpus characters with their clips.
fn characters() -> Vec<(String, Model)> {
    let assets = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("assets");
    let folders = std::iter::once(assets).chain(["characters", "wild"].into_iter().filter_map(support::corpus));
    let mut paths: Vec<_> = folders
        .flat_map(|folder| std::fs::read_dir(folder).unwrap())
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "glb" || extension == "vrm"))
        .collect();
    paths.sort();
    let name = |path: &std::path::Path| path.file_name().unwrap().to_string_lossy().into_owned();
    paths.iter().map(|path| (name(path), import(path).unwrap().model)).collect()
}

/// Stretches each clip of each character to an end 2 m to the side and 1 m ahead, and passes the results to `look`.
fn stretch_all(mut look: impl FnMut(&str, &Model, &Clip, RootMotion, Result<Built, BuildError>)) {
    for (file, model) in characters() {
        let roles = Roles::find(&model.skeleton, &model.clips);
        let mesh_joints = &model.mesh_joints();
        let skeleton = &model.skeleton;
        for clip in &model.clips {
            let Some(root) = RootMotion::find(skeleton, clip, &roles) else { continue };
            let end = world_at(skeleton, clip, root.joint, clip.duration).translation;
            let fps = clip.fps();
            let input = Input { skeleton, clip, roles: &roles, root, fps, metres_per_unit: 1.0, mesh_joints };
            let built = build(&input, &to(end.x + 2.0, end.y, end.z + 1.0), &Progress::new());
            look(&file, &model, clip, root, built);
        }
    }
}

#[test]
fn no_vertex_is_left_behind_by_a_stretch() {
    stretch_all(|file, model, clip, _, built| {
        let Ok(built) = built else { return };
        let skeleton = &model.skeleton;
        let wanted = DVec3::new(2.0, 0.0, 1.0);
        let size = root_motion::rig_size(skeleton);
        for joint in model.mesh_joints().iter().enumerate().filter(|(_, meshed)| **meshed).map(|(joint, _)| joint) {
            let at = |clip: &Clip| world_at(skeleton, clip, joint, clip.duration);
            let (before, after) = (at(clip), at(built.clip()));
            let name = &skeleton.joints[joint].name;
            let moved = after.translation - before.translation;
            assert!((moved - wanted).length() < 1e-4 * size.max(1.0), "{file} {} {name}: {moved}", clip.name);
            assert!(after.matrix3.abs_diff_eq(before.matrix3, 1e-4 * size.max(1.0)), "{file} {} {name}", clip.name);
        }
    });
}

#[test]
fn a_corpus_clip_reaches_its_target_and_keeps_its_pauses_or_is_refused_as_motionless() {
    stretch_all(|file, model, clip, root, built| {
        let (skeleton, size) = (&model.skeleton, root_motion::rig_size(&model.skeleton));
        let built = match built {
            Ok(built) => built,
            Err(BuildError::NoMotion { .. } | BuildError::OnTheSpot { .. } | BuildError::SingleFrame { .. }) => {
                let times = root_motion::frame_times(clip, skeleton.ancestors(root.joint), clip.fps());
                let path = root_motion::path(skeleton, clip, root.joint, &times);
                let flat = |way: DVec3| if root.kind == RootKind::Root { way } else { way.with_y(0.0) };
                let extent = path.iter().map(|point| flat(*point - path[0]).length()).fold(0.0, f64::max);
                return assert!(extent <= 1e-3 * size, "{file} {}: {extent} of {size}", clip.name);
            }
            Err(error) => panic!("{file} {}: {error}", clip.name),
        };
        let report = &built.report;
        assert!(report.end_error <= 1e-5 * size.max(1.0), "{file} {}: {}", clip.name, report.end_error);
        let paths = (&report.source.points, &report.stretched.points);
        for i in (1..report.times.len()).filter(|&i| paths.0[i] == paths.0[i - 1]) {
            assert_eq!(paths.1[i], paths.1[i - 1], "{file} {} frame {i}", clip.name);
        }
        let is_reported = report.warnings.iter().any(|warning| warning.kind == WarningKind::LargeRatio);
        assert_eq!(is_reported, report.ratio > 20.0, "{file} {}: {}", clip.name, report.ratio);
    });
}
