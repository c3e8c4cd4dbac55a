//! Every precondition of [`build`].

use std::f64::consts::PI;

use super::*;
use portamento_anim::math::key_curve::{Key, KeyCurve};

/// Builds a chain of two bones for `seconds`, after `change`.
fn build_changed(seconds: f64, change: impl FnOnce(&mut Settings)) -> Result<(), BuildError> {
    let skeleton = hanging(2, 0.1);
    let mut settings = loose(0.1);
    settings.chains[0].name = "tail".into();
    let shape = ColliderShape::Sphere { center: DVec3::NEG_Y, radius: 0.1 };
    settings.colliders.push(Collider { name: "ball".into(), joint: Some(0), shape });
    change(&mut settings);
    let input =
        Input { skeleton: &skeleton, driver: &rest_driver, duration: seconds, looping: false, metres_per_unit: 1.0 };
    build(&input, &settings, &Progress::new()).map(|_| ())
}

fn refused(change: impl FnOnce(&mut Settings)) -> BuildError {
    build_changed(0.1, change).unwrap_err()
}

/// Asserts that each of `values`, set by `set`, is refused as a number of what `words` name, and `allowed` are not.
fn assert_range(words: &str, set: impl Fn(&mut Settings, f64), values: &[f64], allowed: &[f64]) {
    for &number in values {
        let error = refused(|settings| set(settings, number));
        let BuildError::BadNumber { what, value, .. } = &error else { panic!("{words} {number}: {error:?}") };
        assert!(what.to_string().contains(words), "{words} {number}: {error}");
        assert!(*value == number || number.is_nan() && value.is_nan(), "{words} {number}: {error}");
    }
    for &number in allowed {
        let built = build_changed(0.1, |settings| set(settings, number));
        assert_eq!(built, Ok(()), "{words} {number}");
    }
}

const NO_NUMBERS: [f64; 3] = [f64::NAN, f64::INFINITY, -1.1e9];
const NEGATIVE: [f64; 3] = [-1e-6, f64::NAN, f64::INFINITY];
const NOT_ABOVE_ZERO: [f64; 4] = [0.0, -1.0, f64::NAN, f64::INFINITY];

#[test]
fn settings_without_a_chain_and_chains_with_one_start_are_refused() {
    assert_eq!(build_changed(0.1, |_| ()), Ok(()));
    assert_eq!(refused(|settings| settings.chains.clear()), BuildError::NoChain);
    let same = refused(|settings| settings.chains.push(Chain { name: "copy".into(), ..settings.chains[0].clone() }));
    let (one, other) = ("tail".to_owned(), "copy".to_owned());
    assert_eq!(same, BuildError::SameStart { joint: "j1".into(), one, other });
}

#[test]
fn a_joint_or_collider_that_does_not_exist_is_refused() {
    let changes: [&dyn Fn(&mut Settings); 5] = [
        &|settings| settings.chains[0].joint = 4,
        &|settings| settings.chains[0].excluded.push(4),
        &|settings| settings.chains[0].center = Some(4),
        &|settings| settings.chains[0].overrides.push(JointOverride { joint: 4, ..JointOverride::default() }),
        &|settings| settings.colliders[0].joint = Some(4),
    ];
    for (i, change) in changes.iter().enumerate() {
        let error = refused(change);
        assert!(matches!(error, BuildError::NoSuchJoint { joint: 4, count: 4, .. }), "{i}: {error:?}");
    }
    let ignored = refused(|settings| settings.chains[0].ignored_colliders.push(1));
    assert_eq!(ignored, BuildError::NoSuchCollider { chain: "tail".into(), collider: 1, count: 1 });
}

