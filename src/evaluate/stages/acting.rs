//! A stage that is taken in part: within a span alone, with an influence below 1, or both. Where it acts in full is what it makes,
//! where it does not what came in, between them the two are mixed.

use std::sync::Arc;

use crate::anim::pose_keys::{PoseSpan, write_poses};
use crate::anim::root_motion::frame_times;
use crate::anim::{Clip, Pose, Skeleton};
use crate::document::Span;
use crate::document::keyed::INFLUENCE;
use crate::evaluate::inputs::StageInput;
use crate::evaluate::{BuiltTake, StageResult, TakeError};
use crate::math::key_curve::KeyCurve;
use crate::math::mean::{angle_between, slerp};
use crate::message::{Message, message};

/// Degrees that a joint may turn at once at an edge before it is told.
const JUMP: f64 = 5.0;

/// How much of a stage is taken, when.
#[derive(Clone, Copy, Debug)]
pub(super) struct Acting<'a> {
    span: Option<Span>,
    influence: f64,
    /// Takes the place of `influence` where it has keys.
    over_time: Option<&'a KeyCurve>,
}

impl<'a> Acting<'a> {
    /// As `stage` says.
    pub fn of(stage: &'a StageInput) -> Self {
        Self { span: stage.kind.span(), influence: stage.influence, over_time: stage.curve(INFLUENCE) }
    }

    /// Whether it is taken in full, always.
    pub fn is_whole(&self) -> bool {
        let whole = |influence: f64| influence >= 1.0;
        self.span.is_none() && self.over_time.map_or(whole(self.influence), |curve| curve.all(whole))
    }

    /// The share at `time` seconds of what comes in, 0…1.
    fn weight(&self, time: f64) -> f64 {
        let influence = self.over_time.and_then(|curve| curve.at(time)).unwrap_or(self.influence);
        // What is not a number counts as 0.
        let influence = if influence > 0.0 { influence.min(1.0) } else { 0.0 };
        influence * self.span.map_or(1.0, |span| span.weight(time))
    }

    /// The same for a frame; one on an edge is that of what came in, but for the ends of the motion.
    fn weight_of_frame(&self, time: f64, end: f64) -> f64 {
        let is_edge = |span: Span| time <= span.start && time > 0.0 || time >= span.end && time < end;
        if self.span.is_some_and(is_edge) { 0.0 } else { self.weight(time) }
    }
}

/// Leaves of what the last stage made of `before` only what is taken, and of its figures those that speak of it.
pub(super) fn limit(
    acting: &Acting,
    before: &Clip,
    built: &mut BuiltTake,
    result: &mut StageResult,
) -> Result<(), TakeError> {
    let skeleton = &built.character.model.skeleton;
    let mut frames = frames(before, &built.clip, built.fps);
    let mut acting = *acting;
    if let Some(span) = &mut acting.span {
        if !span.is_good() {
            return Err(TakeError::BadSpan { start: span.start, end: span.end });
        }
        (span.start, span.end) = (put(span.start, &mut frames), put(span.end, &mut frames));
        built.warnings.extend(hard_edges(span, skeleton, [before, &built.clip]));
    }
    // Where the influence turns is a frame too.
    let keys = acting.over_time.into_iter().flat_map(|curve| curve.keys());
    keys.filter(|key| key.time >= 0.0).for_each(|key| {
        put(key.time, &mut frames);
    });
    built.clip = Arc::new(taken(&acting, skeleton, [before, &built.clip], &frames));
    if let StageResult::Layer(layered) = result {
        let layered = Arc::make_mut(layered);
        // As keys hold frames.
        layered.keep_frames(&|time| acting.weight(f64::from(time as f32)) > 0.0, built.fps);
    }
    if let StageResult::Dynamics(swung) = result {
        Arc::make_mut(swung).keep_steps(&|time| acting.weight(time) > 0.0);
    }
    Ok(())
}

