//! Tests of skeletal loops.

use glam::{DVec3, Quat, Vec3};

use super::*;
use crate::tests::{curved, noise};
use crate::{Fade, SeamRating};
use portamento_anim::math::easing::Easing;
use portamento_anim::{RootKind, RootMotion};
use portamento_test_support::allocations::allocations;
use portamento_test_support::skeleton_of;

/// A root that walks 1.5 m/s with some sway, and two joints that rotate randomly.
fn walker(frames: usize) -> (Skeleton, Clip) {
    let skeleton = skeleton_of(&[("root", None), ("hip", Some(0)), ("knee", Some(1))]);
    let random = noise(frames, 9, 4);
    let times: Vec<f32> = (0..frames).map(|k| k as f32 / 30.0).collect();
    let path =
        |k: usize| Vec3::new(0.02 * random[k][0], 1.0 + 0.01 * random[k][1], times[k] * 1.5 + 0.03 * random[k][2]);
    let turn = |k: usize, from: usize| {
        let sign = if k.is_multiple_of(3) { -1.0 } else { 1.0 };
        Quat::from_scaled_axis(Vec3::from_slice(&random[k][from..from + 3])) * sign
    };
    let root = JointTracks {
        translation: Some(Curve::linear(times.clone(), (0..frames).map(path).collect())),
        ..JointTracks::default()
    };
    let turning = |from: usize| JointTracks {
        rotation: Some(Curve::linear(times.clone(), (0..frames).map(|k| turn(k, from)).collect())),
        ..JointTracks::default()
    };
    let tracks = vec![root, turning(3), turning(6)];
    (skeleton, Clip { name: "walk".into(), duration: (frames - 1) as f64 / 30.0, tracks })
}

fn looped(travel: LoopTravel) -> (Skeleton, Clip, JointLoop) {
    let (skeleton, clip) = walker(101);
    let root = Some(RootMotion { joint: 0, kind: RootKind::Root });
    let input = Input { skeleton: &skeleton, clip: &clip, root, fps: 30.0 };
    let settings = Settings { start: 11, length: 40, travel, ..Settings::default() };
    let built = build(&input, &settings, &Progress::new()).unwrap();
    (skeleton, clip, built)
}

#[test]
fn the_travel_of_a_cycle_is_preserved_and_everything_else_closes() {
    let (skeleton, clip, built) = looped(LoopTravel::Onward);
    let at = |frame: usize| clip.pose_at(&skeleton, frame as f64 / 30.0).locals[0].translation;
    let expected = (at(91) - at(11)) * Vec3::new(1.0, 0.0, 1.0) * 0.5;
    let (first, last) = (built.cycle_frame(0), built.cycle_frame(40));
    let displacement = last.locals[0].translation - first.locals[0].translation;
    assert!(displacement.abs_diff_eq(expected, 1e-5) && built.travel().as_vec3().abs_diff_eq(expected, 1e-5));
    assert_eq!(first.locals[1..], last.locals[1..]);
    assert!(built.report().value_gap == 0.0 && built.report().ratio.unwrap() <= 1.2, "{:?}", built.report());
}

#[test]
fn on_the_spot_both_ends_are_bit_equal_and_rotations_are_unit_and_continuous() {
    let (skeleton, _, built) = looped(LoopTravel::InPlace);
    assert_eq!(built.cycle_frame(0), built.cycle_frame(40));
    assert_eq!(built.travel(), DVec3::ZERO);
    let clip = built.to_clip(&skeleton, true);
    assert!((clip.duration - 40.0 / 30.0).abs() < 1e-12);
    let turns = clip.tracks[1].rotation.as_ref().unwrap();
    assert_eq!(turns.values.len(), 41);
    assert!(turns.values.iter().all(|turn| (turn.length() - 1.0).abs() < 1e-6));
    assert!(turns.values.windows(2).all(|pair| pair[0].dot(pair[1]) >= 0.0));
    assert!(clip.tracks[1].translation.is_none() && clip.tracks[0].rotation.is_none());
    assert_eq!(built.to_clip(&skeleton, false).tracks[1].rotation.as_ref().unwrap().values.len(), 40);
}

#[test]
fn sampling_equals_every_frame_and_the_exported_clip() {
    let (skeleton, _, built) = looped(LoopTravel::Onward);
    let clip = built.to_clip(&skeleton, true);
    let mut pose = Pose::rest(&skeleton);
    for k in 0..40 {
        built.sample(k as f64 / 30.0, &mut pose);
        assert_eq!(&pose, built.cycle_frame(k));
        let played = clip.pose_at(&skeleton, k as f64 / 30.0);
        for (a, b) in played.locals.iter().zip(&pose.locals) {
            assert!(
                a.translation.abs_diff_eq(b.translation, 1e-5) && mean::angle_between(a.rotation, b.rotation) < 1e-3
            );
        }
    }
    built.sample(0.5 / 30.0, &mut pose);
    assert!(pose.locals[0].translation.z > built.cycle_frame(0).locals[0].translation.z);
}

