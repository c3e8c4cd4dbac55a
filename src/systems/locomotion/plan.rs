//! What plays when, frame by frame, and the recording made of it.

use glam::{DAffine3, DVec3};

use super::clip_roles::{ClipSet, TransitionClip};
use super::foot_lock::{self, LockedFeet};
use super::start_transition::{self, StartTransition};
use super::gait::GaitBlend;
use super::stepped_stop::SteppedStop;
use super::measure;
use super::pose_match::PoseMatch;
use super::report::Report;
use super::in_place_clip::{RootCarrier, move_body, yaw};
use super::foot_plants::FootContacts;
use super::{SmoothPath, DistanceCurve, Input, SpeedProfile, Settings, WalkError, mix_into};
use crate::anim::Pose;
use crate::math::easing::Easing;
use crate::progress::Progress;

/// Everything that is known before frames are made.
pub(super) struct SegmentPlan<'a> {
    pub input: &'a Input<'a>,
    pub settings: &'a Settings,
    pub carrier: &'a RootCarrier,
    pub clips: &'a ClipSet,
    pub segment: Segment,
    pub path: SmoothPath,
    pub profile: SpeedProfile,
    /// What the gaits do at each frame.
    pub steps: Vec<GaitFrame>,
    pub entry: Option<StopTransition>,
    /// How the start clip is left.
    pub start_transition: Option<StartTransition>,
    /// How a walk without a stop clip ends.
    pub stepped_stop: Option<SteppedStop>,
}

/// A segment of a walk among others.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Segment {
    /// When it begins, seconds.
    pub begins: f64,
    /// Whether something goes on after it, so that it ends when the character stands.
    pub goes_on: bool,
}

/// A leg as recorded.
pub(super) struct RecordedSegment {
    pub path: SmoothPath,
    pub report: Report,
    pub poses: Vec<Pose>,
    /// Place and heading at each frame.
    pub places: Vec<(DVec3, f64)>,
}

/// What the gaits do in one frame.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct GaitFrame {
    pub blend: GaitBlend,
    /// What the ground before played at the same speed.
    pub before: GaitBlend,
    /// Its share over the mix, 0…1.
    pub fade: f64,
    /// Cycles.
    pub phase: f64,
    /// Share of the idle clip over the mix, 0…1.
    pub rest: f64,
}

