use super::*;
use portamento_anim::root_motion::headings;

/// Returns ten steps of 1 along Z at 10 frames per second, with a pause from frame 4 to 6.
fn walk(skeleton: &Skeleton) -> Clip {
    let z = [0.0, 1.0, 2.0, 3.0, 4.0, 4.0, 4.0, 5.0, 6.0, 7.0, 8.0];
    clip_through(skeleton, &z.map(|z| DVec3::Z * z), 10.0)
}

fn window(start: f64, end: f64, target: DVec3) -> Window {
    Window { start, end, target: Target::World(target), facing: Facing::Keep }
}

fn windows(list: &[Window]) -> Settings {
    Settings { windows: list.to_vec(), ..Settings::default() }
}

#[test]
fn each_window_arrives_and_the_rest_moves_rigidly() {
    let skeleton = rig();
    let clip = walk(&skeleton);
    let settings = windows(&[window(0.7, 0.9, DVec3::new(0.0, 0.0, 9.0)), window(0.1, 0.3, DVec3::new(2.0, 0.0, 3.0))]);
    let report = stretch_as(&skeleton, &clip, root(), &settings).unwrap().report;
    let (stretched, source) = (&report.stretched.points, &report.source.points);
    assert_eq!(report.times.len(), 11);
    assert_eq!((stretched[0], stretched[1]), (source[0], source[1]));
    assert_eq!((stretched[3], stretched[9]), (DVec3::new(2.0, 0.0, 3.0), DVec3::Z * 9.0));
    for (i, step) in [(4, 1.0), (5, 0.0), (6, 0.0), (7, 1.0), (10, 1.0)] {
        assert!((stretched[i] - stretched[i - 1]).abs_diff_eq(DVec3::Z * step, 1e-6), "frame {i}");
    }
    assert!(stretched[4] == stretched[5] && stretched[5] == stretched[6]);
    assert!(report.windows[0].start < 0.2 && report.end_error < 1e-6);
}

#[test]
fn adjacent_windows_share_no_step_and_one_may_end_between_keys() {
    let skeleton = rig();
    let clip = walk(&skeleton);
    let settings = windows(&[window(0.0, 0.25, DVec3::Z), window(0.25, 1.0, DVec3::Z * 12.0)]);
    let report = stretch_as(&skeleton, &clip, root(), &settings).unwrap().report;
    assert_eq!(report.times.len(), 12);
    assert_eq!((report.stretched.points[3], report.stretched.points[11]), (DVec3::Z, DVec3::Z * 12.0));
}

#[test]
fn overlapping_empty_and_outside_windows_are_refused() {
    let skeleton = rig();
    let clip = walk(&skeleton);
    let refuse = |list: &[Window]| stretch_as(&skeleton, &clip, root(), &windows(list)).unwrap_err();
    let at = |start, end| window(start, end, DVec3::Z);
    assert!(matches!(refuse(&[at(0.0, 0.5), at(0.4, 0.9)]), BuildError::Overlap { .. }));
    for (start, end) in [(0.5, 0.5), (0.6, 0.2), (0.2, 0.21), (1.0, 2.0), (-1.0, 0.5), (f64::NAN, 0.5), (0.0, f64::NAN)]
    {
        assert!(matches!(refuse(&[at(start, end)]), BuildError::BadWindow { .. }), "{start} {end}");
    }
}

/// Returns the walk with a turn of `degrees` from frame 1 to 3.
fn turning_walk(skeleton: &Skeleton, degrees: f32) -> Clip {
    let mut clip = walk(skeleton);
    let axis = skeleton.joints[0].rest.rotation.inverse() * Vec3::Y;
    let turned = Quat::from_axis_angle(axis, degrees.to_radians());
    let keys = vec![Quat::IDENTITY, turned.slerp(Quat::IDENTITY, 0.5), turned];
    clip.tracks[1].rotation = Some(Curve::linear(vec![0.1, 0.2, 0.3], keys));
    clip
}

