//! General tests of dynamic bones.

use glam::{DVec3, Quat, Vec3};

mod corpus;
mod corpus_criteria;
mod criteria;
mod groups;
mod keyed;
mod lanes;
mod limits;
mod live;
mod loops;
mod preconditions;
mod published;
mod rates;
mod sheared;
mod shots;
mod spring_bone;
mod trees;
mod windows;

use super::*;
use portamento_anim::math::mean::angle_between;
use portamento_anim::{Pose, Skeleton};
use portamento_base::progress::Progress;
use portamento_test_support::allocations::allocations;
use portamento_test_support::skeleton_of;

/// Returns a vertical chain of `bones` bones of `len` metres that hangs down from joint 0.
pub(super) fn hanging(bones: usize, len: f32) -> Skeleton {
    let names: Vec<String> = (0..bones + 2).map(|i| format!("j{i}")).collect();
    let rows: Vec<_> = names.iter().enumerate().map(|(i, name)| (&name[..], i.checked_sub(1))).collect();
    let mut skeleton = skeleton_of(&rows);
    for joint in &mut skeleton.joints[1..] {
        joint.rest.translation = Vec3::NEG_Y * len;
    }
    skeleton
}

/// Returns settings with a chain at joint 1 with this drag and no radius, which keeps the energy of a swing; the simulated
/// bones are shown.
pub(super) fn loose(drag: f64) -> Settings {
    let (drag, radius) = (Profile::constant(drag), Profile::constant(0.0));
    let length_correction = LengthCorrection::EnergyKeeping;
    let chain = Chain { joint: 1, drag, radius, length_correction, ..Default::default() };
    Settings { chains: vec![chain], slerp_buffer: 1.0, ..Default::default() }
}

pub(super) fn swaying(time: f64, pose: &mut Pose) {
    let (sin, cos) = (time * std::f64::consts::TAU).sin_cos();
    pose.locals[0].translation = Vec3::new(0.15 * sin as f32, 1.0 + 0.05 * (cos * sin) as f32, 0.1 * cos as f32);
    pose.locals[0].rotation = Quat::from_rotation_y(0.4 * sin as f32);
}

pub(super) fn bake(
    skeleton: &Skeleton,
    driver: &(dyn Fn(f64, &mut Pose) + Sync),
    duration: f64,
    settings: &Settings,
) -> Built {
    let input = Input { skeleton, driver, duration, looping: false, metres_per_unit: 1.0 };
    build(&input, settings, &Progress::new()).unwrap()
}

fn rest_driver(_: f64, _: &mut Pose) {}

/// Steps a chain from the rest pose rotated by `angle` about Z at joint 1, and returns the angles from straight down.
fn pendulum(angle: f64, drag: f64, len: f32, seconds: f64) -> Vec<f64> {
    swing_of(&loose(drag), angle, len, seconds)
}

/// Returns the angles from straight down of one bone with `settings`, released at `angle`.
fn swing_of(settings: &Settings, angle: f64, len: f32, seconds: f64) -> Vec<f64> {
    let skeleton = hanging(1, len);
    let mut pose = Pose::rest(&skeleton);
    pose.locals[1].rotation = Quat::from_rotation_z(angle as f32);
    let rig = DynamicsRig::new(&skeleton, settings, 1.0).unwrap();
    let mut state = State::at(&rig, &pose);
    let steps = (seconds / STEP).round() as usize;
    let angle_of = |state: &State| state.bones[0].direction.x.atan2(-state.bones[0].direction.y);
    let mut angles = vec![angle_of(&state)];
    for i in 1..=steps {
        step(&rig, &mut state, &pose, i as f64 * STEP, STEP);
        angles.push(angle_of(&state));
    }
    angles
}

