//! The cycle offset stage.

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
use portamento_repair::offset;

impl Described for offset::Settings {
    const ROWS: &'static [&'static [Row]] = &[&[row("offset", "form.offset_share", Measure::Plain).within(0.0, 1.0)]];
}

impl Modify for offset::Settings {
    fn is_slow(&self, _: bool) -> bool {
        false
    }

    fn apply(&self, inputs: &Inputs, built: &mut BuiltTake, progress: &Progress) -> Result<StageResult, TakeError> {
        let result = offset::build(&input_of(inputs, built), self, progress)?;
        if !result.report.gap.is_closed() && result.report.seconds > 0.0 {
            built.warnings.push(result.report.message());
        }
        built.clip = Arc::new(result.clip.clone());
        Ok(StageResult::Offset(Arc::new(result)))
    }
}

impl Outcome for offset::Built {
    fn figures(&self, _: &BuiltTake, _: &Clip) -> Value {
        let offset::Report { seconds, length, gap } = self.report;
        json!({ "seconds": seconds, "length": length, "gap": gap.place, "gap_velocity": gap.velocity })
    }

    fn bytes(&self) -> usize {
        self.clip.bytes()
    }

    fn output_time(&self, time: f64) -> f64 {
        self.report.output_time(time)
    }

    fn input_time(&self, time: f64) -> f64 {
        self.report.input_time(time)
    }

    fn repeats(&self) -> bool {
        self.report.gap.is_closed()
    }
}
