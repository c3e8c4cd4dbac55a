//! The stride stage.

use std::sync::Arc;

use serde_json::{Value, json};

use super::close::input_of;
use super::{Modify, Outcome};
use crate::document::setting::{Described, Measure, Row, row};
use crate::evaluate::inputs::Inputs;
use crate::evaluate::{BuiltTake, StageResult, TakeError};
use portamento_anim::Clip;
use portamento_base::message::Tell;
use portamento_base::progress::Progress;
use portamento_repair::stride;

impl Described for stride::Settings {
    const ROWS: &'static [&'static [Row]] =
        &[&[row("scale", "form.stride_scale", Measure::Plain).within(Self::MIN_SCALE, Self::MAX_SCALE)]];
}

impl Modify for stride::Settings {
    fn is_slow(&self, _: bool) -> bool {
        true
    }

    fn apply(&self, inputs: &Inputs, built: &mut BuiltTake, progress: &Progress) -> Result<StageResult, TakeError> {
        let result = stride::build(&input_of(inputs, built), self, progress)?;
        if result.report.warns() {
            built.warnings.push(result.report.message());
        }
        built.clip = Arc::new(result.clip.clone());
        Ok(StageResult::Stride(Arc::new(result)))
    }
}

impl Outcome for stride::Built {
    fn figures(&self, _: &BuiltTake, _: &Clip) -> Value {
        json!(self.report)
    }

    fn bytes(&self) -> usize {
        self.clip.bytes()
    }
}
