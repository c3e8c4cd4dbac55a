//! Tails of animals nobody here made.

use super::super::*;
use crate::anim::{Model, Pose};
use crate::import::import;
use crate::progress::Progress;

fn character(name: &str) -> Option<Model> {
    let path = crate::support::corpus(&format!("characters/{name}"))?;
    Some(import(&path).unwrap().model)
}

/// The joint nearest the root whose name says tail.
fn tail(model: &Model) -> usize {
    model.skeleton.joints.iter().position(|joint| joint.name.to_lowercase().contains("tail")).unwrap()
}

fn swings_cleanly(file: &str, clip: &str) {
    let Some(model) = character(file) else { return };
    let clip = model.clips.iter().find(|known| known.name == clip).unwrap();
    let mut chain = Chain { joint: tail(&model), end_length: 0.1, ..Default::default() };
    Preset::Tail.apply(&mut chain);
    let settings = Settings { chains: vec![chain], ..Default::default() };
    let driver = |time: f64, pose: &mut Pose| clip.sample(&model.skeleton, time, pose);
    let input = Input {
        skeleton: &model.skeleton,
        driver: &driver,
        duration: clip.duration,
        looping: true,
        metres_per_unit: 1.0,
    };
    let built = build(&input, &settings, &Progress::new()).unwrap();
    let report = &built.report;
    println!(
        "{file} {}: {} bones, {} cycles, residue {:e}, length {:e}, twist {:e}",
        clip.name,
        built.joints.len(),
        report.cycles,
        report.residue.unwrap(),
        report.length_error,
        report.twist
    );
    assert!(report.residue.unwrap() <= 1e-5 && report.cycles <= 64, "{:?} {}", report.residue, report.cycles);
    assert!(report.length_error <= 1e-6 && report.twist <= 1e-5);
    let at = |time: f64| {
        let mut pose = clip.pose_at(&model.skeleton, time);
        built.sample(time, &mut pose);
        pose
    };
    for frame in 0..=(clip.duration * 30.0) as usize {
        assert_eq!(at(frame as f64 / 30.0), at((2 * frame) as f64 / 60.0));
    }
    assert_ne!(at(clip.duration * 0.5), clip.pose_at(&model.skeleton, clip.duration * 0.5));
}

#[test]
fn the_dragons_tail_swings_in_a_clean_loop() {
    swings_cleanly("dragon.glb", "Walk");
}

#[test]
fn the_kaijus_tail_swings_in_a_clean_loop_in_place_and_travelling() {
    swings_cleanly("kaiju.glb", "Walk");
    swings_cleanly("kaiju.glb", "Walk RM");
}
