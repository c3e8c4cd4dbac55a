//! The retime stage.

use std::sync::Arc;

use super::Modify;
use crate::evaluate::inputs::Inputs;
use crate::evaluate::{BuiltTake, StageResult, TakeError};
use portamento_base::progress::Progress;
use portamento_stretch::retime;

impl Modify for retime::Settings {
    fn is_slow(&self, _: bool) -> bool {
        false
    }

    fn apply(&self, inputs: &Inputs, built: &mut BuiltTake, progress: &Progress) -> Result<StageResult, TakeError> {
        let input = retime::Input { skeleton: &inputs.character.model.skeleton, clip: &built.clip };
        let result = retime::build(&input, self, progress)?;
        built.clip = Arc::new(result.clip.clone());
        Ok(StageResult::Retime(Arc::new(result)))
    }
}
