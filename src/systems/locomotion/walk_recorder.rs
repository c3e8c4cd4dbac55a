//! A whole walk: segments along the path, and turns on the spot before, between and after them, recorded one after the other.

use glam::DVec3;

use super::clip_roles::{self, ClipSet};
use super::in_place_clip::{RootCarrier, yaw};
use super::measure;
use super::plan::{self, RecordedSegment};
use super::report::{FrameReport, TurnReport};
use super::segment::Segment;
use super::start_transition;
use super::turn_in_place::{RecordedTurn, TurnInPlace, TurnRequest, degrees};
use super::{Input, Report, Settings, SmoothPath, Walk, WalkError, WalkPath};
use crate::anim::Pose;
use crate::anim::root_motion::{turn_of, wrap};
use crate::progress::Progress;

/// What has been recorded so far.
struct WalkRecorder<'a> {
    input: &'a Input<'a>,
    settings: &'a Settings,
    carrier: &'a RootCarrier,
    clips: &'a ClipSet,
    walk: Walk,
    /// Metres of the segments that lie ahead.
    ahead: f64,
}

/// Records the walk along `way`; the input has been checked.
pub(super) fn record(
    input: &Input,
    way: &WalkPath,
    settings: &Settings,
    progress: &Progress,
) -> Result<Walk, WalkError> {
    let carrier = RootCarrier::find(input);
    let mut clips = clip_roles::find(input, &carrier, settings)?;
    progress.step(1, 10)?;
    let paths = paths(input, way, settings);
    let facings = [settings.start_facing, settings.goal_facing];
    if paths.len() > 1 || facings.iter().any(Option::is_some) || !settings.clips.turns.is_empty() {
        clips.find_turns(input, &carrier, settings)?;
    }
    let distance_curve = clips.stop.as_ref().map(|stop| stop.curve.clone()).unwrap_or_default();
    let walk = Walk { fps: settings.fps, root: carrier.root, distance_curve, ..Walk::default() };
    let ahead = paths.iter().map(SmoothPath::length).sum();
    let mut recorder = WalkRecorder { input, settings, carrier: &carrier, clips: &clips, walk, ahead };
    recorder.go(paths, progress)?;
    Ok(recorder.walk)
}

/// The smooth paths between corners that are turned on the spot.
fn paths(input: &Input, way: &WalkPath, settings: &Settings) -> Vec<SmoothPath> {
    let path = |way: &WalkPath| {
        let mut path = way.smoothed(settings.turning_radius);
        if let Some(ground) = input.ground {
            path.follow(ground);
        }
        path
    };
    way.parts(settings.corner, settings.turning_radius).iter().map(path).collect()
}