#[test]
fn a_turn_is_distributed_by_the_sources_turning_and_still_frames_do_not_turn() {
    let skeleton = rig();
    let clip = turning_walk(&skeleton, 60.0);
    let settings = Settings { facing: Facing::Heading(1.8), ..to(0.0, 0.0, 8.0) };
    let built = stretch_as(&skeleton, &clip, root(), &settings).unwrap();
    let new_headings = headings(&skeleton, built.clip(), 1, &built.report.times);
    assert!((new_headings[10] - 1.8).abs() < 1e-6, "{new_headings:?}");
    assert!(new_headings.is_sorted_by(|a, b| *b >= a - 1e-6) && (new_headings[1] - new_headings[0]).abs() < 1e-6);
    assert!((new_headings[2] - 0.9).abs() < 1e-6 && (new_headings[4] - new_headings[3]).abs() < 1e-6);
}

#[test]
fn a_source_that_does_not_turn_turns_as_it_travels() {
    let skeleton = rig();
    let settings = Settings { facing: Facing::Target, ..to(8.0, 0.0, 0.0) };
    let built = stretch_as(&skeleton, &walk(&skeleton), root(), &settings).unwrap();
    let new_headings = headings(&skeleton, built.clip(), 1, &built.report.times);
    assert!((new_headings[10] - std::f64::consts::FRAC_PI_2).abs() < 1e-6, "{new_headings:?}");
    assert!(
        (new_headings[6] - new_headings[4]).abs() < 1e-7 && (new_headings[4] - new_headings[10] * 0.5).abs() < 1e-6
    );
    assert_eq!(built.report.stretched.points[10], DVec3::X * 8.0);
}

#[test]
fn the_shorter_turn_is_used_and_half_a_turn_is_to_the_left() {
    let skeleton = rig();
    let radians = |degrees: f32| f64::from(degrees).to_radians();
    for (from, to_heading, turn) in
        [(-179.0, 179.0, -2.0), (179.0, -179.0, 2.0), (0.0, 180.0, 180.0), (0.0, -180.0, 180.0)]
    {
        let clip = turning_walk(&skeleton, from);
        let settings = Settings { facing: Facing::Heading(radians(to_heading)), ..to(0.0, 0.0, 8.0) };
        let report = stretch_as(&skeleton, &clip, root(), &settings).unwrap().report;
        assert!(
            (report.windows[0].turn - radians(turn)).abs() < 1e-6,
            "{from} {to_heading} {}",
            report.windows[0].turn
        );
    }
}

#[test]
fn after_a_turning_window_the_rest_is_turned_too() {
    let skeleton = rig();
    let clip = walk(&skeleton);
    let target = DVec3::new(4.0, 0.0, 0.0);
    let settings = windows(&[Window { facing: Facing::Target, ..window(0.0, 0.4, target) }]);
    let report = stretch_as(&skeleton, &clip, root(), &settings).unwrap().report;
    assert_eq!(report.stretched.points[6], target);
    assert!(report.stretched.points[10].abs_diff_eq(DVec3::X * 8.0, 1e-6), "{:?}", report.stretched.points);
}

#[test]
fn an_aligned_hand_reaches_the_target_even_while_turning() {
    let skeleton = rig();
    let clip = walk(&skeleton);
    for facing in [Facing::Keep, Facing::Target, Facing::Heading(-2.0)] {
        let settings = Settings { aligner: Some(3), facing, ..to(3.0, 1.0, 5.0) };
        let built = stretch_as(&skeleton, &clip, root(), &settings).unwrap();
        let hand = world_at(&skeleton, built.clip(), 3, clip.duration).translation;
        assert!(
            hand.abs_diff_eq(DVec3::new(3.0, 1.0, 5.0), 1e-6) && built.report.end_error < 1e-6,
            "{facing:?} {hand}"
        );
    }
}
