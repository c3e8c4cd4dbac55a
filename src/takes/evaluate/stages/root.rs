//! The root stage: moves the root motion to another joint or removes it.

use std::sync::Arc;

use super::Modify;
use crate::evaluate::inputs::Inputs;
use crate::evaluate::{BuiltTake, StageResult, TakeError};
use portamento_base::message::message;
use portamento_base::progress::Progress;
use portamento_stretch::root;

impl Modify for root::Settings {
    fn is_slow(&self, _: bool) -> bool {
        true
    }

    fn apply(&self, inputs: &Inputs, built: &mut BuiltTake, progress: &Progress) -> Result<StageResult, TakeError> {
        let input = root::Input {
            skeleton: &inputs.character.model.skeleton,
            clip: &built.clip,
            roles: &inputs.roles,
            fps: built.fps,
            metres_per_unit: inputs.metres_per_unit,
        };
        let result = root::build(&input, self, progress)?;
        if result.report.moved > result.report.bound {
            built.warnings.push(message!(
                "warning.root.moved",
                "Between frames the body deviates by up to %{distance} mm: keys of the source are too far apart for its rotations.",
                distance = format!("{:.2}", result.report.moved * 1e3)
            ));
        }
        built.clip = Arc::new(result.clip.clone());
        built.root = Some(result.root);
        Ok(StageResult::Root(Arc::new(result)))
    }
}