/// What jumps at the edges that have no fade.
fn hard_edges(span: &Span, skeleton: &Skeleton, [before, after]: [&Clip; 2]) -> Vec<Message> {
    let inside = |time: f64| time > 0.0 && time < before.duration;
    let edges = [(span.start, span.fade_in), (span.end, span.fade_out)].into_iter();
    let hard = edges.filter(|&(time, fade)| fade <= 0.0 && inside(time));
    let told = hard.filter_map(|(time, _)| {
        let [from, to] = [before, after].map(|clip| clip.pose_at(skeleton, time));
        let turn = |joint: usize| angle_between(from.locals[joint].rotation, to.locals[joint].rotation).to_degrees();
        let turns = (0..skeleton.len()).map(|joint| (turn(joint), joint));
        let (degrees, joint) = turns.max_by(|a, b| a.0.total_cmp(&b.0)).filter(|worst| worst.0 > JUMP)?;
        let told = message!(
            "warning.stage.hard_edge",
            "At %{time} s, an edge of its span, this stage turns “%{joint}” by %{degrees}° at once. Give the edge a fade.",
            time = format!("{time:.2}"),
            joint = &skeleton.joints[joint].name,
            degrees = format!("{degrees:.0}")
        );
        Some(told.at(time, Some(joint)))
    });
    told.collect()
}

/// The frames of `before`, those that `after` has keys at among them.
fn frames(before: &Clip, after: &Clip, fps: f64) -> Vec<f64> {
    let joints = || 0..before.tracks.len();
    let mut times = frame_times(before, joints(), fps);
    times.extend(frame_times(after, joints(), fps));
    times.sort_by(f64::total_cmp);
    times.dedup();
    times
}

/// The frame at `time`, one more where there is none.
fn put(time: f64, frames: &mut Vec<f64>) -> f64 {
    // Keys are f32: this near to a frame it is the frame that was meant.
    const SAME: f64 = 1e-4;
    let next = frames.partition_point(|&frame| frame < time);
    let near = frames[next.saturating_sub(1)..].iter().take(2).find(|&&frame| (frame - time).abs() <= SAME);
    if let Some(&frame) = near {
        return frame;
    }
    let time = f64::from(time as f32);
    if next < frames.len() {
        frames.insert(next, time);
    }
    time
}

/// `before` with as much of `after` as is taken.
fn taken(acting: &Acting, skeleton: &Skeleton, [before, after]: [&Clip; 2], frames: &[f64]) -> Clip {
    let mut made = before.clone();
    let end = frames.last().copied().unwrap_or(0.0);
    let weight = |time: f64| acting.weight_of_frame(time, end);
    let acts: Vec<usize> = (0..frames.len()).filter(|&frame| weight(frames[frame]) > 0.0).collect();
    let (Some(first), Some(last)) = (acts.first(), acts.last()) else { return made };
    // The frames beside it belong to it, so that what lies beyond them keeps its values between frames too.
    let (first, last) = (first.saturating_sub(1), (last + 1).min(frames.len() - 1));
    let pose = |&time: &f64| {
        let incoming = before.pose_at(skeleton, time);
        mixed(incoming, &after.pose_at(skeleton, time), weight(time) as f32)
    };
    let poses: Vec<Pose> = frames[first..=last].iter().map(pose).collect();
    write_poses(skeleton, &mut made, &PoseSpan { times: frames, first, poses: &poses });
    made
}

fn mixed(mut from: Pose, to: &Pose, weight: f32) -> Pose {
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
    fn frames_on_an_edge_are_what_came_in_but_for_the_ends_of_the_motion() {
        let span = Some(Span { start: 0.0, end: 2.0, fade_in: 0.0, fade_out: 0.0 });
        let acting = Acting { span, influence: 0.5, over_time: None };
        assert_eq!([0.0, 1.0, 2.0, 2.5].map(|time| acting.weight_of_frame(time, 3.0)), [0.5, 0.5, 0.0, 0.0]);
        assert_eq!(acting.weight_of_frame(2.0, 2.0), 0.5);
        let later = Acting { span: span.map(|span| Span { start: 1.0, ..span }), ..acting };
        assert_eq!([0.0, 1.0, 1.5].map(|time| later.weight_of_frame(time, 3.0)), [0.0, 0.0, 0.5]);
    }
}
