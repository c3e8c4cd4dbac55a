//! The stages, one file per kind. Each turns the clip before it into another.

/// Passes all kinds of stages to the macro `$action`, in menu order. A row is `Variant("name in files", true if the stage can be
/// applied partially because it does not change time): Settings => Result;`.
macro_rules! stage_kinds {
    ($action:ident) => {
        $action! {
            /// A skill layered over the motion: upper body while moving, full body while standing.
            Layer("layer", true): crate::document::stage::Layer => portamento_blend::Layered;
            /// Displacement stretching: the root ends at a given target.
            Stretch("stretch", true): crate::document::stage::Stretch => portamento_stretch::Built;
            /// Repair of jumps, jitter, bad rotations and a start away from the origin.
            Cleanup("cleanup", true): portamento_repair::cleanup::Settings => portamento_repair::cleanup::Built;
            /// Feet and body corrected to the ground: the level of a walk, else the plane y = 0.
            Ground("ground", true): crate::document::stage::Ground => portamento_repair::ground::Built;
            /// A time warp.
            Retime("retime", false): portamento_stretch::retime::Settings => portamento_stretch::retime::Built;
            /// A trimmed part of the motion.
            Trim("trim", false): portamento_stretch::trim::Settings => portamento_stretch::trim::Built;
            /// Left and right mirrored.
            Mirror("mirror", true): portamento_stretch::mirror::Settings => portamento_stretch::mirror::Built;
            /// Root motion moved to the root, moved to the hips, or removed.
            Root("root", true): portamento_stretch::root::Settings => portamento_stretch::root::Built;
            /// Dynamic bones: joint chains that follow the animation with inertia.
            Dynamics("dynamics", true): crate::document::stage::Dynamics => portamento_dynamics::Built;
            /// A seamless loop.
            Loop("loop", false): crate::document::stage::Loop => crate::evaluate::Looped;
            /// A motion of any length made to loop with a seam of chosen length.
            Close("close", false): portamento_repair::close::Settings => portamento_repair::close::Built;
            /// Another start of a loop.
            Offset("offset", false): portamento_repair::offset::Settings => portamento_repair::offset::Built;
            /// Longer or shorter strides.
            Stride("stride", true): portamento_repair::stride::Settings => portamento_repair::stride::Built;
            /// Poses at the start and the end taken from other clips.
            Align("align", true): crate::document::stage::Align => portamento_repair::align::Built;
            /// A clip that gets over an obstacle or across a gap, fitted to another one.
            Cross("cross", false): portamento_walk::crossing::Settings => portamento_walk::crossing::Crossed;
            /// The difference from a reference pose, to be added to other motions.
            Additive("additive", true): crate::document::stage::Additive => portamento_stretch::additive::Built;
            /// Single joints turned and moved by hand at keys.
            Pose("pose", true): portamento_repair::pose::Settings => portamento_repair::pose::Report;
        }
    };
}

mod stage_weight;
mod additive;
mod align;
pub(super) mod checks;
mod cleanup;
mod close;
mod cross;
mod dynamics;
mod ground;
mod layer;
mod looping;
mod mirror;
mod offset;
mod pose;
mod retime;
mod root;
mod stage;
mod stretch;
mod stride;
mod trim;

use std::sync::Arc;

use super::content::Content;
use super::inputs::{Inputs, StageInput};
use super::loop_source::LoopSource;
use super::{BuiltStage, BuiltTake, StageResult, TakeError, stage_times};
use crate::document::StageKind;
use portamento_base::progress::Progress;
pub(super) use stage::{Modify, Outcome};
use stage_weight::StageWeight;

/// Defines [`stage()`] and [`StageResult::outcome`] with one match arm per row.
macro_rules! define_dispatch {
    ($($(#[$doc:meta])* $kind:ident($name:literal, $partial:literal): $settings:ty => $result:ty;)*) => {
        /// Returns the implementation of `kind`; `None` for an unknown stage.
        pub(super) fn stage(kind: &StageKind) -> Option<&dyn Modify> {
            match kind {
                $(StageKind::$kind(settings) => Some(&**settings),)*
                StageKind::Unknown(_) => None,
            }
        }

        impl StageResult {
            /// Returns the interface that the results of all kinds share.
            pub(super) fn outcome(&self) -> &dyn Outcome {
                match self {
                    $(Self::$kind(result) => &**result,)*
                }
            }
        }
    };
}

stage_kinds!(define_dispatch);

/// Applies `stage`, the last one of `inputs`, to the result of the stages before it. Adds the result to `built`, with
/// warnings and events. An automatic correction that makes the motion worse is undone. Does nothing for an incomplete walk.
/// Returns `Err` if the stage is unknown, needs joints that the take lacks, or fails.
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
    let undone = checks::undo_if_worse(kind, &result, inputs, &before, built);
    let weighting = StageWeight::of(stage);
    if !weighting.is_full() {
        let before = result.outcome().in_output_time(&before);
        stage_weight::limit(&weighting, &before, built, &mut result)?;
        // An unchanged clip keeps its allocation and root.
        if *built.clip == *before {
            (built.clip, built.root) = (before.clone(), root);
        }
    }
    if matches!(built.content, Content::Joints) {
        built.warnings.extend(checks::broken_results(&before, built));
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
    built.stages.push(BuiltStage { result, clip: built.clip.clone(), undone });
    Ok(())
}

fn unknown(kind: &StageKind) -> TakeError {
    let StageKind::Unknown(fields) = kind else { return TakeError::UnknownStage(kind.name().into()) };
    TakeError::UnknownStage(fields.keys().next().cloned().unwrap_or_default())
}
