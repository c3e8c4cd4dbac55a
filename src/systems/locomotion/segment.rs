//! One segment of a walk: a smooth path from standing to standing, the speed along it, and the clips it is walked with.

use glam::DAffine3;

use super::clip_roles::ClipSet;
use super::gait::GaitBlend;
use super::in_place_clip::{RootCarrier, move_body, yaw};
use super::lean::evened;
use super::speed_profile::SpeedProfile;
use super::transition_clip::TransitionClip;
use super::walk::mix_into;
use super::{Input, Settings, SmoothPath, WalkError, pitch, start_way};
use crate::anim::Pose;

/// Who walks, and how.
#[derive(Clone, Copy)]
pub(super) struct Rig<'a> {
    pub input: &'a Input<'a>,
    pub settings: &'a Settings,
    pub carrier: &'a RootCarrier,
}

/// What is known of a segment before anything is planned.
pub(super) struct Segment<'a> {
    pub input: &'a Input<'a>,
    pub settings: &'a Settings,
    pub carrier: &'a RootCarrier,
    pub clips: &'a ClipSet,
    pub path: SmoothPath,
    pub profile: SpeedProfile,
    /// Where the body looks at each frame, radians; it stays at the last one.
    pub headings: Vec<f64>,
    /// The clip it ends with, where that fits.
    pub stop_clip: Option<&'a TransitionClip>,
    /// When it begins in the whole walk, seconds.
    pub begins: f64,
    /// Frames before the first that is recorded.
    pub skipped: usize,
    /// How fast the standing clip plays.
    pub idle_rate: f64,
    /// Whether something goes on after it, so that it ends when the character stands.
    pub goes_on: bool,
}

/// What the gaits do in one frame.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct GaitFrame {
    pub blend: GaitBlend,
    /// What the ground before played at the same speed.
    pub before: GaitBlend,
    /// Its share over the blend, 0…1.
    pub fade: f64,
    /// Phase of the gait, cycles since the walk began; the fraction is where in the cycle it is.
    pub phase: f64,
    /// Share of the idle clip over the blend, 0…1.
    pub rest: f64,
}

/// Longest walk, seconds: a longer recording would not fit into memory beside its export.
pub(super) const LONGEST: f64 = 3600.0;
/// Seconds on either side over which the heading is evened: a body begins to turn before a bend.
const EVENED: f64 = 0.12;

impl<'a> Segment<'a> {
    /// What is known of walking `path` with `clips`, from `begins` (seconds) on.
    pub fn new(rig: Rig<'a>, clips: &'a ClipSet, path: SmoothPath, begins: f64, goes_on: bool) -> Self {
        let profile = start_way::profile(&path, rig.settings, clips);
        let stop_clip = clips.stop.as_ref().filter(|stop| stop_fits(stop, &path, &profile));
        Self { begins, goes_on, stop_clip, ..Self::with_profile(rig, clips, path, profile) }
    }

