//! What plays when, frame by frame, and the recording made of it.

use glam::{DAffine3, DVec3};

use super::casting::{Cast, Passage};
use super::feet::{self, Held};
use super::first_steps::{self, FirstSteps};
use super::gait::Mix;
use super::last_steps::LastSteps;
use super::measure;
use super::pose_match::PoseMatch;
use super::report::Report;
use super::source::{Carrier, move_body, yaw};
use super::stands::Footing;
use super::{Course, DistanceCurve, Input, Motion, Settings, WalkError, mix_into};
use crate::anim::Pose;
use crate::math::easing::Easing;
use crate::progress::Progress;

/// Everything that is known before frames are made.
pub(super) struct Plan<'a> {
    pub input: &'a Input<'a>,
    pub settings: &'a Settings,
    pub carrier: &'a Carrier,
    pub cast: &'a Cast,
    pub among: Among,
    pub course: Course,
    pub motion: Motion,
    /// What the gaits do at each frame.
    pub steps: Vec<Step>,
    pub entry: Option<Entry>,
    /// How the start clip is left.
    pub first_steps: Option<FirstSteps>,
    /// How a walk without a stop clip ends.
    pub last_steps: Option<LastSteps>,
}

/// A leg of a journey among others.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Among {
    /// When it begins, seconds.
    pub begins: f64,
    /// Whether something goes on after it, so that it ends when the character stands.
    pub goes_on: bool,
}

/// A leg as recorded.
pub(super) struct Leg {
    pub course: Course,
    pub report: Report,
    pub poses: Vec<Pose>,
    /// Place and heading at each frame.
    pub places: Vec<(DVec3, f64)>,
}

/// What the gaits do in one frame.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Step {
    pub mix: Mix,
    /// What the ground before played at the same speed.
    pub before: Mix,
    /// Its share over the mix, 0…1.
    pub fade: f64,
    /// Cycles.
    pub phase: f64,
    /// Share of the idle clip over the mix, 0…1.
    pub rest: f64,
}

/// How the stop clip is entered.
pub(super) struct Entry {
    /// Clip time of the entry frame, seconds.
    pub time: f64,
    /// The clip's distance curve, stretched where no frame fits.
    pub curve: DistanceCurve,
    /// Metres by which it was stretched.
    pub stretched: f64,
    pub pose_match: PoseMatch,
}

/// What one frame plays.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Play {
    /// Gaits and the idle clip.
    Gait,
    /// The start clip at this time, seconds; before its end the gaits with this weight.
    Start(f64, f64),
    /// The stop clip at this time, seconds; after it the idle clip with this weight.
    Stop(f64, f64),
}

/// Seconds in which the stop clip's end goes over into standing.
const SETTLE: f64 = 0.4;
/// Seconds in which standing after a turn goes over into the start clip.
const RISE: f64 = 0.2;

/// Plans and records the walk along `course`.
pub(super) fn record<'a>(
    input: &'a Input<'a>,
    settings: &'a Settings,
    (carrier, cast): (&'a Carrier, &'a Cast),
    (course, among): (Course, Among),
    progress: &Progress,
) -> Result<Leg, WalkError> {
    let motion = first_steps::motion(&course, settings, cast);
    let plan = Plan::new(input, settings, (carrier, cast), (course, motion), among)?;
    let mut poses = Vec::with_capacity(plan.steps.len());
    for frame in 0..plan.steps.len() {
        if frame % 32 == 0 {
            progress.step(1 + 5 * frame / plan.steps.len(), 10)?;
        }
        poses.push(plan.pose(frame));
    }
    let standing = plan.standing();
    let ground = |frame: usize, point: DVec3| plan.ground(frame, point);
    let held = if settings.lock_feet {
        let footing = Footing {
            standing: &standing,
            breaks: &plan.breaks(),
            last_steps: plan.last_steps.as_ref().map(|last| plan.frame(last.begins)),
            ground: &ground,
        };
        feet::hold(input, settings, &footing, &mut poses)
    } else {
        Held { gaps: vec![0.0; poses.len()], standing: standing.clone() }
    };
    progress.step(9, 10)?;
    let report = measure::measure(&plan, &standing, &poses, &held);
    let place = |frame: usize| plan.motion.at(plan.time(frame)).0;
    let places = (0..poses.len()).map(|frame| (plan.course.place(place(frame)), plan.course.heading(place(frame))));
    Ok(Leg { places: places.collect(), course: plan.course, report, poses })
}

