//! Speed of a stretched path: windows that keep the source's speed, and jumps at hard edges.
//!
//! A window that keeps its speed gets the time that its new path needs. Each step lasts as much longer as it is longer:
//!
//! ```text
//! dt'(i) = dt(i) · |Q(i) − Q(i−1)| / |P(i) − P(i−1)|      so |ΔQ| / dt' = |ΔP| / dt
//! ```
//!
//! Steps in which the source stands keep their time.

use glam::DVec3;

use super::path::{SourcePath, WindowFrames};
use super::report::{Warning, WarningKind};
use super::retime::{self, SpeedEase, SpeedKnot};
use super::{BuildError, Input};
use portamento_anim::Clip;
use portamento_base::progress::Progress;

/// Highest playback speed: a step that almost vanishes keeps a twentieth of its time, so that the pose does not jump.
const MAX_SPEED: f64 = 20.0;

/// Change of speed at an edge that is reported, metres per second. Tuned; no derivation recorded.
const JUMP_MIN_M_PER_S: f64 = 1.0;

/// Factor between the speeds before and after an edge that is reported. Tuned; no derivation recorded.
const JUMP_MIN_FACTOR: f64 = 1.5;

/// Returns `clip` retimed so that the windows with [`WindowFrames::keep_speed`] have the speed of the source on the path `to`;
/// `Ok(None)` if there are none. Returns `Err` if the result would last too long.
pub(super) fn keep_speed(
    input: &Input,
    source: &SourcePath,
    windows: &[WindowFrames],
    to: &[DVec3],
    clip: &Clip,
) -> Result<Option<retime::Built>, BuildError> {
    let knots = knots(source, windows, to);
    if knots.iter().all(|knot| knot.speed == 1.0) {
        return Ok(None);
    }
    let settings = retime::Settings { knots, length: None };
    let input = retime::Input { skeleton: input.skeleton, clip };
    Ok(Some(retime::build(&input, &settings, &Progress::new())?))
}

/// Returns the playback speed of each step, as knots where it changes; 1 outside the windows that keep their speed.
fn knots(source: &SourcePath, windows: &[WindowFrames], to: &[DVec3]) -> Vec<SpeedKnot> {
    let mut speeds = vec![1.0; source.times.len()];
    for window in windows.iter().filter(|window| window.keep_speed) {
        for i in window.first + 1..=window.last {
            let [before, after] = [source.points, to].map(|path| (path[i] - path[i - 1]).length());
            let is_still = source.lengths[i] == source.lengths[i - 1] || before == 0.0;
            let speed = if is_still || before == after { 1.0 } else { before / after };
            speeds[i - 1] = speed.clamp(retime::Settings::MIN_SPEED, MAX_SPEED);
        }
    }
    let mut knots: Vec<SpeedKnot> = Vec::new();
    for (&time, speed) in source.times.iter().zip(speeds) {
        if knots.last().is_none_or(|knot| knot.speed != speed) {
            knots.push(SpeedKnot { time, speed, ease: SpeedEase::Stepped });
        }
    }
    knots
}

/// Returns a warning for each hard edge of a window at which the speed on the path `to` jumps although the source's does not.
/// Windows that keep their speed have none.
pub(super) fn jumps(input: &Input, source: &SourcePath, windows: &[WindowFrames], to: &[DVec3]) -> Vec<Warning> {
    let last = source.times.len() - 1;
    let hard = windows.iter().filter(|window| window.edges.is_hard() && !window.keep_speed);
    let mut edges: Vec<usize> = hard.flat_map(|window| [window.first, window.last]).collect();
    edges.retain(|&frame| frame > 0 && frame < last);
    edges.dedup();
    let speed = |path: &[DVec3], i: usize| {
        (path[i] - path[i - 1]).length() / (source.times[i] - source.times[i - 1]) * input.metres_per_unit
    };
    let warning = |frame: usize| {
        let [before, after] = [frame, frame + 1].map(|i| speed(to, i));
        let jump = (after - before).abs() - (speed(source.points, frame + 1) - speed(source.points, frame)).abs();
        let is_jump = jump > JUMP_MIN_M_PER_S && before.max(after) > JUMP_MIN_FACTOR * before.min(after);
        is_jump.then(|| Warning::new(WarningKind::SpeedJump, frame, (after - before).abs()))
    };
    edges.into_iter().filter_map(warning).collect()
}