#[test]
fn a_number_of_the_settings_outside_its_range_is_refused() {
    assert_range("scale", |settings, value| settings.scale = value, &NOT_ABOVE_ZERO, &[1e-3]);
    assert_range("period", |settings, value| settings.wind.period = value, &NOT_ABOVE_ZERO, &[0.1]);
    assert_range("jump speed", |settings, value| settings.teleport.speed = value, &NOT_ABOVE_ZERO, &[0.1]);
    assert_range("jump turn", |settings, value| settings.teleport.turn = value, &NOT_ABOVE_ZERO, &[0.1]);
    assert_range("Gravity", |settings, value| settings.gravity.x = value, &NO_NUMBERS, &[-9.81]);
    assert_range("direction", |settings, value| settings.wind.direction.z = value, &NO_NUMBERS, &[-1.0]);
    assert_range("wind", |settings, value| settings.wind.strength = value, &NO_NUMBERS, &[-1.0]);
    assert_range("Gust", |settings, value| settings.wind.gust = value, &[-1e-6], &[0.0]);
    assert_range("Gust", |settings, value| settings.wind.turbulence = value, &[-1e-6], &[0.0]);
    assert_range("smoothing", |settings, value| settings.smoothing = value, &NEGATIVE, &[0.0]);
    assert_range("pre-roll", |settings, value| settings.pre_roll = value, &NEGATIVE, &[0.0]);
    assert_range("pre-roll", |settings, value| settings.pre_roll = value, &[600.1], &[]);
    assert_range("buffer", |settings, value| settings.slerp_buffer = value, &[0.0, 1.01, f64::NAN], &[0.01, 1.0]);
    let unit = |metres_per_unit: f64| {
        let skeleton = hanging(2, 0.1);
        let input = Input { skeleton: &skeleton, driver: &rest_driver, duration: 0.1, looping: false, metres_per_unit };
        build(&input, &loose(0.1), &Progress::new()).map(|_| ())
    };
    assert!(NOT_ABOVE_ZERO.into_iter().all(|value| matches!(unit(value), Err(BuildError::BadNumber { .. }))));
}

#[test]
fn a_number_of_a_chain_outside_its_range_is_refused() {
    assert_range("Drag", |settings, value| settings.chains[0].drag.value = value, &NEGATIVE, &[0.0, 1.0]);
    assert_range("Drag", |settings, value| settings.chains[0].drag.value = value, &[1.01], &[]);
    assert_range("Stiffness", |settings, value| settings.chains[0].stiffness.value = value, &NEGATIVE, &[0.0]);
    assert_range("Radius", |settings, value| settings.chains[0].radius.value = value, &NEGATIVE, &[0.0]);
    assert_range("Gravity", |settings, value| settings.chains[0].gravity.value = value, &NO_NUMBERS, &[-1.0]);
    assert_range("End length", |settings, value| settings.chains[0].end_length = value, &NEGATIVE, &[0.0]);
    let factor = |settings: &mut Settings, value: f64| settings.chains[0].radius.curve = vec![(0.0, value)];
    assert_range("Radius", factor, &NEGATIVE, &[0.0]);
    let depth = |settings: &mut Settings, value: f64| settings.chains[0].drag.curve = vec![(0.5, 1.0), (value, 1.0)];
    assert_range("Drag", depth, &[0.5, 0.2, f64::NAN], &[0.6]);
    let own = |set: &'static dyn Fn(&mut JointOverride, f64)| {
        move |settings: &mut Settings, value: f64| {
            let mut own = JointOverride { joint: 1, ..JointOverride::default() };
            set(&mut own, value);
            settings.chains[0].overrides = vec![own];
        }
    };
    assert_range("override", own(&|own, value| own.drag = Some(value)), &[-1e-6, 1.01, f64::NAN], &[0.0, 1.0]);
    assert_range("override", own(&|own, value| own.stiffness = Some(value)), &NEGATIVE, &[0.0]);
    assert_range("override", own(&|own, value| own.radius = Some(value)), &NEGATIVE, &[0.0]);
    assert_range("override", own(&|own, value| own.gravity = Some(value)), &NO_NUMBERS, &[-1.0]);
    let cone = own(&|own, angle| own.limit = Some(AngleLimit::Cone { angle }));
    assert_range("override", cone, &[-1e-6, PI + 1e-6, f64::NAN], &[0.0, PI]);
}

#[test]
fn an_angle_limit_outside_its_range_is_refused() {
    let limit =
        |of: fn(f64) -> AngleLimit| move |settings: &mut Settings, value: f64| settings.chains[0].limit = of(value);
    let over = PI + 1e-6;
    assert_range("limit", limit(|angle| AngleLimit::Cone { angle }), &[-1e-6, over, f64::NAN], &[0.0, PI]);
    let low = limit(|low| AngleLimit::Hinge { axis: DVec3::X, low, high: 0.0 });
    assert_range("limit", low, &[1e-6, -over, f64::NAN], &[0.0, -PI]);
    let high = limit(|high| AngleLimit::Hinge { axis: DVec3::X, low: 0.0, high });
    assert_range("limit", high, &[-1e-6, over, f64::NAN], &[0.0, PI]);
    let axis = limit(|x| AngleLimit::Hinge { axis: DVec3::X * x, low: 0.0, high: 1.0 });
    assert_range("limit", axis, &[0.0, f64::NAN, f64::INFINITY], &[-2.0]);
}

