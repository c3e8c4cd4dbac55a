//! One segment of a walk: a smooth path from stand to stand, the speed along it, and its clips.

use glam::DAffine3;

use super::moving_joint::{self, MovingJoint};
use super::start_travel;
use crate::locomotion::body::lean::moving_average;
use crate::locomotion::body::pitch;
use crate::locomotion::clips::clip_roles::ClipSet;
use crate::locomotion::clips::in_place_clip::{RootCarrier, move_body, yaw};
use crate::locomotion::clips::transition_clip::TransitionClip;
use crate::locomotion::gaits::gait::GaitBlend;
use crate::locomotion::paths::speed_profile::SpeedProfile;
use crate::locomotion::walk::mix_into;
use crate::locomotion::{Input, Settings, SmoothPath, WalkError};
use portamento_anim::Pose;

/// The clip that one frame plays.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum ActiveClip {
    /// Gaits and the idle clip.
    Gait,
    /// Start clip: its time in seconds, and the weight of the gaits that fade in before its end.
    Start(f64, f64),
    /// Stop clip: its time in seconds, and the weight of the idle clip that fades in at its end.
    Stop(f64, f64),
}

/// The character, its settings and its carrier joint.
#[derive(Clone, Copy)]
pub(crate) struct Rig<'a> {
    pub input: &'a Input<'a>,
    pub settings: &'a Settings,
    pub carrier: &'a RootCarrier,
}

/// Input of a segment's plan.
pub(crate) struct Segment<'a> {
    pub input: &'a Input<'a>,
    pub settings: &'a Settings,
    pub carrier: &'a RootCarrier,
    pub clips: &'a ClipSet,
    pub path: SmoothPath,
    pub profile: SpeedProfile,
    /// Heading at each frame, radians; the last one continues.
    pub headings: Vec<f64>,
    /// The stop clip, if it fits the end of the path.
    pub stop_clip: Option<&'a TransitionClip>,
    /// Start of the segment within the whole walk, seconds.
    pub begins: f64,
    /// Frames omitted before the first recorded one.
    pub skipped: usize,
    /// Play rate of the idle clip.
    pub idle_rate: f64,
    /// True if another part follows, so that the segment ends as soon as the character stands.
    pub has_next: bool,
    /// The motions before and after the segment, if the character moves there.
    pub joints: [Option<MovingJoint>; 2],
}

/// Gait blend, phase and idle share of one frame.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct GaitFrame {
    pub blend: GaitBlend,
    /// Blend of the previous slope's gait set at the same speed.
    pub before: GaitBlend,
    /// Share of `before` over `blend`, 0…1.
    pub fade: f64,
    /// Gait phase in cycles since the walk began; its fraction is the phase within the cycle.
    pub phase: f64,
    /// Share of the idle clip over the gaits, 0…1.
    pub rest: f64,
}

/// Longest walk, seconds. A longer recording and its export would not fit into memory.
pub(crate) const WALK_MAX_SECONDS: f64 = 3600.0;
/// Half width of the heading filter, seconds, as a body begins to turn before a bend. Tuned; no derivation recorded.
const HEADING_FILTER_SECONDS: f64 = 0.12;

impl<'a> Segment<'a> {
    /// Returns the segment along `path`, which begins at `begins` (seconds). `has_next` is true if another part follows. `joints`
    /// are the motions before and after it, if the character moves there.
    pub fn new(
        rig: Rig<'a>,
        clips: &'a ClipSet,
        mut path: SmoothPath,
        begins: f64,
        has_next: bool,
        joints: [Option<MovingJoint>; 2],
    ) -> Self {
        let ends = moving_joint::allow_speeds(&mut path, rig.settings, &joints);
        let profile = start_travel::profile(&path, rig.settings, clips, ends);
        let stops = |stop: &&TransitionClip| joints[1].is_none() && stop_fits(stop, &path, &profile);
        let stop_clip = clips.stop.as_ref().filter(stops);
        Self { begins, has_next, stop_clip, joints, ..Self::with_profile(rig, clips, path, profile) }
    }

    /// Returns a segment at the start of the walk that follows `profile`, without start and stop clip.
    pub(crate) fn with_profile(rig: Rig<'a>, clips: &'a ClipSet, path: SmoothPath, profile: SpeedProfile) -> Self {
        let Rig { input, settings, carrier } = rig;
        let count = (profile.stop.ends * settings.fps).ceil() as usize + 1;
        let along = |frame: usize| path.heading(profile.at(frame as f64 / settings.fps).0);
        let raw: Vec<f64> = (0..count).map(along).collect();
        let half = (HEADING_FILTER_SECONDS * settings.fps).round() as usize;
        let headings = moving_average(&moving_average(&raw, half), half);
        Self {
            input,
            settings,
            carrier,
            clips,
            path,
            profile,
            headings,
            stop_clip: None,
            begins: 0.0,
            skipped: 0,
            idle_rate: 1.0,
            has_next: false,
            joints: [None, None],
        }
    }

    /// Omits the first `first` frames of those that are left.
    pub fn skip(&mut self, first: usize) {
        self.skipped += first;
        self.headings.drain(..first.min(self.headings.len()));
    }

    /// Returns the heading at a frame, radians.
    pub fn heading(&self, frame: usize) -> f64 {
        self.headings.get(frame).or(self.headings.last()).copied().unwrap_or(0.0)
    }

    /// Returns the largest number of frames, including the time recorded after its end. Returns `Err` if the walk is
    /// too long.
    pub fn count(&self) -> Result<usize, WalkError> {
        if self.joints[1].is_some() {
            return Ok((self.profile.stop.ends * self.settings.fps).round() as usize + 1);
        }
        let seconds = self.ends() + self.settings.rest;
        if seconds > WALK_MAX_SECONDS {
            return Err(WalkError::TooLong { seconds });
        }
        Ok((seconds * self.settings.fps).ceil() as usize + 1)
    }

