//! A whole walk: legs along the way, and turns on the spot before, between and after them, recorded one after the other.

use glam::DVec3;

use super::casting::{Cast, cast};
use super::measure;
use super::plan::{self, Among, Leg};
use super::report::{FrameReport, TurnReport};
use super::source::{Carrier, yaw};
use super::turn::{Turn, Turned, Turning, degrees};
use super::{Course, Input, Report, Settings, Walk, WalkError, Way};
use crate::anim::Pose;
use crate::anim::root_motion::{turn_of, wrap};
use crate::progress::Progress;

/// What has been recorded so far.
struct Journey<'a> {
    input: &'a Input<'a>,
    settings: &'a Settings,
    carrier: &'a Carrier,
    cast: &'a Cast,
    walk: Walk,
    /// Metres of the legs that lie ahead.
    ahead: f64,
}

/// Records the walk along `way`; the input has been checked.
pub(super) fn record(input: &Input, way: &Way, settings: &Settings, progress: &Progress) -> Result<Walk, WalkError> {
    let carrier = Carrier::find(input);
    let mut cast = cast(input, &carrier, settings)?;
    progress.step(1, 10)?;
    let courses = courses(input, way, settings);
    let facings = [settings.start_facing, settings.goal_facing];
    if courses.len() > 1 || facings.iter().any(Option::is_some) || !settings.clips.turns.is_empty() {
        cast.find_turns(input, &carrier, settings)?;
    }
    let distance_curve = cast.stop.as_ref().map(|stop| stop.curve.clone()).unwrap_or_default();
    let walk = Walk { fps: settings.fps, root: carrier.root, distance_curve, ..Walk::default() };
    let ahead = courses.iter().map(Course::length).sum();
    let mut journey = Journey { input, settings, carrier: &carrier, cast: &cast, walk, ahead };
    journey.go(courses, progress)?;
    Ok(journey.walk)
}

/// The smooth courses between corners that are turned on the spot.
fn courses(input: &Input, way: &Way, settings: &Settings) -> Vec<Course> {
    let course = |way: &Way| {
        let mut course = way.course(settings.turning_radius);
        if let Some(ground) = input.ground {
            course.follow(ground);
        }
        course
    };
    way.parts(settings.corner, settings.turning_radius).iter().map(course).collect()
}

impl Journey<'_> {
    fn go(&mut self, courses: Vec<Course>, progress: &Progress) -> Result<(), WalkError> {
        let [first, goal] = [self.settings.start_facing, self.settings.goal_facing].map(|it| it.map(f64::to_radians));
        let begin = courses.first().map(|course| (course.points[0], course.heading(0.0)));
        if let (Some(from), Some((place, to))) = (first, begin) {
            self.turn(place, [from, to], 0.0);
        }
        let mut courses = courses.into_iter().peekable();
        while let Some(course) = courses.next() {
            let end = course.length();
            let (place, from) = (course.place(end), course.heading(end));
            let next = courses.peek().map(|course| (course.heading(0.0), 0.0));
            let next = next.or(goal.map(|facing| (facing, self.settings.rest)));
            let turns = next.filter(|(to, _)| wrap(to - from).abs() >= super::turn::SAME);
            self.walk_on(course, turns.is_some(), progress)?;
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

    /// Walks along `course`.
    fn walk_on(&mut self, course: Course, goes_on: bool, progress: &Progress) -> Result<(), WalkError> {
        let begins = self.now();
        let among = Among { begins, goes_on };
        self.ahead -= course.length();
        let cast = (self.carrier, self.cast);
        let mut leg = plan::record(self.input, self.settings, cast, (course, among), progress)?;
        let seconds = begins + leg.poses.len() as f64 / self.settings.fps;
        if seconds > 3600.0 {
            return Err(WalkError::TooLong { seconds });
        }
        for frame in &mut leg.report.frames {
            frame.remaining += self.ahead;
        }
        self.add_course(&leg.course);
        self.add_report(&mut leg, begins);
        let frames = std::mem::take(&mut leg.report.frames);
        self.append(leg.poses, leg.places, frames, begins);
        Ok(())
    }

    fn add_course(&mut self, leg: &Course) {
        let course = &mut self.walk.course;
        let skip = usize::from(!course.points.is_empty());
        let gone = course.length();
        course.points.extend(leg.points.iter().skip(skip));
        course.lengths.extend(leg.lengths.iter().skip(skip).map(|length| gone + length));
        course.limits.extend(leg.limits.iter().skip(skip));
        let last = course.headings.last().copied();
        let unwrapped = last.map_or(0.0, |last| last + wrap(leg.headings[0] - last) - leg.headings[0]);
        course.headings.extend(leg.headings.iter().skip(skip).map(|heading| heading + unwrapped));
    }

    /// The worst of all legs, and the stop of the last one.
    fn add_report(&mut self, leg: &mut Leg, begins: f64) {
        let so_far = std::mem::take(&mut self.walk.report);
        let now = &mut leg.report;
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
        let turning = Turning { place, from, to, begins: self.now(), rest };
        let cast = (self.carrier, self.cast);
        let Some(turn) = Turn::plan(self.input, self.settings, cast, turning) else { return };
        let turned = turn.record();
        let slides = measure::slides(self.input, self.settings.fps, &turned.poses, &turned.held.standing);
        let report = self.measure(&turn, &turned, turning, &slides);
        let all = &mut self.walk.report;
        all.slide_turning = all.slide_turning.max(report.slide);
        all.drift = all.drift.with(measure::drift(self.input, &turned.poses, &turned.held.standing));
        all.knee_step = all.knee_step.max(measure::knee_step(self.input, &turned.poses));
        all.leg_too_short = turned.held.gaps.iter().copied().fold(all.leg_too_short, f64::max);
        all.turns.push(report);
        let frames = self.frames(&turn, &turned, &slides);
        let places = turned.headings.iter().map(|&heading| (place, heading)).collect();
        self.append(turned.poses, places, frames, turning.begins);
    }

    fn measure(&self, turn: &Turn, turned: &Turned, turning: Turning, slides: &[f64]) -> TurnReport {
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
    fn heading_error(&self, turned: &Turned, turning: Turning) -> f64 {
        let (Some(root), Some(pose)) = (self.carrier.root, turned.poses.last()) else { return 0.0 };
        let idle = &self.cast.idle;
        let time = turning.begins + (turned.poses.len() - 1) as f64 / self.settings.fps;
        let mut still = Pose::default();
        idle.sample(self.input.skeleton, self.carrier, time.rem_euclid(idle.clip.duration.max(1e-3)), &mut still);
        let turn = |pose: &Pose| turn_of(&pose.world_from_joint(self.input.skeleton, root.joint));
        let made = turn(pose) * turn(&still).inverse();
        wrap(2.0 * made.y.atan2(made.w) - (turning.to - yaw(self.carrier.front)))
    }

    fn frames(&self, turn: &Turn, turned: &Turned, slides: &[f64]) -> Vec<FrameReport> {
        let frame = |i: usize| {
            let time = i as f64 / self.settings.fps;
            let share = turn.share(time);
            let leads = turn.clip().filter(|_| share > 0.5);
            FrameReport {
                time,
                remaining: self.ahead,
                clip: leads.map_or(&self.cast.idle.clip.name, |(clip, _)| &clip.clip.name).clone(),
                share: share.max(1.0 - share),
                rate: leads.map_or(1.0, |(_, rate)| rate),
                facing: degrees(turned.headings[i]),
                turn_time: leads.map(|(_, rate)| time * rate),
                slide_before: slides[i],
                slide_after: slides[i],
                leg_too_short: turned.held.gaps[i],
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
