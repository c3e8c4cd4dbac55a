//! Finds the clips with which a character crosses obstacles and gaps.

use super::origin::OnOrigin;
use super::routes::character_clips;
use crate::document::Walk;
use crate::evaluate::TakeError;
use crate::evaluate::built::Crosser;
use crate::evaluate::inputs::Inputs;
use portamento_anim::foot_shape::body_points;
use portamento_anim::rig::chains::chains;
use portamento_base::progress::Progress;
use portamento_walk::locomotion::{WalkError, crossing_clips};

/// Finds the clips with which the character of `inputs` crosses. Returns `Err` if it cannot walk, a named clip crosses nothing or
/// `progress` is cancelled.
pub(super) fn find(inputs: &Inputs, walk: &Walk, progress: &Progress) -> Result<Crosser, TakeError> {
    let model = &inputs.character.model;
    let clips = character_clips(inputs)?;
    let moved = OnOrigin::find(model, &inputs.roles, &clips);
    let (skeleton, clips) = match moved {
        Some(moved) => (moved.skeleton, moved.clips),
        None => (model.skeleton.clone(), clips.into_owned()),
    };
    let mut crosser = Crosser {
        skeleton,
        clips,
        roles: inputs.roles.clone(),
        metres_per_unit: inputs.metres_per_unit,
        limbs: chains(model, &inputs.roles),
        mesh_joints: model.mesh_joints(),
        points: body_points(model, &inputs.roles),
        motions: Vec::new(),
        ranges: Vec::new(),
    };
    let names = &walk.settings.clips.crossings;
    crosser.motions = crossing_clips(&crosser.input(), &crosser.body(), names, &walk.settings, progress)?;
    crosser.ranges = crosser.motions.iter().map(|motion| motion.crossing.range()).collect();
    Ok(crosser)
}

/// True if `error` says that the character cannot walk at all, which the walk itself reports.
pub(super) fn cannot_walk(error: &TakeError) -> bool {
    let named = |error: &WalkError| matches!(error, WalkError::NoSuchClip { .. } | WalkError::NoCrossing { .. });
    matches!(error, TakeError::Walk(error) if !named(error) && !matches!(error, WalkError::Cancelled(_)))
}