#[test]
fn a_swaying_chain_keeps_its_lengths_without_twist() {
    let built = bake(&hanging(8, 0.1), &swaying, 4.0, &loose(0.1));
    assert!(built.report.length_error <= 1e-12, "{}", built.report.length_error);
    assert!(built.report.twist <= 1e-5, "{}", built.report.twist);
    let rows: Vec<&[Quat]> = built.rows().collect();
    for pair in rows.windows(2) {
        for (before, after) in pair[0].iter().zip(pair[1]) {
            assert!(before.dot(*after) > 0.0 && (after.length() - 1.0).abs() < 1e-6);
        }
    }
}

#[test]
fn bakes_at_all_dividing_rates_agree_bit_for_bit_and_scrubbing_equals_playing() {
    let skeleton = hanging(6, 0.1);
    let built = bake(&skeleton, &swaying, 10.0, &loose(0.1));
    let at = |fps: f64, frame: usize| {
        let mut pose = Pose::rest(&skeleton);
        built.sample(frame as f64 / fps, &mut pose);
        pose
    };
    for fps in [15_usize, 20, 24, 30, 48, 60, 120] {
        for frame in 0..=10 * fps {
            assert_eq!(at(fps as f64, frame), at(240.0, frame * 240 / fps), "frame {frame} at {fps}");
        }
    }
    let again = bake(&skeleton, &swaying, 10.0, &loose(0.1));
    let mut pose = Pose::rest(&skeleton);
    again.sample(137.0 / 30.0, &mut pose);
    assert_eq!(at(30.0, 137), pose);
}

#[test]
fn a_bone_hangs_along_gravity_and_wind_to_a_thousandth_of_a_degree() {
    let mut settings = loose(0.1);
    settings.wind = Wind { strength: 9.81, gust: 0.0, turbulence: 0.0, ..Default::default() };
    let skeleton = hanging(3, 0.1);
    let rig = DynamicsRig::new(&skeleton, &settings, 1.0).unwrap();
    let pose = Pose::rest(&skeleton);
    let mut state = State::at(&rig, &pose);
    (1..4800).for_each(|i| step(&rig, &mut state, &pose, f64::from(i) * STEP, STEP));
    let wanted = DVec3::new(1.0, -1.0, 0.0).normalize();
    for bone in &state.bones {
        assert!(bone.direction.angle_between(wanted).to_degrees() < 0.001);
    }
}

#[test]
fn stiffness_balances_gravity_along_their_sum() {
    let mut settings = loose(0.2);
    settings.chains[0].stiffness = Profile::constant(5.0);
    settings.gravity = DVec3::new(3.0, 0.0, 0.0);
    let skeleton = hanging(1, 0.1);
    let rig = DynamicsRig::new(&skeleton, &settings, 1.0).unwrap();
    let pose = Pose::rest(&skeleton);
    let mut state = State::at(&rig, &pose);
    (1..4800).for_each(|i| step(&rig, &mut state, &pose, f64::from(i) * STEP, STEP));
    let wanted = DVec3::new(3.0, -5.0, 0.0).normalize();
    assert!(state.bones[0].direction.angle_between(wanted).to_degrees() < 0.01);
}

#[test]
fn a_small_swing_takes_the_time_of_a_pendulum_and_keeps_its_height() {
    let angles = pendulum(5_f64.to_radians(), 0.0, 0.2485, 20.0);
    let crossings: Vec<f64> = angles
        .windows(2)
        .enumerate()
        .filter(|(_, pair)| pair[0] > 0.0 && pair[1] <= 0.0)
        .map(|(i, pair)| (i as f64 + pair[0] / (pair[0] - pair[1])) * STEP)
        .collect();
    let period = (crossings[10] - crossings[0]) / 10.0;
    assert!((period - 1.0005).abs() <= 0.0005 * 1.0005, "{period}");
    let last_second = angles[angles.len() - 250..].iter().fold(0.0_f64, |top, angle| top.max(angle.abs()));
    assert!(last_second.to_degrees() >= 4.95, "{}", last_second.to_degrees());
}