/// How the stop clip is entered.
pub(super) struct StopTransition {
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
pub(super) enum ActiveClip {
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

/// Plans and records the walk along `path`.
pub(super) fn record<'a>(
    input: &'a Input<'a>,
    settings: &'a Settings,
    (carrier, clips): (&'a RootCarrier, &'a ClipSet),
    (path, segment): (SmoothPath, Segment),
    progress: &Progress,
) -> Result<RecordedSegment, WalkError> {
    let profile = start_transition::profile(&path, settings, clips);
    let plan = SegmentPlan::new(input, settings, (carrier, clips), (path, profile), segment)?;
    let mut poses = Vec::with_capacity(plan.steps.len());
    for frame in 0..plan.steps.len() {
        if frame % 32 == 0 {
            progress.step(1 + 5 * frame / plan.steps.len(), 10)?;
        }
        poses.push(plan.pose(frame));
    }
    let standing = plan.standing();
    let ground = |frame: usize, point: DVec3| plan.ground(frame, point);
    let locked = if settings.lock_feet {
        let contacts = FootContacts {
            standing: &standing,
            breaks: &plan.breaks(),
            stepped_stop: plan.stepped_stop.as_ref().map(|last| plan.frame(last.begins)),
            ground: &ground,
        };
        foot_lock::lock(input, settings, &contacts, &mut poses)
    } else {
        LockedFeet { gaps: vec![0.0; poses.len()], standing: standing.clone() }
    };
    progress.step(9, 10)?;
    let report = measure::measure(&plan, &standing, &poses, &locked);
    let place = |frame: usize| plan.profile.at(plan.time(frame)).0;
    let places = (0..poses.len()).map(|frame| (plan.path.place(place(frame)), plan.path.heading(place(frame))));
    Ok(RecordedSegment { places: places.collect(), path: plan.path, report, poses })
}

impl<'a> SegmentPlan<'a> {
    fn new(
        input: &'a Input<'a>,
        settings: &'a Settings,
        (carrier, clips): (&'a RootCarrier, &'a ClipSet),
        (path, profile): (SmoothPath, SpeedProfile),
        segment: Segment,
    ) -> Result<Self, WalkError> {
        let none = (Vec::new(), None, None, None);
        let (steps, entry, start_transition, stepped_stop) = none;
        let mut plan =
            Self { input, settings, carrier, clips, segment, path, profile, steps, entry, start_transition, stepped_stop };
        let seconds = plan.ends() + settings.rest;
        if seconds > 3600.0 {
            return Err(WalkError::TooLong { seconds });
        }
        let count = (seconds * settings.fps).ceil() as usize + 1;
        plan.steps = plan.phases(count);
        match plan.clips.stop.is_some() {
            true => plan.align(),
            false => plan.end_in_steps(),
        }
        plan.entry = plan.enter();
        plan.begin();
        if segment.goes_on {
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
        let tail = self.clips.stop.as_ref().map_or(0.0, |stop| stop.source.clip.duration - stop.curve.time_for(0.0));
        self.profile.stop.ends + tail
    }

    /// When nothing but standing is left, seconds.
    fn settled(&self) -> f64 {
        match (&self.clips.stop, &self.stepped_stop) {
            (Some(_), _) => self.ends().max(self.profile.stop.ends + SETTLE),
            (None, Some(last)) => last.settled,
            (None, None) => self.profile.stop.ends,
        }
    }

    /// Metres from where braking begins to the goal.
    pub fn braking_way(&self) -> f64 {
        self.profile.stop.goal - self.profile.stop.place
    }

    /// The entry frame's clip time for the predicted stop: the first where none is as far away.
    pub fn entry_time(&self, stop: &TransitionClip) -> f64 {
        stop.curve.time_for(self.braking_way())
    }

    fn enter(&self) -> Option<StopTransition> {
        let stop = self.clips.stop.as_ref()?;
        let time = self.entry_time(stop);
        let stretched = (self.braking_way() - stop.curve.length()).max(0.0);
        let curve = if stretched > 0.0 { stop.curve.stretched(self.braking_way()) } else { stop.curve.clone() };
        let (mut entry, mut moving) = (Pose::default(), Pose::default());
        stop.source.sample(self.input.skeleton, self.carrier, time, &mut entry);
        let at = self.profile.stop.begins;
        let frame = ((at * self.settings.fps) as usize).min(self.steps.len() - 1);
        self.gait_pose(&self.steps[frame], at, &mut moving);
        let most = if self.settings.match_pose { 60 } else { 0 };
        Some(StopTransition { time, curve, stretched, pose_match: PoseMatch::new(self.input, &moving, &entry, most) })
    }

    /// What plays at a frame.
    pub fn play(&self, frame: usize) -> ActiveClip {
        let time = self.time(frame);
        if let Some(first) = self.start_transition.as_ref().filter(|first| time < first.ends) {
            return first.play(self, time);
        }
        let (Some(stop), Some(entry)) = (&self.clips.stop, &self.entry) else { return ActiveClip::Gait };
        if time < self.profile.stop.begins {
            return ActiveClip::Gait;
        }
        let left = self.profile.stop.goal - self.profile.at(time).0;
        let rest = stop.curve.time_for(0.0);
        let matched = entry.curve.time_for(left);
        let clip = if time < self.profile.stop.ends { matched.min(rest) } else { rest + time - self.profile.stop.ends };
        let over = (clip - (stop.source.clip.duration - SETTLE).max(rest)) / SETTLE;
        ActiveClip::Stop(clip.min(stop.source.clip.duration), Easing::Smoothstep.at(over))
    }

    /// The pose of a frame in the world, before feet are held.
    fn pose(&self, frame: usize) -> Pose {
        let mut pose = Pose::default();
        let time = self.time(frame);
        match (self.play(frame), &self.clips.stop, &self.entry) {
            (ActiveClip::Stop(clip, idle), Some(stop), Some(entry)) => {
                stop.source.sample(self.input.skeleton, self.carrier, clip, &mut pose);
                entry.pose_match.apply((time - self.profile.stop.begins) / self.settings.match_time, &mut pose);
                self.add_idle(idle, time, &mut pose);
            }
            (ActiveClip::Start(clip, gait), ..) => {
                self.gait_pose(&self.steps[frame], time, &mut pose);
                if let Some(start) = self.clips.start.as_ref().filter(|_| gait < 1.0) {
                    let mut starting = Pose::default();
                    start.source.sample(self.input.skeleton, self.carrier, clip, &mut starting);
                    mix_into(&mut starting, &pose, gait as f32);
                    pose = starting;
                }
                if self.segment.begins > 0.0 {
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
        let (s, _) = self.profile.at(self.time(frame));
        let place = self.path.place(s) / self.input.metres_per_unit;
        let turn = DAffine3::from_rotation_y(self.path.heading(s) - yaw(self.carrier.front));
        move_body(self.input.skeleton, self.carrier, &(DAffine3::from_translation(place) * turn), pose);
    }

    /// A mix of gaits over the spot.
    pub fn gait_pose(&self, step: &GaitFrame, time: f64, pose: &mut Pose) {
        self.mix_pose(&step.blend, step.phase, time, pose);
        if step.fade > 0.0 {
            let mut other = Pose::default();
            self.mix_pose(&step.before, step.phase, time, &mut other);
            mix_into(pose, &other, step.fade as f32);
        }
        self.add_idle(step.rest, time, pose);
    }

    fn mix_pose(&self, blend: &GaitBlend, phase: f64, time: f64, pose: &mut Pose) {
        let skeleton = self.input.skeleton;
        let sample = |gait: usize, pose: &mut Pose| {
            let gait = &self.clips.gaits[gait];
            gait.source.sample(skeleton, self.carrier, gait.time(phase), pose);
        };
        sample(blend.high, pose);
        match blend.low {
            Some(low) if blend.weight < 1.0 => {
                let mut other = Pose::default();
                sample(low, &mut other);
                mix_into(pose, &other, (1.0 - blend.weight) as f32);
            }
            None => self.add_idle(1.0 - blend.weight, time, pose),
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
        let clip = (self.segment.begins + time).rem_euclid(self.clips.idle.clip.duration.max(1e-3));
        self.clips.idle.sample(self.input.skeleton, self.carrier, clip, pose);
    }

    /// Per leg and frame whether what plays lets it stand.
    fn standing(&self) -> Vec<Vec<bool>> {
        let legs = self.input.legs().len();
        let known = |clip: &Option<TransitionClip>| clip.as_ref().map(|clip| clip.standing(self.input.metres_per_unit));
        let (start, stop) = (known(&self.clips.start), known(&self.clips.stop));
        let stands = |leg: usize, frame: usize| match (self.play(frame), &start, &stop) {
            (ActiveClip::Stop(clip, idle), _, Some(stop)) => idle > 0.5 || stop.at(leg, clip),
            (ActiveClip::Start(clip, gait), Some(start), _) if gait <= 0.5 => start.at(leg, clip),
            _ => self.stands_in_gait(leg, &self.steps[frame]),
        };
        let mut standing: Vec<Vec<bool>> =
            (0..legs).map(|leg| (0..self.steps.len()).map(|frame| stands(leg, frame)).collect()).collect();
        if let Some(last) = &self.stepped_stop {
            let times: Vec<f64> = (0..self.steps.len()).map(|frame| self.time(frame)).collect();
            standing.iter_mut().enumerate().for_each(|(leg, row)| last.land(leg, &times, row));
        }
        standing
    }

    /// Whether most of what is mixed lets the leg stand.
    pub fn stands_in_gait(&self, leg: usize, step: &GaitFrame) -> bool {
        let stands = |gait: usize| f64::from(u8::from(self.clips.gaits[gait].stands(leg, step.phase)));
        let share = |blend: &GaitBlend| {
            let other = blend.low.map_or(1.0, stands);
            stands(blend.high) * blend.weight + other * (1.0 - blend.weight)
        };
        let now = share(&step.blend);
        (if step.fade > 0.0 { now + (share(&step.before) - now) * step.fade } else { now }) > 0.5
    }

    /// Metres the ground of what plays at a frame rises per metre ahead.
    fn climb(&self, frame: usize) -> f64 {
        let step = &self.steps[frame];
        let of = |blend: &GaitBlend| blend.shares().map(|(gait, share)| self.clips.gaits[gait].source.climb * share).sum::<f64>();
        let gaits = (of(&step.blend) * (1.0 - step.fade) + of(&step.before) * step.fade) * (1.0 - step.rest);
        match self.play(frame) {
            ActiveClip::Gait => gaits,
            ActiveClip::Start(_, share) => gaits * share,
            ActiveClip::Stop(..) => 0.0,
        }
    }

    /// Frames at which the clip that stands changes.
    fn breaks(&self) -> Vec<usize> {
        let idles = |frame: usize| match self.play(frame) {
            ActiveClip::Stop(_, idle) => idle > 0.5,
            ActiveClip::Gait | ActiveClip::Start(..) => false,
        };
        (1..self.steps.len()).filter(|&frame| idles(frame) != idles(frame - 1)).collect()
    }

    /// Height of the ground under a world point, and what the playing clips take it to be there, world units.
    fn ground(&self, frame: usize, point: DVec3) -> [f64; 2] {
        let unit = self.input.metres_per_unit;
        let (s, _) = self.profile.at(self.time(frame));
        let body = self.path.place(s);
        let height = |at: DVec3| self.input.ground.and_then(|ground| ground(at)).filter(|height| height.is_finite());
        let point = point * unit;
        let heading = self.path.heading(s);
        let ahead = (point - body).dot(DVec3::new(heading.sin(), 0.0, heading.cos()));
        let along = self.path.place(s + ahead).y;
        let foot = height(point.with_y(along)).unwrap_or(along);
        [foot / unit, (body.y + self.climb(frame) * ahead) / unit]
    }
}
