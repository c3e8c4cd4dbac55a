//! The trim stage.

use std::sync::Arc;

use super::Modify;
use crate::evaluate::inputs::Inputs;
use crate::evaluate::{BuiltTake, StageResult, TakeError};
use portamento_base::progress::Progress;
use portamento_stretch::trim;

impl Modify for trim::Settings {
    fn is_slow(&self, _: bool) -> bool {
        false
    }

    fn apply(&self, inputs: &Inputs, built: &mut BuiltTake, progress: &Progress) -> Result<StageResult, TakeError> {
        let input = trim::Input { skeleton: &inputs.character.model.skeleton, clip: &built.clip };
        let result = trim::build(&input, self, progress)?;
        built.clip = Arc::new(result.clip.clone());
        Ok(StageResult::Trim(Arc::new(result)))
    }
}
