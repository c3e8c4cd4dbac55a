use super::*;
use glam::{Quat, Vec3};
use portamento_anim::math::mean::angle_between;
use portamento_anim::{Interpolation, Skeleton};
use portamento_formats::import::import;
use portamento_test_support::corpus;
use portamento_test_support::skeleton_of;
use proptest::prelude::*;

fn knot(time: f64, speed: f64, ease: SpeedEase) -> SpeedKnot {
    SpeedKnot { time, speed, ease }
}

fn retime(skeleton: &Skeleton, clip: &Clip, settings: &Settings) -> Result<Built, BuildError> {
    build(&Input { skeleton, clip }, settings, &Progress::new())
}

/// Returns a root that moves 1 m, pauses for 1 s, then moves on while the hips turn.
fn walk_and_wait() -> (Skeleton, Clip) {
    let skeleton = skeleton_of(&[("root", None), ("hips", Some(0))]);
    let mut clip = Clip { name: "wait".into(), duration: 3.0, tracks: vec![JointTracks::default(); 2] };
    let positions = [0.0, 1.0, 1.0, 1.0, 2.0].map(|z| Vec3::new(0.3, 0.0, z));
    clip.tracks[0].translation = Some(Curve::linear(vec![0.0, 1.0, 1.5, 2.0, 3.0], positions.to_vec()));
    let turns = [0.0, 0.0, 1.5].map(Quat::from_rotation_y);
    clip.tracks[1].rotation = Some(Curve::linear(vec![0.0, 2.0, 3.0], turns.to_vec()));
    let steps = vec![Vec3::ONE, Vec3::splat(2.0)];
    clip.tracks[1].scale =
        Some(Curve { interpolation: Interpolation::Step, times: vec![0.0, 1.5].into(), values: steps.into() });
    (skeleton, clip)
}

#[test]
fn the_map_is_the_integral_of_slowness() {
    let mixed = [SpeedEase::Eased, SpeedEase::Linear, SpeedEase::Stepped, SpeedEase::Eased];
    let speeds = [0.5, 3.0, 0.2, 1.0];
    let knots = (0..4).map(|i| knot(0.25 + 0.5 * i as f64, speeds[i], mixed[i])).collect();
    let map = TimeMap::new(&Settings { knots, length: None }, 3.0);
    for i in 0..=300 {
        let time = f64::from(i) / 100.0;
        assert!((map.incoming_time(map.at(time)) - time).abs() < 1e-9, "{time}");
    }
    const STEPS: u32 = 300_000;
    let mut sum = 0.0;
    for i in 0..STEPS {
        let time = 3.0 * (f64::from(i) + 0.5) / f64::from(STEPS);
        sum += map.slowness(time)[1] * 3.0 / f64::from(STEPS);
        if i % 10_000 == 9_999 {
            let until = 3.0 * f64::from(i + 1) / f64::from(STEPS);
            assert!((map.at(until) - sum).abs() < 2e-5, "{until}: {} {sum}", map.at(until));
        }
    }
    assert_eq!(map.slowness(1.25), [5.0, 5.0]);
    assert_eq!(map.slowness(1.75), [5.0, 1.0]);
}

#[test]
fn keys_keep_their_values_and_a_shortened_pause_stays_a_pause() {
    let (skeleton, clip) = walk_and_wait();
    let knots =
        vec![knot(0.9, 1.0, SpeedEase::Eased), knot(1.5, 4.0, SpeedEase::Eased), knot(2.1, 1.0, SpeedEase::Eased)];
    let built = retime(&skeleton, &clip, &Settings { knots, length: None }).unwrap();
    let moved = built.clip.tracks[0].translation.as_ref().unwrap();
    let source = clip.tracks[0].translation.as_ref().unwrap();
    for (time, value) in source.times.iter().zip(&source.values) {
        let at = built.map.at(f64::from(*time));
        assert_eq!(moved.sample(f64::from(at as f32)), Some(*value));
    }
    let [from, to] = [1.0, 2.0].map(|time| built.map.at(time));
    assert!(to - from < 0.6, "the pause lasts {} s", to - from);
    let still = (1..200).map(|i| from + (to - from) * f64::from(i) / 200.0).map(|time| moved.sample(time).unwrap());
    assert!(still.into_iter().all(|position| position == Vec3::new(0.3, 0.0, 1.0)));
    // Keys are added only where the root moves while the speed changes.
    let inside = |from: f64, to: f64| {
        let [from, to] = [from, to].map(|time| built.map.at(time) as f32);
        moved.times.iter().filter(|time| (from..=to).contains(time)).count()
    };
    assert_eq!((inside(0.0, 0.89), inside(1.0, 2.0)), (1, 3));
    assert!(built.report.added_keys > 0 && built.report.deviation <= built.report.bound, "{:?}", built.report);
    assert_eq!(built.clip.tracks[1].scale.as_ref().unwrap().times[1], built.map.at(1.5) as f32);
}