impl WalkRecorder<'_> {
    fn go(&mut self, paths: Vec<SmoothPath>, progress: &Progress) -> Result<(), WalkError> {
        let [first, goal] = [self.settings.start_facing, self.settings.goal_facing].map(|it| it.map(f64::to_radians));
        let begin = paths.first().map(|path| (path.points[0], path.heading(0.0)));
        if let (Some(from), Some((place, to))) = (first, begin) {
            self.turn(place, [from, to], 0.0);
        }
        let mut paths = paths.into_iter().peekable();
        while let Some(path) = paths.next() {
            let end = path.length();
            let (place, from) = (path.place(end), path.heading(end));
            let next = paths.peek().map(|path| (path.heading(0.0), 0.0));
            let next = next.or(goal.map(|facing| (facing, self.settings.rest)));
            let turns = next.filter(|(to, _)| wrap(to - from).abs() >= super::turn_in_place::SAME);
            self.walk_on(path, turns.is_some(), progress)?;
            if let Some((to, rest)) = turns {
                self.turn(place, [from, to], rest);
            }
        }
        self.walk.report.plan = measure::parts(&self.walk.report.frames);
        self.walk.duration = self.now();
        Ok(())
    }

    /// Seconds recorded so far.
    fn now(&self) -> f64 {
        self.walk.poses.len().saturating_sub(1) as f64 / self.settings.fps
    }

    /// Walks along `path`.
    fn walk_on(&mut self, path: SmoothPath, goes_on: bool, progress: &Progress) -> Result<(), WalkError> {
        let begins = self.now();
        self.ahead -= path.length();
        let Self { input, settings, carrier, clips, .. } = *self;
        let profile = start_transition::profile(&path, settings, clips);
        let segment = Segment { input, settings, carrier, clips, path, profile, begins, goes_on };
        let mut recorded = plan::record(segment, progress)?;
        let seconds = begins + recorded.poses.len() as f64 / self.settings.fps;
        if seconds > 3600.0 {
            return Err(WalkError::TooLong { seconds });
        }
        for frame in &mut recorded.report.frames {
            frame.remaining += self.ahead;
        }
        self.add_path(&recorded.path);
        self.add_report(&mut recorded, begins);
        let frames = std::mem::take(&mut recorded.report.frames);
        self.append(recorded.poses, recorded.places, frames, begins);
        Ok(())
    }

    fn add_path(&mut self, recorded: &SmoothPath) {
        let path = &mut self.walk.path;
        let skip = usize::from(!path.points.is_empty());
        let gone = path.length();
        path.points.extend(recorded.points.iter().skip(skip));
        path.lengths.extend(recorded.lengths.iter().skip(skip).map(|length| gone + length));
        path.limits.extend(recorded.limits.iter().skip(skip));
        let last = path.headings.last().copied();
        let unwrapped = last.map_or(0.0, |last| last + wrap(recorded.headings[0] - last) - recorded.headings[0]);
        path.headings.extend(recorded.headings.iter().skip(skip).map(|heading| heading + unwrapped));
    }

    /// The worst of all segments, and the stop of the last one.
    fn add_report(&mut self, recorded: &mut RecordedSegment, begins: f64) {
        let so_far = std::mem::take(&mut self.walk.report);
        let now = &mut recorded.report;
        now.stop.begins += begins;
        now.stop.ends += begins;
        let turns = so_far.turns.iter().map(|turn| turn.slide).fold(0.0, f64::max);
        self.walk.report = Report {
            idle: std::mem::take(&mut now.idle),
            gaits: std::mem::take(&mut now.gaits),
            start_stretched: if so_far.start.is_some() { so_far.start_stretched } else { now.start_stretched },
            start: so_far.start.or(now.start.take()),
            stop: std::mem::take(&mut now.stop),
            slide_before: so_far.slide_before.max(now.slide_before),
            slide_after: so_far.slide_after.max(now.slide_after),
            slide_walking: so_far.slide_walking.max(now.slide_walking),
            slide_turning: turns,
            drift: so_far.drift.with(now.drift),
            knee_step: so_far.knee_step.max(now.knee_step),
            leg_too_short: so_far.leg_too_short.max(now.leg_too_short),
            too_fast: so_far.too_fast + now.too_fast,
            off_slopes: so_far.off_slopes + now.off_slopes,
            ..so_far
        };
    }

    /// Turns at `place` (metres) `[from, to]` a heading, and stands for `rest` seconds.
    fn turn(&mut self, place: DVec3, [from, to]: [f64; 2], rest: f64) {
        let turning = TurnRequest { place, from, to, begins: self.now(), rest };
        let clips = (self.carrier, self.clips);
        let Some(turn) = TurnInPlace::plan(self.input, self.settings, clips, turning) else { return };
        let turned = turn.record();
        let slides = measure::slides(self.input, self.settings.fps, &turned.poses, &turned.locked.standing);
        let report = self.measure(&turn, &turned, turning, &slides);
        let all = &mut self.walk.report;
        all.slide_turning = all.slide_turning.max(report.slide);
        all.drift = all.drift.with(measure::drift(self.input, &turned.poses, &turned.locked.standing));
        all.knee_step = all.knee_step.max(measure::knee_step(self.input, &turned.poses));
        all.leg_too_short = turned.locked.gaps.iter().copied().fold(all.leg_too_short, f64::max);
        all.turns.push(report);
        let frames = self.frames(&turn, &turned, &slides);
        let places = turned.headings.iter().map(|&heading| (place, heading)).collect();
        self.append(turned.poses, places, frames, turning.begins);
    }

    fn measure(&self, turn: &TurnInPlace, turned: &RecordedTurn, turning: TurnRequest, slides: &[f64]) -> TurnReport {
        let clip = turn.clip();
        let fps = self.settings.fps;
        let steps = turned.headings.windows(2).map(|pair| (pair[1] - pair[0]).abs() * fps);
        TurnReport {
            clip: clip.map(|(clip, _)| clip.clip.name.clone()),
            begins: turning.begins,
            ends: turning.begins + turn.lasts,
            angle: turn.angle.to_degrees(),
            clip_angle: clip.map(|(clip, _)| clip.angle().to_degrees()),
            rate: clip.map_or(1.0, |(_, rate)| rate),
            fastest: steps.fold(0.0, f64::max).to_degrees(),
            error: self.heading_error(turned, turning).to_degrees(),
            slide: slides.iter().copied().fold(0.0, f64::max),
        }
    }

    /// Radians between the heading asked for and that of the root in the last frame, against the root as the clip stands.
    fn heading_error(&self, turned: &RecordedTurn, turning: TurnRequest) -> f64 {
        let (Some(root), Some(pose)) = (self.carrier.root, turned.poses.last()) else { return 0.0 };
        let idle = &self.clips.idle;
        let time = turning.begins + (turned.poses.len() - 1) as f64 / self.settings.fps;
        let mut still = Pose::default();
        idle.sample(self.input.skeleton, self.carrier, time.rem_euclid(idle.clip.duration.max(1e-3)), &mut still);
        let turn = |pose: &Pose| turn_of(&pose.world_from_joint(self.input.skeleton, root.joint));
        let made = turn(pose) * turn(&still).inverse();
        wrap(2.0 * made.y.atan2(made.w) - (turning.to - yaw(self.carrier.front)))
    }

    fn frames(&self, turn: &TurnInPlace, turned: &RecordedTurn, slides: &[f64]) -> Vec<FrameReport> {
        let frame = |i: usize| {
            let time = i as f64 / self.settings.fps;
            let share = turn.share(time);
            let leads = turn.clip().filter(|_| share > 0.5);
            FrameReport {
                time,
                remaining: self.ahead,
                clip: leads.map_or(&self.clips.idle.clip.name, |(clip, _)| &clip.clip.name).clone(),
                share: share.max(1.0 - share),
                rate: leads.map_or(1.0, |(_, rate)| rate),
                facing: degrees(turned.headings[i]),
                turn_time: leads.map(|(_, rate)| time * rate),
                slide_before: slides[i],
                slide_after: slides[i],
                leg_too_short: turned.locked.gaps[i],
                ..FrameReport::default()
            }
        };
        (0..turned.poses.len()).map(frame).collect()
    }

    /// Adds frames; the first is the last one so far.
    fn append(&mut self, poses: Vec<Pose>, places: Vec<(DVec3, f64)>, frames: Vec<FrameReport>, begins: f64) {
        let skip = usize::from(!self.walk.poses.is_empty());
        self.walk.poses.extend(poses.into_iter().skip(skip));
        self.walk.places.extend(places.into_iter().skip(skip));
        let later = |frame: FrameReport| FrameReport { time: begins + frame.time, ..frame };
        self.walk.report.frames.extend(frames.into_iter().skip(skip).map(later));
    }
}
