//! Plan of one segment: the clips and weights of every frame.

use std::ops::Range;

use glam::DVec3;

use super::pose_match::PoseMatch;
use super::segment::{ActiveClip, GaitFrame, Segment};
use super::start_transition::StartTransition;
use super::stepped_stop::SteppedStop;
use crate::locomotion::clips::transition_clip::TransitionClip;
use crate::locomotion::feet::foot_ground::ground_at_foot;
use crate::locomotion::gaits::gait::GaitBlend;
use crate::locomotion::gaits::gait_phase;
use crate::locomotion::walk::mix_into;
use crate::locomotion::{DistanceCurve, WalkError};
use portamento_anim::Pose;
use portamento_anim::math::easing::Easing;

/// A frame before feet are locked.
pub(crate) struct RawFrame {
    pub pose: Pose,
    /// Per leg, true if the active clip plants it.
    pub standing: Vec<bool>,
    /// Ground position of the root in world space, metres.
    pub position: DVec3,
    /// Heading about the up axis, radians.
    pub heading: f64,
}

/// A segment with everything known before its poses are sampled.
pub(crate) struct SegmentPlan<'a> {
    pub segment: Segment<'a>,
    /// Gait blend and phase of each frame.
    pub frames: Vec<GaitFrame>,
    /// Transition out of the start clip.
    pub start: Option<StartTransition>,
    /// Transition into the stop clip.
    pub stop: Option<StopTransition>,
    /// Last steps of a segment without a stop clip.
    pub stepped_stop: Option<SteppedStop>,
}

/// Transition into the stop clip.
pub(crate) struct StopTransition {
    /// Clip time of the entry frame, seconds.
    pub time: f64,
    /// The clip's distance curve, stretched where no frame fits.
    pub curve: DistanceCurve,
    /// Metres by which the curve was stretched.
    pub stretched: f64,
    pub pose_match: PoseMatch,
}

/// Cross-fade time from the stop clip's end to the idle clip, seconds. Tuned; no derivation recorded.
const SETTLE_SECONDS: f64 = 0.4;
/// Cross-fade time from standing after a turn to the start clip, seconds. Tuned; no derivation recorded.
const IDLE_TO_START_SECONDS: f64 = 0.2;

impl<'a> SegmentPlan<'a> {
    /// Plans `segment`: phases advance with the distance, then shift to meet the stop, then fade from the start clip's
    /// phase. Returns `Err` if the walk is too long.
    pub fn new(segment: Segment<'a>) -> Result<Self, WalkError> {
        let distance_phased = gait_phase::distance_phased(&segment, segment.count()?);
        let stepped_stop = match (segment.stop_clip, &segment.joints[1]) {
            (None, None) => SteppedStop::find(&segment, &distance_phased),
            _ => None,
        };
        let stop_aligned = match (segment.stop_clip, &stepped_stop, &segment.joints[1]) {
            (Some(clip), ..) => gait_phase::align_to_stop_clip(&segment, clip, distance_phased),
            (None, Some(stop), _) => stop.frames(&segment, distance_phased),
            (None, None, Some(joint)) => gait_phase::align_to_end(&segment, &joint.pose, distance_phased),
            (None, None, None) => distance_phased,
        };
        let start = StartTransition::find(&segment);
        let fixed_from = stepped_stop.as_ref().map_or(segment.profile.stop.begins, |stop| stop.begins);
        let mut frames = gait_phase::align_to_start(&segment, start.as_ref(), fixed_from, stop_aligned);
        let stop = StopTransition::find(&segment, &frames);
        if segment.has_next && segment.joints[1].is_none() {
            let last = segment.frame_at(settled_time(&segment, stepped_stop.as_ref()), frames.len()) + 1;
            frames.truncate(last + 1);
        }
        Ok(Self { segment, frames, start, stop, stepped_stop })
    }

    /// Returns the active clip of a frame.
    pub fn play(&self, frame: usize) -> ActiveClip {
        let time = self.segment.time(frame);
        if let Some(start) = self.start.as_ref().filter(|start| time < start.ends) {
            return start.play(&self.segment, time);
        }
        let (Some(stop), Some(entry)) = (self.segment.stop_clip, &self.stop) else { return ActiveClip::Gait };
        if time < self.segment.profile.stop.begins {
            return ActiveClip::Gait;
        }
        let remaining = self.segment.profile.stop.goal - self.segment.profile.at(time).0;
        let rest = stop.curve.time_for(0.0);
        let matched = entry.curve.time_for(remaining);
        let clip = if time < self.segment.profile.stop.ends {
            matched.min(rest)
        } else {
            rest + time - self.segment.profile.stop.ends
        };
        let idle_share = (clip - (stop.source.clip.duration - SETTLE_SECONDS).max(rest)) / SETTLE_SECONDS;
        ActiveClip::Stop(clip.min(stop.source.clip.duration), Easing::Smoothstep.at(idle_share))
    }

