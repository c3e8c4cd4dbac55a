//! Files that nobody here made.

use super::*;
use crate::anim::Model;
use std::path::PathBuf;

pub(super) fn open(file: &str) -> Option<Model> {
    let path = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../shared/corpus")).join(file);
    if !path.exists() {
        println!("skipped: corpus absent");
        return None;
    }
    Some(crate::import::import(&path).unwrap().model)
}

pub(super) fn stretched(model: &Model, clip: &str, settings: &Settings) -> (RootMotion, Built) {
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
    println!(
        "ratio {:.3}, {} frames, {} still",
        report.ratio,
        report.times.len(),
        report.still.iter().filter(|s| **s).count()
    );
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
        println!(
            "{file}: {:?} split {:?}",
            roles
                .legs
                .iter()
                .map(|l| [Some(l.thigh), Some(l.shin), Some(l.foot), l.toe].map(|j| j.map(name)))
                .collect::<Vec<_>>(),
            roles.spine_split.map(name)
        );
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
