//! The mirror stage.

use std::sync::Arc;

use super::Modify;
use crate::evaluate::inputs::Inputs;
use crate::evaluate::{BuiltTake, StageResult, TakeError};
use portamento_anim::shape_names::{of_joint, twins};
use portamento_base::message::message;
use portamento_base::progress::Progress;
use portamento_stretch::mirror;

/// Left-right difference of the rest pose above which it is reported, as a fraction of the body size. Tuned; no derivation
/// recorded.
const ASYMMETRY_MIN_RATIO: f64 = 0.01;

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
        let result = mirror::build(&input, self, progress)?;
        if let Some(joint) = result.report.asymmetric.as_ref().filter(|_| result.report.asymmetry > ASYMMETRY_MIN_RATIO)
        {
            built.warnings.push(message!(
                "warning.mirror.unlike",
                "The rest pose of this character is not symmetric: left and right differ by %{share} % of its size, most at “%{joint}”. \
                 The motion is mirrored relative to that pose.",
                share = format!("{:.1}", 100.0 * result.report.asymmetry),
                joint
            ));
        }
        if result.report.morphs > 0 {
            built.warnings.push(message!(
                "warning.mirror.morphs",
                "Some blend shapes were not mirrored, because their names do not indicate left or right."
            ));
        }
        built.clip = Arc::new(result.clip.clone());
        Ok(StageResult::Mirror(Arc::new(result)))
    }
}