    /// Returns every frame before feet are locked.
    pub fn raw_frames(&self) -> impl Iterator<Item = RawFrame> + '_ {
        let standing = self.standing();
        (0..self.frames.len()).map(move |frame| {
            let (s, _) = self.segment.profile.at(self.segment.time(frame));
            RawFrame {
                pose: self.pose(frame),
                standing: standing.iter().map(|row| row[frame]).collect(),
                position: self.segment.path.position(s),
                heading: self.segment.heading(frame),
            }
        })
    }

    /// Returns the world pose of a frame before feet are locked.
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
                    self.segment.add_idle(1.0 - Easing::Smoothstep.at(time / IDLE_TO_START_SECONDS), time, &mut pose);
                }
            }
            _ => self.segment.gait_pose(&self.frames[frame], time, &mut pose),
        }
        self.segment.move_to_path(frame, &mut pose);
        pose
    }

    /// Returns, per leg and frame, true if the active clip plants the foot.
    fn standing(&self) -> Vec<Vec<bool>> {
        let legs = self.segment.input.legs().len();
        let contacts_of =
            |clip: Option<&TransitionClip>| clip.map(|clip| clip.standing(self.segment.input.metres_per_unit));
        let (start, stop) = (contacts_of(self.segment.clips.start.as_ref()), contacts_of(self.segment.stop_clip));
        let is_planted = |leg: usize, frame: usize| match (self.play(frame), &start, &stop) {
            (ActiveClip::Stop(clip, idle), _, Some(stop)) => idle > 0.5 || stop.at(leg, clip),
            (ActiveClip::Start(clip, gait), Some(start), _) if gait <= 0.5 => start.at(leg, clip),
            _ => self.segment.is_planted_in_gait(leg, &self.frames[frame]),
        };
        let mut standing: Vec<Vec<bool>> =
            (0..legs).map(|leg| (0..self.frames.len()).map(|frame| is_planted(leg, frame)).collect()).collect();
        if let Some(last) = &self.stepped_stop {
            let times: Vec<f64> = (0..self.frames.len()).map(|frame| self.segment.time(frame)).collect();
            standing.iter_mut().enumerate().for_each(|(leg, row)| last.land(leg, &times, row));
        }
        standing
    }

    /// Returns the ground slope of the active clips at a frame: metres up per metre forward.
    pub fn climb(&self, frame: usize) -> f64 {
        let step = &self.frames[frame];
        let blend_climb = |blend: &GaitBlend| {
            blend.shares().map(|(gait, share)| self.segment.clips.gaits[gait].source.climb * share).sum::<f64>()
        };
        let gaits =
            (blend_climb(&step.blend) * (1.0 - step.fade) + blend_climb(&step.before) * step.fade) * (1.0 - step.rest);
        match self.play(frame) {
            ActiveClip::Gait => gaits,
            ActiveClip::Start(_, share) => gaits * share,
            ActiveClip::Stop(..) => 0.0,
        }
    }

    /// Returns the frames at which the stop clip yields to the idle clip.
    pub fn breaks(&self) -> Vec<usize> {
        let idles = |frame: usize| match self.play(frame) {
            ActiveClip::Stop(_, idle) => idle > 0.5,
            ActiveClip::Gait | ActiveClip::Start(..) => false,
        };
        (1..self.frames.len()).filter(|&frame| idles(frame) != idles(frame - 1)).collect()
    }

    /// Returns the frames at which the kind of the active clip changes.
    pub(crate) fn switches(&self) -> Vec<usize> {
        let kind = |frame: usize| std::mem::discriminant(&self.play(frame));
        (1..self.frames.len()).filter(|&frame| kind(frame) != kind(frame - 1)).collect()
    }

    /// Returns the frame range of the last steps, if the segment has them.
    pub(crate) fn last_steps(&self) -> Option<Range<usize>> {
        let first = |stop: &SteppedStop| self.segment.frame_at(stop.begins, self.frames.len());
        self.stepped_stop.as_ref().map(|stop| first(stop)..self.frames.len())
    }

    /// Returns two heights at a world point, in world units: the real ground, and the ground that the active clips
    /// assume.
    pub fn ground(&self, frame: usize, point: DVec3) -> [f64; 2] {
        let unit = self.segment.input.metres_per_unit;
        let (s, _) = self.segment.profile.at(self.segment.time(frame));
        let body = self.segment.path.position(s);
        let point = point * unit;
        let heading = self.segment.heading(frame);
        let ahead = (point - body).dot(DVec3::new(heading.sin(), 0.0, heading.cos()));
        let path_point = self.segment.path.position(s + ahead);
        let real_height = self
            .segment
            .input
            .ground
            .and_then(|ground| ground_at_foot(ground, path_point, point))
            .unwrap_or(path_point.y);
        [real_height / unit, (body.y + self.climb(frame) * ahead) / unit]
    }
}

