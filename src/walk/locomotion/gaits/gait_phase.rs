//! Gait phase of each frame: in step with the ground, and aligned with the clips before and after.

use std::ops::Range;

use super::gait::blend_at;
use super::slope_sets::SlopeSelector;
use crate::locomotion::clips::transition_clip::TransitionClip;
use crate::locomotion::segments::pose_match::{limbs, pose_distance};
use crate::locomotion::segments::segment::{GaitFrame, Segment};
use crate::locomotion::segments::start_transition::StartTransition;
use portamento_anim::Pose;
use portamento_anim::math::easing::Easing;

/// Returns blend and phase at `count` frames; the phase starts at 0 and advances with the distance.
pub(crate) fn distance_phased(segment: &Segment, count: usize) -> Vec<GaitFrame> {
    // Substeps per frame, as weight and stride change within one.
    const SUBSTEPS: usize = 4;
    let (gaits, sets) = (&segment.clips.gaits, &segment.clips.slopes);
    let blend = |set: usize, speed: f64| blend_at(gaits, &sets[set].gaits, speed, segment.settings);
    let mut selector = SlopeSelector::new(sets, segment.path.slope(0.0));
    let step = 1.0 / (segment.settings.fps * SUBSTEPS as f64);
    let mut phase = 0.0;
    (0..count)
        .map(|frame| {
            let start = segment.time(frame);
            let distance = segment.profile.at(start).0;
            let speed = segment.gait_speed(start);
            selector.step(sets, segment.path.slope(distance), start);
            let fade = selector.fade(start);
            let now = GaitFrame {
                blend: blend(selector.now, speed),
                before: blend(selector.before, speed),
                fade,
                phase,
                rest: 0.0,
            };
            for part in 0..SUBSTEPS {
                let speed = segment.gait_speed(start + (part as f64 + 0.5) * step);
                let cadence = |set: usize| blend(set, speed).cadence(speed, gaits);
                let (to, from) = (cadence(selector.now), cadence(selector.before));
                // Strides are blended, so the cycle's duration is interpolated.
                let blended = fade > 0.0 && to > 0.0 && from > 0.0;
                let cadence = if blended { 1.0 / ((1.0 - fade) / to + fade / from) } else { to };
                phase += cadence * step;
            }
            now
        })
        .collect()
}

/// Shifts the phases of `frames` so that the stop clip is entered at the phase whose pose is nearest to its entry
/// pose.
pub(crate) fn align_to_stop_clip(segment: &Segment, stop: &TransitionClip, frames: Vec<GaitFrame>) -> Vec<GaitFrame> {
    let begins = segment.profile.stop.begins;
    let mut target = Pose::default();
    stop.source.sample(segment.input.skeleton, segment.carrier, segment.entry_time(stop), &mut target);
    let frame = frames[segment.frame_at(begins, frames.len())];
    let shift = nearest_phase(segment, &frame, begins, &target) - frame.phase;
    shift_phases(frames, shift)
}

/// Shifts the phases of `frames` so that the pose of the last one is nearest to `target`.
pub(crate) fn align_to_end(segment: &Segment, target: &Pose, frames: Vec<GaitFrame>) -> Vec<GaitFrame> {
    let Some(&last) = frames.last() else { return frames };
    let shift = nearest_phase(segment, &last, segment.time(frames.len() - 1), target) - last.phase;
    shift_phases(frames, shift)
}

/// Adds `cycles` to the phases of `frames`.
pub(crate) fn shift_phases(mut frames: Vec<GaitFrame>, cycles: f64) -> Vec<GaitFrame> {
    frames.iter_mut().for_each(|frame| frame.phase += cycles);
    frames
}

/// Aligns `frames` with the start: the gaits begin in the phase of the motion before, in that in which the start clip ends, or
/// with a foot that lifts. From `fixed_from` (seconds) on phases do not change.
pub(crate) fn align_to_start(
    segment: &Segment,
    start: Option<&StartTransition>,
    fixed_from: f64,
    frames: Vec<GaitFrame>,
) -> Vec<GaitFrame> {
    let count = frames.len();
    let fixed = segment.frame_at(fixed_from, count);
    match (start, &segment.clips.start) {
        _ if segment.joints[0].is_some() => {
            let (Some(joint), Some(first)) = (&segment.joints[0], frames.first()) else { return frames };
            let wanted = nearest_phase(segment, first, segment.time(0), &joint.pose);
            let turn = to_phase(first.phase, [wanted]);
            with_phase_shift(segment, frames, 0..fixed, turn)
        }
        (Some(start), Some(clip)) => {
            let mut target = Pose::default();
            clip.source.sample(segment.input.skeleton, segment.carrier, clip.source.clip.duration, &mut target);
            let first = segment.frame_at(start.ends, count);
            let wanted = nearest_phase(segment, &frames[first], start.ends, &target);
            let turn = to_phase(frames[first].phase, [wanted]);
            with_phase_shift(segment, frames, first..fixed, turn)
        }
        _ => {
            let frames = faded_from_idle(segment, frames);
            let moving = |frame: &GaitFrame| frame.blend.low.is_some() || frame.blend.weight > 0.5;
            let Some(first) = frames.iter().position(moving) else { return frames };
            let lifts = (0..segment.input.legs().len()).map(|leg| segment.clips.slowest_gait().lifts(leg));
            let turn = to_phase(frames[first].phase, lifts);
            with_phase_shift(segment, frames, first..fixed, turn)
        }
    }
}

/// Returns the difference in cycles from `phase` to the nearest of the wanted ones, -½…½; 0 if there are none.
fn to_phase(phase: f64, wanted: impl IntoIterator<Item = f64>) -> f64 {
    let turn = |wanted: f64| (wanted - phase + 0.5).rem_euclid(1.0) - 0.5;
    wanted.into_iter().map(turn).min_by(|a, b| a.abs().total_cmp(&b.abs())).unwrap_or(0.0)
}

/// Fades the idle pose into the gaits, which would begin within a tenth of a second at high acceleration.
fn faded_from_idle(segment: &Segment, mut frames: Vec<GaitFrame>) -> Vec<GaitFrame> {
    const FADE_SECONDS: f64 = 0.35;
    let end = segment.frame_at(FADE_SECONDS, frames.len());
    for (i, frame) in frames.iter_mut().enumerate().take(end) {
        frame.rest = frame.rest.max(1.0 - Easing::Smoothstep.at(segment.time(i) / FADE_SECONDS));
    }
    frames
}

/// Changes the phase at the first of `over` by `turn` cycles, or as far as the play rates and a tenth of the cadence allow.
/// The change is spread evenly up to the end of `over`. Play rates change accordingly. Less than half a cycle is not changed.
/// Between two motions, where steps must fit at both ends, a fifth of the cadence is allowed.
fn with_phase_shift(segment: &Segment, mut frames: Vec<GaitFrame>, over: Range<usize>, turn: f64) -> Vec<GaitFrame> {
    let (first, last) = (over.start, over.end);
    let cycles = frames[last].phase - frames[first].phase;
    if last <= first || cycles < 0.5 {
        return frames;
    }
    let [slowest, fastest] = segment.settings.play_rates;
    let [least, most] = if segment.joints.iter().any(Option::is_some) { [0.8, 1.25] } else { [0.9, 1.1] };
    let factor = (1.0 - turn / cycles).clamp(least, most);
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

/// Returns the phase (0…1 cycle) in which the gaits of `step` at `time` (seconds of the segment) are nearest to `target`.
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
