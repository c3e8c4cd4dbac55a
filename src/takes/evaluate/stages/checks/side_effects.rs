//! Automatic corrections whose result is worse than their input, by figures that they do not optimise: they are undone and
//! reported.

use std::sync::Arc;

use glam::DVec3;

use crate::document::stage::Layer;
use crate::evaluate::error::word;
use crate::evaluate::inputs::Inputs;
use crate::evaluate::stages::Modify;
use crate::evaluate::{BuiltTake, StageResult};
use portamento_anim::foot_shape::{SolePart, body_points};
use portamento_anim::quality::{ComparedBody, SideEffect};
use portamento_anim::resample::frame_times;
use portamento_anim::{Clip, Pose};
use portamento_base::message::{Message, Tell, message};
use portamento_blend::{Layered, Weights};
use portamento_repair::ground;

/// Restores the clip `before` in `built` if the automatic correction `kind` made the motion worse, adds a warning and returns the
/// reason. The legs below a layer are compared and reported only, because the user chose the skill. `None` if nothing was
/// undone.
pub(in crate::evaluate) fn undo_if_worse(
    kind: &dyn Modify,
    result: &StageResult,
    inputs: &Inputs,
    before: &Arc<Clip>,
    built: &mut BuiltTake,
) -> Option<SideEffect> {
    if let StageResult::Layer(layered) = result {
        let effect = leg_moved_by(layered, &compared_body(inputs, &[], &ground::level), before, built.fps);
        let is_upper_body = inputs.stages.last().and_then(|stage| stage.kind.as_layer()).is_some_and(plays_upper_body);
        built.warnings.extend(effect.as_ref().filter(|_| is_upper_body).map(leg_warning));
        return None;
    }
    if !kind.is_automatic() || Arc::ptr_eq(before, &built.clip) {
        return None;
    }
    let points = body_points(&inputs.character.model, &inputs.roles);
    let walked = built.walked.as_ref().map(|walked| walked.ground.clone());
    let height = |position: DVec3| match &walked {
        Some(level) => level.height(position),
        None => ground::level(position),
    };
    let effect = compared_body(inputs, &points, &height).side_effect(before, &built.clip, built.fps)?;
    built.clip = before.clone();
    built.warnings.push(message!(
        "warning.stage.undone",
        "The stage “%{stage}” was not applied, because it would make the motion worse: %{effect}. Change its settings, or remove it.",
        stage = word(result.name()),
        effect = effect.message()
    ));
    Some(effect)
}

/// Returns the character of `inputs` on `ground`, which gives the ground height at a position. Positions and heights are in
/// metres.
pub(in crate::evaluate) fn compared_body<'a>(
    inputs: &'a Inputs,
    points: &'a [SolePart],
    ground: &'a dyn Fn(DVec3) -> Option<f64>,
) -> ComparedBody<'a> {
    ComparedBody {
        skeleton: &inputs.character.model.skeleton,
        roles: &inputs.roles,
        points,
        metres_per_unit: inputs.metres_per_unit,
        ground,
    }
}

/// True if the skill has weight while the legs follow the motion below alone.
fn is_running_cast(weights: &Weights) -> bool {
    weights.skill_on_upper > 0.0 && weights.whole_on_lower == 1.0 && weights.skill_on_lower == 0.0
}

/// True if the skill of the layer plays on the upper body only.
fn plays_upper_body(layer: &Layer) -> bool {
    layer.settings.upper.is_upper_body()
}

/// Returns the effect on a leg that visibly leaves its path in `before` in the frames in which only the upper body plays the
/// skill. `None` if none does. `fps` is the rate of the frames of the layer.
fn leg_moved_by(layered: &Layered, body: &ComparedBody, before: &Clip, fps: f64) -> Option<SideEffect> {
    let times = frame_times(before.duration, fps);
    let is_compared = |frame: usize| layered.weights.get(frame).is_some_and(is_running_cast);
    let times: Vec<f64> =
        times.into_iter().enumerate().filter(|&(frame, _)| is_compared(frame)).map(|(_, time)| time).collect();
    let poses = |clip: &Clip| -> Vec<Pose> { times.iter().map(|&time| clip.pose_at(body.skeleton, time)).collect() };
    body.leg_moved(&times, &[poses(before), poses(&layered.clip)])
}

/// Returns the warning that a skill of the upper body moves a leg.
fn leg_warning(effect: &SideEffect) -> Message {
    message!(
        "warning.layer.leg",
        "The skill moves a leg although only the upper body plays it: %{effect}. Choose a first joint of the upper body that carries \
         no leg.",
        effect = effect.message()
    )
}
