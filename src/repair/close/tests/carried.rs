//! Tests of the cycle transform and its units.

use super::*;
use portamento_anim::Leg;
use portamento_test_support::in_smaller_unit;

#[test]
fn lengths_are_reported_in_metres_for_any_file_unit() {
    let (skeleton, clip) = wanderer();
    let built = |skeleton: &Skeleton, clip: &Clip, metres_per_unit: f64| {
        let root = Some(RootMotion { joint: 0, kind: RootKind::Root });
        let roles = Roles::find(skeleton, std::slice::from_ref(clip));
        let input = Input { skeleton, clip, root, roles: &roles, fps: 30.0, metres_per_unit };
        build(&input, &Settings::default(), &Progress::new()).unwrap()
    };
    let metres = built(&skeleton, &clip, 1.0);
    let frames = (0..52).map(|i| f64::from(i) / 30.0);
    let displacement = |time: f64| {
        let [before, after] = [&clip, &metres.clip].map(|clip| world(&skeleton, clip, time));
        before.iter().zip(&after).map(|(a, b)| a.translation.distance(b.translation)).fold(0.0, f64::max)
    };
    let farthest = frames.map(displacement).fold(0.0, f64::max);
    assert!(farthest > 0.05 && (metres.report.moved - farthest).abs() < 1e-3 * farthest, "{farthest}");
    let (skeleton, clip) = in_smaller_unit(&skeleton, &clip, 100.0);
    let centimetres = built(&skeleton, &clip, 0.01).report;
    assert!((centimetres.moved - farthest).abs() < 1e-3 * farthest, "{} {farthest}", centimetres.moved);
    assert!(centimetres.travel.abs_diff_eq(metres.report.travel, 1e-4), "{}", centimetres.travel);
}

#[test]
fn drift_over_resting_feet_is_removed_unless_travel_is_kept() {
    let rows = [("world", None), ("hips", Some(0)), ("thigh", Some(1)), ("shin", Some(2)), ("foot", Some(0))];
    let skeleton = skeleton_of(&rows);
    let clip = baked(&skeleton, 46, 30.0, |time| {
        let mut pose = Pose::rest(&skeleton);
        pose.locals[1].translation.z += 0.3 * time as f32;
        pose.locals[2].rotation = Quat::from_rotation_x(0.4 * (4.0 * time as f32).sin());
        pose
    });
    let roles = Roles { hips: Some(1), legs: vec![Leg { thigh: 2, shin: 3, foot: 4, toe: None }], ..Roles::default() };
    let root = Some(RootMotion { joint: 1, kind: RootKind::HipsGroundPart });
    let input = Input { skeleton: &skeleton, clip: &clip, root, roles: &roles, fps: 30.0, metres_per_unit: 1.0 };
    let travel = |cycle: Cycle| {
        let settings = Settings { cycle, feet: false, ..Settings::default() };
        build(&input, &settings, &Progress::new()).unwrap().report.travel
    };
    assert_eq!(travel(Cycle::Found), DVec3::ZERO);
    assert!(travel(Cycle::Kept).abs_diff_eq(DVec3::Z * 0.45, 1e-5), "{}", travel(Cycle::Kept));
}