#[test]
fn a_free_joint_falls_no_faster_than_its_drag_allows() {
    // A bone of a hundred kilometres swings so slowly that its end falls freely sideways under wind.
    let mut settings = loose(0.1);
    settings.gravity = DVec3::ZERO;
    settings.wind = Wind { strength: 2.0, gust: 0.0, turbulence: 0.0, ..Default::default() };
    let skeleton = hanging(1, 1e5);
    let rig = DynamicsRig::new(&skeleton, &settings, 1.0).unwrap();
    let pose = Pose::rest(&skeleton);
    let mut state = State::at(&rig, &pose);
    (1..2400).for_each(|i| step(&rig, &mut state, &pose, f64::from(i) * STEP, STEP));
    let speed = (state.bones[0].tip() - state.previous_tips[0]).length() / STEP;
    let wanted = 2.0 * STEP / (1.0 - 0.9_f64.powf(0.25));
    assert!((speed / wanted - 1.0).abs() < 1e-6, "{speed} {wanted}");
}

#[test]
fn absurd_values_stay_finite_and_keep_lengths() {
    for (gravity, drag, len) in
        [(1e6, 0.0, 0.01), (1e6, 1.0, 0.01), (9.81, 0.0, 0.0), (1e6, 0.5, 1e-7), (1e9, 0.0, 1e-4)]
    {
        let mut settings = loose(drag);
        settings.gravity = DVec3::NEG_Y * gravity;
        let ball = ColliderShape::Sphere { center: DVec3::new(0.0, 1.0 - 2.0 * len, 0.0), radius: 0.005 };
        settings.colliders.push(Collider { name: "ball".into(), joint: None, shape: ball });
        let skeleton = hanging(3, len as f32);
        let stalled = |time: f64, pose: &mut Pose| {
            if !(0.05..5.0).contains(&time) {
                swaying(time, pose);
            }
            if time > 0.1 {
                pose.locals[2].rotation = Quat::from_xyzw(f32::NAN, 0.0, 0.0, 1.0);
            }
        };
        let built = bake(&skeleton, &stalled, 0.25, &settings);
        assert!(built.rows().flatten().all(|q| q.is_finite()));
        assert!(built.report.length_error <= 1e-9);
        assert!(built.report.warnings.iter().any(|warning| matches!(warning, Warning::NotANumber { joint: 2, .. })));
    }
}

#[test]
fn no_frame_penetrates_and_contact_is_on_the_surface() {
    let mut settings = loose(0.05);
    settings.chains[0].radius = Profile::constant(0.02);
    let ball = ColliderShape::Sphere { center: DVec3::new(0.12, 0.6, 0.0), radius: 0.1 };
    settings.colliders.push(Collider { name: "ball".into(), joint: None, shape: ball });
    let rod = ColliderShape::Capsule { a: DVec3::new(-0.3, 0.3, -0.2), b: DVec3::new(0.3, 0.3, 0.25), radius: 0.05 };
    settings.colliders.push(Collider { name: "rod".into(), joint: None, shape: rod });
    let built = bake(&hanging(8, 0.1), &swaying, 6.0, &settings);
    assert!(built.report.contacts.iter().any(|&count| count > 0));
    assert!(built.report.penetration <= 1e-6, "{}", built.report.penetration);
    assert!(built.report.length_error <= 1e-12);
}

#[test]
fn smoothing_adds_neither_penetration_nor_twist() {
    let mut settings = loose(0.05);
    settings.smoothing = 0.08;
    settings.chains[0].radius = Profile::constant(0.02);
    let ball = ColliderShape::Sphere { center: DVec3::new(0.12, 0.6, 0.0), radius: 0.1 };
    settings.colliders.push(Collider { name: "ball".into(), joint: None, shape: ball });
    let built = bake(&hanging(8, 0.1), &swaying, 4.0, &settings);
    assert!(built.report.contacts.iter().any(|&count| count > 0));
    assert!(built.report.penetration <= 1e-6 && built.report.twist <= 1e-5);
    // The motion folds bones back, which is reported; a limit prevents it.
    let folds = |built: &Built| {
        let folds =
            |warning: &&Warning| matches!(warning, Warning::FoldedBack { joint: 4..=8, until, .. } if *until <= 4.0);
        built.report.warnings.iter().filter(folds).count()
    };
    assert_eq!(folds(&built), built.report.warnings.len(), "{:?}", built.report.warnings);
    assert!(folds(&built) > 0);
    let mut limited = settings.clone();
    limited.chains[0].limit = AngleLimit::Cone { angle: 1.2 };
    assert_eq!(folds(&bake(&hanging(8, 0.1), &swaying, 4.0, &limited)), 0);
    settings.smoothing = 0.0;
    assert_ne!(bake(&hanging(8, 0.1), &swaying, 4.0, &settings), built);
}