impl<'a> Plan<'a> {
    fn new(
        input: &'a Input<'a>,
        settings: &'a Settings,
        (carrier, cast): (&'a Carrier, &'a Cast),
        (course, motion): (Course, Motion),
        among: Among,
    ) -> Result<Self, WalkError> {
        let none = (Vec::new(), None, None, None);
        let (steps, entry, first_steps, last_steps) = none;
        let mut plan =
            Self { input, settings, carrier, cast, among, course, motion, steps, entry, first_steps, last_steps };
        let seconds = plan.ends() + settings.rest;
        if seconds > 3600.0 {
            return Err(WalkError::TooLong { seconds });
        }
        let count = (seconds * settings.fps).ceil() as usize + 1;
        plan.steps = plan.phases(count);
        match plan.cast.stop.is_some() {
            true => plan.align(),
            false => plan.end_in_steps(),
        }
        plan.entry = plan.enter();
        plan.begin();
        if among.goes_on {
            let last = plan.frame(plan.settled()) + 1;
            plan.steps.truncate(last + 1);
        }
        Ok(plan)
    }

    /// Time of a frame, seconds.
    pub fn time(&self, frame: usize) -> f64 {
        frame as f64 / self.settings.fps
    }

    /// The frame nearest to a time, seconds.
    pub fn frame(&self, time: f64) -> usize {
        ((time * self.settings.fps).round() as usize).min(self.steps.len().saturating_sub(1))
    }

    /// When the last clip is over, seconds.
    fn ends(&self) -> f64 {
        let tail = self.cast.stop.as_ref().map_or(0.0, |stop| stop.source.clip.duration - stop.curve.time_for(0.0));
        self.motion.stop.ends + tail
    }

    /// When nothing but standing is left, seconds.
    fn settled(&self) -> f64 {
        match (&self.cast.stop, &self.last_steps) {
            (Some(_), _) => self.ends().max(self.motion.stop.ends + SETTLE),
            (None, Some(last)) => last.settled,
            (None, None) => self.motion.stop.ends,
        }
    }

    /// Metres from where braking begins to the goal.
    pub fn braking_way(&self) -> f64 {
        self.motion.stop.goal - self.motion.stop.place
    }

    /// The entry frame's clip time for the predicted stop: the first where none is as far away.
    pub fn entry_time(&self, stop: &Passage) -> f64 {
        stop.curve.time_for(self.braking_way())
    }

    fn enter(&self) -> Option<Entry> {
        let stop = self.cast.stop.as_ref()?;
        let time = self.entry_time(stop);
        let stretched = (self.braking_way() - stop.curve.length()).max(0.0);
        let curve = if stretched > 0.0 { stop.curve.stretched(self.braking_way()) } else { stop.curve.clone() };
        let (mut entry, mut moving) = (Pose::default(), Pose::default());
        stop.source.sample(self.input.skeleton, self.carrier, time, &mut entry);
        let at = self.motion.stop.begins;
        let frame = ((at * self.settings.fps) as usize).min(self.steps.len() - 1);
        self.gait_pose(&self.steps[frame], at, &mut moving);
        let most = if self.settings.match_pose { 60 } else { 0 };
        Some(Entry { time, curve, stretched, pose_match: PoseMatch::new(self.input, &moving, &entry, most) })
    }

