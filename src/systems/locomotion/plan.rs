//! What plays when on a segment, frame by frame.

use std::ops::Range;

use glam::DVec3;

use super::active_clip::ActiveClip;
use super::gait::GaitBlend;
use super::gait_phase;
use super::ground_beside::ground_beside;
use super::pose_match::PoseMatch;
use super::raw_frame::RawFrame;
use super::segment::{GaitFrame, Segment};
use super::start_transition::StartTransition;
use super::stepped_stop::SteppedStop;
use super::transition_clip::TransitionClip;
use super::walk::mix_into;
use super::{DistanceCurve, WalkError};
use crate::anim::Pose;
use crate::math::easing::Easing;

/// Everything that is known before frames are made.
pub(super) struct SegmentPlan<'a> {
    pub segment: Segment<'a>,
    /// What the gaits do at each frame.
    pub frames: Vec<GaitFrame>,
    /// How the start clip is left.
    pub start: Option<StartTransition>,
    /// How the stop clip is entered.
    pub stop: Option<StopTransition>,
    /// How a walk without a stop clip ends.
    pub stepped_stop: Option<SteppedStop>,
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

/// Seconds in which the stop clip's end goes over into standing.
const SETTLE: f64 = 0.4;
/// Seconds in which standing after a turn goes over into the start clip.
const RISE: f64 = 0.2;

impl<'a> SegmentPlan<'a> {
    /// Plans `segment`: the gaits in step with the ground, shifted so that they meet the stop, then led from the start.
    pub fn new(segment: Segment<'a>) -> Result<Self, WalkError> {
        let in_step = gait_phase::in_step(&segment, segment.count()?);
        let stepped_stop = match segment.stop_clip {
            Some(_) => None,
            None => SteppedStop::find(&segment, &in_step),
        };
        let meeting_the_stop = match (segment.stop_clip, &stepped_stop) {
            (Some(clip), _) => gait_phase::meeting_the_clip(&segment, clip, in_step),
            (None, Some(stop)) => stop.frames(&segment, in_step),
            (None, None) => in_step,
        };
        let start = StartTransition::find(&segment);
        let fixed_from = stepped_stop.as_ref().map_or(segment.profile.stop.begins, |stop| stop.begins);
        let mut frames = gait_phase::from_the_start(&segment, start.as_ref(), fixed_from, meeting_the_stop);
        let stop = StopTransition::find(&segment, &frames);
        if segment.goes_on {
            let last = segment.frame(settled(&segment, stepped_stop.as_ref()), frames.len()) + 1;
            frames.truncate(last + 1);
        }
        Ok(Self { segment, frames, start, stop, stepped_stop })
    }

    /// What plays at a frame.
    pub fn play(&self, frame: usize) -> ActiveClip {
        let time = self.segment.time(frame);
        if let Some(start) = self.start.as_ref().filter(|start| time < start.ends) {
            return start.play(&self.segment, time);
        }
        let (Some(stop), Some(entry)) = (self.segment.stop_clip, &self.stop) else { return ActiveClip::Gait };
        if time < self.segment.profile.stop.begins {
            return ActiveClip::Gait;
        }
        let left = self.segment.profile.stop.goal - self.segment.profile.at(time).0;
        let rest = stop.curve.time_for(0.0);
        let matched = entry.curve.time_for(left);
        let clip = if time < self.segment.profile.stop.ends {
            matched.min(rest)
        } else {
            rest + time - self.segment.profile.stop.ends
        };
        let over = (clip - (stop.source.clip.duration - SETTLE).max(rest)) / SETTLE;
        ActiveClip::Stop(clip.min(stop.source.clip.duration), Easing::Smoothstep.at(over))
    }