#[test]
fn a_stepped_speed_is_exact_with_a_key_where_it_changes() {
    let (skeleton, clip) = walk_and_wait();
    let knots = vec![
        knot(0.0, 1.0, SpeedEase::Stepped),
        knot(0.5, 0.25, SpeedEase::Stepped),
        knot(0.75, 2.0, SpeedEase::Stepped),
    ];
    let built = retime(&skeleton, &clip, &Settings { knots, length: None }).unwrap();
    assert_eq!(built.clip.tracks[0].translation.as_ref().unwrap().times[..4], [0.0, 0.5, 1.5, 1.625]);
    assert!((built.clip.duration - (0.5 + 1.0 + 2.25 / 2.0)).abs() < 1e-6);
    assert_eq!(built.clip.tracks[1].rotation.as_ref().unwrap().times.len(), 3);
    assert!(built.report.deviation < 1e-6 && built.report.slowest == 0.25 && built.report.fastest == 2.0);
}

#[test]
fn splines_are_exact_under_one_speed_and_within_the_bound_under_changing_speeds() {
    let skeleton = skeleton_of(&[("root", None)]);
    let rows = [[0.0, 0.0, 2.0], [-1.0, 3.0, -1.0], [4.0, 1.0, 0.0]];
    let values = rows.as_flattened().iter().map(|&x: &f32| Vec3::X * x).collect();
    let curve = Curve { interpolation: Interpolation::CubicSpline, times: vec![0.0, 1.0, 2.0].into(), values };
    let tracks = vec![JointTracks { translation: Some(curve.clone()), ..JointTracks::default() }];
    let clip = Clip { name: "arc".into(), duration: 2.0, tracks };
    let even = retime(&skeleton, &clip, &Settings { knots: Vec::new(), length: Some(5.0) }).unwrap();
    let worst = |built: &Built| {
        let retimed_curve = built.clip.tracks[0].translation.as_ref().unwrap();
        let deviation_at = |i: u32| {
            let time = 2.0 * f64::from(i) / 500.0;
            retimed_curve.sample(built.map.at(time)).unwrap().distance(curve.sample(time).unwrap())
        };
        (0..=500).map(deviation_at).fold(0.0, f32::max)
    };
    assert!(worst(&even) < 2e-6 && even.report.added_keys == 0 && even.clip.duration == 5.0, "{}", worst(&even));
    let knots =
        vec![knot(0.2, 1.0, SpeedEase::Eased), knot(1.3, 5.0, SpeedEase::Linear), knot(1.9, 0.5, SpeedEase::Eased)];
    let retimed = retime(&skeleton, &clip, &Settings { knots, length: None }).unwrap();
    let bound = (retimed.report.bound * 3.0) as f32;
    assert!(
        worst(&retimed) <= bound && retimed.report.deviation <= retimed.report.bound,
        "{} of {bound}",
        worst(&retimed)
    );
}

#[test]
fn the_deviation_of_a_curvature_too_small_for_keys_is_reported() {
    let skeleton = skeleton_of(&[("root", None)]);
    let curve = Curve::linear(vec![0.0, 1.0], vec![Vec3::ZERO, Vec3::X]);
    let tracks = vec![JointTracks { translation: Some(curve.clone()), ..JointTracks::default() }];
    let clip = Clip { name: "go".into(), duration: 1.0, tracks };
    let knots = vec![knot(0.0, 1.0, SpeedEase::Linear), knot(1.0, 1.0006, SpeedEase::Linear)];
    let built = retime(&skeleton, &clip, &Settings { knots, length: None }).unwrap();
    let retimed_curve = built.clip.tracks[0].translation.as_ref().unwrap();
    let deviation_at =
        |time: f64| f64::from(retimed_curve.sample(built.map.at(time)).unwrap().distance(curve.sample(time).unwrap()));
    let worst = (0..=100).map(|i| deviation_at(f64::from(i) / 100.0)).fold(0.0, f64::max);
    assert!(built.report.added_keys == 0 && worst > 5e-5, "{worst} {:?}", built.report);
    assert!((built.report.deviation - worst).abs() < 5e-6, "{worst} {:?}", built.report);
}

