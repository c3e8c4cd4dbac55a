//! Tests of keyed settings.

use super::*;
use portamento_anim::math::key_curve::{Key, KeyCurve, KeyEasing};
use portamento_anim::math::random::SplitMix64;

fn keyed(path: &str, keys: &[(f64, f64)], easing: KeyEasing) -> KeyedNumber {
    let keys: Vec<Key> = keys.iter().map(|&(time, value)| Key { time, value, easing }).collect();
    KeyedNumber { number: KeyableNumber::at(path).unwrap(), curve: KeyCurve::from(keys) }
}

/// Paths of all settings that can have keys, for one chain with a cone limit.
const KEYED_PATHS: [&str; 15] = [
    "gravity/0",
    "gravity/1",
    "gravity/2",
    "wind/direction/0",
    "wind/direction/1",
    "wind/direction/2",
    "wind/strength",
    "wind/gust",
    "wind/turbulence",
    "slerp_buffer",
    "smoothing",
    "chains/0/drag/value",
    "chains/0/stiffness/value",
    "chains/0/gravity/value",
    "chains/0/limit/cone/angle",
];

fn coned() -> Settings {
    let mut settings = loose(0.1);
    settings.chains[0].limit = AngleLimit::Cone { angle: 1.0 };
    settings.wind.strength = 2.0;
    settings.slerp_buffer = 0.5;
    settings
}

fn baked(settings: &Settings, keyed: &[KeyedNumber], looping: bool) -> Result<Built, BuildError> {
    let skeleton = hanging(3, 0.1);
    let input = Input { skeleton: &skeleton, driver: &swaying, duration: 1.0, looping, metres_per_unit: 1.0 };
    let frames: Vec<f64> = (0..=25).map(|frame| f64::from(frame) / 25.0).collect();
    let over_time = SettingsOverTime { settings, keyed };
    Recordings::default().build(&input, over_time, &frames, &Progress::new())
}

#[test]
fn a_rising_wind_moves_one_bone_as_computed_by_hand() {
    // One bone of 1 m hangs down without weight or drag; the wind along +X rises from 0 to 0.6 m/s² within a second.
    let skeleton = hanging(1, 1.0);
    let (w, settings) = (0.6, Settings { gravity: DVec3::ZERO, ..loose(0.0) });
    let settings = Settings { wind: Wind { gust: 0.0, turbulence: 0.0, ..Wind::default() }, ..settings };
    let input =
        Input { skeleton: &skeleton, driver: &rest_driver, duration: 1.0, looping: false, metres_per_unit: 1.0 };
    let keys = [keyed("wind/strength", &[(0.0, 0.0), (1.0, w)], KeyEasing::Linear)];
    let over_time = SettingsOverTime { settings: &settings, keyed: &keys };
    let built = Recordings::default().build(&input, over_time, &[], &Progress::new()).unwrap();
    // Recurrence in the plane: the tip keeps its velocity, the wind at the end of the step adds a·h², and the
    // component along the bone is removed.
    let (mut tip, mut before) = ([0.0_f64, -1.0], [0.0_f64, -1.0]);
    for (step, row) in built.rows().enumerate() {
        if step > 0 {
            let a = w * step as f64 / 240.0;
            let offset = [2.0 * tip[0] - before[0] + a / (240.0 * 240.0), 2.0 * tip[1] - before[1]];
            let along = offset[0] * tip[0] + offset[1] * tip[1];
            let across = [offset[0] - along * tip[0], offset[1] - along * tip[1]];
            let cosine = (1.0 - across[0] * across[0] - across[1] * across[1]).sqrt();
            before = tip;
            tip = [tip[0] * cosine + across[0], tip[1] * cosine + across[1]];
        }
        let shown = row[0] * Vec3::NEG_Y;
        let off = (f64::from(shown.x) - tip[0]).abs().max((f64::from(shown.y) - tip[1]).abs());
        assert!(off < 2e-7, "{step}: {shown} {tip:?}");
    }
    // θ″ = w·t for small angles: of n steps of h seconds, step k adds w·k·h³ to itself and all later steps, n + 1 − k in
    // total.
    let (n, h) = (240.0, 1.0 / 240.0);
    let wanted = w * h * h * h * n * (n + 1.0) * (n + 2.0) / 6.0;
    let angle = tip[0].atan2(-tip[1]);
    assert!((angle - wanted).abs() < 1e-3 * wanted, "{angle} {wanted}");
}

