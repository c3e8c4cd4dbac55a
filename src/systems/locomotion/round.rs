//! A way that ends where it begins, walked round and round: at its end the walk is what it is at its start.
//!
//! The smooth lap is laid out so often that the character has its speed before the recorded laps begin and keeps it until they are
//! over, with feet that stand before and after them as within. All laps together last a whole number of frames and have a whole
//! number of steps, for which their speed changes by less than half a frame's share and their cadence by less than half a cycle's.

use std::ops::Range;

use super::clip_roles::ClipSet;
use super::foot_lock::LockedFeet;
use super::gait_phase::in_step;
use super::measure;
use super::path::cumulative_flat;
use super::plan::SegmentPlan;
use super::recording::{Recording, WalkPart};
use super::report::{Report, StopReport};
use super::segment::{GaitFrame, LONGEST, Rig, Segment};
use super::smooth_path::{STEP, at, mix};
use super::speed_profile::SpeedProfile;
use super::{Settings, SmoothPath, Walk, WalkError, WalkPath};
use crate::progress::Progress;

/// Seconds before and after the recorded laps in which the same is walked: what holds a foot looks no further.
const BESIDE: f64 = 3.0;
/// Metres between the ends of a way that is closed.
const CLOSED: f64 = 0.05;

/// Records the laps of `way`, which ends where it begins.
pub(super) fn record(rig: Rig, mut clips: ClipSet, way: &WalkPath, progress: &Progress) -> Result<Walk, WalkError> {
    (clips.start, clips.stop) = (None, None);
    let lap = lap(way, rig.settings)?;
    let course = Course::new(rig, &lap)?;
    let path = course.recorded.path(&lap);
    let (first, frames) = (course.first, course.frames);
    let plan = course.plan(rig, &clips);
    let mut recording = Recording::default();
    recording.add(WalkPart::Segment(Box::new(plan)), progress)?;
    let mut locked = recording.finish(rig);
    progress.step(9, 10)?;
    keep(&mut recording, &mut locked, first..first + frames + 1);
    let report = Report { stop: StopReport::default(), ..measure::measure(rig, &clips, &recording, &locked) };
    let duration = frames as f64 / rig.settings.fps;
    Ok(Walk {
        fps: rig.settings.fps,
        duration,
        root: rig.carrier.root,
        path: along_ground(rig, path),
        distance_curve: Default::default(),
        report: told(report, duration),
        poses: recording.poses,
        places: recording.places,
    })
}

/// `report` of laps that last `duration` seconds: what is left is what is left of them, and nothing stops.
fn told(mut report: Report, duration: f64) -> Report {
    let after = report.frames.last().map_or(0.0, |last| last.remaining);
    report.frames.iter_mut().for_each(|frame| frame.remaining -= after);
    (report.stop.begins, report.stop.ends) = (duration, duration);
    (report.slide_before, report.slide_after) = (0.0, 0.0);
    report
}

