//! Numeric criteria for common complaints about other programs.
//!
//! Lengths, rates, live playback, scrubbing, pendulums, scale, order and limits are tested in the parent module. Rates
//! that do not divide 240 and substeps are in `rates`, loops, jumps and cancelling in `loops`, contact with each shape in
//! [`crate::collide::contact`], avatars in `spring_bone`. The bench `dynamics` measures the time for a thousand joints,
//! since a timed test would fail at random. Equal bits are guaranteed on one platform only: `sin` and `powf` of another
//! may differ in the last digit.

use glam::{DVec3, Quat, Vec3};

use super::super::*;
use super::{bake, hanging, loose, pendulum, swaying};
use portamento_anim::Pose;
use portamento_base::progress::Progress;

/// Returns settings with a ball next to a hanging chain of eight bones that have a radius.
fn next_to_a_ball() -> Settings {
    let mut settings = loose(0.05);
    settings.chains[0].radius = Profile::constant(0.02);
    let ball = ColliderShape::Sphere { center: DVec3::new(0.12, 0.6, 0.0), radius: 0.1 };
    settings.colliders.push(Collider { name: "ball".into(), joint: None, shape: ball });
    settings
}

/// Moves back and forth in straight lines, once a second: arithmetic that is equal on every machine.
fn shaken(time: f64, pose: &mut Pose) {
    let x = 0.4 * (time - (time + 0.5).floor()).abs() - 0.1;
    pose.locals[0].translation = Vec3::new(x as f32, 1.0, (0.5 * x) as f32);
}

