//! Frame rates, equilibrium, extreme values and fast tips on third-party characters.

use std::path::PathBuf;

use glam::{DQuat, DVec3};

use super::super::*;
use super::corpus::{characters, drive, metres_per_unit, settings, strand};
use super::shots::{Range, shoot};
use portamento_anim::{Model, Pose};
use portamento_base::progress::Progress;
use portamento_formats::import::import;

/// Returns the characters with a hanging strand, and its first joint.
fn hung() -> impl Iterator<Item = (PathBuf, Model, usize)> {
    characters().into_iter().filter_map(|path| {
        let model = import(&path).unwrap().model;
        let joint = strand(&model)?;
        Some((path, model, joint))
    })
}

/// Returns the last joint of the strand that begins at `joint`; it has no children.
fn tip(model: &Model, joint: usize) -> usize {
    let ends = |end: &usize| model.skeleton.subtree(*end).len() == 1;
    (joint..model.skeleton.len()).find(ends).unwrap()
}

/// Returns settings for bones from `joint` on with this drag, without colliders or limits.
fn free(joint: usize, drag: f64) -> Settings {
    let drag = Profile::constant(drag);
    Settings { chains: vec![Chain { joint, drag, end_length: 0.1, ..Chain::default() }], ..Settings::default() }
}

/// Returns the rig of `settings` and its state at rest.
fn at_rest(model: &Model, settings: &Settings) -> (DynamicsRig, Pose, State) {
    let rig = DynamicsRig::new(&model.skeleton, settings, metres_per_unit(model)).unwrap();
    let pose = Pose::rest(&model.skeleton);
    let state = State::at(&rig, &pose);
    (rig, pose, state)
}

#[test]
fn bakes_at_all_dividing_rates_agree_bit_for_bit_on_every_character() {
    for (path, model, joint) in hung() {
        let driver = |time: f64, pose: &mut Pose| drive(&model, 1.0, time, pose);
        let duration = 0.5;
        let skeleton = &model.skeleton;
        let input =
            Input { skeleton, driver: &driver, duration, looping: false, metres_per_unit: metres_per_unit(&model) };
        let times = |fps: u32| (0..=fps / 2).map(move |frame| f64::from(frame) / f64::from(fps));
        let baked = |fps: u32| {
            let frames: Vec<f64> = times(fps).collect();
            Recordings::default().build(&input, &settings(&model, joint), &frames, &Progress::new()).unwrap()
        };
        let at = |built: &Built, time: f64| {
            let mut pose = Pose::rest(skeleton);
            driver(time, &mut pose);
            built.sample(time, &mut pose);
            pose
        };
        let finest = baked(240);
        for fps in [15, 20, 24, 30, 48, 60, 120] {
            let built = baked(fps);
            // In reverse order: a sample must not depend on earlier samples.
            for time in times(fps).collect::<Vec<_>>().into_iter().rev() {
                assert_eq!(at(&built, time), at(&finest, time), "{} at {fps} fps, {time} s", path.display());
            }
        }
    }
}

#[test]
fn every_strand_comes_to_hang_along_gravity_and_wind() {
    for (path, model, joint) in hung() {
        let mut settings = free(joint, 0.1);
        let length: f64 = at_rest(&model, &settings).2.bones.iter().map(|bone| bone.length).sum();
        // In proportion to the strand, so that all strands settle equally fast.
        settings.gravity = DVec3::NEG_Y * 20.0 * length;
        settings.wind = Wind { strength: 10.0 * length, gust: 0.0, turbulence: 0.0, ..Wind::default() };
        let (rig, pose, mut state) = at_rest(&model, &settings);
        (1..4800).for_each(|i| step(&rig, &mut state, &pose, f64::from(i) * STEP, STEP));
        let wanted = DVec3::new(1.0, -2.0, 0.0).normalize();
        for bone in state.bones.iter().filter(|bone| bone.length > 1e-6) {
            let off = bone.direction.angle_between(wanted).to_degrees();
            assert!(off < 0.001, "{}: {off}°", path.display());
        }
    }
}

#[test]
fn a_bone_on_any_character_swings_as_a_pendulum() {
    for (path, model, joint) in hung() {
        let mut settings = free(tip(&model, joint), 0.0);
        settings.chains[0].end_length = 0.2485;
        let rest = at_rest(&model, &settings).2.bones[0].direction;
        let axis = rest.any_orthonormal_vector();
        let down = DQuat::from_axis_angle(axis, 5_f64.to_radians()) * rest;
        settings.gravity = down * 9.81;
        let (rig, pose, mut state) = at_rest(&model, &settings);
        let mut angles = Vec::new();
        for i in 1..=3600 {
            step(&rig, &mut state, &pose, f64::from(i) * STEP, STEP);
            angles.push(state.bones[0].direction.cross(down).dot(axis));
        }
        let pairs = angles.windows(2).enumerate().filter(|(_, pair)| pair[0] > 0.0 && pair[1] <= 0.0);
        let crossings: Vec<f64> = pairs.map(|(i, pair)| (i as f64 + pair[0] / (pair[0] - pair[1])) * STEP).collect();
        let period = (crossings[10] - crossings[0]) / 10.0;
        assert!((period - 1.0005).abs() <= 0.0005 * 1.0005, "{}: {period} s", path.display());
    }
}

#[test]
fn absurd_values_stay_finite_and_keep_lengths_on_every_character() {
    for (path, model, joint) in hung() {
        for (drag, end_length) in [(0.0, 0.1), (1.0, 0.01), (0.1, 0.0)] {
            let mut settings = settings(&model, joint);
            (settings.gravity, settings.chains[0].end_length) = (DVec3::NEG_Y * 1e6, end_length);
            settings.chains[0].drag = Profile::constant(drag);
            // A ball centred on the first joint, which has no feasible direction.
            settings.colliders[0].joint = Some(joint);
            let (rig, mut pose, mut state) = at_rest(&model, &settings);
            let mut time = 0.0;
            for h in [0.0, 1e-6, STEP, 1.0 / 15.0, 5.0, 0.0, STEP, 1e-6, 5.0, STEP] {
                time += h;
                pose.set_rest(&model.skeleton);
                drive(&model, 1.0, time, &mut pose);
                step(&rig, &mut state, &pose, time, h);
                for bone in &state.bones {
                    let off = bone.tip().distance(bone.joint.position) - bone.length;
                    let describe = || format!("{} drag {drag} at {time} s: off {off}", path.display());
                    assert!(bone.tip().is_finite() && off.abs() <= 1e-9 * bone.length.max(1.0), "{}", describe());
                }
                assert!((0..state.bones.len()).all(|bone| state.local_rotation(&rig, bone).is_finite()));
            }
        }
    }
}

#[test]
fn no_fast_shot_passes_through_a_small_ball_on_any_character() {
    for (seed, (_, model, joint)) in (1..).zip(hung()) {
        let (joint, metres_per_unit) = (tip(&model, joint), metres_per_unit(&model));
        shoot(&Range { skeleton: &model.skeleton, joint, end_length: 1.0, metres_per_unit }, 60, seed);
    }
}
