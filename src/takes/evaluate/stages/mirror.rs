//! The mirror stage.

use std::sync::Arc;

use serde_json::{Value, json};

use super::{Modify, Outcome};
use crate::document::setting::{Described, Measure, Row, row};
use crate::evaluate::inputs::Inputs;
use crate::evaluate::{BuiltTake, StageResult, TakeError};
use portamento_anim::Clip;
use portamento_anim::shape_names::{of_joint, twins};
use portamento_base::message::message;
use portamento_base::progress::Progress;
use portamento_stretch::mirror;

/// Left-right difference of the rest pose above which it is reported, as a fraction of the body size. Tuned; no derivation
/// recorded.
const ASYMMETRY_MIN_RATIO: f64 = 0.01;

impl Described for mirror::Settings {
    const ROWS: &'static [&'static [Row]] = &[&[
        row("angle", "form.mirror_angle", Measure::Degrees).within(*Self::ANGLES.start(), *Self::ANGLES.end()),
        row("tilt", "form.mirror_tilt", Measure::Degrees).within(*Self::ANGLES.start(), *Self::ANGLES.end()),
        row("offset", "form.mirror_offset", Measure::Metres).within(*Self::OFFSETS.start(), *Self::OFFSETS.end()),
    ]];
}

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

impl Outcome for mirror::Built {
    fn figures(&self, _: &BuiltTake, _: &Clip) -> Value {
        json!(self.report)
    }

    fn bytes(&self) -> usize {
        self.clip.bytes()
    }
}