#[test]
fn size_does_not_change_the_angles() {
    let mut settings = loose(0.1);
    let ball = ColliderShape::Sphere { center: DVec3::new(0.12, -0.4, 0.0), radius: 0.1 };
    settings.colliders.push(Collider { name: "ball".into(), joint: Some(0), shape: ball });
    settings.chains[0].stiffness = Profile::constant(2.0);
    let skeleton = hanging(5, 0.1);
    let life = bake(&skeleton, &swaying, 2.0, &settings);
    // Powers of two, so that `f32` rounds alike in all sizes and contacts amplify nothing.
    for size in [1.0_f32 / 128.0, 1.0, 8.0, 128.0] {
        let mut sized = skeleton.clone();
        sized.joints.iter_mut().for_each(|joint| joint.rest.translation *= size);
        let driver = move |time: f64, pose: &mut Pose| {
            swaying(time, pose);
            pose.locals[0].translation *= size;
        };
        settings.scale = f64::from(size);
        let large = bake(&sized, &driver, 2.0, &settings);
        settings.scale = 1.0;
        let unit = Input {
            skeleton: &sized,
            driver: &driver,
            duration: 2.0,
            looping: false,
            metres_per_unit: 1.0 / f64::from(size),
        };
        let in_units = build(&unit, &settings, &Progress::new()).unwrap();
        for ((a, b), c) in life.rows().flatten().zip(large.rows().flatten()).zip(in_units.rows().flatten()) {
            assert!(angle_between(*a, *b) < 1e-5 && angle_between(*a, *c) < 1e-5, "{size}");
        }
    }
}

#[test]
fn a_chain_at_rest_does_not_move_and_settling_ends() {
    let mut settings = loose(0.15);
    settings.chains[0].stiffness = Profile::constant(8.0);
    settings.chains[0].radius = Profile::constant(0.02);
    let ball = ColliderShape::Sphere { center: DVec3::new(0.01, 0.65, 0.0), radius: 0.1 };
    settings.colliders.push(Collider { name: "ball".into(), joint: None, shape: ball });
    let built = bake(&hanging(5, 0.1), &rest_driver, 4.0, &settings);
    let rows: Vec<_> = built.rows().collect();
    for pair in rows[800..].windows(2) {
        assert!(pair[0].iter().zip(pair[1]).all(|(a, b)| angle_between(*a, *b) < 1e-6));
    }
    let calm = bake(&hanging(5, 0.1), &rest_driver, 0.5, &loose(0.1));
    assert!(calm.rows().flatten().all(|q| angle_between(*q, Quat::IDENTITY) < 1e-6));
}

#[test]
fn a_live_preview_equals_the_bake_at_any_frame_rate_and_survives_changed_settings() {
    let skeleton = hanging(4, 0.1);
    let mut start = Pose::rest(&skeleton);
    swaying(0.0, &mut start);
    let mut live = LiveSimulation::new(&skeleton, &loose(0.1), 1.0, start).unwrap();
    for time in [0.013, 0.05, 0.4] {
        live.advance(&skeleton, &swaying, time, 100);
        let ahead = live.time() - time;
        assert!(ahead < 1e-6 && ahead > -STEP, "it is {ahead} s ahead of what is shown");
    }
    live.advance(&skeleton, &swaying, 5.4, 100);
    let left = live.advance(&skeleton, &swaying, 5.4, 100);
    assert!(left > 0 && live.advance(&skeleton, &swaying, 5.4, 100_000) == 0);
    let (mut shown, mut baked) = (Pose::rest(&skeleton), Pose::rest(&skeleton));
    live.write(&mut shown);
    bake(&skeleton, &swaying, 6.0, &loose(0.1)).sample(live.time(), &mut baked);
    for (a, b) in shown.locals.iter().zip(&baked.locals) {
        assert!(a.rotation == b.rotation || a.rotation == -b.rotation);
    }
    let before = live.state().clone();
    live.change(&skeleton, &loose(0.6)).unwrap();
    assert_eq!(*live.state(), before);
}