#[test]
fn keys_equal_to_the_constant_values_change_no_bit() {
    for looping in [false, true] {
        let plain = baked(&coned(), &[], looping).unwrap();
        let mut all = Vec::new();
        for path in KEYED_PATHS.into_iter().chain(["chains/0/radius/value"]) {
            let value = *coned().number_mut(KeyableNumber::at(path).unwrap()).unwrap();
            all.push(keyed(path, &[(0.2, value), (0.7, value)], KeyEasing::Smooth));
        }
        let mut other = coned();
        for number in &all {
            *other.number_mut(number.number).unwrap() = 123.0;
        }
        assert_eq!(baked(&other, &all, looping).unwrap(), plain, "what has keys is nothing by itself");
    }
}

#[test]
fn a_later_key_does_not_change_earlier_motion() {
    let plain = baked(&coned(), &[], false).unwrap();
    let late = [keyed("gravity/0", &[(0.5, 0.0), (0.75, 30.0)], KeyEasing::Step)];
    let pulled = baked(&coned(), &late, false).unwrap();
    let same: Vec<bool> = plain.rows().zip(pulled.rows()).map(|(a, b)| a == b).collect();
    assert_eq!(same.iter().take_while(|same| **same).count(), 180, "until the step to 0.75 s");
    assert!(same[181..].iter().all(|same| !same));
    // The result must not depend on the requested frames.
    let skeleton = hanging(3, 0.1);
    let input = Input { skeleton: &skeleton, driver: &swaying, duration: 1.0, looping: false, metres_per_unit: 1.0 };
    let over_time = SettingsOverTime { settings: &coned(), keyed: &late };
    let other = Recordings::default().build(&input, over_time, &[], &Progress::new()).unwrap();
    assert!(other.rows().eq(pulled.rows()));
}

#[test]
fn strong_forces_at_one_time_set_the_substeps_of_all_steps() {
    let keys = [keyed("gravity/1", &[(0.0, -9.81), (0.5, -9e5), (0.6, -9.81)], KeyEasing::Linear)];
    let built = baked(&coned(), &keys, false).unwrap();
    assert!(built.report.substeps > 1, "{}", built.report.substeps);
    assert!(built.report.length_error < 1e-9);
    let wrong = [keyed("chains/0/drag/value", &[(0.0, 0.1), (0.5, 1.5)], KeyEasing::Linear)];
    assert!(baked(&coned(), &wrong, false).unwrap_err().to_string().contains("1.5"));
}

#[test]
fn no_keys_cause_a_panic_or_a_lost_bone() {
    let odd = [f64::NAN, f64::INFINITY, 0.0, -0.0, 1e12, -1e12, 1e-300];
    let mut built_ones = 0;
    for seed in 0..60 {
        let mut random = SplitMix64::new(seed);
        let mut number = |usual: f64| match (random.unit() * 40.0) as usize {
            at if at < odd.len() => odd[at],
            _ => usual * random.unit(),
        };
        let curve = |path: &&str| {
            let keys: Vec<(f64, f64)> = (0..4).map(|_| (number(1.2), number(1.0))).collect();
            keyed(path, &keys, KeyEasing::ALL[path.len() % 3])
        };
        let keys: Vec<KeyedNumber> = KEYED_PATHS.iter().skip(seed as usize % 3).step_by(3).map(curve).collect();
        if let Ok(built) = baked(&coned(), &keys, seed % 4 == 0) {
            built_ones += 1;
            assert!(built.rows().flatten().all(|rotation| rotation.is_finite()), "{seed}");
        }
    }
    assert!(built_ones > 5, "{built_ones}");
}

#[test]
fn keys_of_one_chain_leave_the_recordings_of_others() {
    let mut skeleton = hanging(2, 0.1);
    let second_chain = hanging(2, 0.1).joints.split_off(1);
    let first = skeleton.len();
    for mut joint in second_chain {
        joint.name.push('b');
        joint.parent = joint.parent.map(|parent| if parent == 0 { 0 } else { parent + first - 1 });
        skeleton.joints.push(joint);
    }
    let mut settings = loose(0.1);
    settings.chains.push(Chain { joint: first, ..settings.chains[0].clone() });
    let input = Input { skeleton: &skeleton, driver: &swaying, duration: 0.5, looping: false, metres_per_unit: 1.0 };
    let recordings = Recordings::default();
    let build = |keys: &[KeyedNumber]| {
        let over_time = SettingsOverTime { settings: &settings, keyed: keys };
        recordings.build(&input, over_time, &[], &Progress::new()).unwrap();
        recordings.cached_trees()
    };
    let own = keyed("chains/1/drag/value", &[(0.0, 0.1), (0.4, 0.9)], KeyEasing::Smooth);
    let own = std::slice::from_ref(&own);
    assert_eq!([build(&[]), build(own), build(own)], [2, 3, 3]);
    assert_eq!(build(&[keyed("gravity/0", &[(0.0, 1.0)], KeyEasing::Smooth)]), 5);
}
