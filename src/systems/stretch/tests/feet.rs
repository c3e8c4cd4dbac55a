use super::*;
use crate::anim::skeleton::tests::LEGGED;
use crate::message::Tell;

/// Hips 0.78 m up with two bent legs, walking one metre along Z: the left foot swings in the first half, the right one in the second.
fn walker() -> (Skeleton, Clip) {
    let mut skeleton = skeleton_of(&LEGGED);
    let place =
        |skeleton: &mut Skeleton, joint: usize, at: [f32; 3]| skeleton.joints[joint].rest.translation = at.into();
    place(&mut skeleton, 0, [0.0; 3]);
    place(&mut skeleton, 1, [0.0, 0.78, 0.0]);
    for (first, x) in [(2, 0.1), (5, -0.1)] {
        place(&mut skeleton, first, [x, 0.0, 0.0]);
        place(&mut skeleton, first + 1, [0.0, -0.45, 0.05]);
        place(&mut skeleton, first + 2, [0.0, -0.45, -0.05]);
    }
    let points: Vec<Vec3> = (0..=20).map(|i| Vec3::Z * 0.02 * i as f32).collect();
    let times: Vec<f32> = (0..=20).map(|i| i as f32 / 20.0).collect();
    let mut clip = Clip { name: "step".into(), duration: 1.0, tracks: vec![JointTracks::default(); skeleton.len()] };
    clip.tracks[0].translation = Some(Curve::linear(times.clone(), points));
    // Feet are put down by the leg solver itself, then baked: a clip with planted feet.
    for (first, x, swing) in [(2, 0.1, 0), (5, -0.1, 10)] {
        let foot = |i: usize| {
            let phase = (i as f64 - f64::from(swing)).clamp(0.0, 10.0) / 10.0;
            DVec3::new(x, 0.08 * (phase * std::f64::consts::PI).sin(), 0.4 * phase)
        };
        let mut keys: [Vec<Quat>; 2] = Default::default();
        for (i, &time) in times.iter().enumerate() {
            let at = |joint| world_at(&skeleton, &clip, joint, f64::from(time)).translation;
            let leg = crate::anim::ik::LegPlace { hip: at(first), knee: at(first + 1), ankle: at(first + 2) };
            let turns = crate::anim::ik::solve_leg(&leg, foot(i), DVec3::X);
            assert!(turns.gap < 1e-9);
            keys[0].push(turns.thigh.as_quat());
            keys[1].push((turns.thigh.inverse() * turns.shin).as_quat());
        }
        let [thigh, shin] = keys;
        clip.tracks[first].rotation = Some(Curve::linear(times.clone(), thigh));
        clip.tracks[first + 1].rotation = Some(Curve::linear(times.clone(), shin));
    }
    (skeleton, clip)
}

/// The largest way a foot slides in a frame, over frames in which it moves less than `standing` in `source`.
fn slide(skeleton: &Skeleton, source: &Clip, made: &Clip, (foot, standing): (usize, f64), times: &[f64]) -> f64 {
    let at = |clip: &Clip, i: usize| world_at(skeleton, clip, foot, times[i]).translation;
    let stands = |&i: &usize| (at(source, i) - at(source, i - 1)).length() < standing;
    (1..times.len()).filter(stands).map(|i| (at(made, i) - at(made, i - 1)).length()).fold(0.0, f64::max)
}

#[test]
fn planted_feet_stay_planted_while_the_body_goes_further() {
    let (skeleton, clip) = walker();
    let root = RootMotion { joint: 0, kind: RootKind::Root };
    let with = |feet| stretch_as(&skeleton, &clip, root, &Settings { feet, ..to(0.05, 0.0, 0.6) }).unwrap();
    let (plain, planted) = (with(false), with(true));
    for foot in [4, 7] {
        let slid = |built: &Built| slide(&skeleton, &clip, built.clip(), (foot, 1e-5), &built.report.times);
        assert!(slid(&plain) > 5e-3 && slid(&planted) < 1e-5, "{} {}", slid(&plain), slid(&planted));
    }
    assert_eq!(planted.report.stretched, plain.report.stretched);
    assert!(planted.report.warnings.is_empty(), "{:?}", planted.report.warnings);
}

#[test]
fn a_leg_that_is_too_short_is_reported_and_its_knee_does_not_pop() {
    let (skeleton, clip) = walker();
    let root = RootMotion { joint: 0, kind: RootKind::Root };
    let built = stretch_as(&skeleton, &clip, root, &Settings { feet: true, ..to(0.0, 0.0, 3.0) }).unwrap();
    let short = built.report.warnings.iter().find(|warning| warning.kind == WarningKind::LegTooShort).unwrap();
    assert!(short.amount > 0.1 && short.message().to_string().contains("short"));
    for knee in [3, 6] {
        let turned = built.clip().tracks[knee].rotation.as_ref().unwrap();
        let steps = turned.values.windows(2).map(|pair| pair[0].angle_between(pair[1]));
        assert!(steps.fold(0.0, f32::max) < 0.5);
    }
}

#[test]
fn without_a_change_the_legs_are_the_sources_own() {
    let (skeleton, clip) = walker();
    let root = RootMotion { joint: 0, kind: RootKind::Root };
    let built = stretch_as(&skeleton, &clip, root, &Settings { feet: true, ..Settings::default() }).unwrap();
    assert_eq!(built.clip(), &clip);
}
