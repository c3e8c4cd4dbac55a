//! Closed paths: the recording's end continues into its start.
//!
//! The smooth lap is repeated so that the character has reached its speed before the recorded laps and keeps it after
//! them. Feet then stand before and after the recorded laps as within them. All laps together take a whole number of
//! frames and of gait cycles. For this their duration changes by less than half a frame and their phase by less than
//! half a cycle.

use std::ops::Range;

use super::path::cumulative_flat;
use super::smooth_path::{POINT_SPACING_M, at, mix};
use super::speed_profile::SpeedProfile;
use crate::locomotion::clips::clip_roles::ClipSet;
use crate::locomotion::feet::foot_lock::LockedFeet;
use crate::locomotion::gaits::gait_phase::distance_phased;
use crate::locomotion::measure;
use crate::locomotion::recording::{Recording, WalkPart};
use crate::locomotion::report::{Report, StopReport};
use crate::locomotion::segments::plan::SegmentPlan;
use crate::locomotion::segments::segment::{GaitFrame, Rig, Segment, WALK_MAX_SECONDS};
use crate::locomotion::{Settings, SmoothPath, Walk, WalkError, WalkPath};
use portamento_base::progress::Progress;

/// Time walked before and after the recorded laps, seconds. Foot locking looks no further.
const MARGIN_SECONDS: f64 = 3.0;
/// Largest distance between the ends of a closed path, metres.
const CLOSED_MAX_GAP_M: f64 = 0.05;

/// Records the laps of the closed path `walk_path`. The laps have neither start nor stop clip. Returns `Err` if the path is
/// open, has a sharp corner or is too long, or if `progress` is cancelled.
pub(crate) fn record(
    rig: Rig,
    mut clips: ClipSet,
    walk_path: &WalkPath,
    progress: &Progress,
) -> Result<Walk, WalkError> {
    (clips.start, clips.stop) = (None, None);
    let lap = lap(walk_path, rig.settings)?;
    let course = Course::new(rig, &lap)?;
    let path = course.recorded.path(&lap);
    let (first, frames) = (course.first, course.frames);
    let plan = course.plan(rig, &clips);
    let mut recording = Recording::default();
    recording.add(WalkPart::Segment(Box::new(plan)), progress)?;
    let mut locked = recording.finish(rig);
    progress.step(9, 10)?;
    retain_frames(&mut recording, &mut locked, first..first + frames + 1);
    let report = Report { stop: StopReport::default(), ..measure::measure(rig, &clips, &recording, &locked) };
    let duration = frames as f64 / rig.settings.fps;
    Ok(Walk {
        fps: rig.settings.fps,
        duration,
        root: rig.carrier.root,
        path: along_ground(rig, path),
        distance_curve: Default::default(),
        report: without_stop(report, duration),
        poses: recording.poses,
        placements: recording.placements,
    })
}

/// Returns the report of laps that last `duration` seconds: remaining distances count from their end, and there is no
/// stop.
fn without_stop(mut report: Report, duration: f64) -> Report {
    let after = report.frames.last().map_or(0.0, |last| last.remaining);
    report.frames.iter_mut().for_each(|frame| frame.remaining -= after);
    (report.stop.begins, report.stop.ends) = (duration, duration);
    (report.slide_before, report.slide_after) = (0.0, 0.0);
    report
}

/// Removes all frames outside `frames`.
fn retain_frames(recording: &mut Recording, locked: &mut LockedFeet, frames: Range<usize>) {
    fn cut<T>(rows: &mut Vec<T>, frames: &Range<usize>) {
        rows.truncate(frames.end);
        rows.drain(..frames.start);
    }
    cut(&mut recording.poses, &frames);
    cut(&mut recording.placements, &frames);
    cut(&mut locked.gaps, &frames);
    recording.standing.iter_mut().chain(&mut locked.standing).for_each(|row| cut(row, &frames));
    for placed in &mut recording.pieces {
        placed.frames = 0..frames.len();
        if let WalkPart::Segment(plan) = &mut placed.piece {
            cut(&mut plan.frames, &frames);
            plan.segment.skip(frames.start);
        }
    }
}