    /// Every frame before feet are locked.
    pub fn raw(&self) -> impl Iterator<Item = RawFrame> + '_ {
        let standing = self.standing();
        (0..self.frames.len()).map(move |frame| {
            let (s, _) = self.segment.profile.at(self.segment.time(frame));
            RawFrame {
                pose: self.pose(frame),
                standing: standing.iter().map(|row| row[frame]).collect(),
                place: self.segment.path.place(s),
                heading: self.segment.heading(frame),
            }
        })
    }

    /// The pose of a frame in the world, before feet are locked.
    fn pose(&self, frame: usize) -> Pose {
        let mut pose = Pose::default();
        let time = self.segment.time(frame);
        match (self.play(frame), self.segment.stop_clip, &self.stop) {
            (ActiveClip::Stop(clip, idle), Some(stop), Some(entry)) => {
                stop.source.sample(self.segment.input.skeleton, self.segment.carrier, clip, &mut pose);
                entry
                    .pose_match
                    .apply((time - self.segment.profile.stop.begins) / self.segment.settings.match_time, &mut pose);
                self.segment.add_idle(idle, time, &mut pose);
            }
            (ActiveClip::Start(clip, gait), ..) => {
                self.segment.gait_pose(&self.frames[frame], time, &mut pose);
                if let Some(start) = self.segment.clips.start.as_ref().filter(|_| gait < 1.0) {
                    let mut starting = Pose::default();
                    start.source.sample(self.segment.input.skeleton, self.segment.carrier, clip, &mut starting);
                    mix_into(&mut starting, &pose, gait as f32);
                    pose = starting;
                }
                if self.segment.begins > 0.0 {
                    self.segment.add_idle(1.0 - Easing::Smoothstep.at(time / RISE), time, &mut pose);
                }
            }
            _ => self.segment.gait_pose(&self.frames[frame], time, &mut pose),
        }
        self.segment.place(frame, &mut pose);
        pose
    }

    /// Per leg and frame whether what plays lets it stand.
    fn standing(&self) -> Vec<Vec<bool>> {
        let legs = self.segment.input.legs().len();
        let known = |clip: Option<&TransitionClip>| clip.map(|clip| clip.standing(self.segment.input.metres_per_unit));
        let (start, stop) = (known(self.segment.clips.start.as_ref()), known(self.segment.stop_clip));
        let stands = |leg: usize, frame: usize| match (self.play(frame), &start, &stop) {
            (ActiveClip::Stop(clip, idle), _, Some(stop)) => idle > 0.5 || stop.at(leg, clip),
            (ActiveClip::Start(clip, gait), Some(start), _) if gait <= 0.5 => start.at(leg, clip),
            _ => self.segment.stands_in_gait(leg, &self.frames[frame]),
        };
        let mut standing: Vec<Vec<bool>> =
            (0..legs).map(|leg| (0..self.frames.len()).map(|frame| stands(leg, frame)).collect()).collect();
        if let Some(last) = &self.stepped_stop {
            let times: Vec<f64> = (0..self.frames.len()).map(|frame| self.segment.time(frame)).collect();
            standing.iter_mut().enumerate().for_each(|(leg, row)| last.land(leg, &times, row));
        }
        standing
    }

    /// Metres the ground of what plays at a frame rises per metre ahead.
    pub fn climb(&self, frame: usize) -> f64 {
        let step = &self.frames[frame];
        let of = |blend: &GaitBlend| {
            blend.shares().map(|(gait, share)| self.segment.clips.gaits[gait].source.climb * share).sum::<f64>()
        };
        let gaits = (of(&step.blend) * (1.0 - step.fade) + of(&step.before) * step.fade) * (1.0 - step.rest);
        match self.play(frame) {
            ActiveClip::Gait => gaits,
            ActiveClip::Start(_, share) => gaits * share,
            ActiveClip::Stop(..) => 0.0,
        }
    }

    /// Frames at which the clip that stands changes.
    pub fn breaks(&self) -> Vec<usize> {
        let idles = |frame: usize| match self.play(frame) {
            ActiveClip::Stop(_, idle) => idle > 0.5,
            ActiveClip::Gait | ActiveClip::Start(..) => false,
        };
        (1..self.frames.len()).filter(|&frame| idles(frame) != idles(frame - 1)).collect()
    }

    /// Frames at which another clip takes over from one to the next.
    pub(super) fn switches(&self) -> Vec<usize> {
        let kind = |frame: usize| std::mem::discriminant(&self.play(frame));
        (1..self.frames.len()).filter(|&frame| kind(frame) != kind(frame - 1)).collect()
    }

    /// The frames of the last steps, if there are any.
    pub(super) fn last_steps(&self) -> Option<Range<usize>> {
        let first = |stop: &SteppedStop| self.segment.frame(stop.begins, self.frames.len());
        self.stepped_stop.as_ref().map(|stop| first(stop)..self.frames.len())
    }

    /// Height of the ground under a world point, and what the playing clips take it to be there, world units.
    pub fn ground(&self, frame: usize, point: DVec3) -> [f64; 2] {
        let unit = self.segment.input.metres_per_unit;
        let (s, _) = self.segment.profile.at(self.segment.time(frame));
        let body = self.segment.path.place(s);
        let point = point * unit;
        let heading = self.segment.heading(frame);
        let ahead = (point - body).dot(DVec3::new(heading.sin(), 0.0, heading.cos()));
        let along = self.segment.path.place(s + ahead);
        let foot = self.segment.input.ground.and_then(|ground| ground_beside(ground, along, point)).unwrap_or(along.y);
        [foot / unit, (body.y + self.climb(frame) * ahead) / unit]
    }
}

