//! The layer stage: a skill over the motion.

use std::borrow::Cow;
use std::sync::Arc;

use super::Modify;
use crate::document::stage::Layer;
use crate::evaluate::inputs::Inputs;
use crate::evaluate::sources::clip;
use crate::evaluate::{BuiltTake, StageResult, TakeError};
use portamento_anim::Clip;
use portamento_base::progress::Progress;
use portamento_blend::{LayerInput, layer_over_motion};

impl Modify for Layer {
    fn is_slow(&self, _: bool) -> bool {
        false
    }

    fn apply(&self, inputs: &Inputs, built: &mut BuiltTake, progress: &Progress) -> Result<StageResult, TakeError> {
        let Some(stage) = inputs.stages.last() else { return Err(TakeError::NotLoaded(built.clip_name.clone())) };
        // The clip names in the stage of the inputs are resolved; those in `self` may be take references.
        let mut clips: Vec<Cow<Clip>> = Vec::new();
        for name in self.settings.clip_names() {
            let found = clip::find(inputs, &stage.clips, name)?;
            built.warnings.extend(found.warning);
            clips.push(found.clip);
        }
        let clips: Vec<&Clip> = clips.iter().map(Cow::as_ref).collect();
        let input = LayerInput {
            skeleton: &inputs.character.model.skeleton,
            motion: &built.clip,
            root: built.root,
            clips: &clips,
            roles: &inputs.roles,
            fps: built.fps,
            metres_per_unit: inputs.metres_per_unit,
        };
        let layered = layer_over_motion(&input, &self.settings, progress)?;
        built.clip = Arc::new(layered.clip.clone());
        Ok(StageResult::Layer(Arc::new(layered)))
    }
}
