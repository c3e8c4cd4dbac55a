//! Noise while the body rests.

use super::*;

#[test]
fn noise_of_all_joints_while_the_body_rests_is_found() {
    let hero = Figure::open("hero").unwrap();
    let mut clip = hero.model.clip("idle").unwrap().clone();
    let mut random = SplitMix64::new(9);
    let mut noise = || 0.012 * (random.unit() + random.unit() + random.unit() - 1.5) as f32 * 2.0;
    for curve in clip.tracks.iter_mut().filter_map(|tracks| tracks.rotation.as_mut()) {
        let last = curve.values.len() - 1;
        for value in &mut curve.values[1..last] {
            *value *= Quat::from_scaled_axis(Vec3::new(noise(), noise(), noise()));
        }
    }
    let quality = hero.quality(&clip);
    assert!(quality.findings.contains(&Finding::Jitters), "{:?}", quality.jitter);
    // A key between two frames quadruples the key rate; the clip stays the same.
    let mut finer = clip.clone();
    let curve = finer.tracks[hero.joint("head")].rotation.as_mut().unwrap();
    let time = (curve.times[0] + 0.25 * (curve.times[1] - curve.times[0])).max(0.0);
    let value = curve.sample(f64::from(time)).unwrap();
    curve.values.insert(1, value);
    curve.times.insert(1, time);
    let [coarse, fine] = [quality, hero.quality(&finer)].map(|quality| quality.jitter.unwrap().degrees);
    // Between two noisy keys the interpolated noise is 0.7 of theirs, and half of the frames have less.
    assert!((0.4..1.1).contains(&(fine / coarse)), "{coarse} {fine}");
}

#[test]
fn noise_of_half_a_second_is_found_while_a_body_breathes_for_long() {
    let hero = Figure::open("hero").unwrap();
    let mut clip = hero.model.clip("idle").unwrap().clone();
    let mut random = SplitMix64::new(3);
    let mut noise = || 0.035 * (random.unit() - 0.5) as f32;
    clip.duration = 20.0;
    for (joint, tracks) in clip.tracks.iter_mut().enumerate() {
        let rest = hero.model.skeleton.joints[joint].rest.rotation;
        let breath = |i: usize| Quat::from_rotation_x(0.05 * (0.07 * i as f32).sin());
        let mut value = |i: usize| {
            let shaken = (300..315).contains(&i);
            let by = if shaken { Vec3::new(noise(), noise(), noise()) } else { Vec3::ZERO };
            rest * breath(i) * Quat::from_scaled_axis(by)
        };
        let times = (0..=600).map(|i| i as f32 / 30.0).collect();
        *tracks = JointTracks {
            rotation: Some(Curve::linear(times, (0..=600).map(&mut value).collect())),
            ..JointTracks::default()
        };
    }
    let jitter = hero.quality(&clip).jitter.unwrap();
    assert!(jitter.seconds > 19.0 && (0.5..2.0).contains(&jitter.degrees), "{jitter:?}");
}

#[test]
fn a_body_that_shakes_while_it_rests_is_measured_in_millimetres() {
    let hero = Figure::open("hero").unwrap();
    let mut clip = hero.model.clip("idle").unwrap().clone();
    let fps = clip.fps();
    let still = hero.quality(&clip).jitter.unwrap().millimetres.unwrap();
    // Back and forth by a millimetre every frame deviates by 8/3 mm from the cubic through the neighbours.
    let side = |time: f32| if (f64::from(time) * fps).round() % 2.0 == 0.0 { 0.001 } else { -0.001 };
    hero.move_body(&mut clip, |time| side(time) * Vec3::X);
    let shaken = hero.quality(&clip).jitter.unwrap();
    assert!(still < 0.5 && (shaken.millimetres.unwrap() - 8.0 / 3.0).abs() < still, "{still} {shaken:?}");
    assert!(shaken.degrees < 0.25, "nothing rotates: {shaken:?}");
}

#[test]
fn an_arm_at_rest_in_a_run_trembles_although_the_body_moves() {
    let hero = Figure::open("hero").unwrap();
    let mut clip = hero.model.clip("run").unwrap().clone();
    let mut random = SplitMix64::new(4);
    let mut noise = || 0.02 * (2.0 * random.unit() - 1.0) as f32;
    let constant = rotation(&hero, &mut clip, "hand.L");
    let still = constant.values[0];
    constant.values.fill(still);
    let sound = hero.quality(&clip);
    assert!(sound.jitter.is_none() && !sound.findings.contains(&Finding::Jitters), "{:?}", sound.jitter);
    for value in &mut rotation(&hero, &mut clip, "hand.L").values[1..17] {
        *value *= Quat::from_scaled_axis(Vec3::new(noise(), noise(), noise()));
    }
    let quality = hero.quality(&clip);
    let jitter = quality.jitter.unwrap();
    assert!(quality.findings.contains(&Finding::Jitters) && jitter.joint == "hand.L", "{jitter:?}");
    assert!(jitter.seconds == 0.0 && jitter.millimetres.is_none(), "the body never rests: {jitter:?}");
}