#[test]
fn a_sampled_frame_allocates_nothing() {
    let (skeleton, _, built) = looped(LoopTravel::Onward);
    let mut pose = Pose::rest(&skeleton);
    let count = allocations(|| (0..120).for_each(|step| built.sample(f64::from(step) / 70.0, &mut pose)));
    assert_eq!(count, 0);
}

#[test]
fn a_missing_root_and_a_turn_are_reported() {
    let (skeleton, mut clip) = walker(101);
    let settings = Settings { length: 40, ..Settings::default() };
    let warnings = |clip: &Clip, root| {
        let input = Input { skeleton: &skeleton, clip, root, fps: 30.0 };
        build(&input, &settings, &Progress::new()).unwrap().warnings().to_vec()
    };
    assert_eq!(warnings(&clip, None), [Warning::NoRoot]);
    let times: Vec<f32> = (0..101).map(|k| k as f32 / 30.0).collect();
    let turns = times.iter().map(|time| Quat::from_rotation_y(*time)).collect();
    clip.tracks[0].rotation = Some(Curve::linear(times, turns));
    let root = Some(RootMotion { joint: 0, kind: RootKind::Root });
    assert!(matches!(warnings(&clip, root)[..], [Warning::Turns { degrees }] if (degrees - 76.4).abs() < 1.0));
}

#[test]
fn each_precondition_of_a_clip_is_checked() {
    let (skeleton, clip) = walker(101);
    let with = |fps: f64, root: Option<usize>, change: &dyn Fn(&mut Clip)| {
        let mut clip = clip.clone();
        change(&mut clip);
        let root = root.map(|joint| RootMotion { joint, kind: RootKind::Root });
        let settings = Settings { length: 1, ..Settings::default() };
        build(&Input { skeleton: &skeleton, clip: &clip, root, fps }, &settings, &Progress::new()).map(|_| ())
    };
    let reason = |answer: Result<(), BuildError>| match answer {
        Err(BuildError::BadClip { clip, reason }) if clip == "walk" => reason.to_string(),
        other => panic!("{other:?}"),
    };
    assert_eq!([with(1.0, Some(2), &|_| ()), with(1000.0, None, &|_| ())], [Ok(()), Ok(())]);
    assert!(reason(with(30.0, None, &|clip| clip.tracks.truncate(2))).contains("another number of joints"));
    for fps in [0.99, 1000.1, f64::NAN] {
        assert!(reason(with(fps, None, &|_| ())).contains("frame rate"), "{fps}");
    }
    for seconds in [f64::NAN, f64::INFINITY, 7_200.1] {
        assert!(reason(with(30.0, None, &|clip| clip.duration = seconds)).contains("an hour"), "{seconds}");
    }
    assert!(reason(with(30.0, Some(3), &|_| ())).contains("root joint"));
    let changes: [&dyn Fn(&mut Clip); 4] = [
        &|clip| clip.tracks[0].translation.as_mut().unwrap().values[3].x = f32::NAN,
        &|clip| clip.tracks[1].rotation.as_mut().unwrap().values[3].w = f32::INFINITY,
        &|clip| clip.tracks[1].rotation.as_mut().unwrap().values.truncate(100),
        &|clip| clip.tracks[2].scale = Some(Curve::linear(vec![0.0], vec![Vec3::NAN])),
    ];
    for (i, change) in changes.iter().enumerate() {
        assert!(reason(with(30.0, None, change)).contains("curve"), "{i}");
    }
}

#[test]
fn window_weights_and_cancellation_are_checked() {
    let (skeleton, clip) = walker(101);
    let input = Input { skeleton: &skeleton, clip: &clip, root: None, fps: 10.0 };
    let refused = |settings: &Settings, progress: &Progress| build(&input, settings, progress).unwrap_err();
    let (valid, free) = (Settings { length: 10, ..Settings::default() }, Progress::new());
    let long = refused(&Settings { length: 40, ..valid.clone() }, &free);
    assert!(matches!(long, BuildError::SourceTooShort { frames: 34, length: 40, .. }));
    let late = refused(&Settings { start: 14, ..valid.clone() }, &free);
    assert!(matches!(late, BuildError::StartTooLate { latest: 13, .. }));
    let painted = Fade { timing: vec![0.5; 4].into(), ..Fade::default() };
    let other = refused(&Settings { fade: painted, ..valid.clone() }, &free);
    assert!(matches!(other, BuildError::OtherUnits { painted: 4, units: 3, .. }));
    free.cancel();
    assert!(matches!(refused(&valid, &free), BuildError::Cancelled(_)));
}

