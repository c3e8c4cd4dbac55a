//! Partial application of a stage: within a time span, with an influence below 1, or both. Weight 1 is the stage's output, weight
//! 0 its input, and values between blend the two.

use std::sync::Arc;

use crate::document::Span;
use crate::document::keyed::INFLUENCE;
use crate::evaluate::inputs::StageInput;
use crate::evaluate::{BuiltTake, StageResult, TakeError};
use portamento_anim::math::key_curve::KeyCurve;
use portamento_anim::math::mean::{angle_between, slerp};
use portamento_anim::pose_keys::{PoseSpan, write_poses};
use portamento_anim::root_motion::frame_times;
use portamento_anim::{Clip, Pose, Skeleton};
use portamento_base::message::{Message, message};

/// Joint rotation above which a jump at a span edge without fade is reported, degrees. Tuned; no derivation recorded.
const JUMP_MIN_DEGREES: f64 = 5.0;

/// The weight of a stage over time.
#[derive(Clone, Copy, Debug)]
pub(super) struct StageWeight<'a> {
    span: Option<Span>,
    influence: f64,
    /// The keys of the influence, which override `influence`.
    influence_keys: Option<&'a KeyCurve>,
}

impl<'a> StageWeight<'a> {
    /// Returns the weight defined by `stage`.
    pub fn of(stage: &'a StageInput) -> Self {
        Self { span: stage.kind.span(), influence: stage.influence, influence_keys: stage.curve(INFLUENCE) }
    }

    /// True if the weight is always 1.
    pub fn is_full(&self) -> bool {
        let is_one = |influence: f64| influence >= 1.0;
        self.span.is_none() && self.influence_keys.map_or(is_one(self.influence), |curve| curve.all(is_one))
    }

    /// Returns the weight at `time` seconds of the input, 0…1.
    fn weight(&self, time: f64) -> f64 {
        let influence = self.influence_keys.and_then(|curve| curve.at(time)).unwrap_or(self.influence);
        // NaN and negative values count as 0.
        let influence = if influence > 0.0 { influence.min(1.0) } else { 0.0 };
        influence * self.span.map_or(1.0, |span| span.weight(time))
    }

    /// Returns the weight for a frame. A frame on a span edge has weight 0, except at the ends of the motion. Times are in
    /// seconds; `end` is the last frame.
    fn weight_of_frame(&self, time: f64, end: f64) -> f64 {
        let is_edge = |span: Span| time <= span.start && time > 0.0 || time >= span.end && time < end;
        if self.span.is_some_and(is_edge) { 0.0 } else { self.weight(time) }
    }
}

/// Blends the output of the last stage with its input `before`, and limits its report to the frames with weight. Span edges
/// without a fade that make joints jump give a warning. Returns `Err` if the span is invalid.
pub(super) fn limit(
    weighting: &StageWeight,
    before: &Clip,
    built: &mut BuiltTake,
    result: &mut StageResult,
) -> Result<(), TakeError> {
    let skeleton = &built.character.model.skeleton;
    let mut frames = frames(before, &built.clip, built.fps);
    let mut weighting = *weighting;
    if let Some(span) = &mut weighting.span {
        if !span.is_valid() {
            return Err(TakeError::BadSpan { start: span.start, end: span.end });
        }
        (span.start, span.end) = (frame_at(span.start, &mut frames), frame_at(span.end, &mut frames));
        built.warnings.extend(hard_edges(span, skeleton, [before, &built.clip]));
    }
    // Every influence key gets a frame.
    let keys = weighting.influence_keys.into_iter().flat_map(|curve| curve.keys());
    keys.filter(|key| key.time >= 0.0).for_each(|key| {
        frame_at(key.time, &mut frames);
    });
    built.clip = Arc::new(blended(&weighting, skeleton, [before, &built.clip], &frames));
    if let StageResult::Layer(layered) = result {
        let layered = Arc::make_mut(layered);
        // Key times are f32.
        layered.keep_frames(&|time| weighting.weight(f64::from(time as f32)) > 0.0, built.fps);
    }
    if let StageResult::Dynamics(swung) = result {
        Arc::make_mut(swung).clear_inactive_contacts(&|time| weighting.weight(time) > 0.0);
    }
    Ok(())
}

