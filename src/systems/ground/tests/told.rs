//! What is told of a result, and that only the ground under it counts.

use super::*;

/// The walker with a head that hangs 15 cm below the soles, put on `ground`.
fn hung(ground: &GroundHeight) -> (Skeleton, Built) {
    let (mut skeleton, mut clip) = walker(|_, _| {});
    let rest = crate::math::Transform::from_translation(Vec3::NEG_Y * 0.95);
    skeleton.joints.push(Joint { name: "head".into(), parent: Some(1), rest, ..skeleton.joints[1].clone() });
    clip.tracks.push(JointTracks::default());
    let roles = Roles { head: Some(8), ..Roles::find(&skeleton, &[]) };
    let root = RootMotion { joint: 0, kind: RootKind::Root };
    let input = Input { ground, ..on_level(&skeleton, &clip, root, &roles) };
    let built = build(&input, &Settings::default(), &Progress::new()).unwrap();
    (skeleton, built)
}

#[test]
fn a_body_over_ground_at_another_height_is_raised_out_of_it_as_on_level_ground() {
    let (skeleton, on_level) = hung(&level);
    // So far below that nothing is in the ground before the feet are put on it.
    let (_, below) = hung(&|_| Some(-0.5));
    for time in [0.5, 1.0, 1.5, 2.0, 2.5] {
        let [level, below] = [&on_level, &below].map(|built| world_at(&skeleton, &built.clip, 8, time).translation);
        assert!(level.y > -1e-5 && (level - below - DVec3::Y * 0.5).length() < 1e-4, "{level} {below} at {time} s");
    }
}

#[test]
fn who_is_raised_was_raised_from_nothing() {
    let (skeleton, sunken) =
        walker(|time, pose| pose.locals[0].translation += Vec3::new(0.0, -0.08, 2.0 * time as f32));
    assert_eq!(put(&skeleton, &sunken, &level).unwrap().report.raised[0], 0.0);
}