    /// Returns the time of a frame, seconds since the segment began. Other times of a segment count in the same way.
    pub fn time(&self, frame: usize) -> f64 {
        (self.skipped + frame) as f64 / self.settings.fps
    }

    /// Returns the index of the frame nearest to `time` (seconds), clamped to `count` frames. Skipped frames count.
    pub fn frame_at(&self, time: f64, count: usize) -> usize {
        ((time * self.settings.fps).round() as usize).min(count.saturating_sub(1))
    }

    /// Returns the speed of the gaits at `time` (seconds), m/s. It is measured in the ground plane, or along the slope
    /// for bodies on four legs.
    pub(crate) fn gait_speed(&self, time: f64) -> f64 {
        let (distance, speed) = self.profile.at(time);
        if pitch::follows_slope(self.input) {
            speed / pitch::ground_speed_ratio(self.path.slope(distance))
        } else {
            speed
        }
    }

    /// Returns the end of the last clip, seconds since the segment began.
    pub fn ends(&self) -> f64 {
        let tail = self.stop_clip.map_or(0.0, |stop| stop.source.clip.duration - stop.curve.time_for(0.0));
        self.profile.stop.ends + tail
    }

    /// Returns the distance from the start of braking to the goal, metres.
    pub(crate) fn braking_distance(&self) -> f64 {
        self.profile.stop.goal - self.profile.stop.distance
    }

    /// Returns the stop clip's time (seconds) at which its remaining distance equals the braking distance. It is the first
    /// frame if the clip is too short.
    pub fn entry_time(&self, stop: &TransitionClip) -> f64 {
        stop.curve.time_for(self.braking_distance())
    }

    /// Moves a pose over the origin to its position on the path.
    pub fn move_to_path(&self, frame: usize, pose: &mut Pose) {
        let (s, _) = self.profile.at(self.time(frame));
        let position = self.path.position(s) / self.input.metres_per_unit;
        let turn = DAffine3::from_rotation_y(self.heading(frame) - yaw(self.carrier.front));
        move_body(self.input.skeleton, self.carrier, &(DAffine3::from_translation(position) * turn), pose);
    }

    /// Samples the gait blend of `frame` over the origin. `time` (seconds since the segment began) is that of the idle clip
    /// in it.
    pub(crate) fn gait_pose(&self, frame: &GaitFrame, time: f64, pose: &mut Pose) {
        self.blend_pose(&frame.blend, frame.phase, time, pose);
        if frame.fade > 0.0 {
            let mut other = Pose::default();
            self.blend_pose(&frame.before, frame.phase, time, &mut other);
            mix_into(pose, &other, frame.fade as f32);
        }
        self.add_idle(frame.rest, time, pose);
    }
    /// Samples a blend of two gaits at `phase` (cycles), or of a gait and the idle clip at `time` (seconds since the segment
    /// began), over the origin.
    fn blend_pose(&self, blend: &GaitBlend, phase: f64, time: f64, pose: &mut Pose) {
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

    /// Blends the idle clip into `pose` with `weight`, 0…1.
    pub(super) fn add_idle(&self, weight: f64, time: f64, pose: &mut Pose) {
        if weight > 0.0 {
            let mut idle = Pose::default();
            self.idle_pose(time, &mut idle);
            mix_into(pose, &idle, weight as f32);
        }
    }

    /// Samples the idle clip over the origin at `time` (seconds since the segment began).
    pub(crate) fn idle_pose(&self, time: f64, pose: &mut Pose) {
        let clip = ((self.begins + time) * self.idle_rate).rem_euclid(self.clips.idle.clip.duration.max(1e-3));
        self.clips.idle.sample(self.input.skeleton, self.carrier, clip, pose);
    }

    /// True if clips with more than half of the weight plant the leg.
    pub(super) fn is_planted_in_gait(&self, leg: usize, frame: &GaitFrame) -> bool {
        let planted = |gait: usize| f64::from(u8::from(self.clips.gaits[gait].is_planted(leg, frame.phase)));
        let share = |blend: &GaitBlend| {
            let other = blend.low.map_or(1.0, planted);
            planted(blend.high) * blend.weight + other * (1.0 - blend.weight)
        };
        let now = share(&frame.blend);
        (if frame.fade > 0.0 { now + (share(&frame.before) - now) * frame.fade } else { now }) > 0.5
    }
}

/// True if the stop clip can end the walk along `path`: its speed at the entry is close to the character's, and the
/// rest of the path is nearly straight.
fn stop_fits(stop: &TransitionClip, path: &SmoothPath, profile: &SpeedProfile) -> bool {
    const PLAY_RATE_RANGE: [f64; 2] = [0.5, 1.8];
    const MAX_BEND_RADIANS: f64 = 0.35;
    let braking_distance = profile.stop.goal - profile.stop.distance;
    let rate = profile.stop.speed / stop.speed_at(stop.curve.time_for(braking_distance)).max(1e-6);
    // A stop much longer than the clip would be stretched into a glide.
    let fits =
        (PLAY_RATE_RANGE[0]..=PLAY_RATE_RANGE[1]).contains(&rate) && braking_distance <= 2.0 * stop.curve.length();
    let last = path.heading(profile.stop.goal);
    let samples = (0..=8).map(|i| path.heading(profile.stop.distance + braking_distance * f64::from(i) / 8.0));
    fits && samples.map(|heading| (heading - last).abs()).fold(0.0, f64::max) < MAX_BEND_RADIANS
}
