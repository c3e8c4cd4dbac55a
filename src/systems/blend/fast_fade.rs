//! Fades that are too short for how far joints have to turn in them: they look like jumps, though no frame of them is one.

use serde::Serialize;

use super::clip_bank::ClipBank;
use super::timeline::{CompiledTimeline, TimelineSegment};
use super::transitions::Ramp;
use super::{Built, Plan, Scratch};
use crate::anim::{Clip, Pose, Skeleton};
use crate::math::mean::angle_between;

/// Radians a second that a joint may always turn in a fade: what a quick strike has.
const QUICK: f64 = 15.0;

/// How much faster than in the clips a joint may turn in a fade.
const FASTER: f64 = 1.25;

/// A fade that turns a joint faster than its clips ever do.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FastFade {
    /// When the event begins that fades, seconds.
    pub time: f64,
    /// The joint that turns too fast by the largest factor.
    pub joint: String,
    /// Radians between where it is at the event and at the end of the fade.
    pub angle: f64,
    /// Seconds the fade lasts.
    pub lasts: f64,
    /// Radians a second at its fastest.
    pub speed: f64,
    /// Seconds in which it would be about no faster than it may be.
    pub enough: f64,
}

impl Built {
    /// The fades of a scenario that are too short, in order of time, one per event at most. Cuts are meant to be cuts.
    pub fn fast_fades(&self) -> Vec<FastFade> {
        let Plan::Timeline { timeline, .. } = &self.plan else { return Vec::new() };
        let speeds: Vec<Vec<f64>> = self.bank.clips.iter().map(|clip| speeds(&self.bank.skeleton, clip)).collect();
        let found = |index: usize| fast_fade(&self.bank, timeline, index, &limits(timeline, index, &speeds));
        (0..timeline.segments.len()).filter_map(found).collect()
    }
}

/// Per joint the radians a second that the fade which begins with the `index`-th segment may turn it, by the clips that play in
/// it; `speeds` are those of every clip.
fn limits(timeline: &CompiledTimeline, index: usize, speeds: &[Vec<f64>]) -> Vec<f64> {
    let mut limits = vec![QUICK; timeline.upper_body.len()];
    for clip in timeline.clips_from(index) {
        limits.iter_mut().zip(&speeds[clip]).for_each(|(limit, speed)| *limit = limit.max(FASTER * speed));
    }
    limits
}

/// Per joint the radians a second that it turns at its fastest in `clip`.
fn speeds(skeleton: &Skeleton, clip: &Clip) -> Vec<f64> {
    let fps = clip.fps();
    let mut fastest = vec![0.0_f64; skeleton.len()];
    let count = (clip.duration * fps).round().clamp(0.0, 1e5) as u32;
    let mut before = clip.pose_at(skeleton, 0.0);
    for frame in 1..=count {
        let now = clip.pose_at(skeleton, f64::from(frame) / fps);
        for (joint, most) in fastest.iter_mut().enumerate() {
            *most = most.max(turn(&before, &now, joint) * fps);
        }
        before = now;
    }
    fastest
}

/// Samples a second at which a fade is looked at.
const RATE: f64 = 120.0;

/// The fade that begins with the `index`-th segment, where it turns a joint faster than its limit.
fn fast_fade(bank: &ClipBank, timeline: &CompiledTimeline, index: usize, limits: &[f64]) -> Option<FastFade> {
    let segment = &timeline.segments[index];
    let lasts = lasts(segment)?;
    let next = timeline.segments.get(index + 1).map_or(f64::INFINITY, |next| next.start);
    let count = (lasts.min(next - segment.start) * RATE).ceil().clamp(0.0, 1e5) as u32;
    let (mut scratch, mut worst) = (Scratch::default(), (0.0, 0, 0.0));
    let mut pose_at = |time: f64| {
        let mut pose = Pose::rest(&bank.skeleton);
        timeline.sample(bank, time, &mut scratch, &mut pose);
        pose
    };
    // At the very event another clip may begin: what plays from it on is looked at.
    let first = pose_at(segment.start);
    let mut before = first.clone();
    for sample in 1..=count {
        let now = pose_at(segment.start + f64::from(sample) / RATE);
        for (joint, limit) in limits.iter().enumerate() {
            let speed = turn(&before, &now, joint) * RATE;
            if speed / limit > worst.0 {
                worst = (speed / limit, joint, speed);
            }
        }
        before = now;
    }
    let (beyond, joint, speed) = worst;
    (beyond > 1.0).then(|| FastFade {
        time: segment.start,
        joint: bank.skeleton.joints[joint].name.clone(),
        angle: turn(&first, &before, joint),
        lasts,
        speed,
        enough: lasts * beyond,
    })
}

/// Seconds that the longest fade lasts that begins with `segment`; `None` where none does.
pub(super) fn lasts(segment: &TimelineSegment) -> Option<f64> {
    let stacks = [&segment.whole_body, &segment.upper_body].into_iter().filter_map(|stack| stack.last());
    let weights = segment.weight.iter().flat_map(|ramps| [ramps.upper, ramps.lower]);
    let begins = |ramp: &Ramp| ramp.start == segment.start && ramp.length > 0.0 && ramp.from != ramp.to;
    let ramps = stacks.map(|top| top.fade).chain(weights).filter(begins);
    ramps.map(|ramp| ramp.length).reduce(f64::max)
}

fn turn(a: &Pose, b: &Pose, joint: usize) -> f64 {
    angle_between(a.locals[joint].rotation, b.locals[joint].rotation)
}