impl StopTransition {
    /// Returns the transition into the stop clip after `frames`; `None` without a stop clip.
    fn find(segment: &Segment, frames: &[GaitFrame]) -> Option<Self> {
        let stop = segment.stop_clip?;
        let time = segment.entry_time(stop);
        let stretched = (segment.braking_distance() - stop.curve.length()).max(0.0);
        let curve = if stretched > 0.0 { stop.curve.stretched(segment.braking_distance()) } else { stop.curve.clone() };
        let (mut entry, mut moving) = (Pose::default(), Pose::default());
        stop.source.sample(segment.input.skeleton, segment.carrier, time, &mut entry);
        let begins = segment.profile.stop.begins;
        let frame = ((begins * segment.settings.fps) as usize).min(frames.len() - 1);
        segment.gait_pose(&frames[frame], begins, &mut moving);
        let iterations = if segment.settings.match_pose { 60 } else { 0 };
        Some(Self { time, curve, stretched, pose_match: PoseMatch::new(segment.input, &moving, &entry, iterations) })
    }
}

/// Returns the time of the segment (seconds) after which only the idle clip plays.
fn settled_time(segment: &Segment, stepped_stop: Option<&SteppedStop>) -> f64 {
    match (segment.stop_clip, stepped_stop) {
        (Some(_), _) => segment.ends().max(segment.profile.stop.ends + SETTLE_SECONDS),
        (None, Some(last)) => last.settled,
        (None, None) => segment.profile.stop.ends,
    }
}

#[cfg(test)]
mod tests {
    use super::super::segment::Rig;
    use super::*;
    use crate::locomotion::clips::clip_roles;
    use crate::locomotion::clips::in_place_clip::RootCarrier;
    use crate::locomotion::{Input, Settings, WalkPath};

    #[test]
    fn contacts_come_from_the_start_clip_until_the_gait_has_more_weight() {
        let model = portamento_test_support::hero();
        let roles = portamento_anim::rig::Rig::of_model(&model).roles.fitting(&model.skeleton);
        let (clips, metres_per_unit) = (&model.clips, 1.0);
        let input = Input { skeleton: &model.skeleton, clips, roles: &roles, metres_per_unit, ground: None };
        let (settings, carrier) = (Settings::default(), RootCarrier::find(&input));
        let clips = clip_roles::find(&input, &carrier, &settings).unwrap();
        let walk_path = WalkPath { points: vec![DVec3::ZERO, DVec3::Z * 14.0], speed_limits: vec![4.0; 2] };
        let mut path = walk_path.segments(settings.corner, settings.turning_radius).remove(0);
        path.limit_along_ground();
        let rig = Rig { input: &input, settings: &settings, carrier: &carrier };
        let plan = SegmentPlan::new(Segment::new(rig, &clips, path, 0.0, false, [None, None])).unwrap();
        let (standing, start) = (plan.standing(), clips.start.as_ref().unwrap().standing(1.0));
        let mut differ = 0;
        for frame in 0..plan.frames.len() {
            let ActiveClip::Start(time, share) = plan.play(frame) else { continue };
            for (leg, row) in standing.iter().enumerate() {
                let [own, of_gait] = [start.at(leg, time), plan.segment.is_planted_in_gait(leg, &plan.frames[frame])];
                assert_eq!(row[frame], if share > 0.5 { of_gait } else { own }, "leg {leg} at {time} s, {share}");
                differ += usize::from(own != of_gait && share <= 0.5);
            }
        }
        assert!(differ > 0, "the two say different things where the clip decides");
    }
}
