//! The trim stage.

use std::sync::Arc;

use serde_json::{Value, json};

use super::{Modify, Outcome};
use crate::document::setting::{Described, Measure, Row, row};
use crate::evaluate::inputs::Inputs;
use crate::evaluate::{BuiltTake, StageResult, TakeError};
use portamento_anim::Clip;
use portamento_base::progress::Progress;
use portamento_stretch::trim;

impl Described for trim::Settings {
    const ROWS: &'static [&'static [Row]] = &[&[
        row("from", "form.trim_from", Measure::Seconds).within(0.0, 86_400.0),
        row("to", "form.trim_to", Measure::Seconds),
    ]];
}

impl Modify for trim::Settings {
    fn is_slow(&self, _: bool) -> bool {
        false
    }

    fn apply(&self, inputs: &Inputs, built: &mut BuiltTake, progress: &Progress) -> Result<StageResult, TakeError> {
        let input = trim::Input { skeleton: &inputs.character.model.skeleton, clip: &built.clip };
        let result = trim::build(&input, self, progress)?;
        built.clip = Arc::new(result.clip.clone());
        Ok(StageResult::Trim(Arc::new(result)))
    }
}

impl Outcome for trim::Built {
    fn figures(&self, _: &BuiltTake, _: &Clip) -> Value {
        json!(self.report)
    }

    fn bytes(&self) -> usize {
        self.clip.bytes()
    }

    fn output_time(&self, time: f64) -> f64 {
        time - self.report.from
    }

    fn input_time(&self, time: f64) -> f64 {
        time + self.report.from
    }
}
