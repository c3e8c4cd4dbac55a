//! A closing of what came so far.

use std::sync::Arc;

use super::Modify;
use crate::evaluate::inputs::Inputs;
use crate::evaluate::{BuiltTake, StageResult, TakeError};
use crate::progress::Progress;
use crate::systems::close;

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
        let made = close::build(&input, self, progress)?;
        let name = |joint: usize| skeleton.joints[joint].name.clone();
        built.warnings.extend(made.report.warnings.iter().map(|warning| warning.told(&name)));
        built.clip = Arc::new(made.clip.clone());
        Ok(StageResult::Close(Arc::new(made)))
    }
}
