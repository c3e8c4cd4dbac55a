mod goals;

use glam::{Quat, Vec3};

use super::*;
use portamento_anim::math::easing::Easing;
use portamento_anim::math::mean::angle_between;
use portamento_anim::{Curve, Interpolation, JointTracks, Roles, Skeleton};
use portamento_test_support::{Figure, skeleton_of};

fn built(skeleton: &Skeleton, clip: &Clip, keys: Vec<PoseKey>) -> Built {
    built_at(skeleton, clip, keys, 30.0).unwrap()
}

fn built_at(skeleton: &Skeleton, clip: &Clip, keys: Vec<PoseKey>, fps: f64) -> Result<Built, BuildError> {
    let roles = Roles::default();
    let input = Input { skeleton, clip, root: None, roles: &roles, fps, metres_per_unit: 1.0 };
    build(&input, &[], &Settings { keys, goals: Vec::new() }, &Progress::new())
}

fn turn(joint: &str, turn: [f64; 3]) -> Correction {
    Correction { turn: Some(turn), ..Correction::of(joint) }
}

fn key(time: f64, fade: f64, joints: Vec<Correction>) -> PoseKey {
    PoseKey { time, fade_in: fade, fade_out: fade, easing: Easing::Linear, joints, ..PoseKey::default() }
}

/// Returns an arm of two joints that swings for two seconds, with keys of this kind.
fn swing(interpolation: Interpolation, rate: usize) -> (Skeleton, Clip) {
    let skeleton = skeleton_of(&[("arm", None), ("elbow", Some(0))]);
    let times: Vec<f32> = (0..=2 * rate).map(|frame| frame as f32 / rate as f32).collect();
    let angle = |time: f32| 0.9 * (2.1 * time).sin();
    let values = times.iter().flat_map(|&time| {
        let value = Quat::from_rotation_y(angle(time));
        let slope = Quat::from_xyzw(0.0, value.w, 0.0, -value.y) * (0.5 * 0.9 * 2.1 * (2.1 * time).cos());
        if interpolation == Interpolation::CubicSpline { vec![slope, value, slope] } else { vec![value] }
    });
    let rotation = Some(Curve { interpolation, times: times.clone().into(), values: values.collect() });
    let tracks = vec![JointTracks { rotation, ..JointTracks::default() }; 2];
    (skeleton, Clip { name: "swing".into(), duration: 2.0, tracks })
}

/// Returns the rotation and translation of a joint.
fn local(skeleton: &Skeleton, clip: &Clip, joint: usize, time: f64) -> (Quat, Vec3) {
    let local = clip.pose_at(skeleton, time).locals[joint];
    (local.rotation, local.translation)
}

#[test]
fn without_an_effective_key_the_motion_keeps_its_bits() {
    let figure = Figure::open("hero").unwrap();
    let skeleton = &figure.model.skeleton;
    let clip = figure.model.clip("run").unwrap();
    let name = skeleton.joints[skeleton.len() / 2].name.clone();
    let muted = PoseKey { influence: 0.0, ..key(0.2, 0.1, vec![turn(&name, [40.0, 0.0, 0.0])]) };
    let empty = key(0.2, 0.1, vec![Correction::of(&name)]);
    let later = key(100.0, 0.1, vec![turn(&name, [40.0, 0.0, 0.0])]);
    for keys in [vec![], vec![muted.clone()], vec![empty], vec![later], vec![muted, key(0.3, 0.1, Vec::new())]] {
        assert!(built(skeleton, clip, keys).clip == *clip);
    }
}

