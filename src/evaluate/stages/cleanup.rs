//! What came so far with jumps, trembling and bad rotations mended.

use std::sync::Arc;

use super::Modify;
use crate::evaluate::inputs::Inputs;
use crate::evaluate::{BuiltTake, StageResult, TakeError};
use crate::progress::Progress;
use crate::systems::cleanup;

impl Modify for cleanup::Settings {
    fn is_slow(&self, _: bool) -> bool {
        true
    }

    fn apply(&self, inputs: &Inputs, built: &mut BuiltTake, progress: &Progress) -> Result<StageResult, TakeError> {
        let input = cleanup::Input {
            skeleton: &inputs.character.model.skeleton,
            clip: &built.clip,
            roles: &inputs.roles,
            metres_per_unit: inputs.metres_per_unit,
        };
        let made = cleanup::build(&input, self, progress)?;
        built.clip = Arc::new(made.clip.clone());
        Ok(StageResult::Cleanup(Arc::new(made)))
    }
}