/// Leaves of what was recorded only `frames`.
fn keep(recording: &mut Recording, locked: &mut LockedFeet, frames: Range<usize>) {
    fn cut<T>(rows: &mut Vec<T>, frames: &Range<usize>) {
        rows.truncate(frames.end);
        rows.drain(..frames.start);
    }
    cut(&mut recording.poses, &frames);
    cut(&mut recording.places, &frames);
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

/// One lap of `way` as a smooth path whose end is its start, to the last bit in place and by whole turns in heading.
fn lap(way: &WalkPath, settings: &Settings) -> Result<SmoothPath, WalkError> {
    let (Some(first), Some(last)) = (way.points.first(), way.points.last()) else {
        return Err(WalkError::ShortWay { length: 0.0 });
    };
    let gap = (*last - *first).with_y(0.0).length();
    // Written so that a gap that is not a number is refused too.
    let is_closed = gap <= CLOSED;
    if !is_closed {
        return Err(WalkError::OpenRound { gap });
    }
    if let [before, _, ..] = &way.rounds(2).segments(settings.corner, settings.turning_radius)[..] {
        let place = before.points.last().copied().unwrap_or_default();
        return Err(WalkError::SharpRound { place, corner: settings.corner });
    }
    // Of three rounds the middle one has both neighbours.
    let thrice = way.rounds(3).smoothed(settings.turning_radius);
    let third = thrice.lengths.len() / 3;
    let start = thrice.lengths[third];
    let end = nearest(&thrice, third, 2 * third);
    Ok(closed(&thrice, start, end))
}

/// Metres along `path` at which it is nearest to its point `of`, near its point `about`.
fn nearest(path: &SmoothPath, of: usize, about: usize) -> f64 {
    const NEAR: usize = (0.5 / STEP) as usize;
    let target = path.points[of].with_y(0.0);
    let place = |i: usize| path.points[i].with_y(0.0);
    let on_step = |i: usize| {
        let (from, along) = (place(i), place(i + 1) - place(i));
        let share = ((target - from).dot(along) / along.length_squared().max(1e-18)).clamp(0.0, 1.0);
        let length = path.lengths[i] + (path.lengths[i + 1] - path.lengths[i]) * share;
        ((from + along * share).distance(target), length)
    };
    let steps = about.saturating_sub(NEAR).max(of + 1)..(about + NEAR).min(path.points.len() - 1);
    let found = steps.map(on_step).min_by(|a, b| a.0.total_cmp(&b.0));
    found.map_or(path.lengths[about], |found| found.1)
}

/// The part of `path` from `start` to `end` (metres), what is left between its ends shared out.
fn closed(path: &SmoothPath, start: f64, end: f64) -> SmoothPath {
    let count = ((end - start) / STEP).ceil().max(2.0) as usize;
    let share = |i: usize| i as f64 / count as f64;
    let places: Vec<f64> = (0..=count).map(|i| start + (end - start) * share(i)).collect();
    let point = |s: f64| at(&path.points, &path.lengths, s);
    let gap = point(start) - point(end);
    let mut points: Vec<_> = places.iter().enumerate().map(|(i, &s)| point(s) + gap * share(i)).collect();
    points[count] = points[0];
    let headings: Vec<f64> = places.iter().map(|&s| mix(&path.headings, &path.lengths, s)).collect();
    let whole = std::f64::consts::TAU * ((headings[count] - headings[0]) / std::f64::consts::TAU).round();
    let off = headings[0] + whole - headings[count];
    let mut limits: Vec<f64> = places.iter().map(|&s| mix(&path.limits, &path.lengths, s)).collect();
    limits[count] = limits[0];
    SmoothPath {
        lengths: cumulative_flat(&points),
        headings: headings.iter().enumerate().map(|(i, heading)| heading + off * share(i)).collect(),
        points,
        limits,
    }
}

/// `path` on the ground, its limits those seen from above.
fn along_ground(rig: Rig, mut path: SmoothPath) -> SmoothPath {
    if let Some(ground) = rig.input.ground {
        path.follow(ground);
    }
    path.limit_along_ground();
    path
}

/// So many laps after each other.
#[derive(Clone, Copy)]
struct Laps(usize);

impl Laps {
    fn path(self, lap: &SmoothPath) -> SmoothPath {
        let mut path = SmoothPath::default();
        (0..self.0).for_each(|_| path.append(lap));
        path
    }
}

/// All laps with those before and after them, and the speed on them.
struct Course {
    path: SmoothPath,
    profile: SpeedProfile,
    recorded: Laps,
    /// The frame in which the recorded laps begin.
    first: usize,
    /// Frames from there until they are over.
    frames: usize,
}

impl Course {
    fn new(rig: Rig, lap: &SmoothPath) -> Result<Self, WalkError> {
        let Settings { fps, acceleration, braking, laps, .. } = *rig.settings;
        let fastest = lap.limits.iter().copied().fold(0.0, f64::max);
        let whole = lap.length();
        let often = |metres: f64| ((metres + fastest * BESIDE) / whole).ceil().max(1.0);
        let [before, after] = [0.5 * fastest * fastest / acceleration, braking.distance(fastest)].map(often);
        let metres = (before + after + f64::from(laps)) * whole;
        if metres > WalkPath::LONGEST {
            return Err(WalkError::LongWay { length: metres, longest: WalkPath::LONGEST });
        }
        let recorded = Laps(laps as usize);
        let path = along_ground(rig, Laps(before as usize + recorded.0 + after as usize).path(lap));
        let profile = SpeedProfile::plan(&path, rig.settings, 0.0);
        let ends = [before, before + f64::from(laps)].map(|laps| profile.time_at(laps * whole));
        let [Some(start), Some(end)] = ends else { return Err(WalkError::ShortWay { length: whole }) };
        if end > LONGEST {
            return Err(WalkError::TooLong { seconds: end });
        }
        let frames = ((end - start) * fps).round().max(1.0);
        let factor = frames / fps / (end - start);
        let first = (start * factor * fps).ceil();
        let profile = profile.in_time(factor, first / fps - start * factor);
        Ok(Self { path, profile, recorded, first: first as usize, frames: frames as usize })
    }

    /// What plays when, from before the recorded laps until after them.
    fn plan<'a>(self, rig: Rig<'a>, clips: &'a ClipSet) -> SegmentPlan<'a> {
        let Self { path, profile, first, frames, .. } = self;
        let seconds = frames as f64 / rig.settings.fps;
        let mut segment = Segment::with_profile(rig, clips, path, profile);
        let idle = clips.idle.clip.duration;
        if idle > 0.0 {
            // Whole rounds of the standing clip too, which is seen where the way is slow.
            segment.idle_rate = (seconds / idle).round().max(1.0) * idle / seconds;
        }
        let count = first + frames + (BESIDE * rig.settings.fps) as usize;
        let in_step = in_step(&segment, count);
        let frames = in_whole_cycles(in_step, first, first + frames);
        SegmentPlan { segment, frames, start: None, stop: None, stepped_stop: None }
    }
}

/// `frames` at another cadence, so that the phase at `last` is that at `first`.
fn in_whole_cycles(mut frames: Vec<GaitFrame>, first: usize, last: usize) -> Vec<GaitFrame> {
    let cycles = frames[last].phase - frames[first].phase;
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
    fn where_a_round_comes_by_again_is_found_before_and_behind_the_guess() {
        let (radius, lap) = (2.0, (std::f64::consts::TAU * 2.0 / STEP).round() as usize);
        let turned = |i: usize| std::f64::consts::TAU * i as f64 / lap as f64;
        let points: Vec<_> = (0..3 * lap).map(|i| radius * DVec3::new(turned(i).sin(), 0.0, turned(i).cos())).collect();
        let lengths = cumulative_flat(&points);
        let path = SmoothPath { points, lengths, ..SmoothPath::default() };
        for about in [lap + 1, lap + 10, lap + 20] {
            assert!((nearest(&path, 10, about) - path.lengths[lap + 10]).abs() < 1e-9, "{about}");
        }
    }
}
