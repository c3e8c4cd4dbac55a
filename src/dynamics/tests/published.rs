//! The published length correction: `pos' ← p + len·(pos' − p)/|pos' − p|`.

use super::*;

/// Returns the settings of [`loose`] with the published correction.
fn published(drag: f64) -> Settings {
    let mut settings = loose(drag);
    settings.chains[0].length_correction = LengthCorrection::AsPublished;
    settings
}

/// Returns the largest swing in degrees during the last `seconds` of `angles`.
fn last_swing(angles: &[f64], seconds: f64) -> f64 {
    let from = angles.len() - (seconds / STEP) as usize;
    angles[from..].iter().fold(0.0_f64, |top, angle| top.max(angle.abs())).to_degrees()
}

/// Returns the angles of a planar pendulum, from the formulas alone.
fn by_formula(angle: f64, len: f64, seconds: f64) -> Vec<f64> {
    let at = |angle: f64| [len * angle.sin(), -len * angle.cos()];
    let (mut tip, mut previous) = (at(angle), at(angle));
    let mut angles = vec![angle];
    for _ in 0..(seconds / STEP).round() as usize {
        let b = tip.map(|component| component / len);
        let along = -9.81 * b[1];
        let g_v = [-along * b[0], -9.81 - along * b[1]];
        let wanted: [f64; 2] = std::array::from_fn(|i| 2.0 * tip[i] - previous[i] + g_v[i] * STEP * STEP);
        let reach = wanted[0].hypot(wanted[1]);
        previous = tip;
        tip = wanted.map(|component| component / reach * len);
        angles.push(tip[0].atan2(-tip[1]));
    }
    angles
}

#[test]
fn a_wide_swing_without_drag_is_damped_as_published_or_keeps_its_height() {
    // From a separate program with the published formulas: 60° become 40.73° for 24.85 cm and 53.84° for 1 m in 10 s.
    for (len, wanted) in [(0.2485_f32, 40.73), (1.0, 53.84)] {
        let seconds = 1.5 * std::f64::consts::TAU * (f64::from(len) / 9.81).sqrt();
        let angles = swing_of(&published(0.0), 60_f64.to_radians(), len, 10.0);
        let swing = last_swing(&angles, seconds);
        assert!((swing - wanted).abs() < 0.02, "{swing}° after 10 s with {len} m");
        let formula = by_formula(60_f64.to_radians(), f64::from(len), 10.0);
        let apart = angles.iter().zip(&formula).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        // The rest pose is a rotation in f32.
        assert!(apart < 2e-6, "{apart} rad");
        let swing = last_swing(&pendulum(60_f64.to_radians(), 0.0, len, 10.0), seconds);
        assert!((swing - 60.0).abs() < 0.05, "{swing}°");
    }
}

#[test]
fn lengths_contact_and_frame_rates_are_exact_as_published_too() {
    let skeleton = hanging(8, 0.1);
    let mut settings = published(0.05);
    settings.chains[0].radius = Profile::constant(0.02);
    let ball = ColliderShape::Sphere { center: DVec3::new(0.12, 0.6, 0.0), radius: 0.1 };
    settings.colliders.push(Collider { name: "ball".into(), joint: None, shape: ball });
    let built = bake(&skeleton, &swaying, 2.0, &settings);
    assert!(built.report.length_error <= 1e-12 && built.report.penetration <= 1e-6, "{:?}", built.report);
    assert!(built.report.twist <= 1e-5 && built.report.contacts.iter().any(|&count| count > 0));
    let keeping = bake(&skeleton, &swaying, 2.0, &Settings { chains: loose(0.05).chains, ..settings.clone() });
    let (mut pose, mut other) = (Pose::rest(&skeleton), Pose::rest(&skeleton));
    built.sample(1.5, &mut pose);
    keeping.sample(1.5, &mut other);
    assert_ne!(pose, other);
}

#[test]
fn a_tip_on_its_joint_keeps_its_direction() {
    let skeleton = hanging(1, 0.1);
    let rig = DynamicsRig::new(&skeleton, &Settings { gravity: DVec3::ZERO, ..published(0.0) }, 1.0).unwrap();
    let pose = Pose::rest(&skeleton);
    let mut state = State::at(&rig, &pose);
    // Inertia carries the tip exactly to the joint.
    let (tip, joint) = (state.bones[0].tip(), state.bones[0].joint.position);
    state.previous_tips[0] = tip + (tip - joint);
    step(&rig, &mut state, &pose, STEP, STEP);
    assert!((state.bones[0].direction - DVec3::NEG_Y).length() < 1e-12, "{:?}", state.bones[0].direction);
}