impl StopTransition {
    /// How the stop clip is entered after `frames`; `None` without one.
    fn find(segment: &Segment, frames: &[GaitFrame]) -> Option<Self> {
        let stop = segment.stop_clip?;
        let time = segment.entry_time(stop);
        let stretched = (segment.braking_way() - stop.curve.length()).max(0.0);
        let curve = if stretched > 0.0 { stop.curve.stretched(segment.braking_way()) } else { stop.curve.clone() };
        let (mut entry, mut moving) = (Pose::default(), Pose::default());
        stop.source.sample(segment.input.skeleton, segment.carrier, time, &mut entry);
        let at = segment.profile.stop.begins;
        let frame = ((at * segment.settings.fps) as usize).min(frames.len() - 1);
        segment.gait_pose(&frames[frame], at, &mut moving);
        let most = if segment.settings.match_pose { 60 } else { 0 };
        Some(Self { time, curve, stretched, pose_match: PoseMatch::new(segment.input, &moving, &entry, most) })
    }
}

/// When nothing but standing is left, seconds.
fn settled(segment: &Segment, stepped_stop: Option<&SteppedStop>) -> f64 {
    match (segment.stop_clip, stepped_stop) {
        (Some(_), _) => segment.ends().max(segment.profile.stop.ends + SETTLE),
        (None, Some(last)) => last.settled,
        (None, None) => segment.profile.stop.ends,
    }
}

#[cfg(test)]
mod tests {
    use super::super::clip_roles;
    use super::super::in_place_clip::RootCarrier;
    use super::super::segment::Rig;
    use super::super::{Input, Settings, WalkPath};
    use super::*;

    #[test]
    fn a_foot_stands_as_the_start_clip_says_until_the_gait_is_seen_more() {
        let model = crate::samples::hero();
        let roles = crate::anim::rig::Rig::of_model(&model).roles.fitting(&model.skeleton);
        let (clips, metres_per_unit) = (&model.clips, 1.0);
        let input = Input { skeleton: &model.skeleton, clips, roles: &roles, metres_per_unit, ground: None };
        let (settings, carrier) = (Settings::default(), RootCarrier::find(&input));
        let clips = clip_roles::find(&input, &carrier, &settings).unwrap();
        let way = WalkPath { points: vec![DVec3::ZERO, DVec3::Z * 14.0], speed_limits: vec![4.0; 2] };
        let mut path = clips.slowed(&way).segments(settings.corner, settings.turning_radius).remove(0);
        path.limit_along_ground();
        let rig = Rig { input: &input, settings: &settings, carrier: &carrier };
        let plan = SegmentPlan::new(Segment::new(rig, &clips, path, 0.0, false)).unwrap();
        let (standing, start) = (plan.standing(), clips.start.as_ref().unwrap().standing(1.0));
        let mut differ = 0;
        for frame in 0..plan.frames.len() {
            let ActiveClip::Start(time, share) = plan.play(frame) else { continue };
            for (leg, row) in standing.iter().enumerate() {
                let [own, of_gait] = [start.at(leg, time), plan.segment.stands_in_gait(leg, &plan.frames[frame])];
                assert_eq!(row[frame], if share > 0.5 { of_gait } else { own }, "leg {leg} at {time} s, {share}");
                differ += usize::from(own != of_gait && share <= 0.5);
            }
        }
        assert!(differ > 0, "the two say different things where the clip decides");
    }
}
