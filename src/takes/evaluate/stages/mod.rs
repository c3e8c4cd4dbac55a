//! The stages, one file per kind. Each turns the clip before it into another.

mod stage_weight;
mod cleanup;
mod close;
mod closing;
mod dynamics;
mod ground;
mod layer;
mod looping;
mod mirror;
pub(super) mod broken_results;
mod retime;
mod root;
mod stage;
mod stretch;
mod trim;

use std::sync::Arc;

use super::content::Content;
use super::inputs::{Inputs, StageInput};
use super::loop_source::LoopSource;
use super::{BuiltStage, BuiltTake, TakeError, stage_times};
use crate::document::StageKind;
use portamento_base::progress::Progress;
pub(super) use stage::Modify;
use stage_weight::StageWeight;

/// Returns the implementation of `kind`; `None` for an unknown stage.
pub(super) fn stage(kind: &StageKind) -> Option<&dyn Modify> {
    Some(match kind {
        StageKind::Layer(layer) => &**layer,
        StageKind::Stretch(stretch) => &**stretch,
        StageKind::Dynamics(dynamics) => &**dynamics,
        StageKind::Loop(looped) => &**looped,
        StageKind::Close(close) => &**close,
        StageKind::Retime(retime) => &**retime,
        StageKind::Trim(trim) => &**trim,
        StageKind::Ground(ground) => &**ground,
        StageKind::Mirror(mirror) => &**mirror,
        StageKind::Root(root) => &**root,
        StageKind::Cleanup(cleanup) => &**cleanup,
        StageKind::Unknown(_) => return None,
    })
}

/// Applies `stage`, the last one of `inputs`, to the result of the stages before it.
pub(super) fn apply(
    stage: &StageInput,
    inputs: &Inputs,
    built: &mut BuiltTake,
    progress: &Progress,
) -> Result<(), TakeError> {
    // An incomplete walk has no motion and reports the reason separately.
    if built.walked.as_ref().is_some_and(|walked| walked.missing.is_some()) {
        return Ok(());
    }
    let kind = self::stage(&stage.kind).ok_or_else(|| unknown(&stage.kind))?;
    if kind.needs_joints() && !matches!(built.content, Content::Joints) {
        let (stage, content) = (stage.kind.name(), built.content.name());
        return Err(TakeError::NeedsJoints { stage, content });
    }
    let (before, root) = (built.clip.clone(), built.root);
    let warnings_before = built.warnings.len();
    let mut result = kind.apply(inputs, built, progress)?;
    let weighting = StageWeight::of(stage);
    if !weighting.is_full() {
        stage_weight::limit(&weighting, &before, built, &mut result)?;
        // An unchanged clip keeps its allocation and root.
        if *built.clip == *before {
            (built.clip, built.root) = (before.clone(), root);
        }
    }
    if matches!(built.content, Content::Joints) {
        built.warnings.extend(broken_results::broken_results(&before, built));
    }
    let stages = built.stages.len() + 1;
    let moments = built.warnings.iter_mut().skip(warnings_before).filter_map(|warning| warning.moment.as_mut());
    moments.for_each(|moment| moment.stages = stages);
    built.loop_source = Arc::new(LoopSource::new(&built.content, &built.character, &built.clip, built.fps));
    built.recordings = Arc::default();
    let new = stage.kind.as_layer().map_or(&[][..], |layer| &layer.settings.events);
    let events = [&built.events, new].concat();
    built.events = stage_times::events_after_stage(&events, &result, built.clip.duration);
    built.events.sort_by(|a, b| a.time.total_cmp(&b.time));
    built.stages.push(BuiltStage { result, clip: built.clip.clone() });
    Ok(())
}

fn unknown(kind: &StageKind) -> TakeError {
    let StageKind::Unknown(fields) = kind else { return TakeError::UnknownStage(kind.name().into()) };
    TakeError::UnknownStage(fields.keys().next().cloned().unwrap_or_default())
}