/// `walker`, whose root also rises by so much per second.
fn climber(rise: f32) -> (Skeleton, Clip) {
    let (skeleton, mut clip) = walker(101);
    let path = clip.tracks[0].translation.as_mut().unwrap();
    path.values.iter_mut().zip(&path.times).for_each(|(position, time)| position.y += rise * time);
    (skeleton, clip)
}

#[test]
fn a_climbing_cycle_continues_to_climb_and_a_bobbing_one_stays_level() {
    let root = Some(RootMotion { joint: 0, kind: RootKind::Root });
    for (rise, travel) in [
        (0.5_f32, LoopTravel::Onward),
        (-0.5, LoopTravel::Onward),
        (0.5, LoopTravel::InPlace),
        (0.0, LoopTravel::Onward),
    ] {
        let (skeleton, clip) = climber(rise);
        let input = Input { skeleton: &skeleton, clip: &clip, root, fps: 30.0 };
        let settings = Settings { start: 11, length: 40, travel, ..Settings::default() };
        let built = build(&input, &settings, &Progress::new()).unwrap();
        let climbed = built.cycle_frame(40).locals[0].translation.y - built.cycle_frame(0).locals[0].translation.y;
        let expected = if travel == LoopTravel::Onward { rise * 40.0 / 30.0 } else { 0.0 };
        assert!((climbed - expected).abs() < 0.02, "{climbed} in place of {expected}");
        assert!((built.travel().y - f64::from(climbed)).abs() < 1e-5);
        assert_eq!((built.warnings(), built.report().rating()), (&[][..], SeamRating::Green), "{rise} {travel:?}");
    }
}

#[test]
fn a_discarded_climb_is_reported() {
    let root = Some(RootMotion { joint: 0, kind: RootKind::Root });
    let (skeleton, mut clip) = climber(0.0);
    let path = clip.tracks[0].translation.as_mut().unwrap();
    let bob = |frame: usize| 0.1 * (frame as f32 / 10.0 * std::f32::consts::TAU).sin() + 0.001 * frame as f32;
    path.values.iter_mut().enumerate().for_each(|(frame, position)| position.y = 1.0 + bob(frame));
    let input = Input { skeleton: &skeleton, clip: &clip, root, fps: 30.0 };
    let built = build(&input, &Settings { length: 40, ..Settings::default() }, &Progress::new()).unwrap();
    let [Warning::ClimbLost { height }] = built.warnings() else { panic!("{:?}", built.warnings()) };
    assert!((height - 0.04).abs() < 1e-3 && built.travel().y == 0.0, "{height}");
}

#[test]
fn morphs_fade_with_the_joint_of_their_mesh() {
    let (mut skeleton, mut clip) = walker(61);
    skeleton.rest_morphs = vec![0.0; 2];
    (skeleton.joints[2].first_morph, skeleton.joints[2].morph_count) = (0, 2);
    let times: Vec<f32> = (0..61).map(|k| k as f32 / 30.0).collect();
    let values = (0..61).flat_map(|k| [k as f32, 1.0 - k as f32 * 0.5]).collect();
    clip.tracks[2].morphs = Some(Curve { times: times.into(), values, ..Curve::default() });
    let input = Input { skeleton: &skeleton, clip: &clip, root: None, fps: 30.0 };
    for timing in [vec![0.1, 0.5, 0.9], Vec::new()] {
        let fade = Fade { timing: timing.into(), softness: 0.5, ..curved(Easing::Linear) };
        let settings = Settings { length: 30, fade, ..Settings::default() };
        let built = build(&input, &settings, &Progress::new()).unwrap();
        let weights = FadeWeights::new(&settings, 3, "walk").unwrap();
        for k in 0..=30 {
            // A has the value k at frame k, B 30 more.
            let expected = (k + 30) as f32 - 30.0 * weights.of_unit(k, 2);
            let [first, second] = built.cycle_frame(k).morphs[..] else { panic!("two morphs") };
            assert!((first - expected).abs() < 1e-4 && (second - (1.0 - 0.5 * expected)).abs() < 1e-4, "{k}: {first}");
        }
    }
}

