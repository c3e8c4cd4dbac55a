//! Automatic stages whose result is worse than their input: they are undone and reported.

use std::sync::Arc;

use glam::DVec3;

use crate::document::StageKind;
use crate::evaluate::BuiltTake;
use crate::evaluate::inputs::Inputs;
use portamento_anim::Clip;
use portamento_anim::foot_shape::soles;
use portamento_anim::quality::{ComparedBody, SideEffect};
use portamento_base::message::{Tell, message};
use portamento_repair::ground;

/// Share of the frames with a knee on the other side from which a motion is worse. A nearly straight knee changes its side for
/// some frames without being seen. Tuned; no derivation recorded.
const FLIPPED_MIN_SHARE: f64 = 0.25;

/// Restores the clip `before` in `built` and adds a warning if `kind` is an automatic correction that made the motion worse.
pub(super) fn undo_if_worse(kind: &StageKind, inputs: &Inputs, before: &Arc<Clip>, built: &mut BuiltTake) {
    if !matches!(kind, StageKind::Ground(_) | StageKind::Close(_)) || Arc::ptr_eq(before, &built.clip) {
        return;
    }
    let walked = built.walked.as_ref().map(|walked| walked.ground.clone());
    let height = |position: DVec3| match &walked {
        Some(level) => level.height(position),
        None => ground::level(position),
    };
    let model = &inputs.character.model;
    let body = ComparedBody {
        skeleton: &model.skeleton,
        roles: &inputs.roles,
        soles: &soles(model, &inputs.roles.legs),
        metres_per_unit: inputs.metres_per_unit,
        ground: &height,
    };
    // Feet that are held on the ground, and the frames of a seam, turn joints faster on purpose.
    let frames = FLIPPED_MIN_SHARE * built.clip.duration * built.fps;
    let is_meant = |effect: &SideEffect| match effect {
        SideEffect::Turns { .. } => true,
        SideEffect::KneeFlips { frames: flipped, .. } => (*flipped as f64) < frames,
        _ => false,
    };
    let effects = body.side_effects(before, &built.clip, built.fps);
    let Some(effect) = effects.iter().find(|effect| !is_meant(effect)) else { return };
    built.clip = before.clone();
    built.warnings.push(message!(
        "warning.stage.undone",
        "The stage “%{stage}” was not applied, because it would make the motion worse: %{effect}. Change its settings, or remove it.",
        stage = kind.name(),
        effect = effect.message()
    ));
}
