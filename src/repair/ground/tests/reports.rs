//! Tests of the report, and of ground at other heights.

use super::*;

/// Returns the walker with a head 15 cm below the soles, placed on `ground`.
fn with_low_head(ground: &GroundHeight) -> (Skeleton, Built) {
    let (mut skeleton, mut clip) = walker(|_, _| {});
    let rest = portamento_anim::math::Transform::from_translation(Vec3::NEG_Y * 0.95);
    skeleton.joints.push(Joint { name: "head".into(), parent: Some(1), rest, ..skeleton.joints[1].clone() });
    clip.tracks.push(JointTracks::default());
    let roles = Roles { head: Some(8), ..Roles::find(&skeleton, &[]) };
    let root = RootMotion { joint: 0, kind: RootKind::Root };
    let input = Input { ground, ..on_level(&skeleton, &clip, root, &roles) };
    let built = build(&input, &Settings::default(), &Progress::new()).unwrap();
    (skeleton, built)
}

#[test]
fn a_body_is_raised_out_of_lower_ground_as_on_level_ground() {
    let (skeleton, on_level) = with_low_head(&level);
    // So low that nothing is in the ground before the feet are placed on it.
    let (_, lower) = with_low_head(&|_| Some(-0.5));
    for time in [0.5, 1.0, 1.5, 2.0, 2.5] {
        let [level, lower] = [&on_level, &lower].map(|built| world_at(&skeleton, &built.clip, 8, time).translation);
        assert!(level.y > -1e-5 && (level - lower - DVec3::Y * 0.5).length() < 1e-4, "{level} {lower} at {time} s");
    }
}

#[test]
fn a_raised_motion_reports_no_lowering() {
    let (skeleton, sunken) =
        walker(|time, pose| pose.locals[0].translation += Vec3::new(0.0, -0.08, 2.0 * time as f32));
    assert_eq!(put(&skeleton, &sunken, &level).unwrap().report.raised[0], 0.0);
}

#[test]
fn the_worst_frame_is_one_of_the_result() {
    let (skeleton, incoming) = walker(|_, _| {});
    let (roles, root) = (Roles::find(&skeleton, &[]), RootMotion { joint: 0, kind: RootKind::Root });
    let input = on_level(&skeleton, &incoming, root, &roles);
    let times = frame_times(&incoming, 0..skeleton.len(), 30.0);
    let mut feet = planted_feet(&input, &Settings::default(), &times).unwrap();
    // The input is worse, at another frame.
    let inside = |stance: usize| feet[0].stances[stance].frames.start + 3;
    let [before, after] = [inside(0), inside(1)];
    feet[0].soles[before] += DVec3::new(0.0, -0.08, 0.08);
    let (_, slid) = walker(|time, pose| {
        if (time - times[after]).abs() < 1e-3 {
            pose.locals[0].translation += Vec3::new(0.0, -0.03, 0.02);
        }
    });
    let mut report = Report::default();
    measure(&input, &feet, &slid, &times, &mut report);
    let [slide, distance] = [report.slide, report.off_ground];
    assert!((slide[0] - 0.08).abs() < 2e-3 && (slide[1] - 0.02).abs() < 2e-3, "{slide:?}");
    assert!((distance[0] - 0.08).abs() < 2e-3 && (distance[1] - 0.03).abs() < 2e-3, "{distance:?}");
    for worst in [report.slides_at, report.off_ground_at] {
        assert_eq!(worst.unwrap().time, times[after]);
    }
}
