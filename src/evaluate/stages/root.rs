//! The travel of what came so far, put elsewhere or taken away.

use std::sync::Arc;

use super::Modify;
use crate::evaluate::inputs::Inputs;
use crate::evaluate::{BuiltTake, StageResult, TakeError};
use crate::message::message;
use crate::progress::Progress;
use crate::systems::root;

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
        let made = root::build(&input, self, progress)?;
        if made.report.moved > made.report.bound {
            built.warnings.push(message!(
                "warning.root.moved",
                "Between frames the body is up to %{distance} mm from where it was: keys of the source are too far apart for its turns.",
                distance = format!("{:.2}", made.report.moved * 1e3)
            ));
        }
        built.clip = Arc::new(made.clip.clone());
        built.root = Some(made.root);
        Ok(StageResult::Root(Arc::new(made)))
    }
}
