//! Detects fades that are too short for the rotation they cause. They look like pops, although no single frame jumps.

use serde::Serialize;

use super::transitions::Ramp;
use crate::clips::clip_bank::ClipBank;
use crate::standard::timeline::{CompiledTimeline, TimelineSegment};
use crate::{Built, Plan, Scratch};
use portamento_anim::math::mean::angle_between;
use portamento_anim::{Clip, Pose, Skeleton};

/// Angular speed in radians per second that is always allowed in a fade. Chosen as that of a quick strike.
const ALLOWED_RADIANS_PER_SECOND: f64 = 15.0;

/// Allowed speed in a fade, relative to the fastest speed in its clips. Tuned; no derivation recorded.
const CLIP_SPEED_FACTOR: f64 = 1.25;

/// A fade that turns a joint faster than its clips do.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FastFade {
    /// Time of the event that starts the fade, seconds.
    pub time: f64,
    /// Name of the joint that exceeds its limit by the largest factor.
    pub joint: String,
    /// Angle in radians between the joint's local rotations at the start of the fade and at its end, or at the next event if
    /// that is earlier.
    pub angle: f64,
    /// Duration of the fade, seconds.
    pub lasts: f64,
    /// Largest angular speed of the joint during the fade, radians per second.
    pub speed: f64,
    /// Approximate duration in seconds with which the fade would stay within the limit.
    pub enough: f64,
}

impl Built {
    /// Returns the fades of a scenario that turn a joint faster than a fixed limit and faster than its clips do, in order of
    /// time, at most one per event. Cuts are ignored. The result is empty for a drawn tree.
    pub fn fast_fades(&self) -> Vec<FastFade> {
        let Plan::Timeline(timeline) = &self.plan else { return Vec::new() };
        let speeds: Vec<Vec<f64>> = self.bank.clips.iter().map(|clip| speeds(&self.bank.skeleton, clip)).collect();
        let fast_fade_at = |index: usize| fast_fade(&self.bank, timeline, index, &limits(timeline, index, &speeds));
        (0..timeline.segments.len()).filter_map(fast_fade_at).collect()
    }
}

/// Returns the angular speed limit of each joint in radians per second for the fade that starts at segment `index`. `speeds` are
/// the fastest speeds in each clip.
fn limits(timeline: &CompiledTimeline, index: usize, speeds: &[Vec<f64>]) -> Vec<f64> {
    let mut limits = vec![ALLOWED_RADIANS_PER_SECOND; timeline.upper_body.len()];
    for clip in timeline.clips_from(index) {
        limits.iter_mut().zip(&speeds[clip]).for_each(|(limit, speed)| *limit = limit.max(CLIP_SPEED_FACTOR * speed));
    }
    limits
}

/// Returns the fastest angular speed of each joint in `clip` relative to its parent, radians per second.
fn speeds(skeleton: &Skeleton, clip: &Clip) -> Vec<f64> {
    let fps = clip.fps();
    let mut fastest = vec![0.0_f64; skeleton.len()];
    let count = (clip.duration * fps).round().clamp(0.0, 1e5) as u32;
    let mut before = clip.pose_at(skeleton, 0.0);
    for frame in 1..=count {
        let now = clip.pose_at(skeleton, f64::from(frame) / fps);
        for (joint, speed) in fastest.iter_mut().enumerate() {
            *speed = speed.max(angle(&before, &now, joint) * fps);
        }
        before = now;
    }
    fastest
}

/// Sampling rate for fades, samples per second.
const SAMPLES_PER_SECOND: f64 = 120.0;

/// Returns the fade that starts at segment `index` if it turns a joint faster than its limit. `limits` are radians per
/// second, one for each joint. `None` if it does not, or if no fade starts there.
fn fast_fade(bank: &ClipBank, timeline: &CompiledTimeline, index: usize, limits: &[f64]) -> Option<FastFade> {
    let segment = &timeline.segments[index];
    let duration = fade_duration(segment)?;
    let next = timeline.segments.get(index + 1).map_or(f64::INFINITY, |next| next.start);
    let count = (duration.min(next - segment.start) * SAMPLES_PER_SECOND).ceil().clamp(0.0, 1e5) as u32;
    let (mut scratch, mut worst) = (Scratch::default(), (0.0, 0, 0.0));
    let mut pose_at = |time: f64| {
        let mut pose = Pose::rest(&bank.skeleton);
        timeline.sample(bank, time, &mut scratch, &mut pose);
        pose
    };
    // Sampling starts exactly at the event, since another clip may begin there.
    let first = pose_at(segment.start);
    let mut before = first.clone();
    for sample in 1..=count {
        let now = pose_at(segment.start + f64::from(sample) / SAMPLES_PER_SECOND);
        for (joint, limit) in limits.iter().enumerate() {
            let speed = angle(&before, &now, joint) * SAMPLES_PER_SECOND;
            if speed / limit > worst.0 {
                worst = (speed / limit, joint, speed);
            }
        }
        before = now;
    }
    let (excess, joint, speed) = worst;
    (excess > 1.0).then(|| FastFade {
        time: segment.start,
        joint: bank.skeleton.joints[joint].name.clone(),
        angle: angle(&first, &before, joint),
        lasts: duration,
        speed,
        enough: duration * excess,
    })
}

/// Returns the duration in seconds of the longest fade that starts at `segment`, or `None` if there is none.
pub(super) fn fade_duration(segment: &TimelineSegment) -> Option<f64> {
    let stacks = [&segment.whole_body, &segment.upper_body].into_iter().filter_map(|stack| stack.last());
    let weights = segment.weight.iter().flat_map(|ramps| [ramps.upper, ramps.lower]);
    let begins = |ramp: &Ramp| ramp.start == segment.start && ramp.length > 0.0 && ramp.from != ramp.to;
    let ramps = stacks.map(|top| top.fade).chain(weights).filter(begins);
    ramps.map(|ramp| ramp.length).reduce(f64::max)
}

/// Returns the angle between the local rotations of `joint` in two poses, radians.
fn angle(a: &Pose, b: &Pose, joint: usize) -> f64 {
    angle_between(a.locals[joint].rotation, b.locals[joint].rotation)
}
