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

#[test]
fn the_frame_that_is_told_as_the_worst_is_one_of_the_result() {
    let (skeleton, came) = walker(|_, _| {});
    let (roles, root) = (Roles::find(&skeleton, &[]), RootMotion { joint: 0, kind: RootKind::Root });
    let input = on_level(&skeleton, &came, root, &roles);
    let times = frame_times(&came, 0..skeleton.len(), 30.0);
    let mut feet = planted_feet(&input, &Settings::default(), &times).unwrap();
    // What came in is worse, at another frame.
    let inside = |stand: usize| feet[0].stands[stand].frames.start + 3;
    let [before, after] = [inside(0), inside(1)];
    feet[0].soles[before] += DVec3::new(0.0, -0.08, 0.08);
    let (_, slid) = walker(|time, pose| {
        if (time - times[after]).abs() < 1e-3 {
            pose.locals[0].translation += Vec3::new(0.0, -0.03, 0.02);
        }
    });
    let mut report = Report::default();
    measure(&input, &feet, &slid, &times, &mut report);
    let [slide, off] = [report.slide, report.off_ground];
    assert!((slide[0] - 0.08).abs() < 2e-3 && (slide[1] - 0.02).abs() < 2e-3, "{slide:?}");
    assert!((off[0] - 0.08).abs() < 2e-3 && (off[1] - 0.03).abs() < 2e-3, "{off:?}");
    for worst in [report.slides_at, report.off_ground_at] {
        assert_eq!(worst.unwrap().time, times[after]);
    }
}