    /// Walking `path` as quick as `profile` says, from the beginning of the walk on and without start or stop clip.
    pub(super) fn with_profile(rig: Rig<'a>, clips: &'a ClipSet, path: SmoothPath, profile: SpeedProfile) -> Self {
        let Rig { input, settings, carrier } = rig;
        let count = (profile.stop.ends * settings.fps).ceil() as usize + 1;
        let along = |frame: usize| path.heading(profile.at(frame as f64 / settings.fps).0);
        let raw: Vec<f64> = (0..count).map(along).collect();
        let half = (EVENED * settings.fps).round() as usize;
        let headings = evened(&evened(&raw, half), half);
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
            goes_on: false,
        }
    }

    /// Leaves the frames before `first` out.
    pub fn skip(&mut self, first: usize) {
        self.skipped += first;
        self.headings.drain(..first.min(self.headings.len()));
    }

    /// Where the body looks at a frame, radians.
    pub fn heading(&self, frame: usize) -> f64 {
        self.headings.get(frame).or(self.headings.last()).copied().unwrap_or(0.0)
    }

    /// How many frames it takes at most, with what is recorded after its end.
    pub fn count(&self) -> Result<usize, WalkError> {
        let seconds = self.ends() + self.settings.rest;
        if seconds > LONGEST {
            return Err(WalkError::TooLong { seconds });
        }
        Ok((seconds * self.settings.fps).ceil() as usize + 1)
    }

    /// Time of a frame, seconds.
    pub fn time(&self, frame: usize) -> f64 {
        (self.skipped + frame) as f64 / self.settings.fps
    }

    /// The one of `count` frames that is nearest to a time, seconds.
    pub fn frame(&self, time: f64, count: usize) -> usize {
        ((time * self.settings.fps).round() as usize).min(count.saturating_sub(1))
    }

    /// How fast the gaits go at a time (seconds), m/s: seen from above, or along the ground where the body lies along it.
    pub(super) fn gait_speed(&self, time: f64) -> f64 {
        let (place, speed) = self.profile.at(time);
        if pitch::lies_along_ground(self.input) { speed / pitch::shortened(self.path.slope(place)) } else { speed }
    }

    /// When the last clip is over, seconds.
    pub fn ends(&self) -> f64 {
        let tail = self.stop_clip.map_or(0.0, |stop| stop.source.clip.duration - stop.curve.time_for(0.0));
        self.profile.stop.ends + tail
    }

    /// Metres from where braking begins to the goal.
    pub(super) fn braking_way(&self) -> f64 {
        self.profile.stop.goal - self.profile.stop.place
    }

    /// The stop clip's time at which it has as far to go as the braking way: the first where no frame is as far away.
    pub fn entry_time(&self, stop: &TransitionClip) -> f64 {
        stop.curve.time_for(self.braking_way())
    }

    /// Puts a pose over the spot on its place along the path.
    pub fn place(&self, frame: usize, pose: &mut Pose) {
        let (s, _) = self.profile.at(self.time(frame));
        let place = self.path.place(s) / self.input.metres_per_unit;
        let turn = DAffine3::from_rotation_y(self.heading(frame) - yaw(self.carrier.front));
        move_body(self.input.skeleton, self.carrier, &(DAffine3::from_translation(place) * turn), pose);
    }

    /// A blend of gaits over the spot.
    pub(super) fn gait_pose(&self, frame: &GaitFrame, time: f64, pose: &mut Pose) {
        self.blend_pose(&frame.blend, frame.phase, time, pose);
        if frame.fade > 0.0 {
            let mut other = Pose::default();
            self.blend_pose(&frame.before, frame.phase, time, &mut other);
            mix_into(pose, &other, frame.fade as f32);
        }
        self.add_idle(frame.rest, time, pose);
    }

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

    /// Gives the standing clip a share of a pose.
    pub(super) fn add_idle(&self, weight: f64, time: f64, pose: &mut Pose) {
        if weight > 0.0 {
            let mut idle = Pose::default();
            self.idle_pose(time, &mut idle);
            mix_into(pose, &idle, weight as f32);
        }
    }

    /// The standing clip over the spot.
    pub(super) fn idle_pose(&self, time: f64, pose: &mut Pose) {
        let clip = ((self.begins + time) * self.idle_rate).rem_euclid(self.clips.idle.clip.duration.max(1e-3));
        self.clips.idle.sample(self.input.skeleton, self.carrier, clip, pose);
    }

    /// Whether most of what is blended lets the leg stand.
    pub(super) fn stands_in_gait(&self, leg: usize, frame: &GaitFrame) -> bool {
        let stands = |gait: usize| f64::from(u8::from(self.clips.gaits[gait].is_planted(leg, frame.phase)));
        let share = |blend: &GaitBlend| {
            let other = blend.low.map_or(1.0, stands);
            stands(blend.high) * blend.weight + other * (1.0 - blend.weight)
        };
        let now = share(&frame.blend);
        (if frame.fade > 0.0 { now + (share(&frame.before) - now) * frame.fade } else { now }) > 0.5
    }
}

/// Whether a stop clip can end the walk along `path`: it is about as fast as the character where it is entered, so that it need
/// neither hurry nor wait, and what is left is about straight, as the clip is.
fn stop_fits(stop: &TransitionClip, path: &SmoothPath, profile: &SpeedProfile) -> bool {
    const RATES: [f64; 2] = [0.5, 1.8];
    const BENT: f64 = 0.35;
    let way = profile.stop.goal - profile.stop.place;
    let rate = profile.stop.speed / stop.speed_at(stop.curve.time_for(way)).max(1e-6);
    // A stop much longer than the clip would be stretched to a glide.
    let fits = (RATES[0]..=RATES[1]).contains(&rate) && way <= 2.0 * stop.curve.length();
    let last = path.heading(profile.stop.goal);
    let samples = (0..=8).map(|i| path.heading(profile.stop.place + way * f64::from(i) / 8.0));
    fits && samples.map(|heading| (heading - last).abs()).fold(0.0, f64::max) < BENT
}