#[test]
fn the_pose_at_a_key_is_exact_on_any_character() {
    let mut looked_at = 0;
    for name in ["hero", "characters/knight.glb", "characters/fox.glb", "characters/mannequiny.glb"] {
        let Some(figure) = Figure::open(name) else { continue };
        let skeleton = &figure.model.skeleton;
        let Some(clip) = figure.model.clips.iter().find(|clip| clip.duration > 0.3) else { continue };
        for joint in 0..skeleton.len() {
            let joint_name = skeleton.joints[joint].name.clone();
            if skeleton.find(&joint_name) != Some(joint) {
                continue;
            }
            let size = skeleton.joints[joint].rest.translation.length().max(1e-3);
            let offset = f64::from(size) * 0.3;
            let correction = Correction {
                turn: Some([17.0, -33.0, 71.0]),
                translation: Some([offset, -0.5 * offset, 0.1 * offset]),
                ..Correction::of(&joint_name)
            };
            // Both keys within the fades of each other; the second between two frames.
            let (first, second) = (0.13, 0.2471);
            let keys = vec![
                key(first, 0.3, vec![correction.clone()]),
                PoseKey { mode: Mode::Absolute, ..key(second, 0.3, vec![correction.clone()]) },
            ];
            let corrected = built(skeleton, clip, keys).clip;
            let frames = frame_times(clip, [joint], 30.0);
            let [first, second] = [first, second].map(|time| on_frame(time, &frames));
            let (incoming, _) = local(skeleton, clip, joint, first);
            let wanted = [incoming * correction.rotation().as_quat(), correction.rotation().as_quat()];
            for (time, wanted) in [first, second].into_iter().zip(wanted) {
                let (rotation, translation) = local(skeleton, &corrected, joint, time);
                assert!(angle_between(rotation, wanted) < 1e-6, "{name} {joint_name} at {time}");
                let incoming = local(skeleton, clip, joint, time).1;
                let moved = if time == first { translation - incoming } else { translation };
                let error = moved.as_dvec3().distance(correction.offset());
                assert!(error < 1e-6 * f64::from(incoming.length().max(size)), "{name} {joint_name}: {error}");
            }
            looked_at += 1;
        }
    }
    assert!(looked_at > 20, "{looked_at}");
}

#[test]
fn outside_the_fades_the_motion_keeps_its_bits_with_any_kind_of_keys() {
    for (interpolation, rate) in [
        (Interpolation::Linear, 30),
        (Interpolation::Linear, 5),
        (Interpolation::CubicSpline, 5),
        (Interpolation::Step, 10),
        (Interpolation::CubicSpline, 30),
    ] {
        let (skeleton, clip) = swing(interpolation, rate);
        let keys = vec![key(0.9, 0.17, vec![turn("elbow", [0.0, 0.0, 50.0])])];
        let corrected = built(&skeleton, &clip, keys).clip;
        assert_eq!(corrected.tracks[0], clip.tracks[0]);
        // The source keys around the fades, between which keys were added.
        let step = 1.0 / rate as f64;
        // Key times are f32.
        let [from, to] = [(0.73 / step).floor() * step - 1e-6, (1.07 / step).ceil() * step + 1e-6];
        // A step curve becomes linear, with jumps within one f32 step before the key.
        let times = (0..2000).map(|i| (f64::from(i) + 0.5) * 1e-3).filter(|time| *time <= from || *time >= to);
        for time in times {
            let [was, is] = [&clip, &corrected].map(|clip| local(&skeleton, clip, 1, time).0);
            assert_eq!(was, is, "{interpolation:?} at {rate}: {time}");
        }
        for frame in (0..=60).map(|frame| f64::from(frame as f32 / 30.0)).filter(|time| (time - 0.9).abs() > 0.17) {
            let [was, is] = [&clip, &corrected].map(|clip| local(&skeleton, clip, 1, frame).0);
            assert!(angle_between(was, is) < 1e-6, "{interpolation:?} at {rate}: {frame}");
        }
    }
}

#[test]
fn a_fade_follows_its_easing_between_frames_too() {
    // A spline over h = 1/60 s is h⁴/384 times the fourth derivative off, which is at most 360 · 60° / (0.2 s)⁴ here.
    for (interpolation, rate, bound) in [(Interpolation::Linear, 60, 6e-3), (Interpolation::CubicSpline, 10, 5e-5)] {
        let (skeleton, clip) = swing(interpolation, rate);
        for easing in Easing::ALL {
            let fades = PoseKey { easing, fade_in: 0.5, fade_out: 0.2, ..PoseKey::default() };
            let keys = vec![PoseKey { time: 1.0, joints: vec![turn("elbow", [60.0, 0.0, 0.0])], ..fades }];
            let corrected = built_at(&skeleton, &clip, keys, 60.0).unwrap().clip;
            for i in 0..=400 {
                let time = 0.4 + 2e-3 * f64::from(i);
                let apart = if time < 1.0 { (1.0 - time) / 0.5 } else { (time - 1.0) / 0.2 };
                let angle = 60_f64.to_radians() * (1.0 - easing.at(apart));
                let [was, is] = [&clip, &corrected].map(|clip| local(&skeleton, clip, 1, time).0);
                let error = angle_between(is, was * Quat::from_rotation_x(angle as f32));
                assert!(error < bound, "{interpolation:?} {easing:?} at {time}: {error}");
            }
        }
    }
}