/// Returns the FNV-1a hash of the bits of all rotations.
fn digest(built: &Built) -> u64 {
    let bytes = built.rows().flatten().flat_map(|q| q.to_array()).flat_map(|value| value.to_bits().to_le_bytes());
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

#[test]
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
fn the_bits_of_a_bake_equal_the_recorded_digest() {
    let built = bake(&hanging(8, 0.1), &shaken, 2.0, &next_to_a_ball());
    assert!(built.report.contacts.iter().any(|&count| count > 0));
    assert_eq!(digest(&built), 0x33cd_b7c1_965e_4569, "{:#018x}", digest(&built));
}

#[test]
fn steps_of_zero_and_of_five_seconds_stay_finite_and_keep_lengths() {
    let skeleton = hanging(6, 0.1);
    for drag in [0.0, 0.1, 1.0] {
        let settings = Settings { chains: loose(drag).chains, ..next_to_a_ball() };
        let rig = DynamicsRig::new(&skeleton, &settings, 1.0).unwrap();
        let mut pose = Pose::rest(&skeleton);
        let mut state = State::at(&rig, &pose);
        let mut time = 0.0;
        for h in [0.0, 1e-6, STEP, 5.0, 0.0, STEP, 1e-6, 5.0, STEP] {
            time += h;
            swaying(time, &mut pose);
            step(&rig, &mut state, &pose, time, h);
            for bone in &state.bones {
                let len = bone.tip().distance(bone.joint.position);
                assert!(bone.tip().is_finite() && (len - bone.length).abs() <= 1e-12 && (len - 0.1).abs() < 1e-6);
            }
            assert!((0..6).all(|index| state.local_rotation(&rig, index).is_finite()));
        }
    }
}

#[test]
fn a_pushed_bone_touches_the_surface() {
    let skeleton = hanging(8, 0.1);
    // The wind leans the chain against the ball.
    let wind = Wind { strength: 5.0, ..Wind::default() };
    let rig = DynamicsRig::new(&skeleton, &Settings { wind, ..next_to_a_ball() }, 1.0).unwrap();
    let mut pose = Pose::rest(&skeleton);
    swaying(0.0, &mut pose);
    let mut state = State::at(&rig, &pose);
    let mut touched = 0;
    for i in 1..1440 {
        swaying(f64::from(i) * STEP, &mut pose);
        step(&rig, &mut state, &pose, f64::from(i) * STEP, STEP);
        for (bone, contact) in state.bones.iter().zip(&state.contacts).filter(|(_, contact)| contact.touching) {
            let gap = bone.tip().distance(DVec3::new(0.12, 0.6, 0.0)) - 0.12;
            assert!(!contact.infeasible && gap.abs() <= 1e-6 * 0.12, "{gap} at step {i}");
            touched += 1;
        }
    }
    assert!(touched > 50, "{touched}");
}

#[test]
fn smoothing_covers_two_thirds_after_its_time_constant_at_any_step() {
    let skeleton = hanging(1, 0.1);
    let mut settings = loose(1.0);
    (settings.gravity, settings.smoothing) = (DVec3::ZERO, 0.1);
    let rig = DynamicsRig::new(&skeleton, &settings, 1.0).unwrap();
    let mut pose = Pose::rest(&skeleton);
    let shown = State::at(&rig, &pose).shown;
    for steps in [6, 24, 96] {
        pose.locals[1].rotation = Quat::from_rotation_z(0.6);
        let mut state = State::at(&rig, &pose);
        pose.locals[1].rotation = Quat::IDENTITY;
        state.shown.clone_from(&shown);
        (0..steps).for_each(|_| step(&rig, &mut state, &pose, 0.0, 0.1 / f64::from(steps)));
        let gone = shown[0].direction.angle_between(state.shown[0].direction) / 0.6;
        assert!((gone - 0.632).abs() <= 0.001, "{gone} in {steps} steps");
    }
}

#[test]
fn every_cycle_of_a_loop_samples_exactly_the_same_times() {
    let skeleton = hanging(3, 0.1);
    let asked = std::sync::Mutex::new(std::collections::BTreeMap::<u64, usize>::new());
    let driver = |time: f64, pose: &mut Pose| {
        *asked.lock().unwrap().entry(time.to_bits()).or_default() += 1;
        swaying(time, pose);
    };
    let input = Input { skeleton: &skeleton, driver: &driver, duration: 1.0, looping: true, metres_per_unit: 1.0 };
    let mut settings = loose(0.3);
    settings.wind = Wind { strength: 2.0, period: 0.3, ..Wind::default() };
    let built = build(&input, &settings, &Progress::new()).unwrap();
    assert!(built.report.cycles > 2);
    let asked = asked.lock().unwrap();
    assert_eq!(asked.len(), 241);
    // Except for the seam, the animation is sampled once, independent of the number of cycles.
    assert!(asked.iter().filter(|(time, _)| **time != 0).all(|(_, &times)| times == 1), "{asked:?}");
}

#[test]
fn a_wide_swing_without_drag_keeps_its_height() {
    let top = |angles: &[f64]| angles.iter().fold(0.0_f64, |top, angle| top.max(angle.abs())).to_degrees();
    let angles = pendulum(120_f64.to_radians(), 0.0, 0.2485, 20.0);
    let tops: Vec<f64> = angles.chunks(480).take(10).map(top).collect();
    assert!(tops.iter().all(|top| (top - 120.0).abs() < 0.5), "{tops:?}");
}

#[test]
fn the_slerp_buffer_makes_its_share_of_the_rotation_per_step_and_is_on_by_default() {
    let skeleton = hanging(1, 0.1);
    let mut settings = loose(1.0);
    (settings.gravity, settings.slerp_buffer) = (DVec3::ZERO, 0.25);
    let rig = DynamicsRig::new(&skeleton, &settings, 1.0).unwrap();
    let mut pose = Pose::rest(&skeleton);
    let straight = State::at(&rig, &pose);
    pose.locals[1].rotation = Quat::from_rotation_z(0.6);
    let mut state = State::at(&rig, &pose);
    pose.locals[1].rotation = Quat::IDENTITY;
    (state.shown, state.buffered) = (straight.shown.clone(), straight.buffered.clone());
    for step_number in 1..=4 {
        step(&rig, &mut state, &pose, 0.0, STEP);
        let left = state.shown[0].direction.angle_between(state.bones[0].direction) / 0.6;
        assert!((left - 0.75_f64.powi(step_number)).abs() < 1e-6, "{left} after {step_number}");
    }
    let share = Settings::default().slerp_buffer;
    assert!(share > 0.0 && share < 1.0);
}

#[test]
fn the_slerp_buffer_does_not_delay_the_motion_of_the_body() {
    // In the frame of its anchor the bone rests, so the buffer has no effect at any speed of the body.
    let skeleton = hanging(2, 0.1);
    let mut settings = loose(0.1);
    settings.gravity = DVec3::ZERO;
    (settings.slerp_buffer, settings.chains[0].center) = (0.1, Some(0));
    let spinning = |time: f64, pose: &mut Pose| pose.locals[0].rotation = Quat::from_rotation_z(6.0 * time as f32);
    let built = bake(&skeleton, &spinning, 0.5, &settings);
    let turned = |q: &Quat| portamento_anim::math::mean::angle_between(*q, Quat::IDENTITY);
    let most = built.rows().flatten().map(turned).fold(0.0, f64::max);
    assert!(most < 1e-6, "{most}");
}

#[test]
fn a_jump_does_not_speed_up_any_bone() {
    let skeleton = hanging(4, 0.1);
    let settings = loose(0.1);
    let rig = DynamicsRig::new(&skeleton, &settings, 1.0).unwrap();
    let mut pose = Pose::rest(&skeleton);
    let mut state = State::at(&rig, &pose);
    let mut before = 0.0;
    for i in 1..480 {
        let time = f64::from(i) * STEP;
        swaying(time, &mut pose);
        pose.locals[0].translation.x += if i >= 240 { 50.0 } else { 0.0 };
        step(&rig, &mut state, &pose, time, STEP);
        let speed = |index: usize| state.bones[index].tip().distance(state.previous_tips[index]) / STEP;
        let fastest = (0..4).map(speed).fold(0.0, f64::max);
        assert!(i != 240 || fastest <= before * 1.5 + 0.1, "{fastest} after {before}");
        before = fastest;
    }
}