    /// What plays at a frame.
    pub fn play(&self, frame: usize) -> Play {
        let time = self.time(frame);
        if let Some(first) = self.first_steps.as_ref().filter(|first| time < first.ends) {
            return first.play(self, time);
        }
        let (Some(stop), Some(entry)) = (&self.cast.stop, &self.entry) else { return Play::Gait };
        if time < self.motion.stop.begins {
            return Play::Gait;
        }
        let left = self.motion.stop.goal - self.motion.at(time).0;
        let rest = stop.curve.time_for(0.0);
        let matched = entry.curve.time_for(left);
        let clip = if time < self.motion.stop.ends { matched.min(rest) } else { rest + time - self.motion.stop.ends };
        let over = (clip - (stop.source.clip.duration - SETTLE).max(rest)) / SETTLE;
        Play::Stop(clip.min(stop.source.clip.duration), Easing::Smoothstep.at(over))
    }

    /// The pose of a frame in the world, before feet are held.
    fn pose(&self, frame: usize) -> Pose {
        let mut pose = Pose::default();
        let time = self.time(frame);
        match (self.play(frame), &self.cast.stop, &self.entry) {
            (Play::Stop(clip, idle), Some(stop), Some(entry)) => {
                stop.source.sample(self.input.skeleton, self.carrier, clip, &mut pose);
                entry.pose_match.apply((time - self.motion.stop.begins) / self.settings.match_time, &mut pose);
                self.add_idle(idle, time, &mut pose);
            }
            (Play::Start(clip, gait), ..) => {
                self.gait_pose(&self.steps[frame], time, &mut pose);
                if let Some(start) = self.cast.start.as_ref().filter(|_| gait < 1.0) {
                    let mut starting = Pose::default();
                    start.source.sample(self.input.skeleton, self.carrier, clip, &mut starting);
                    mix_into(&mut starting, &pose, gait as f32);
                    pose = starting;
                }
                if self.among.begins > 0.0 {
                    self.add_idle(1.0 - Easing::Smoothstep.at(time / RISE), time, &mut pose);
                }
            }
            _ => self.gait_pose(&self.steps[frame], time, &mut pose),
        }
        self.place(frame, &mut pose);
        pose
    }

    /// Puts a pose over the spot on its place of the way.
    pub fn place(&self, frame: usize, pose: &mut Pose) {
        let (s, _) = self.motion.at(self.time(frame));
        let place = self.course.place(s) / self.input.metres_per_unit;
        let turn = DAffine3::from_rotation_y(self.course.heading(s) - yaw(self.carrier.front));
        move_body(self.input.skeleton, self.carrier, &(DAffine3::from_translation(place) * turn), pose);
    }

    /// A mix of gaits over the spot.
    pub fn gait_pose(&self, step: &Step, time: f64, pose: &mut Pose) {
        self.mix_pose(&step.mix, step.phase, time, pose);
        if step.fade > 0.0 {
            let mut other = Pose::default();
            self.mix_pose(&step.before, step.phase, time, &mut other);
            mix_into(pose, &other, step.fade as f32);
        }
        self.add_idle(step.rest, time, pose);
    }

    fn mix_pose(&self, mix: &Mix, phase: f64, time: f64, pose: &mut Pose) {
        let skeleton = self.input.skeleton;
        let sample = |gait: usize, pose: &mut Pose| {
            let gait = &self.cast.gaits[gait];
            gait.source.sample(skeleton, self.carrier, gait.time(phase), pose);
        };
        sample(mix.high, pose);
        match mix.low {
            Some(low) if mix.weight < 1.0 => {
                let mut other = Pose::default();
                sample(low, &mut other);
                mix_into(pose, &other, (1.0 - mix.weight) as f32);
            }
            None => self.add_idle(1.0 - mix.weight, time, pose),
            _ => {}
        }
    }

    fn add_idle(&self, weight: f64, time: f64, pose: &mut Pose) {
        if weight > 0.0 {
            let mut idle = Pose::default();
            self.idle_pose(time, &mut idle);
            mix_into(pose, &idle, weight as f32);
        }
    }

