//! Recordings whose animation does not fit into memory at once.

use std::sync::atomic::{AtomicUsize, Ordering};

use super::super::*;
use super::lanes::{body, moving, settings};
use portamento_anim::Pose;
use portamento_base::progress::Progress;

/// Records three seconds at 25 frames a second in windows of at most `max_bytes`. Returns the recording and how often the
/// animation was sampled.
fn record(looping: bool, settings: &Settings, max_bytes: usize) -> (Built, usize) {
    let skeleton = body().0;
    let samples = AtomicUsize::new(0);
    let driver = |time: f64, pose: &mut Pose| {
        samples.fetch_add(1, Ordering::Relaxed);
        moving(time, pose);
    };
    let frames: Vec<f64> = (0..=75).map(|frame| f64::from(frame) / 25.0).collect();
    let input = Input { skeleton: &skeleton, driver: &driver, duration: 3.0, looping, metres_per_unit: 1.0 };
    let recordings = Recordings::with_window_limit(max_bytes);
    let built = recordings.build(&input, settings, &frames, &Progress::new()).unwrap();
    (built, samples.into_inner())
}

#[test]
fn windows_change_no_bit_and_a_motion_without_a_loop_is_sampled_once() {
    let settings = Settings { pre_roll: 0.5, ..settings(&body().1) };
    let ((complete, sampled), (parts, sampled_in_parts)) =
        (record(false, &settings, usize::MAX), record(false, &settings, 1));
    assert!(complete == parts);
    assert!(sampled_in_parts < sampled + sampled / 20, "{sampled_in_parts} samples instead of {sampled}");
}

#[test]
fn windows_change_no_bit_of_loops() {
    let mut settings = settings(&body().1);
    for (loop_clean, drag) in [(false, 0.1), (true, 0.9), (true, 0.0)] {
        settings.loop_clean = loop_clean;
        settings.chains.iter_mut().for_each(|chain| chain.drag = Profile::constant(drag));
        let (complete, parts) = (record(true, &settings, usize::MAX).0, record(true, &settings, 1).0);
        assert!(complete == parts, "clean {loop_clean}, drag {drag}");
        assert_eq!(complete.following.is_empty(), drag > 0.0, "{} cycles", complete.report.cycles);
    }
}

#[test]
fn more_frames_within_a_step_than_fit_into_a_window_are_refused() {
    let (skeleton, starts) = body();
    let frames: Vec<f64> = (1..2000).map(|frame| f64::from(frame) * 2e-6).collect();
    let input = Input { skeleton: &skeleton, driver: &moving, duration: 1.0, looping: false, metres_per_unit: 1.0 };
    let build = |max_bytes: usize| {
        Recordings::with_window_limit(max_bytes).build(&input, &settings(&starts), &frames, &Progress::new())
    };
    assert!(matches!(build(1), Err(BuildError::TooLong { .. })));
    assert!(build(usize::MAX).is_ok());
}
