use super::*;
use portamento_anim::root_motion::headings;

/// Returns ten steps of 1 along Z at 10 frames per second, with a pause from frame 4 to 6.
fn walk(skeleton: &Skeleton) -> Clip {
    let z = [0.0, 1.0, 2.0, 3.0, 4.0, 4.0, 4.0, 5.0, 6.0, 7.0, 8.0];
    clip_through(skeleton, &z.map(|z| DVec3::Z * z), 10.0)
}

fn window(start: f64, end: f64, target: DVec3) -> Window {
    Window { soft_edges: 0.0, ..Window::new(start, end, Target::World(target)) }
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

/// Returns 3 s of travel along Z at 1 unit per second, sampled at 30 frames per second.
fn steady(skeleton: &Skeleton) -> Clip {
    let points: Vec<DVec3> = (0..=90).map(|i| DVec3::Z * f64::from(i) / 30.0).collect();
    clip_through(skeleton, &points, 30.0)
}

/// Returns the largest change of speed from one frame to the next within `frames`.
fn largest_jump(report: &Report, frames: std::ops::Range<usize>) -> f64 {
    frames.map(|i| (report.stretched.speeds[i + 1] - report.stretched.speeds[i]).abs()).fold(0.0, f64::max)
}

#[test]
fn soft_edges_spread_the_change_of_speed_and_hard_ones_are_reported() {
    let skeleton = rig();
    let clip = steady(&skeleton);
    let built = |soft_edges: f64, method: Method| {
        // 0.5 s of travel at 1 unit per second becomes 8.5 units: 17 units per second.
        let fast = Window { soft_edges, ..window(1.0, 1.5, DVec3::Z * 9.5) };
        stretch_as(&skeleton, &clip, root(), &Settings { method, ..windows(&[fast]) }).unwrap().report
    };
    let hard = built(0.0, Method::Displacement);
    assert!((largest_jump(&hard, 25..50) - 16.0).abs() < 1e-3);
    let jumps: Vec<(usize, f64)> = of_kind(&hard, WarningKind::SpeedJump);
    assert_eq!(jumps.iter().map(|jump| jump.0).collect::<Vec<_>>(), [30, 45]);
    assert!(jumps.iter().all(|jump| (jump.1 - 16.0).abs() < 1e-3), "{jumps:?}");
    for method in [Method::Displacement, Method::Uniform, Method::Shear] {
        let soft = built(0.2, method);
        // The correction of 8 units has the weight 0.5 s − 0.2 s = 0.3 s, so it adds 26.7 units per second at most. A smoothstep
        // of 6 frames changes by 0.246 in its steepest frame.
        assert!(largest_jump(&soft, 25..50) < 0.247 * 8.0 / 0.3, "{method:?} {}", largest_jump(&soft, 25..50));
        assert_eq!(of_kind(&soft, WarningKind::SpeedJump), []);
        // Key times are rounded to single precision.
        assert!(soft.stretched.points[45].abs_diff_eq(DVec3::Z * 9.5, 1e-6), "{method:?}");
        assert!(soft.stretched.points[30].abs_diff_eq(DVec3::Z, 1e-6), "{method:?}");
        assert!((soft.stretched.points[90] - soft.stretched.points[45]).abs_diff_eq(DVec3::Z * 1.5, 1e-6));
    }
}

fn of_kind(report: &Report, kind: WarningKind) -> Vec<(usize, f64)> {
    let warnings = report.warnings.iter().filter(|warning| warning.kind == kind);
    warnings.map(|warning| (warning.frame, warning.amount)).collect()
}

#[test]
fn a_window_that_keeps_its_speed_lasts_as_long_as_its_path_needs() {
    let skeleton = rig();
    for (target, soft_edges, added) in [(9.5, 0.0, 8.0), (9.5, 0.2, 8.0), (1.25, 0.0, -0.25)] {
        let with_speed = Window { keep_speed: true, soft_edges, ..window(1.0, 1.5, DVec3::Z * target) };
        let built = stretch_as(&skeleton, &steady(&skeleton), root(), &windows(&[with_speed])).unwrap();
        let report = &built.report;
        assert!((report.windows[0].added_seconds - added).abs() < 1e-5, "{:?}", report.windows);
        assert!((built.clip().duration - (3.0 + added)).abs() < 1e-5);
        assert!(report.stretched.speeds[1..].iter().all(|speed| (speed - 1.0).abs() < 1e-4));
        assert_eq!(of_kind(report, WarningKind::SpeedJump), []);
        // Measured on the clip: 1 unit per second everywhere, also in the window.
        let end = built.clip().duration;
        for share in [0.1, 0.4, 0.5, 0.6, 0.9] {
            let time = share * end;
            let z = world_at(&skeleton, built.clip(), 1, time).translation.z;
            assert!((z - time).abs() < 1e-3, "{share}: {z} {time}");
        }
        let map = built.map.unwrap();
        assert!((map.at(1.5) - (1.5 + added)).abs() < 1e-5 && (map.incoming_time(map.at(1.2)) - 1.2).abs() < 1e-9);
    }
}

#[test]
fn a_pause_in_a_window_that_keeps_its_speed_keeps_its_time() {
    let skeleton = rig();
    let with_speed = Window { keep_speed: true, ..window(0.2, 0.9, DVec3::new(8.0, 0.0, 2.0)) };
    let built = stretch_as(&skeleton, &walk(&skeleton), root(), &windows(&[with_speed])).unwrap();
    let map = built.map.as_ref().unwrap();
    assert!((map.at(0.6) - map.at(0.4) - 0.2).abs() < 1e-6);
    for i in 3..=9 {
        let [before, after] = [&built.report.source, &built.report.stretched].map(|path| path.speeds[i]);
        assert!((before - after).abs() < 1e-6 * (1.0 + before), "frame {i}: {before} {after}");
    }
}

#[test]
fn soft_edges_below_zero_or_without_end_are_refused() {
    let skeleton = rig();
    for soft_edges in [-0.1, f64::NAN, f64::INFINITY] {
        let wrong = Window { soft_edges, ..window(0.2, 0.9, DVec3::Z) };
        let error = stretch_as(&skeleton, &walk(&skeleton), root(), &windows(&[wrong])).unwrap_err();
        assert!(matches!(error, BuildError::BadNumber { quantity: Quantity::SoftEdges, .. }), "{soft_edges}");
    }
}
