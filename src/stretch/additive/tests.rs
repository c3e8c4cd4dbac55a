use portamento_anim::math::Transform;
use portamento_anim::{Joint, Model};
use portamento_formats::import::import;
use portamento_test_support::{character, hero};

use super::*;

fn joint(name: &str, parent: Option<usize>, rest: Transform) -> Joint {
    Joint { name: name.into(), parent, rest, node: 0, first_morph: 0, morph_count: 0 }
}

fn built(skeleton: &Skeleton, clip: &Clip, other: Option<&Clip>, settings: &Settings) -> Built {
    build(&Input { skeleton, clip, fps: 60.0, reference: other }, settings, &Progress::new()).unwrap()
}

/// Returns `delta` added to `base`, joint by joint, by the formula of engines that add the distance from the rest pose.
fn added(skeleton: &Skeleton, base: &Pose, delta: &Pose, space: Space) -> Pose {
    let mut sum = base.clone();
    let world = [base, delta, &Pose::rest(skeleton)].map(|pose| rotations(skeleton, pose));
    let turned = |joint: usize| world[1][joint] * world[2][joint].inverse() * world[0][joint];
    for (joint, node) in skeleton.joints.iter().enumerate() {
        let (rest, base, delta) = (node.rest, base.locals[joint], delta.locals[joint]);
        let rotation = match space {
            Space::Local => base.rotation * (rest.rotation.conjugate() * delta.rotation),
            Space::Parent => delta.rotation * rest.rotation.conjugate() * base.rotation,
            Space::Character => {
                let parent = node.parent.map_or(DQuat::IDENTITY, turned);
                (parent.inverse() * turned(joint)).as_quat()
            }
        };
        sum.locals[joint] = Transform {
            translation: base.translation + (delta.translation - rest.translation),
            rotation,
            scale: base.scale * (delta.scale / rest.scale),
        };
    }
    sum.morphs
        .iter_mut()
        .enumerate()
        .for_each(|(row, weight)| *weight += delta.morphs[row] - skeleton.rest_morphs[row]);
    sum
}

/// Returns the largest difference of two poses: a move relative to `size`, a component of a rotation, a scale or a weight.
fn difference_of(a: &Pose, b: &Pose, size: f32) -> f32 {
    let locals = a.locals.iter().zip(&b.locals).map(|(a, b)| {
        let turned = if a.rotation.dot(b.rotation) < 0.0 { -b.rotation } else { b.rotation };
        let turn = (a.rotation - turned).length();
        let shift = a.translation.distance(b.translation) / size;
        turn.max(shift).max(a.scale.distance(b.scale))
    });
    locals.chain(a.morphs.iter().zip(&b.morphs).map(|(a, b)| (a - b).abs())).fold(0.0, f32::max)
}

/// Checks that each clip of `model`, made additive and added to its reference, is the clip again.
fn check_laid_back(name: &str, model: &Model) {
    let skeleton = &model.skeleton;
    let size = skeleton.joints.iter().map(|joint| joint.rest.translation.length()).fold(1e-3, f32::max);
    let clips = &model.clips;
    for (clip, other) in clips.iter().zip(clips.iter().cycle().skip(1)).take(3) {
        for (reference, space) in
            Reference::ALL.into_iter().flat_map(|reference| Space::ALL.map(|space| (reference, space)))
        {
            let at = 0.4 * other.duration;
            let settings = Settings { reference, space, clip: other.name.clone(), at };
            let result = built(skeleton, clip, Some(other), &settings);
            let base = match reference {
                Reference::Rest => Pose::rest(skeleton),
                Reference::FirstFrame => clip.pose_at(skeleton, 0.0),
                Reference::Clip => other.pose_at(skeleton, at),
            };
            let times = frame_times(clip, 0..skeleton.len(), 60.0);
            for &time in times.iter().step_by(1 + times.len() / 40) {
                let sum = added(skeleton, &base, &result.clip.pose_at(skeleton, time), space);
                let off = difference_of(&sum, &clip.pose_at(skeleton, time), size);
                assert!(off < 2e-6, "{name} {}: {reference:?} {space:?} at {time} s: {off}", clip.name);
            }
            assert_eq!(result.clip.duration, clip.duration);
        }
    }
}