/// Returns one lap as a smooth path. Its end equals its start exactly in position and by whole turns in heading.
/// Returns `Err` if the path is open or has a corner that requires a turn on the spot.
fn lap(walk_path: &WalkPath, settings: &Settings) -> Result<SmoothPath, WalkError> {
    let (Some(first), Some(last)) = (walk_path.points.first(), walk_path.points.last()) else {
        return Err(WalkError::ShortPath { length: 0.0 });
    };
    let gap = (*last - *first).with_y(0.0).length();
    // The comparison also rejects a gap of NaN.
    let is_closed = gap <= CLOSED_MAX_GAP_M;
    if !is_closed {
        return Err(WalkError::OpenLoop { gap });
    }
    if let [before, _, ..] = &walk_path.rounds(2).segments(settings.corner, settings.turning_radius)[..] {
        let position = before.points.last().copied().unwrap_or_default();
        return Err(WalkError::SharpLoop { position, corner: settings.corner });
    }
    // The middle one of three laps has both neighbours.
    let three_laps = walk_path.rounds(3).smoothed(settings.turning_radius);
    let lap_points = three_laps.lengths.len() / 3;
    let start = three_laps.lengths[lap_points];
    let end = nearest(&three_laps, lap_points, 2 * lap_points);
    Ok(closed(&three_laps, start, end))
}

/// Returns the distance (metres) along `path` at which it is nearest to its point `of`, searched around its point `about`.
/// Both are indices.
fn nearest(path: &SmoothPath, of: usize, about: usize) -> f64 {
    const SEARCH_POINTS: usize = (0.5 / POINT_SPACING_M) as usize;
    let target = path.points[of].with_y(0.0);
    let flat_point = |i: usize| path.points[i].with_y(0.0);
    let nearest_on_step = |i: usize| {
        let (from, along) = (flat_point(i), flat_point(i + 1) - flat_point(i));
        let share = ((target - from).dot(along) / along.length_squared().max(1e-18)).clamp(0.0, 1.0);
        let length = path.lengths[i] + (path.lengths[i + 1] - path.lengths[i]) * share;
        ((from + along * share).distance(target), length)
    };
    let steps = about.saturating_sub(SEARCH_POINTS).max(of + 1)..(about + SEARCH_POINTS).min(path.points.len() - 1);
    let found = steps.map(nearest_on_step).min_by(|a, b| a.0.total_cmp(&b.0));
    found.map_or(path.lengths[about], |found| found.1)
}

/// Returns the part of `path` from `start` to `end` (metres). The remaining gap between its ends is spread over its
/// length.
fn closed(path: &SmoothPath, start: f64, end: f64) -> SmoothPath {
    let count = ((end - start) / POINT_SPACING_M).ceil().max(2.0) as usize;
    let share = |i: usize| i as f64 / count as f64;
    let distances: Vec<f64> = (0..=count).map(|i| start + (end - start) * share(i)).collect();
    let point = |s: f64| at(&path.points, &path.lengths, s);
    let gap = point(start) - point(end);
    let mut points: Vec<_> = distances.iter().enumerate().map(|(i, &s)| point(s) + gap * share(i)).collect();
    points[count] = points[0];
    let headings: Vec<f64> = distances.iter().map(|&s| mix(&path.headings, &path.lengths, s)).collect();
    let full_turns = std::f64::consts::TAU * ((headings[count] - headings[0]) / std::f64::consts::TAU).round();
    let heading_gap = headings[0] + full_turns - headings[count];
    let mut limits: Vec<f64> = distances.iter().map(|&s| mix(&path.limits, &path.lengths, s)).collect();
    limits[count] = limits[0];
    SmoothPath {
        lengths: cumulative_flat(&points),
        headings: headings.iter().enumerate().map(|(i, heading)| heading + heading_gap * share(i)).collect(),
        points,
        limits,
    }
}

/// Sets the heights of `path` to the ground and its limits to ground-plane speeds.
fn along_ground(rig: Rig, mut path: SmoothPath) -> SmoothPath {
    if let Some(ground) = rig.input.ground {
        path.follow(ground);
    }
    path.limit_along_ground();
    path
}

/// A number of laps.
#[derive(Clone, Copy)]
struct Laps(usize);

impl Laps {
    /// Returns the path of all laps.
    fn path(self, lap: &SmoothPath) -> SmoothPath {
        let mut path = SmoothPath::default();
        (0..self.0).for_each(|_| path.append(lap));
        path
    }
}

/// All laps with the margins before and after them, and their speed profile.
struct Course {
    path: SmoothPath,
    profile: SpeedProfile,
    recorded: Laps,
    /// First frame of the recorded laps.
    first: usize,
    /// Number of frames of the recorded laps.
    frames: usize,
}