#[test]
fn a_clip_that_is_one_cycle_already_is_reported() {
    let skeleton = skeleton_of(&[("root", None), ("hip", Some(0)), ("knee", Some(1))]);
    let cycle = |frames: usize| {
        let times: Vec<f32> = (0..frames).map(|k| k as f32 / 30.0).collect();
        let turn = |time: &f32| Quat::from_rotation_x((time * std::f32::consts::TAU).sin() + 0.3);
        let step = |time: &f32| Vec3::new(0.0, 0.05 * (time * std::f32::consts::TAU).cos(), *time);
        let root = JointTracks {
            translation: Some(Curve::linear(times.clone(), times.iter().map(step).collect())),
            ..JointTracks::default()
        };
        let hip = JointTracks {
            rotation: Some(Curve::linear(times.clone(), times.iter().map(turn).collect())),
            ..JointTracks::default()
        };
        let tracks = vec![root, hip.clone(), hip];
        Clip { name: "run".into(), duration: (frames - 1) as f64 / 30.0, tracks }
    };
    let warnings = |frames: usize, length: usize| {
        let root = Some(RootMotion { joint: 0, kind: RootKind::Root });
        let input = Input { skeleton: &skeleton, clip: &cycle(frames), root, fps: 30.0 };
        build(&input, &Settings { length, ..Settings::default() }, &Progress::new()).unwrap().warnings().to_vec()
    };
    // A cycle lasts 30 frames; with and without its closing frame.
    for frames in [31, 30] {
        let warnings_of_cycle = warnings(frames, 14);
        assert!(
            matches!(&warnings_of_cycle[..], [Warning::AlreadyLoops { clip, ratio }] if clip == "run" && *ratio < 1.5),
            "{warnings_of_cycle:?}"
        );
    }
    assert_eq!(warnings(61, 30), [], "two whole cycles are mixed with themselves");
    assert_eq!(warnings(45, 20), [], "one cycle and a half does not close");
}

#[test]
fn a_clip_of_more_than_an_hour_of_frames_is_refused() {
    let (skeleton, clip) = walker(3);
    let checked = |duration: f64, fps: f64| {
        let clip = Clip { duration, ..clip.clone() };
        check(&Input { skeleton: &skeleton, clip: &clip, root: None, fps }).map_err(|error| error.to_string())
    };
    assert_eq!((checked(3600.0, 60.0), checked(7200.0, 30.0)), (Ok(()), Ok(())));
    for (duration, fps) in [(3601.0, 60.0), (7201.0, 30.0), (f64::INFINITY, 1.0), (f64::NAN, 30.0)] {
        assert!(
            checked(duration, fps).is_err_and(|message| message.contains("longer than an hour")),
            "{duration} {fps}"
        );
    }
}

#[test]
fn a_root_moved_only_by_its_parent_travels_in_the_looped_clip() {
    let (skeleton, mut clip) = walker(41);
    let times: Vec<f32> = (0..41).map(|k| k as f32 / 30.0).collect();
    let path = (0..41).map(|k| Vec3::new(0.0, 1.0, k as f32 * 0.1)).collect();
    clip.tracks = vec![JointTracks::default(); 3];
    clip.tracks[0].translation = Some(Curve::linear(times, path));
    let root = Some(RootMotion { joint: 1, kind: RootKind::Root });
    let input = Input { skeleton: &skeleton, clip: &clip, root, fps: 30.0 };
    let settings = Settings { length: 20, ..Settings::default() };
    let looped_clip = build(&input, &settings, &Progress::new()).unwrap().to_clip(&skeleton, true);
    let position_at = |frame: usize| {
        let mut world = Vec::new();
        looped_clip.pose_at(&skeleton, frame as f64 / 30.0).world_from_joints(&skeleton, &mut world);
        Vec3::from(world[1].translation)
    };
    for frame in 0..=20 {
        let displacement = position_at(frame) - position_at(0);
        assert!(displacement.abs_diff_eq(Vec3::Z * frame as f32 * 0.1, 1e-4), "{frame}: {displacement}");
    }
}

#[test]
fn both_ends_of_a_cycle_are_the_same_frame_to_the_last_bit() {
    let (skeleton, mut clip) = walker(101);
    let times: Vec<f32> = (0..101).map(|frame| frame as f32 / 30.0).collect();
    let positions =
        (0..101).map(|frame| Vec3::new((frame as f32 * 0.7).sin() * 1e3 + 0.1, 1.0 / (1.0 + frame as f32), 3e-4));
    clip.tracks[0].translation = Some(Curve::linear(times, positions.collect()));
    let input = Input { skeleton: &skeleton, clip: &clip, root: None, fps: 30.0 };
    let built = build(&input, &Settings { start: 11, length: 40, ..Settings::default() }, &Progress::new()).unwrap();
    let source = clip.pose_at(&skeleton, 51.0 / 30.0);
    for end in [0, 40] {
        assert_eq!(built.cycle_frame(end).locals[0].translation, source.locals[0].translation, "frame {end}");
    }
}
