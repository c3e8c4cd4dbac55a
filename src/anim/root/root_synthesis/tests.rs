use super::*;
use crate::root_motion::world_at;
use crate::small_inputs::{in_smaller_unit, skeleton_of, treadmill};
use crate::{Joint, JointTracks};

#[test]
fn a_walk_on_the_spot_travels_as_fast_as_its_feet_slide() {
    let (skeleton, clip) = treadmill();
    let roles = Roles::find(&skeleton, &[]);
    let (result, root) = synthesize_root_motion(&skeleton, &clip, &roles, 30.0, 1.0).unwrap();
    assert_eq!(root, RootMotion { joint: 0, kind: RootKind::Root });
    let end = world_at(&skeleton, &result, 0, 1.0).translation - world_at(&skeleton, &clip, 0, 1.0).translation;
    assert!((end.z - 0.8).abs() < 0.03 && end.x.abs() < 1e-6 && end.y.abs() < 1e-6, "{end}");
    let foot = |time: f64| world_at(&skeleton, &result, 4, time).translation;
    assert!(foot(0.4).abs_diff_eq(foot(0.1), 1e-5), "{} {}", foot(0.1), foot(0.4));
    assert_eq!(RootMotion::find(&skeleton, &result, &roles), Some(root));
}

#[test]
fn a_walk_travels_as_far_in_any_file_unit() {
    let (skeleton, clip) = treadmill();
    for factor in [0.1, 100.0] {
        let (skeleton, clip) = in_smaller_unit(&skeleton, &clip, factor);
        let roles = Roles::find(&skeleton, &[]);
        let (result, _) = synthesize_root_motion(&skeleton, &clip, &roles, 30.0, 1.0 / f64::from(factor)).unwrap();
        let end = world_at(&skeleton, &result, 0, 1.0).translation - world_at(&skeleton, &clip, 0, 1.0).translation;
        assert!((end.z / f64::from(factor) - 0.8).abs() < 0.03, "{end} in units of 1/{factor} m");
    }
}

#[test]
fn feet_that_already_stand_add_no_root_motion() {
    let (skeleton, clip) = treadmill();
    let roles = Roles::find(&skeleton, &[]);
    let (once, _) = synthesize_root_motion(&skeleton, &clip, &roles, 30.0, 1.0).unwrap();
    let (twice, _) = synthesize_root_motion(&skeleton, &once, &roles, 30.0, 1.0).unwrap();
    let end = |clip: &Clip| world_at(&skeleton, clip, 0, 1.0).translation;
    assert!(end(&twice).abs_diff_eq(end(&once), 1e-4), "{} {}", end(&twice), end(&once));
}

#[test]
fn the_common_ancestor_of_hips_and_separate_legs_travels() {
    let (mut skeleton, mut clip) = treadmill();
    let found = Roles::find(&skeleton, &[]);
    // The torso that carries the hips is a sibling of the legs.
    [2, 5].iter().for_each(|&thigh| skeleton.joints[thigh].parent = Some(0));
    skeleton.joints.push(Joint { name: "pelvis".into(), parent: Some(1), ..skeleton.joints[1].clone() });
    clip.tracks.push(JointTracks::default());
    let roles = Roles { hips: Some(8), ..found };
    let (result, root) = synthesize_root_motion(&skeleton, &clip, &roles, 30.0, 1.0).unwrap();
    assert_eq!(root, RootMotion { joint: 0, kind: RootKind::Root });
    let foot = |time: f64| world_at(&skeleton, &result, 4, time).translation;
    assert!(foot(0.4).abs_diff_eq(foot(0.1), 1e-5), "{} {}", foot(0.1), foot(0.4));
}

#[test]
fn without_legs_root_motion_is_an_error() {
    let skeleton = skeleton_of(&[("hips", None)]);
    let clip = Clip { tracks: vec![JointTracks::default()], ..Clip::default() };
    let roles = Roles::find(&skeleton, &[]);
    assert_eq!(synthesize_root_motion(&skeleton, &clip, &roles, 30.0, 1.0), Err(RootMotionError::NoLegs));
}

#[test]
fn straight_travel_has_the_speed_of_the_standing_feet() {
    let (skeleton, clip) = treadmill();
    let roles = Roles::find(&skeleton, &[]);
    let travel = FeetTravel::find(&skeleton, &clip, &roles, 30.0, 1.0).unwrap();
    let straight = travel.straight([0.0, clip.duration]);
    assert!((straight[straight.len() - 1] - DVec3::Z * 0.8).length() < 1e-4, "{straight:?}");
    // Each foot is on the ground for half of the second; while it lifts and comes down it implies less.
    let Agreement { standing, agreed } = travel.agreement(travel.usual_velocity(), 0.01);
    assert!((0.9..1.3).contains(&standing) && agreed > 0.9 * standing, "{standing} {agreed}");
}

#[test]
fn straight_travel_follows_feet_that_rest_above_their_lowest_height() {
    let (skeleton, mut clip) = treadmill();
    let roles = Roles::find(&skeleton, &[]);
    let falls = |time: &f32| match *time < 0.4 {
        true => Vec3::Z * 3.0 * time * time,
        false => Vec3::new(0.0, 0.1, 0.48 - 0.3 * (time - 0.4)),
    };
    for foot in [4, 7] {
        let curve = clip.tracks[foot].translation.as_mut().unwrap();
        curve.values = curve.times.iter().map(falls).collect();
    }
    let travel = FeetTravel::find(&skeleton, &clip, &roles, 30.0, 1.0).unwrap();
    assert!(travel.usual_velocity().z < -0.5, "{}", travel.usual_velocity());
    let straight = travel.straight([0.0, clip.duration]);
    assert!((straight[straight.len() - 1] - DVec3::Z * 0.3).length() < 1e-4, "{straight:?}");
}

#[test]
fn straight_travel_follows_the_resting_foot_and_not_the_shuffling_one() {
    let (skeleton, mut clip) = treadmill();
    let roles = Roles::find(&skeleton, &[]);
    let drift = |time: f32| Vec3::Z * 0.3 * time;
    // A captured foot rests within a few millimetres, not exactly, and comes down late.
    let rests = |key: usize| Vec3::new(0.0002 * (key % 2) as f32, if key < 12 { 0.2 } else { 0.0 }, 0.0);
    let curve = clip.tracks[4].translation.as_mut().unwrap();
    curve.values = curve.times.iter().enumerate().map(|(key, &time)| drift(time) + rests(key)).collect();
    let shuffles = |time: f32| Vec3::X * 0.3 * time * time;
    let curve = clip.tracks[7].translation.as_mut().unwrap();
    curve.values = curve.times.iter().map(|&time| drift(time) + shuffles(time)).collect();
    let travel = FeetTravel::find(&skeleton, &clip, &roles, 30.0, 1.0).unwrap();
    assert!((travel.usual_velocity() + DVec3::Z * 0.3).length() > 0.1, "{}", travel.usual_velocity());
    let straight = travel.straight([0.0, clip.duration]);
    assert!((straight[straight.len() - 1] + DVec3::Z * 0.3).length() < 0.02, "{:?}", straight.last());
}