#[test]
fn live_steps_allocate_nothing() {
    let (skeleton, mut settings) = (hanging(6, 0.1), loose(0.1));
    let shape = ColliderShape::Sphere { center: DVec3::NEG_Y * 0.3, radius: 0.08 };
    settings.colliders.push(Collider { name: "ball".into(), joint: Some(0), shape });
    let mut live = LiveSimulation::new(&skeleton, &settings, 1.0, Pose::rest(&skeleton)).unwrap();
    let mut shown = Pose::rest(&skeleton);
    live.advance(&skeleton, &swaying, 0.5, 1000);
    let count = allocations(|| {
        live.advance(&skeleton, &swaying, 2.5, 1000);
        live.write(&mut shown);
    });
    assert_eq!(count, 0);
}

#[test]
fn a_sampled_frame_of_a_recording_allocates_nothing() {
    let skeleton = hanging(6, 0.1);
    let built = bake(&skeleton, &swaying, 1.0, &loose(0.1));
    let mut pose = Pose::rest(&skeleton);
    let count = allocations(|| (0..70).for_each(|step| built.sample(f64::from(step) / 70.0, &mut pose)));
    assert_eq!(count, 0);
}

#[test]
fn the_order_in_which_joints_are_stored_does_not_matter() {
    let tree = |names: &[(&str, Option<usize>)]| {
        let mut skeleton = skeleton_of(names);
        for joint in &mut skeleton.joints[1..] {
            let side = if joint.name.starts_with('a') { 0.1 } else { -0.1 };
            joint.rest.translation = Vec3::new(side, -0.1, 0.02);
        }
        skeleton
    };
    let one = tree(&[("root", None), ("a1", Some(0)), ("a2", Some(1)), ("b1", Some(0)), ("b2", Some(3))]);
    let two = tree(&[("root", None), ("b1", Some(0)), ("a1", Some(0)), ("b2", Some(1)), ("a2", Some(2))]);
    let settings = |skeleton: &Skeleton| {
        let chain = |name: &str| Chain { joint: skeleton.find(name).unwrap(), ..Default::default() };
        Settings { chains: vec![chain("a1"), chain("b1")], ..Default::default() }
    };
    let baked = |skeleton: &Skeleton| {
        let built = bake(skeleton, &swaying, 2.0, &settings(skeleton));
        let mut pose = Pose::rest(skeleton);
        built.sample(1.7, &mut pose);
        ["a1", "b1"].map(|name| pose.locals[skeleton.find(name).unwrap()])
    };
    assert_eq!(baked(&one), baked(&two));
}

#[test]
fn a_bone_rotated_by_half_a_turn_does_not_flip() {
    let skeleton = hanging(1, 0.2);
    let mut settings = loose(0.0);
    settings.gravity = DVec3::ZERO;
    let rig = DynamicsRig::new(&skeleton, &settings, 1.0).unwrap();
    let pose = Pose::rest(&skeleton);
    let mut state = State::at(&rig, &pose);
    state.previous_tips[0].x -= 0.2 * 0.05;
    let mut before = state.local_rotation(&rig, 0).as_quat();
    let mut most = 0.0_f64;
    for i in 1..400 {
        step(&rig, &mut state, &pose, f64::from(i) * STEP, STEP);
        let now = state.local_rotation(&rig, 0).as_quat();
        most = most.max(angle_between(before, now));
        before = now;
    }
    assert!(most < 0.06, "{most}");
}