#[test]
fn walks_and_runs_of_real_characters_stay_within_the_bound() {
    let Some(characters) = corpus("characters") else { return };
    for (file, name) in [("knight.glb", "Walk"), ("fox.glb", "Run"), ("quadruped.glb", "Run")] {
        let model = import(&characters.join(file)).unwrap().model;
        let clip = model.clip(name).or(model.clips.first()).unwrap();
        let end = clip.duration;
        let knots = vec![
            knot(0.2 * end, 1.0, SpeedEase::Eased),
            knot(0.6 * end, 0.4, SpeedEase::Eased),
            knot(0.9 * end, 2.0, SpeedEase::Eased),
        ];
        let built = retime(&model.skeleton, clip, &Settings { knots, length: Some(2.0 * end) }).unwrap();
        assert!((built.clip.duration - 2.0 * end).abs() < 1e-5 * end, "{}", built.clip.duration);
        assert!(built.report.deviation <= built.report.bound, "{file}: {:?}", built.report);
        for i in 0..=60 {
            let time = end * f64::from(i) / 60.0;
            let [a, b] = [clip.pose_at(&model.skeleton, time), built.clip.pose_at(&model.skeleton, built.map.at(time))];
            let turn = |(a, b): (&portamento_anim::math::Transform, &portamento_anim::math::Transform)| {
                angle_between(a.rotation, b.rotation)
            };
            assert!(a.locals.iter().zip(&b.locals).map(turn).fold(0.0, f64::max) < 1e-3, "{file} {time}");
        }
        println!("{file} {}: {:?}", clip.name, built.report);
    }
}

#[test]
fn invalid_knots_and_durations_are_refused() {
    let (skeleton, clip) = walk_and_wait();
    for (knots, length) in [
        (vec![knot(0.5, 0.0, SpeedEase::Eased)], None),
        (vec![knot(0.5, f64::NAN, SpeedEase::Eased)], None),
        (vec![knot(-1.0, 1.0, SpeedEase::Eased)], None),
        (vec![knot(0.5, 1.0, SpeedEase::Eased); 2], None),
        (Vec::new(), Some(0.0)),
        (Vec::new(), Some(f64::INFINITY)),
    ] {
        assert!(retime(&skeleton, &clip, &Settings { knots: knots.clone(), length }).is_err(), "{knots:?} {length:?}");
    }
}

proptest! {
    #[test]
    fn every_map_rises_and_every_retimed_curve_stays_within_its_bound(
        speeds in proptest::collection::vec((0.01_f64..3.0, 0.05_f64..20.0, 0_usize..3), 0..6),
        keys in proptest::collection::vec(-1.0_f32..1.0, 2..9),
    ) {
        let mut settings = Settings::default();
        speeds.iter().for_each(|&(time, speed, ease)| settings.set_knot(knot(time, speed, SpeedEase::ALL[ease])));
        let skeleton = skeleton_of(&[("root", None)]);
        let times: Vec<f32> = (0..keys.len()).map(|i| i as f32 * 0.4).collect();
        let duration = f64::from(times[times.len() - 1]);
        let curve = Curve::linear(times, keys.iter().map(|&x| Vec3::new(x, 0.0, -x)).collect());
        let tracks = vec![JointTracks { translation: Some(curve.clone()), ..JointTracks::default() }];
        let clip = Clip { name: "any".into(), duration, tracks };
        let built = retime(&skeleton, &clip, &settings).unwrap();
        let retimed_curve = built.clip.tracks[0].translation.as_ref().unwrap();
        prop_assert!(retimed_curve.times.is_sorted_by(|a, b| a < b));
        let first = curve.values[0];
        let range = curve.values.iter().map(|value| value.distance(first)).fold(0.0, f32::max);
        for i in 0..=200 {
            let time = duration * f64::from(i) / 200.0;
            let off = retimed_curve.sample(built.map.at(time)).unwrap().distance(curve.sample(time).unwrap());
            prop_assert!(off <= 1.5e-4 * range + 1e-6, "{} at {}", off, time);
            let next = duration * (f64::from(i) + 0.5) / 200.0;
            prop_assert!(i == 200 || built.map.at(next) > built.map.at(time));
        }
    }
}
