//! In which phase the gaits are at each frame: in step with the ground, and meeting what comes before and after them.

use std::ops::Range;

use super::gait::blend_at;
use super::pose_match::{limbs, pose_distance};
use super::segment::{GaitFrame, Segment};
use super::slope_sets::SlopeSelector;
use super::start_transition::StartTransition;
use super::transition_clip::TransitionClip;
use crate::anim::Pose;
use crate::math::easing::Easing;

/// The blend and the phase at `count` frames, the phase from 0 on in step with the ground.
pub(super) fn in_step(segment: &Segment, count: usize) -> Vec<GaitFrame> {
    // Finer than a frame, as weight and stride change within one.
    const FINE: usize = 4;
    let (gaits, sets) = (&segment.clips.gaits, &segment.clips.slopes);
    let blend = |set: usize, speed: f64| blend_at(gaits, &sets[set].gaits, speed, segment.settings);
    let mut under = SlopeSelector::new(sets, segment.path.slope(0.0));
    let step = 1.0 / (segment.settings.fps * FINE as f64);
    let mut phase = 0.0;
    (0..count)
        .map(|frame| {
            let start = segment.time(frame);
            let place = segment.profile.at(start).0;
            let speed = segment.gait_speed(start);
            under.step(sets, segment.path.slope(place), start);
            let fade = under.fade(start);
            let now = GaitFrame {
                blend: blend(under.now, speed),
                before: blend(under.before, speed),
                fade,
                phase,
                rest: 0.0,
            };
            for part in 0..FINE {
                let speed = segment.gait_speed(start + (part as f64 + 0.5) * step);
                let cadence = |set: usize| blend(set, speed).cadence(speed, gaits);
                let (to, from) = (cadence(under.now), cadence(under.before));
                // Strides are mixed, so it is the time of a cycle that goes from one to the other.
                let blended = fade > 0.0 && to > 0.0 && from > 0.0;
                let cadence = if blended { 1.0 / ((1.0 - fade) / to + fade / from) } else { to };
                phase += cadence * step;
            }
            now
        })
        .collect()
}

/// `frames` shifted in phase so that the stop clip is met in the phase whose pose is nearest to its entry pose.
pub(super) fn meeting_the_clip(segment: &Segment, stop: &TransitionClip, frames: Vec<GaitFrame>) -> Vec<GaitFrame> {
    let at = segment.profile.stop.begins;
    let mut target = Pose::default();
    stop.source.sample(segment.input.skeleton, segment.carrier, segment.entry_time(stop), &mut target);
    let frame = frames[segment.frame(at, frames.len())];
    let shift = nearest_phase(segment, &frame, at, &target) - frame.phase;
    shifted(frames, shift)
}

/// `frames`, their phases `cycles` later.
pub(super) fn shifted(mut frames: Vec<GaitFrame>, cycles: f64) -> Vec<GaitFrame> {
    frames.iter_mut().for_each(|frame| frame.phase += cycles);
    frames
}

/// `frames` led from the start: the gaits begin in the phase the start clip ends in, or with a foot that lifts. From
/// `fixed_from` (seconds) on phases stay.
pub(super) fn from_the_start(
    segment: &Segment,
    start: Option<&StartTransition>,
    fixed_from: f64,
    frames: Vec<GaitFrame>,
) -> Vec<GaitFrame> {
    let count = frames.len();
    let fixed = segment.frame(fixed_from, count);
    match (start, &segment.clips.start) {
        (Some(start), Some(clip)) => {
            let mut target = Pose::default();
            clip.source.sample(segment.input.skeleton, segment.carrier, clip.source.clip.duration, &mut target);
            let first = segment.frame(start.ends, count);
            let wanted = nearest_phase(segment, &frames[first], start.ends, &target);
            let turn = to_phase(frames[first].phase, [wanted]);
            turned_until(segment, frames, first..fixed, turn)
        }
        _ => {
            let frames = risen(segment, frames);
            let moving = |frame: &GaitFrame| frame.blend.low.is_some() || frame.blend.weight > 0.5;
            let Some(first) = frames.iter().position(moving) else { return frames };
            let lifts = (0..segment.input.legs().len()).map(|leg| segment.clips.plain().lifts(leg));
            let turn = to_phase(frames[first].phase, lifts);
            turned_until(segment, frames, first..fixed, turn)
        }
    }
}

/// Cycles from `phase` to the nearest of the wanted ones, -½…½; 0 where there are none.
fn to_phase(phase: f64, wanted: impl IntoIterator<Item = f64>) -> f64 {
    let turn = |wanted: f64| (wanted - phase + 0.5).rem_euclid(1.0) - 0.5;
    wanted.into_iter().map(turn).min_by(|a, b| a.abs().total_cmp(&b.abs())).unwrap_or(0.0)
}

/// Lets the standing pose go over into the gaits, which begin within a tenth of a second when the character speeds up fast.
fn risen(segment: &Segment, mut frames: Vec<GaitFrame>) -> Vec<GaitFrame> {
    const RISE: f64 = 0.35;
    let risen = segment.frame(RISE, frames.len());
    for (i, frame) in frames.iter_mut().enumerate().take(risen) {
        frame.rest = frame.rest.max(1.0 - Easing::Smoothstep.at(segment.time(i) / RISE));
    }
    frames
}

/// Changes the phase at the first of `over` by `turn` cycles, or as far as the play rates and a tenth of the cadence allow,
/// evenly made up for until the end of `over`.
fn turned_until(segment: &Segment, mut frames: Vec<GaitFrame>, over: Range<usize>, turn: f64) -> Vec<GaitFrame> {
    let (first, last) = (over.start, over.end);
    let cycles = frames[last].phase - frames[first].phase;
    if last <= first || cycles < 0.5 {
        return frames;
    }
    let [slowest, fastest] = segment.settings.play_rates;
    let factor = (1.0 - turn / cycles).clamp(0.9, 1.1);
    let (mut after, mut phase) = (frames[last].phase, frames[last].phase);
    for frame in frames[..last].iter_mut().rev() {
        let rate = frame.blend.rate;
        let factor = factor.clamp((slowest / rate).min(1.0), (fastest / rate).max(1.0));
        phase -= (after - frame.phase) * factor;
        after = frame.phase;
        frame.phase = phase;
        frame.blend.rate *= factor;
    }
    frames
}

/// The phase in which the gaits of `step` are nearest to `target`.
fn nearest_phase(segment: &Segment, step: &GaitFrame, time: f64, target: &Pose) -> f64 {
    let limbs = limbs(segment.input);
    let distance = |k: usize| {
        let mut pose = Pose::default();
        segment.gait_pose(&GaitFrame { phase: k as f64 / 64.0, ..*step }, time, &mut pose);
        pose_distance(segment.input, &limbs, &pose, target)
    };
    let distances: Vec<f64> = (0..64).map(distance).collect();
    let best = (0..64).min_by(|&a, &b| distances[a].total_cmp(&distances[b])).unwrap_or(0);
    best as f64 / 64.0
}