impl Course {
    /// Plans the laps with their margins. Returns `Err` if they are too long to record.
    fn new(rig: Rig, lap: &SmoothPath) -> Result<Self, WalkError> {
        let Settings { fps, acceleration, braking, laps, .. } = *rig.settings;
        let fastest = lap.limits.iter().copied().fold(0.0, f64::max);
        let lap_length = lap.length();
        let laps_needed = |metres: f64| ((metres + fastest * MARGIN_SECONDS) / lap_length).ceil().max(1.0);
        let [before, after] = [0.5 * fastest * fastest / acceleration, braking.distance(fastest)].map(laps_needed);
        let metres = (before + after + f64::from(laps)) * lap_length;
        if metres > WalkPath::MAX_LENGTH_M {
            return Err(WalkError::LongPath { length: metres, longest: WalkPath::MAX_LENGTH_M });
        }
        let recorded = Laps(laps as usize);
        let path = along_ground(rig, Laps(before as usize + recorded.0 + after as usize).path(lap));
        let profile = SpeedProfile::plan(&path, rig.settings, 0.0);
        let ends = [before, before + f64::from(laps)].map(|laps| profile.time_at(laps * lap_length));
        let [Some(start), Some(end)] = ends else { return Err(WalkError::ShortPath { length: lap_length }) };
        if end > WALK_MAX_SECONDS {
            return Err(WalkError::TooLong { seconds: end });
        }
        // Every lap lasts a whole number of frames, so that each lap is a loop.
        let frames = f64::from(laps) * ((end - start) * fps / f64::from(laps)).round().max(1.0);
        let factor = frames / fps / (end - start);
        let first = (start * factor * fps).ceil();
        let profile = profile.in_time(factor, first / fps - start * factor);
        Ok(Self { path, profile, recorded, first: first as usize, frames: frames as usize })
    }

    /// Returns the plan from before the recorded laps until after them.
    fn plan<'a>(self, rig: Rig<'a>, clips: &'a ClipSet) -> SegmentPlan<'a> {
        let Self { path, profile, first, frames, recorded } = self;
        let seconds = frames as f64 / rig.settings.fps / recorded.0 as f64;
        let mut segment = Segment::with_profile(rig, clips, path, profile);
        let idle = clips.idle.clip.duration;
        if idle > 0.0 {
            // Whole idle cycles in a lap, as the idle clip shows at low speed.
            segment.idle_rate = (seconds / idle).round().max(1.0) * idle / seconds;
        }
        let count = first + frames + (MARGIN_SECONDS * rig.settings.fps) as usize;
        let distance_phased = distance_phased(&segment, count);
        let frames = in_whole_cycles(distance_phased, first, first + frames, recorded);
        SegmentPlan { segment, frames, start: None, stop: None, stepped_stop: None }
    }
}

/// Scales the cadence of `frames` so that each of the `laps` from `first` to `last` has whole cycles. Play rates change by
/// the same factor.
fn in_whole_cycles(mut frames: Vec<GaitFrame>, first: usize, last: usize, laps: Laps) -> Vec<GaitFrame> {
    let cycles = (frames[last].phase - frames[first].phase) / laps.0 as f64;
    let factor = if cycles > 0.0 { cycles.round().max(1.0) / cycles } else { 1.0 };
    for frame in &mut frames {
        frame.phase *= factor;
        frame.blend.rate *= factor;
        frame.before.rate *= factor;
    }
    frames
}

#[cfg(test)]
mod tests {
    use glam::DVec3;

    use super::*;

    #[test]
    fn the_next_pass_of_a_lap_is_found_before_and_after_the_guess() {
        let (radius, lap) = (2.0, (std::f64::consts::TAU * 2.0 / POINT_SPACING_M).round() as usize);
        let turned = |i: usize| std::f64::consts::TAU * i as f64 / lap as f64;
        let points: Vec<_> = (0..3 * lap).map(|i| radius * DVec3::new(turned(i).sin(), 0.0, turned(i).cos())).collect();
        let lengths = cumulative_flat(&points);
        let path = SmoothPath { points, lengths, ..SmoothPath::default() };
        for about in [lap + 1, lap + 10, lap + 20] {
            assert!((nearest(&path, 10, about) - path.lengths[lap + 10]).abs() < 1e-9, "{about}");
        }
    }
}
