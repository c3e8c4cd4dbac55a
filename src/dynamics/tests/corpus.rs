//! Tests of the solver on third-party characters.

use std::path::PathBuf;

use glam::{DVec3, Quat};

use super::super::*;
use portamento_anim::math::mean::angle_between;
use portamento_anim::{Model, Pose, SpringBoneFormat};
use portamento_base::progress::Progress;
use portamento_formats::import::import;
use portamento_test_support::corpus;

/// Returns the files of all characters of the corpus; empty if the corpus is absent.
pub(super) fn characters() -> Vec<PathBuf> {
    let folders = ["characters", "wild"].into_iter().filter_map(corpus);
    let entries = folders.flat_map(|folder| std::fs::read_dir(folder).unwrap());
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files
}

fn character(name: &str) -> Option<Model> {
    Some(import(&corpus(&format!("characters/{name}"))?).unwrap().model)
}

/// Returns the joint nearest to the root with the name of a hanging part, or the root of the longest strand of at most
/// eight joints.
pub(super) fn strand(model: &Model) -> Option<usize> {
    let skeleton = &model.skeleton;
    let hangs = |name: &str| ["tail", "hair", "ear", "cape", "skirt", "jaw"].iter().any(|word| name.contains(word));
    let named = skeleton.joints.iter().position(|joint| hangs(&joint.name.to_lowercase()));
    let subtree_size = |joint: &usize| skeleton.subtree(*joint).len();
    let small = (1..skeleton.len()).filter(|joint| (2..=8).contains(&subtree_size(joint)));
    named.filter(|joint| subtree_size(joint) <= 40).or_else(|| small.max_by_key(subtree_size))
}

/// Returns settings for the strand of a character, with a ball at the parent of its first joint.
pub(super) fn settings(model: &Model, joint: usize) -> Settings {
    let mut chain = Chain { joint, end_length: 0.1, ..Chain::default() };
    Preset::Tail.apply(&mut chain);
    let parent = model.skeleton.joints[joint].parent;
    let shape = ColliderShape::Sphere { center: DVec3::ZERO, radius: 0.03 };
    let collider = Collider { name: "ball".into(), joint: parent, shape };
    Settings { chains: vec![chain], colliders: vec![collider], ..Settings::default() }
}

/// Returns 0.01 for skeletons that look like centimetres, otherwise 1.
pub(super) fn metres_per_unit(model: &Model) -> f64 {
    let rest = Pose::rest(&model.skeleton);
    let mut world = Vec::new();
    rest.world_from_joints(&model.skeleton, &mut world);
    let far = world.iter().map(|joint| joint.translation.length()).fold(0.0, f32::max);
    if far > 20.0 { 0.01 } else { 1.0 }
}

/// Samples the first clip, or keeps the rest pose, with all lengths multiplied by `size`.
pub(super) fn drive(model: &Model, size: f32, time: f64, pose: &mut Pose) {
    if let Some(clip) = model.clips.first() {
        clip.sample(&model.skeleton, time, pose);
    }
    pose.locals.iter_mut().for_each(|local| local.translation *= size);
}

fn baked(model: &Model, settings: &Settings, size: f32, looping: bool) -> Built {
    let mut sized = model.skeleton.clone();
    sized.joints.iter_mut().for_each(|joint| joint.rest.translation *= size);
    let driver = |time: f64, pose: &mut Pose| {
        *pose = Pose::rest(&model.skeleton);
        drive(model, size, time, pose);
    };
    let metres_per_unit = metres_per_unit(model) / f64::from(size);
    let full_duration = model.clips.first().map_or(1.0, |clip| clip.duration);
    let duration = if looping { full_duration } else { full_duration.min(1.5) };
    let input = Input { skeleton: &sized, driver: &driver, duration, looping, metres_per_unit };
    build(&input, settings, &Progress::new()).unwrap()
}

#[test]
fn lengths_contacts_twist_and_matrices_agree_on_every_character() {
    for path in characters() {
        let model = import(&path).unwrap().model;
        let Some(joint) = strand(&model) else { continue };
        let built = baked(&model, &settings(&model, joint), 1.0, false);
        let (report, name) = (&built.report, path.display());
        println!("{name}: {} bones, {report:?}", built.joints.len());
        // Scales that differ in the last digit of an `f32` count as equal; the error adds up along a chain.
        assert!(report.length_error <= 1e-6 && report.position_error <= 1e-5, "{name}: {report:?}");
        assert!(report.penetration <= 1e-6 && report.twist <= 1e-5, "{name}: {report:?}");
        let rows: Vec<&[Quat]> = built.rows().collect();
        for (before, after) in rows.windows(2).flat_map(|pair| pair[0].iter().zip(pair[1])) {
            assert!(before.dot(*after) > 0.0 && (after.length() - 1.0).abs() < 1e-6, "{name}");
        }
    }
}

#[test]
fn size_does_not_change_the_angles_of_any_character() {
    for path in characters() {
        let model = import(&path).unwrap().model;
        let Some(joint) = strand(&model) else { continue };
        // At the edges of colliders rounding, which differs with size, decides the side.
        let settings = Settings { colliders: Vec::new(), ..settings(&model, joint) };
        let life = baked(&model, &settings, 1.0, false);
        // Powers of two, so that `f32` rounds alike in all sizes.
        for size in [1.0 / 128.0, 128.0] {
            let sized = baked(&model, &settings, size, false);
            let pairs = life.rows().flatten().zip(sized.rows().flatten());
            let worst = pairs.map(|(a, b)| angle_between(*a, *b)).fold(0.0, f64::max);
            assert!(worst < 1e-5, "{} at {size}: {worst}", path.display());
        }
    }
}

