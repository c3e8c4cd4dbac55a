//! Frame rates and speed: optimisations that must not change a bit, and frames between steps.

use glam::DVec3;

use super::super::*;
use super::{bake, hanging, loose, swaying};
use portamento_anim::{Pose, Skeleton};
use portamento_base::progress::Progress;

/// Steps the same bones twice, once with an exhaustive broad phase, and compares all shown rotations.
fn compare(settings: &Settings) -> usize {
    let skeleton = hanging(9, 0.1);
    let rig = DynamicsRig::new(&skeleton, settings, 1.0).unwrap();
    let mut pose = Pose::rest(&skeleton);
    let (mut quick, mut plain) = (State::at(&rig, &pose), State::at(&rig, &pose));
    plain.broadphase.exhaustive = true;
    let mut contacts = 0;
    for i in 1..=1200 {
        let time = f64::from(i) * STEP;
        pose.set_rest(&skeleton);
        swaying(time * 1.7, &mut pose);
        step(&rig, &mut quick, &pose, time, STEP);
        step(&rig, &mut plain, &pose, time, STEP);
        assert_eq!(quick.bones, plain.bones, "step {i}");
        assert_eq!((&quick.shown, &quick.previous_tips), (&plain.shown, &plain.previous_tips), "step {i}");
        assert_eq!(quick.contacts, plain.contacts, "step {i}");
        contacts += quick.contacts.iter().filter(|contact| contact.touching).count();
    }
    contacts
}

/// Returns settings with colliders of all kinds around a hanging chain: on moving joints and in the world, solid,
/// enclosing and flat.
fn surrounded() -> Settings {
    let mut settings = loose(0.03);
    settings.chains[0].radius = Profile::constant(0.02);
    for i in 0..20 {
        let angle = f64::from(i) * 2.4;
        let center = DVec3::new(0.16 * angle.cos(), 0.9 - 0.08 * f64::from(i), 0.16 * angle.sin());
        let shape = match i % 5 {
            4 => ColliderShape::Capsule { a: center, b: center + DVec3::new(0.0, 0.1, 0.05), radius: 0.04 },
            _ => ColliderShape::Sphere { center, radius: 0.1 },
        };
        let (joint, shape) = match (i % 3, shape) {
            (0, ColliderShape::Sphere { center, radius }) => {
                (Some(0), ColliderShape::Sphere { center: center - DVec3::Y, radius })
            }
            (_, shape) => (None, shape),
        };
        settings.colliders.push(Collider { name: format!("{i}"), joint, shape });
    }
    settings
}

#[test]
fn skipping_distant_colliders_changes_no_bit() {
    let mut settings = surrounded();
    assert!(compare(&settings) > 500);
    settings.segment_contact = true;
    settings.smoothing = 0.05;
    assert!(compare(&settings) > 500);
    let flat = ColliderShape::Plane { point: DVec3::Y * -0.2, normal: DVec3::Y };
    settings.colliders.push(Collider { name: "floor".into(), joint: None, shape: flat });
    let hollow = ColliderShape::InsideSphere { center: DVec3::Y * 0.8, radius: 0.9 };
    settings.colliders.push(Collider { name: "room".into(), joint: None, shape: hollow });
    assert!(compare(&settings) > 500);
}

/// Film and television frame rates that do not divide 240.
const ODD: [f64; 6] = [24_000.0 / 1001.0, 25.0, 30_000.0 / 1001.0, 50.0, 60_000.0 / 1001.0, 144.0];

fn at_rate(skeleton: &Skeleton, settings: &Settings, fps: f64) -> (Vec<f64>, Built) {
    let frames: Vec<f64> = (0..=(4.0 * fps) as usize).map(|frame| frame as f64 / fps).collect();
    let input = Input { skeleton, driver: &swaying, duration: 4.0, looping: false, metres_per_unit: 1.0 };
    let built = Recordings::default().build(&input, settings, &frames, &Progress::new()).unwrap();
    (frames, built)
}

