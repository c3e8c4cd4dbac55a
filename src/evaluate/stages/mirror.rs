//! What came so far with left and right changed.

use std::sync::Arc;

use super::Modify;
use crate::anim::shape_names::{of_joint, twins};
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
        let model = &inputs.character.model;
        let shapes: Vec<Vec<usize>> = (0..model.skeleton.len()).map(|joint| twins(of_joint(model, joint))).collect();
        let input = mirror::Input {
            skeleton: &model.skeleton,
            clip: &built.clip,
            pairs: &inputs.roles.pairs,
            front: inputs.roles.front.unwrap_or_default(),
            metres_per_unit: inputs.metres_per_unit,
            shapes: &shapes,
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
                "Some blend shapes stay as they are: their names do not tell left and right."
            ));
        }
        built.clip = Arc::new(made.clip.clone());
        Ok(StageResult::Mirror(Arc::new(made)))
    }
}