#[test]
fn a_number_of_a_collider_outside_its_range_is_refused() {
    let shape = |of: fn(f64) -> ColliderShape| {
        move |settings: &mut Settings, value: f64| settings.colliders[0].shape = of(value)
    };
    let radii: [fn(f64) -> ColliderShape; 4] = [
        |radius| ColliderShape::Sphere { center: DVec3::NEG_Y * 3.0, radius },
        |radius| ColliderShape::InsideSphere { center: DVec3::ZERO, radius },
        |radius| ColliderShape::Capsule { a: DVec3::NEG_Y * 3.0, b: DVec3::NEG_Y * 4.0, radius },
        |radius| ColliderShape::InsideCapsule { a: DVec3::NEG_Y, b: DVec3::Y, radius },
    ];
    radii.into_iter().for_each(|of| assert_range("ball", shape(of), &NEGATIVE, &[0.0]));
    let points: [fn(f64) -> ColliderShape; 4] = [
        |x| ColliderShape::Sphere { center: DVec3::new(x, -3.0, 0.0), radius: 0.1 },
        |x| ColliderShape::Capsule { a: DVec3::new(x, -3.0, 0.0), b: DVec3::NEG_Y * 4.0, radius: 0.1 },
        |x| ColliderShape::Capsule { a: DVec3::NEG_Y * 3.0, b: DVec3::new(x, -4.0, 0.0), radius: 0.1 },
        |x| ColliderShape::Plane { point: DVec3::new(x, -9.0, 0.0), normal: DVec3::Y },
    ];
    points.into_iter().for_each(|of| assert_range("ball", shape(of), &NO_NUMBERS, &[-1.0]));
    let normal = shape(|y| ColliderShape::Plane { point: DVec3::NEG_Y * 9.0, normal: DVec3::Y * y });
    assert_range("ball", normal, &[0.0, f64::NAN], &[2.0]);
}

#[test]
fn a_refused_number_names_only_the_limit_that_it_breaks() {
    let refused =
        |radius: f64| build_changed(0.1, |settings| settings.chains[0].radius.value = radius).unwrap_err().to_string();
    assert!(refused(-0.1).ends_with("-0.1, which cannot be used. Use 0 or more."), "{}", refused(-0.1));
    assert!(refused(2e9).ends_with("Use a number between −1,000,000,000 and 1,000,000,000."), "{}", refused(2e9));
}

#[test]
fn a_key_outside_the_range_of_its_setting_is_refused() {
    let skeleton = hanging(2, 0.1);
    let input =
        Input { skeleton: &skeleton, driver: &rest_driver, duration: 0.1, looping: false, metres_per_unit: 1.0 };
    let keyed = |value: f64| {
        let keys = vec![Key::new(0.0, 0.1), Key::new(0.05, value)];
        let number =
            KeyedNumber { number: KeyableNumber::at("chains/0/drag/value").unwrap(), curve: KeyCurve::from(keys) };
        let settings = loose(0.1);
        build(&input, SettingsOverTime { settings: &settings, keyed: &[number] }, &Progress::new()).map(|_| ())
    };
    assert_eq!(keyed(1.0), Ok(()));
    assert!(matches!(keyed(1.01), Err(BuildError::BadNumber { value, .. }) if value == 1.01));
}

#[test]
fn a_duration_outside_its_range_or_too_long_for_memory_is_refused() {
    for seconds in [-0.1, 1e6, f64::NAN, f64::INFINITY] {
        let refused = build_changed(seconds, |_| ()).unwrap_err();
        assert!(
            matches!(&refused, BuildError::BadNumber { what, .. } if what.to_string().contains("length")),
            "{seconds}"
        );
    }
    assert_eq!(build_changed(0.0, |_| ()), Ok(()));
    // Two bones at 240 steps a second: 2²⁶ rotations are 139 810 s.
    let long = build_changed(139_811.0, |_| ()).unwrap_err();
    assert_eq!(long, BuildError::TooLong { seconds: 139_811.0, bones: 2 });
}

#[test]
fn a_cancelled_recording_stops() {
    let (skeleton, progress) = (hanging(2, 0.1), Progress::new());
    progress.cancel();
    let input =
        Input { skeleton: &skeleton, driver: &rest_driver, duration: 1.0, looping: false, metres_per_unit: 1.0 };
    assert!(matches!(build(&input, &loose(0.1), &progress), Err(BuildError::Cancelled(_))));
}
