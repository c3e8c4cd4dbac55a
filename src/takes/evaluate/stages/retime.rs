//! The retime stage.

use std::sync::Arc;

use serde_json::{Value, json};

use super::{Modify, Outcome};
use crate::document::setting::{Described, Measure, Row, choice, row};
use crate::evaluate::inputs::Inputs;
use crate::evaluate::{BuiltTake, StageResult, TakeError};
use portamento_anim::Clip;
use portamento_base::progress::Progress;
use portamento_stretch::retime;

impl Described for retime::Settings {
    const ROWS: &'static [&'static [Row]] = &[&[
        row("knots", "setting.points", Measure::Plain),
        row("knots/*/time", "retime.time", Measure::Seconds),
        row("knots/*/speed", "retime.speed", Measure::Plain),
        choice("knots/*/ease", "form.easing", "retime."),
        row("length", "form.retime_length", Measure::Seconds),
    ]];
}

impl Modify for retime::Settings {
    fn is_slow(&self, _: bool) -> bool {
        false
    }

    fn apply(&self, inputs: &Inputs, built: &mut BuiltTake, progress: &Progress) -> Result<StageResult, TakeError> {
        let input = retime::Input { skeleton: &inputs.character.model.skeleton, clip: &built.clip };
        let result = retime::build(&input, self, progress)?;
        built.clip = Arc::new(result.clip.clone());
        Ok(StageResult::Retime(Arc::new(result)))
    }
}

impl Outcome for retime::Built {
    fn figures(&self, _: &BuiltTake, _: &Clip) -> Value {
        json!(self.report)
    }

    fn bytes(&self) -> usize {
        self.clip.bytes()
    }

    fn output_time(&self, time: f64) -> f64 {
        self.map.at(time)
    }

    fn input_time(&self, time: f64) -> f64 {
        self.map.incoming_time(time)
    }
}