#[test]
fn overlapping_keys_blend_along_the_arc_between_them() {
    let (skeleton, clip) = swing(Interpolation::Linear, 30);
    let keys = vec![
        PoseKey { easing: Easing::Smoothstep, ..key(0.5, 2.0, vec![turn("elbow", [20.0, 0.0, 0.0])]) },
        PoseKey { easing: Easing::Smoothstep, ..key(1.5, 2.0, vec![turn("elbow", [80.0, 0.0, 0.0])]) },
    ];
    let corrected = built(&skeleton, &clip, keys).clip;
    for frame in 15..=45 {
        let time = f64::from(frame as f32 / 30.0);
        let angle = 20.0 + 60.0 * Easing::Smoothstep.at(time - 0.5);
        let [was, is] = [&clip, &corrected].map(|clip| local(&skeleton, clip, 1, time).0);
        let error = angle_between(is, was * Quat::from_rotation_x(angle.to_radians() as f32));
        assert!(error < 1e-6, "{time}: {error}");
    }
}

#[test]
fn a_turn_key_leaves_the_fades_of_a_move_key() {
    let (skeleton, clip) = swing(Interpolation::Linear, 30);
    let moved = Correction { translation: Some([1.0, 0.0, 0.0]), ..Correction::of("elbow") };
    let alone = built(&skeleton, &clip, vec![key(1.0, 0.5, vec![moved.clone()])]).clip;
    let turned = key(1.1, 0.5, vec![turn("elbow", [30.0, 0.0, 0.0])]);
    let both = built(&skeleton, &clip, vec![key(1.0, 0.5, vec![moved]), turned]).clip;
    assert_eq!(alone.tracks[1].translation, both.tracks[1].translation);
    let at = |time| local(&skeleton, &both, 1, time).1.x - local(&skeleton, &clip, 1, time).1.x;
    assert!((at(1.25) - 0.5).abs() < 1e-5 && (at(0.75) - 0.5).abs() < 1e-5);
}

#[test]
fn the_number_of_keys_is_bounded_by_frames_and_source() {
    for (interpolation, rate) in
        [(Interpolation::Linear, 120), (Interpolation::Linear, 3), (Interpolation::CubicSpline, 7)]
    {
        let (skeleton, clip) = swing(interpolation, rate);
        let keys = (0..500).map(|i| key(f64::from(i) * 0.004, 0.3, vec![turn("elbow", [f64::from(i % 90), 0.0, 5.0])]));
        let built = built(&skeleton, &clip, keys.collect());
        let count = built.clip.tracks[1].rotation.as_ref().unwrap().times.len();
        assert!(count <= 4 * (2 * rate).max(60), "{count} keys at {rate}");
        assert!(built.report.skipped > 300 && built.report.warns());
        assert!(built.clip.tracks[1].rotation.as_ref().unwrap().times.is_sorted_by(|a, b| a < b));
    }
}

#[test]
fn joints_that_are_missing_and_numbers_out_of_range_are_reported() {
    let (skeleton, clip) = swing(Interpolation::Linear, 30);
    let result = built(&skeleton, &clip, vec![key(1.0, 0.2, vec![turn("tail", [1.0, 0.0, 0.0])])]);
    assert_eq!((result.report.missing, result.report.joints), (vec!["tail".to_owned()], 0));
    assert!(result.clip == clip);
    let bad = [f64::NAN, f64::INFINITY, -1.0, 1e7];
    for value in bad {
        for key in [PoseKey { time: value, ..PoseKey::default() }, PoseKey { fade_in: value, ..PoseKey::default() }] {
            assert!(matches!(built_at(&skeleton, &clip, vec![key], 30.0), Err(BuildError::BadKey { key: 1, .. })));
        }
    }
    for value in [f64::NAN, f64::NEG_INFINITY, 1e7] {
        let key = key(1.0, 0.1, vec![turn("elbow", [0.0, value, 0.0])]);
        assert!(matches!(built_at(&skeleton, &clip, vec![key], 30.0), Err(BuildError::BadKey { key: 1, .. })));
    }
}