#[test]
fn loops_of_every_character_repeat_or_carry_a_warning() {
    for path in characters() {
        let model = import(&path).unwrap().model;
        let Some(joint) = strand(&model).filter(|_| model.clips.first().is_some_and(|clip| clip.duration < 3.0)) else {
            continue;
        };
        let built = baked(&model, &settings(&model, joint), 1.0, true);
        let (report, name) = (&built.report, path.display());
        println!("{name}: {} cycles, residue {:?}", report.cycles, report.residue);
        let clean = report.residue.is_some_and(|residue| residue <= 1e-5) && report.cycles <= 64;
        let has_warning = report.warnings.iter().any(|warning| matches!(warning, Warning::LoopNotClean { .. }));
        assert!(clean != has_warning && has_warning == built.following().next().is_some(), "{name}: {report:?}");
    }
}

fn tail_moves_in_a_clean_loop(file: &str, clip: &str) {
    let Some(model) = character(file) else { return };
    let clip = model.clips.iter().find(|known| known.name == clip).unwrap();
    let tail = model.skeleton.joints.iter().position(|joint| joint.name.to_lowercase().contains("tail")).unwrap();
    let settings = Settings { colliders: Vec::new(), ..settings(&model, tail) };
    let driver = |time: f64, pose: &mut Pose| clip.sample(&model.skeleton, time, pose);
    let skeleton = &model.skeleton;
    let input = Input { skeleton, driver: &driver, duration: clip.duration, looping: true, metres_per_unit: 1.0 };
    let built = build(&input, &settings, &Progress::new()).unwrap();
    let report = &built.report;
    println!("{file} {}: {} cycles, residue {:?}", clip.name, report.cycles, report.residue);
    assert!(report.residue.unwrap() <= 1e-5 && report.cycles <= 64, "{:?} {}", report.residue, report.cycles);
    let at = |time: f64| {
        let mut pose = clip.pose_at(skeleton, time);
        built.sample(time, &mut pose);
        pose
    };
    for frame in 0..=(clip.duration * 30.0) as usize {
        assert_eq!(at(frame as f64 / 30.0), at((2 * frame) as f64 / 60.0));
    }
    assert_ne!(at(clip.duration * 0.5), clip.pose_at(skeleton, clip.duration * 0.5));
}

#[test]
fn the_dragons_tail_moves_in_a_clean_loop() {
    tail_moves_in_a_clean_loop("dragon.glb", "Walk");
}

#[test]
fn the_kaijus_tail_moves_in_a_clean_loop_in_place_and_travelling() {
    tail_moves_in_a_clean_loop("kaiju.glb", "Walk");
    tail_moves_in_a_clean_loop("kaiju.glb", "Walk RM");
}

#[test]
fn the_springs_of_a_vrm0_avatar_are_exact_and_survive_a_round_trip() {
    let Some(path) = corpus("wild/godette.vrm") else { return };
    let imported = import(&path).unwrap();
    let (model, json) = (imported.model, imported.source.unwrap().json.clone());
    assert_eq!(SpringBoneFormat::of_file(&json), SpringBoneFormat::Vrm0);
    let bones = portamento_formats::import::spring_bone::read(&json).unwrap();
    let (settings, _) = spring_bone::settings_from_spring_bones(&bones, &model.skeleton, 1.0);
    let roots: usize = json["extensions"]["VRM"]["secondaryAnimation"]["boneGroups"]
        .as_array()
        .unwrap()
        .iter()
        .map(|group| group["bones"].as_array().map_or(0, Vec::len))
        .sum();
    assert!(settings.chains.len() >= roots && roots > 0, "{} chains of {roots} roots", settings.chains.len());
    let turning = |time: f64, pose: &mut Pose| {
        for root in model.skeleton.roots() {
            pose.locals[root].rotation = Quat::from_rotation_y((2.0 * time).sin() as f32);
        }
    };
    let skeleton = &model.skeleton;
    let input = Input { skeleton, driver: &turning, duration: 1.0, looping: false, metres_per_unit: 1.0 };
    let report = build(&input, &settings, &Progress::new()).unwrap().report;
    assert!(report.length_error <= 1e-6 && report.position_error <= 1e-6 && report.twist <= 1e-5, "{report:?}");
    assert!(report.penetration <= 1e-6, "{report:?}");

    let format = SpringBoneFormat::Vrm0;
    let (back, notes) = spring_bone::spring_bones_from_settings(&settings, skeleton, 1.0, format).unwrap();
    println!("{notes:?}");
    let mut written = json.clone();
    portamento_formats::export::spring_bone::write(&mut written, &back);
    assert!(written["extensions"].get("VRMC_springBone").is_none());
    let again = portamento_formats::import::spring_bone::read(&written).unwrap();
    let (settings_again, _) = spring_bone::settings_from_spring_bones(&again, skeleton, 1.0);
    let joints = |settings: &Settings| {
        let mut joints: Vec<usize> = settings.chains.iter().map(|chain| chain.joint).collect();
        joints.sort_unstable();
        joints
    };
    assert_eq!(joints(&settings_again), joints(&settings));
    assert_eq!(settings_again.colliders.len(), settings.colliders.len());
    for (a, b) in settings_again.colliders.iter().zip(&settings.colliders) {
        let (ColliderShape::Sphere { center: a, .. }, ColliderShape::Sphere { center: b, .. }) = (a.shape, b.shape)
        else {
            panic!()
        };
        assert!(a.abs_diff_eq(b, 1e-9), "{a} {b}");
    }
}
