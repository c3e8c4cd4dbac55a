//! The close stage.

use std::sync::Arc;

use super::Modify;
use crate::evaluate::inputs::Inputs;
use crate::evaluate::{BuiltTake, StageResult, TakeError};
use portamento_base::progress::Progress;
use portamento_repair::close;

impl Modify for close::Settings {
    fn is_slow(&self, _: bool) -> bool {
        true
    }

    fn apply(&self, inputs: &Inputs, built: &mut BuiltTake, progress: &Progress) -> Result<StageResult, TakeError> {
        let skeleton = &inputs.character.model.skeleton;
        let input = close::Input {
            skeleton,
            clip: &built.clip,
            root: built.root,
            roles: &inputs.roles,
            fps: built.fps,
            metres_per_unit: inputs.metres_per_unit,
        };
        let result = close::build(&input, self, progress)?;
        let name = |joint: usize| skeleton.joints[joint].name.clone();
        built.warnings.extend(result.report.warnings.iter().map(|warning| warning.message_with_names(&name)));
        built.clip = Arc::new(result.clip.clone());
        Ok(StageResult::Close(Arc::new(result)))
    }
}