/// Returns warnings about jumps at span edges without a fade.
fn hard_edges(span: &Span, skeleton: &Skeleton, [before, after]: [&Clip; 2]) -> Vec<Message> {
    let inside = |time: f64| time > 0.0 && time < before.duration;
    let edges = [(span.start, span.fade_in), (span.end, span.fade_out)].into_iter();
    let hard = edges.filter(|&(time, fade)| fade <= 0.0 && inside(time));
    let warnings = hard.filter_map(|(time, _)| {
        let [from, to] = [before, after].map(|clip| clip.pose_at(skeleton, time));
        let turn = |joint: usize| angle_between(from.locals[joint].rotation, to.locals[joint].rotation).to_degrees();
        let turns = (0..skeleton.len()).map(|joint| (turn(joint), joint));
        let (degrees, joint) = turns.max_by(|a, b| a.0.total_cmp(&b.0)).filter(|worst| worst.0 > JUMP_MIN_DEGREES)?;
        let warning = message!(
            "warning.stage.hard_edge",
            "At %{time} s, an edge of the span, this stage makes “%{joint}” jump by %{degrees}°. Add a fade at that edge.",
            time = format!("{time:.2}"),
            joint = &skeleton.joints[joint].name,
            degrees = format!("{degrees:.0}")
        );
        Some(warning.at(time, Some(joint)))
    });
    warnings.collect()
}

/// Returns the frames of `before` together with all key times of `after`. They are in seconds, sorted, each once.
fn frames(before: &Clip, after: &Clip, fps: f64) -> Vec<f64> {
    let joints = || 0..before.tracks.len();
    let mut times = frame_times(before, joints(), fps);
    times.extend(frame_times(after, joints(), fps));
    times.sort_by(f64::total_cmp);
    times.dedup();
    times
}

/// Returns the frame at `time` (seconds), and inserts it if none exists. A time after the last frame is returned but not
/// inserted.
fn frame_at(time: f64, frames: &mut Vec<f64>) -> f64 {
    // Key times are f32, so frames within this tolerance are equal.
    const SAME_FRAME_SECONDS: f64 = 1e-4;
    let next = frames.partition_point(|&frame| frame < time);
    let existing =
        frames[next.saturating_sub(1)..].iter().take(2).find(|&&frame| (frame - time).abs() <= SAME_FRAME_SECONDS);
    if let Some(&frame) = existing {
        return frame;
    }
    let time = f64::from(time as f32);
    if next < frames.len() {
        frames.insert(next, time);
    }
    time
}

/// Returns `before` blended with `after` by the weight. Only frames with weight and their neighbours get keys. `frames` are
/// in seconds.
fn blended(weighting: &StageWeight, skeleton: &Skeleton, [before, after]: [&Clip; 2], frames: &[f64]) -> Clip {
    let mut clip = before.clone();
    let end = frames.last().copied().unwrap_or(0.0);
    let weight = |time: f64| weighting.weight_of_frame(time, end);
    let weighted: Vec<usize> = (0..frames.len()).filter(|&frame| weight(frames[frame]) > 0.0).collect();
    let (Some(first), Some(last)) = (weighted.first(), weighted.last()) else { return clip };
    // The neighbouring frames are included, so that values between frames outside the weighted range do not change.
    let (first, last) = (first.saturating_sub(1), (last + 1).min(frames.len() - 1));
    let pose = |&time: &f64| {
        let incoming = before.pose_at(skeleton, time);
        blended_pose(incoming, &after.pose_at(skeleton, time), weight(time) as f32)
    };
    let poses: Vec<Pose> = frames[first..=last].iter().map(pose).collect();
    write_poses(skeleton, &mut clip, &PoseSpan { times: frames, first, poses: &poses });
    clip
}

/// Returns the blend of `from` at weight 0 and `to` at weight 1. Other weights are clamped to 0…1.
fn blended_pose(mut from: Pose, to: &Pose, weight: f32) -> Pose {
    if weight <= 0.0 {
        return from;
    }
    if weight >= 1.0 {
        return to.clone();
    }
    for (local, other) in from.locals.iter_mut().zip(&to.locals) {
        if local != other {
            local.translation = local.translation.lerp(other.translation, weight);
            local.rotation = slerp(local.rotation, other.rotation, weight);
            local.scale = local.scale.lerp(other.scale, weight);
        }
    }
    from.morphs.iter_mut().zip(&to.morphs).for_each(|(morph, other)| *morph += (other - *morph) * weight);
    from
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_on_an_edge_are_the_input_except_at_the_ends_of_the_motion() {
        let span = Some(Span { start: 0.0, end: 2.0, fade_in: 0.0, fade_out: 0.0 });
        let weighting = StageWeight { span, influence: 0.5, influence_keys: None };
        assert_eq!([0.0, 1.0, 2.0, 2.5].map(|time| weighting.weight_of_frame(time, 3.0)), [0.5, 0.5, 0.0, 0.0]);
        assert_eq!(weighting.weight_of_frame(2.0, 2.0), 0.5);
        let later = StageWeight { span: span.map(|span| Span { start: 1.0, ..span }), ..weighting };
        assert_eq!([0.0, 1.0, 1.5].map(|time| later.weight_of_frame(time, 3.0)), [0.0, 0.0, 0.5]);
    }
}
