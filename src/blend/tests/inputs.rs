//! Validation of clips and markers, and the list of played clips.

use super::*;

#[test]
fn a_curve_with_a_non_finite_number_is_refused_in_every_channel() {
    let skeleton = skeleton_of(&[("root", None)]);
    let valid = Clip { name: "run".into(), duration: 1.0, tracks: vec![JointTracks::default()] };
    assert!(check_clip(&valid, &skeleton).is_ok());
    let vector_curve = |value: f32| Some(Curve::linear(vec![0.0, 1.0], vec![Vec3::ONE, Vec3::new(0.0, value, 0.0)]));
    let rotation_curve = |value: f32| Some(Curve::linear(vec![0.0], vec![Quat::from_xyzw(0.0, 0.0, 0.0, value)]));
    let with = |tracks: JointTracks| check_clip(&Clip { tracks: vec![tracks], ..valid.clone() }, &skeleton);
    for value in [f32::NAN, f32::INFINITY] {
        assert!(with(JointTracks { translation: vector_curve(value), ..JointTracks::default() }).is_err());
        assert!(with(JointTracks { rotation: rotation_curve(value), ..JointTracks::default() }).is_err());
        assert!(with(JointTracks { scale: vector_curve(value), ..JointTracks::default() }).is_err());
        let morphs = Some(Curve::linear(vec![0.0], vec![value]));
        assert!(with(JointTracks { morphs, ..JointTracks::default() }).is_err());
    }
    assert!(
        with(JointTracks { translation: vector_curve(0.5), rotation: rotation_curve(1.0), ..JointTracks::default() })
            .is_ok()
    );
}

#[test]
fn markers_are_usable_if_they_rise_within_the_clip() {
    let (skeleton, roles) = (skeleton(), roles());
    let usable = |markers: &[f64]| {
        let all = [("run", markers)];
        let input = Input { skeleton: &skeleton, clips: &[], roles: &roles, markers: &all, travels: &[] };
        assert!(input.markers_of("walk", 1.0).is_none());
        input.markers_of("run", 1.0).is_some()
    };
    assert!(usable(&[0.0, 0.5]) && usable(&[0.25]));
    for invalid in [&[-0.1, 0.5][..], &[0.5, 1.0], &[0.5, 0.5], &[0.6, 0.2], &[f64::NAN], &[]] {
        assert!(!usable(invalid), "{invalid:?}");
    }
}

#[test]
fn a_clip_used_only_for_its_speed_is_not_played() {
    let mut space = BlendSpace {
        drive: Drive::Speed(SpeedDrive { clip: "way".into(), ..SpeedDrive::default() }),
        ..BlendSpace::default()
    };
    space.samples = vec![SpaceSample { clip: "walk".into(), ..SpaceSample::default() }];
    let node = Node { name: "space".into(), kind: NodeKind::Space(Box::new(space)) };
    let settings = Settings::Tree(Tree { nodes: vec![node], ..Tree::default() });
    assert!(settings.plays("walk") && !settings.plays("way") && !settings.plays("run"));
    assert!(settings.clip_names().contains(&"way"));
    let standard = Settings::Scenario(Scenario { run: "run".into(), ..Scenario::default() });
    assert!(standard.plays("run") && !standard.plays("walk"));
}

#[test]
fn only_clips_that_feed_the_result_are_played() {
    let mut tree = two([0.5, 0.5], Default::default());
    tree.add("apart", NodeKind::Source(Source { clip: "stand".into(), ..Source::default() }));
    let settings = Settings::Tree(tree);
    let plays = ["run", "cast", "stand", "leap"].map(|clip| settings.plays(clip));
    assert_eq!(plays, [true, true, false, false]);
}