#[test]
fn added_to_its_reference_it_is_the_motion_again() {
    check_laid_back("hero", &hero());
    for name in ["characters/knight.glb", "characters/mannequiny.glb", "characters/fox.glb", "characters/dragon.glb"] {
        let Some(path) = character(name) else { return };
        check_laid_back(name, &import(&path).unwrap().model);
    }
}

/// A shoulder that leans 90° forward about X at rest, and a hand.
fn arm() -> Skeleton {
    let lean = Transform { rotation: Quat::from_rotation_x(std::f32::consts::FRAC_PI_2), ..Transform::IDENTITY };
    let joints = vec![
        joint("shoulder", None, Transform::IDENTITY),
        joint("hand", Some(0), Transform { translation: Vec3::Y, ..lean }),
    ];
    Skeleton { joints, rest_morphs: Vec::new() }
}

fn turning(skeleton: &Skeleton, shoulder: Quat, hand: [Quat; 2]) -> Clip {
    let curve = |values: [Quat; 2]| Some(Curve::linear(vec![0.0, 1.0], values.to_vec()));
    let rotations = [curve([shoulder, shoulder]), curve(hand)];
    let tracks = rotations.map(|rotation| JointTracks { rotation, ..JointTracks::default() });
    assert_eq!(skeleton.len(), tracks.len());
    Clip { name: "aim".into(), duration: 1.0, tracks: tracks.to_vec() }
}

#[test]
fn in_axes_of_the_character_a_turn_keeps_its_axis_on_any_pose_of_the_parent() {
    let skeleton = arm();
    let rest = skeleton.joints[1].rest.rotation;
    let yaw = Quat::from_rotation_y(0.5);
    // The shoulder is at rest, so the hand turns by 0.5 about the vertical axis of the character.
    let clip = turning(&skeleton, Quat::IDENTITY, [rest, yaw * rest]);
    let bent = Quat::from_rotation_z(1.2);
    let mut base = Pose::rest(&skeleton);
    base.locals[0].rotation = bent;
    let directions = Space::ALL.map(|space| {
        let result = built(&skeleton, &clip, None, &Settings { space, ..Settings::default() });
        let sum = added(&skeleton, &base, &result.clip.pose_at(&skeleton, 1.0), space);
        rotations(&skeleton, &sum)[1].as_quat() * Vec3::Z
    });
    let hand = bent * rest * Vec3::Z;
    // In axes of the joint and of its parent the turn leans with the shoulder; in those of the character it stays vertical.
    let [local, parent, character] = directions;
    assert!(local.distance(bent * yaw * rest * Vec3::Z) < 1e-6, "{local}");
    assert!(parent.distance(bent * yaw * rest * Vec3::Z) < 1e-6, "{parent}");
    assert!(character.distance(yaw * hand) < 1e-6, "{character}");
}