#[test]
fn frames_between_steps_are_on_the_path_of_the_bones() {
    let skeleton = hanging(4, 0.1);
    let plain = bake(&skeleton, &swaying, 4.0, &loose(0.1));
    let bone = |built: &Built, time: f64, joint: usize| {
        let mut pose = Pose::rest(&skeleton);
        swaying(time, &mut pose);
        built.sample(time, &mut pose);
        let at = |joint| pose.world_from_joint(&skeleton, joint).translation;
        at(joint + 1) - at(joint)
    };
    for fps in ODD {
        let (frames, built) = at_rate(&skeleton, &loose(0.1), fps);
        assert!(built.rows().eq(plain.rows()), "looking between steps changes none");
        let inner = frames.iter().copied().filter(|time| (0.05..3.9).contains(time));
        for (time, joint) in inner.flat_map(|time| (1..=4).map(move |joint| (time, joint))) {
            let first = (time / STEP).floor() - 1.0;
            let s = time / STEP - first;
            // The cubic through the four recorded steps around the frame.
            let weight =
                |i: usize| (0..4).filter(|&j| j != i).map(|j| (s - j as f64) / (i as f64 - j as f64)).product();
            let sum = |sum: DVec3, i: usize| -> DVec3 {
                let weight: f64 = weight(i);
                sum + bone(&plain, (first + i as f64) * STEP, joint) * weight
            };
            let apart = bone(&built, time, joint).distance((0..4).fold(DVec3::ZERO, sum));
            assert!(apart <= 1e-3 * 0.1, "{apart} m at {time} s, {fps} fps, joint {joint}");
        }
    }
}

#[test]
fn frames_between_steps_are_outside_colliders_too() {
    let skeleton = hanging(9, 0.1);
    let settings = surrounded();
    let balls: Vec<(Option<usize>, DVec3)> = settings
        .colliders
        .iter()
        .filter_map(|collider| match collider.shape {
            ColliderShape::Sphere { center, .. } => Some((collider.joint, center)),
            _ => None,
        })
        .collect();
    let deepest = |built: &Built, frames: &[f64]| {
        let mut deepest = 0.0_f64;
        for &time in frames {
            let mut pose = Pose::rest(&skeleton);
            swaying(time, &mut pose);
            built.sample(time, &mut pose);
            let at = |joint| pose.world_from_joint(&skeleton, joint);
            for &(joint, center) in &balls {
                let center = joint.map_or(center, |joint| at(joint).transform_point3(center));
                let near = (2..=10).map(|tip| at(tip).translation.distance(center));
                deepest = near.map(|far| 0.12 - far).fold(deepest, f64::max);
            }
        }
        deepest
    };
    let (frames, built) = at_rate(&skeleton, &settings, 25.0);
    assert!(built.report.penetration <= 1e-6, "{}", built.report.penetration);
    let plain = bake(&skeleton, &swaying, 4.0, &settings);
    let (exact, halfway) = (deepest(&built, &frames), deepest(&plain, &frames));
    println!("deepest {exact:e} m, halfway between steps {halfway:e} m");
    assert!(exact <= 1e-6 && halfway > 1e-5, "{exact} {halfway}");
}

#[test]
fn substeps_increase_with_the_forces_and_their_limit_is_reported() {
    let chain = |stiffness: f64| {
        let mut settings = loose(0.1);
        settings.chains[0].stiffness = Profile::constant(stiffness);
        settings
    };
    for (stiffness, parts) in [(0.0, 1), (250.0, 1), (1000.0, 2), (10_000.0, 8)] {
        let rig = DynamicsRig::new(&hanging(3, 0.01), &chain(stiffness), 1.0).unwrap();
        assert_eq!(rig.substeps, parts, "{stiffness}");
        assert!(rig.stability <= 0.5);
    }
    for (gust, turbulence, parts) in [(0.0, 0.0, 1), (1.2, 0.0, 2), (0.0, 0.6, 2), (1.0, 0.5, 2)] {
        let wind = Wind { strength: 150.0, gust, turbulence, ..Wind::default() };
        let rig = DynamicsRig::new(&hanging(3, 0.01), &Settings { wind, ..chain(0.0) }, 1.0).unwrap();
        assert_eq!(rig.substeps, parts, "gusts {gust}, turbulence {turbulence}");
    }
    let rough = bake(&hanging(3, 0.01), &swaying, 0.1, &chain(1e7));
    assert!(rough.report.warnings.iter().any(|warning| matches!(warning, Warning::Coarse { .. })));
}