    /// The standing clip over the spot.
    pub fn idle_pose(&self, time: f64, pose: &mut Pose) {
        let clip = (self.among.begins + time).rem_euclid(self.cast.idle.clip.duration.max(1e-3));
        self.cast.idle.sample(self.input.skeleton, self.carrier, clip, pose);
    }

    /// Per leg and frame whether what plays lets it stand.
    fn standing(&self) -> Vec<Vec<bool>> {
        let legs = self.input.legs().len();
        let known = |passage: &Option<Passage>| passage.as_ref().map(|it| it.standing(self.input.metres_per_unit));
        let (start, stop) = (known(&self.cast.start), known(&self.cast.stop));
        let stands = |leg: usize, frame: usize| match (self.play(frame), &start, &stop) {
            (Play::Stop(clip, idle), _, Some(stop)) => idle > 0.5 || stop.at(leg, clip),
            (Play::Start(clip, gait), Some(start), _) if gait <= 0.5 => start.at(leg, clip),
            _ => self.stands_in_gait(leg, &self.steps[frame]),
        };
        let mut standing: Vec<Vec<bool>> =
            (0..legs).map(|leg| (0..self.steps.len()).map(|frame| stands(leg, frame)).collect()).collect();
        if let Some(last) = &self.last_steps {
            let times: Vec<f64> = (0..self.steps.len()).map(|frame| self.time(frame)).collect();
            standing.iter_mut().enumerate().for_each(|(leg, row)| last.land(leg, &times, row));
        }
        standing
    }

    /// Whether most of what is mixed lets the leg stand.
    pub fn stands_in_gait(&self, leg: usize, step: &Step) -> bool {
        let stands = |gait: usize| f64::from(u8::from(self.cast.gaits[gait].stands(leg, step.phase)));
        let share = |mix: &Mix| {
            let other = mix.low.map_or(1.0, stands);
            stands(mix.high) * mix.weight + other * (1.0 - mix.weight)
        };
        let now = share(&step.mix);
        (if step.fade > 0.0 { now + (share(&step.before) - now) * step.fade } else { now }) > 0.5
    }

    /// Metres the ground of what plays at a frame rises per metre ahead.
    fn climb(&self, frame: usize) -> f64 {
        let step = &self.steps[frame];
        let of = |mix: &Mix| mix.shares().map(|(gait, share)| self.cast.gaits[gait].source.climb * share).sum::<f64>();
        let gaits = (of(&step.mix) * (1.0 - step.fade) + of(&step.before) * step.fade) * (1.0 - step.rest);
        match self.play(frame) {
            Play::Gait => gaits,
            Play::Start(_, share) => gaits * share,
            Play::Stop(..) => 0.0,
        }
    }

    /// Frames at which the clip that stands changes.
    fn breaks(&self) -> Vec<usize> {
        let idles = |frame: usize| match self.play(frame) {
            Play::Stop(_, idle) => idle > 0.5,
            Play::Gait | Play::Start(..) => false,
        };
        (1..self.steps.len()).filter(|&frame| idles(frame) != idles(frame - 1)).collect()
    }

    /// Height of the ground under a world point, and what the playing clips take it to be there, world units.
    fn ground(&self, frame: usize, point: DVec3) -> [f64; 2] {
        let unit = self.input.metres_per_unit;
        let (s, _) = self.motion.at(self.time(frame));
        let body = self.course.place(s);
        let height = |at: DVec3| self.input.ground.and_then(|ground| ground(at)).filter(|height| height.is_finite());
        let point = point * unit;
        let heading = self.course.heading(s);
        let ahead = (point - body).dot(DVec3::new(heading.sin(), 0.0, heading.cos()));
        let along = self.course.place(s + ahead).y;
        let foot = height(point.with_y(along)).unwrap_or(along);
        [foot / unit, (body.y + self.climb(frame) * ahead) / unit]
    }
}
