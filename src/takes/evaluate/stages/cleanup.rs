//! The cleanup stage.

use std::sync::Arc;

use super::Modify;
use crate::evaluate::inputs::Inputs;
use crate::evaluate::{BuiltTake, StageResult, TakeError};
use portamento_anim::foot_shape::soles;
use portamento_base::progress::Progress;
use portamento_repair::cleanup;

impl Modify for cleanup::Settings {
    fn is_slow(&self, _: bool) -> bool {
        true
    }

    fn apply(&self, inputs: &Inputs, built: &mut BuiltTake, progress: &Progress) -> Result<StageResult, TakeError> {
        let model = &inputs.character.model;
        let input = cleanup::Input {
            skeleton: &model.skeleton,
            clip: &built.clip,
            roles: &inputs.roles,
            soles: &soles(model, &inputs.roles.legs),
            metres_per_unit: inputs.metres_per_unit,
        };
        let result = cleanup::build(&input, self, progress)?;
        built.clip = Arc::new(result.clip.clone());
        Ok(StageResult::Cleanup(Arc::new(result)))
    }
}
