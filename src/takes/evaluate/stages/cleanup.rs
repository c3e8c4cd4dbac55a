//! The cleanup stage.

use std::sync::Arc;

use serde_json::{Value, json};

use super::{Modify, Outcome};
use crate::document::setting::{Described, Measure, Row, row};
use crate::evaluate::inputs::Inputs;
use crate::evaluate::{BuiltTake, StageResult, TakeError};
use portamento_anim::Clip;
use portamento_anim::foot_shape::soles;
use portamento_base::progress::Progress;
use portamento_repair::cleanup;

impl Described for cleanup::Settings {
    const ROWS: &'static [&'static [Row]] = &[&[
        row("pops", "form.cleanup_pops", Measure::Plain),
        row("spread", "form.cleanup_spread", Measure::Seconds).within(0.0, 2.0),
        row("jitter", "form.cleanup_jitter", Measure::Plain),
        row("rotations", "form.cleanup_rotations", Measure::Plain),
        row("origin", "form.cleanup_origin", Measure::Plain),
        row("rate", "form.cleanup_rate", Measure::Plain),
        row("reduce", "form.reduce", Measure::Plain),
        row("reduce/millimetres", "", Measure::Millimetres),
    ]];
}

impl Modify for cleanup::Settings {
    fn is_automatic(&self) -> bool {
        true
    }

    fn is_slow(&self, _: bool) -> bool {
        true
    }

    fn apply(&self, inputs: &Inputs, built: &mut BuiltTake, progress: &Progress) -> Result<StageResult, TakeError> {
        let model = &inputs.character.model;
        let input = cleanup::Input {
            skeleton: &model.skeleton,
            clip: &built.clip,
            roles: &inputs.roles,
            soles: &soles(model, &inputs.roles.legs),
            metres_per_unit: inputs.metres_per_unit,
        };
        let result = cleanup::build(&input, self, progress)?;
        built.clip = Arc::new(result.clip.clone());
        Ok(StageResult::Cleanup(Arc::new(result)))
    }
}

impl Outcome for cleanup::Built {
    fn figures(&self, _: &BuiltTake, _: &Clip) -> Value {
        json!(self.report)
    }

    fn bytes(&self) -> usize {
        self.clip.bytes()
    }
}
