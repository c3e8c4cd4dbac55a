//! What came so far with left and right changed.

use std::sync::Arc;

use super::Modify;
use crate::evaluate::inputs::Inputs;
use crate::evaluate::{BuiltTake, StageResult, TakeError};
use crate::message::message;
use crate::progress::Progress;
use crate::systems::mirror;

/// Sides that differ by more at rest are told, as a share of the body.
const UNLIKE: f64 = 0.01;

impl Modify for mirror::Settings {
    fn is_slow(&self, _: bool) -> bool {
        false
    }

    fn apply(&self, inputs: &Inputs, built: &mut BuiltTake, progress: &Progress) -> Result<StageResult, TakeError> {
        let input = mirror::Input {
            skeleton: &inputs.character.model.skeleton,
            clip: &built.clip,
            pairs: &inputs.roles.pairs,
            front: inputs.roles.front.unwrap_or_default(),
        };
        let made = mirror::build(&input, self, progress)?;
        if let Some(joint) = made.report.asymmetric.as_ref().filter(|_| made.report.asymmetry > UNLIKE) {
            built.warnings.push(message!(
                "warning.mirror.unlike",
                "Left and right of this character rest %{share} % of its size apart from mirror images, most at “%{joint}”: the motion is \
                 mirrored from there.",
                share = format!("{:.1}", 100.0 * made.report.asymmetry),
                joint
            ));
        }
        if made.report.morphs > 0 {
            built.warnings.push(message!(
                "warning.mirror.morphs",
                "Morph weights stay as they are: which of them are left and right is not known."
            ));
        }
        built.clip = Arc::new(made.clip.clone());
        Ok(StageResult::Mirror(Arc::new(made)))
    }
}