#[test]
fn in_local_axes_keys_and_tangents_stay() {
    let skeleton = arm();
    let mut clip = turning(&skeleton, Quat::IDENTITY, [Quat::IDENTITY, Quat::from_rotation_y(1.0)]);
    let spline = |values: &[f32]| Curve {
        interpolation: Interpolation::CubicSpline,
        times: vec![0.0, 0.3, 1.0].into(),
        values: values.iter().map(|&value| Vec3::X * value).collect(),
    };
    clip.tracks[0].translation = Some(spline(&[0.0, 1.0, 2.0, 0.5, 3.0, 0.5, 1.0, 2.0, 0.0]));
    clip.tracks[1].scale = Some(Curve {
        interpolation: Interpolation::Step,
        times: vec![0.0, 0.5].into(),
        values: vec![Vec3::ONE * 2.0, Vec3::ONE * 3.0].into(),
    });
    let result = built(&skeleton, &clip, None, &Settings::default()).clip;
    // The first frame is at 1: values move by it, slopes stay.
    assert_eq!(result.tracks[0].translation, Some(spline(&[0.0, 0.0, 2.0, 0.5, 2.0, 0.5, 1.0, 1.0, 0.0])));
    let scale = result.tracks[1].scale.as_ref().unwrap();
    assert_eq!((scale.interpolation, &scale.times[..]), (Interpolation::Step, &[0.0, 0.5][..]));
    assert_eq!(scale.values, [Vec3::ONE, Vec3::ONE * 1.5]);
    assert_eq!(result.tracks[0].scale, None, "a joint that is at rest in both has no curve");
}

#[test]
fn a_joint_that_only_the_reference_moves_gets_a_key() {
    let skeleton = arm();
    let rest = skeleton.joints[1].rest.rotation;
    let other = turning(&skeleton, Quat::from_rotation_z(0.7), [rest, rest]);
    let mut clip = turning(&skeleton, Quat::IDENTITY, [rest, rest]);
    clip.tracks[0] = JointTracks::default();
    let settings = Settings { reference: Reference::Clip, clip: "other".into(), ..Settings::default() };
    let result = built(&skeleton, &clip, Some(&other), &settings);
    let turned = result.clip.tracks[0].rotation.as_ref().unwrap();
    assert!(angle_between(turned.values[0], Quat::from_rotation_z(-0.7)) < 1e-6);
    assert_eq!((result.report.joints, result.report.most_turned.as_deref()), (1, Some("shoulder")));
    assert!((result.report.turn - 0.7_f64.to_degrees()).abs() < 1e-3, "{}", result.report.turn);
}

#[test]
fn a_scale_of_zero_in_the_reference_leaves_the_rest_scale() {
    let skeleton = arm();
    let mut clip = turning(&skeleton, Quat::IDENTITY, [Quat::IDENTITY; 2]);
    clip.tracks[1].scale = Some(Curve::linear(vec![0.0, 1.0], vec![Vec3::new(0.0, 1.0, 2.0), Vec3::splat(4.0)]));
    let result = built(&skeleton, &clip, None, &Settings::default()).clip;
    assert_eq!(result.tracks[1].scale.as_ref().unwrap().values, [Vec3::ONE, Vec3::new(1.0, 4.0, 2.0)]);
}

#[test]
fn a_motion_without_difference_warns() {
    let skeleton = arm();
    let clip = turning(&skeleton, Quat::IDENTITY, [Quat::from_rotation_x(0.2); 2]);
    assert!(built(&skeleton, &clip, None, &Settings::default()).report.warns());
    let from_rest = Settings { reference: Reference::Rest, ..Settings::default() };
    assert!(!built(&skeleton, &clip, None, &from_rest).report.warns());
}

#[test]
fn a_missing_reference_and_a_time_outside_it_are_refused() {
    let skeleton = arm();
    let clip = turning(&skeleton, Quat::IDENTITY, [Quat::IDENTITY; 2]);
    let refused = |reference: Option<&Clip>, at: f64| {
        let settings = Settings { reference: Reference::Clip, at, ..Settings::default() };
        build(&Input { skeleton: &skeleton, clip: &clip, fps: 60.0, reference }, &settings, &Progress::new())
            .unwrap_err()
    };
    assert_eq!(refused(None, 0.0), BuildError::NoClip);
    for at in [-0.1, 1.1, f64::NAN, f64::INFINITY] {
        assert!(matches!(refused(Some(&clip), at), BuildError::BadTime { .. }), "{at}");
    }
    let other = Clip { tracks: vec![JointTracks::default()], ..clip.clone() };
    assert!(matches!(refused(Some(&other), 0.0), BuildError::OtherSkeleton(_)));
}
