//! The align stage: poses at the start and the end taken from other clips.

use std::borrow::Cow;
use std::sync::Arc;

use serde_json::{Value, json};

use super::close::input_of;
use super::{Modify, Outcome};
use crate::document::setting::{Described, Measure, Row, choice, row};
use crate::document::stage::Align;
use crate::evaluate::inputs::Inputs;
use crate::evaluate::sources::clip;
use crate::evaluate::{BuiltTake, StageResult, TakeError};
use portamento_anim::Clip;
use portamento_base::message::Tell;
use portamento_base::progress::Progress;
use portamento_repair::align;

impl Described for Align {
    const ROWS: &'static [&'static [Row]] = &[&[
        row("begin", "form.align_begin", Measure::Clip),
        choice("begin_at", "form.align_begin_at", "align."),
        row("end", "form.align_end", Measure::Clip),
        choice("end_at", "form.align_end_at", "align."),
        row("seconds", "form.align_seconds", Measure::Seconds)
            .within(align::Settings::MIN_SECONDS, align::Settings::MAX_SECONDS),
        row("feet", "form.align_feet", Measure::Plain),
    ]];
}

impl Modify for Align {
    fn is_slow(&self, _: bool) -> bool {
        true
    }

    fn apply(&self, inputs: &Inputs, built: &mut BuiltTake, progress: &Progress) -> Result<StageResult, TakeError> {
        let Some(stage) = inputs.stages.last() else { return Err(TakeError::NotLoaded(built.clip_name.clone())) };
        let mut found = |name: &str| -> Result<Option<Cow<Clip>>, TakeError> {
            if name.is_empty() {
                return Ok(None);
            }
            let found = clip::find(inputs, &stage.clips, name)?;
            built.warnings.extend(found.warning);
            Ok(Some(found.clip))
        };
        let (begin, end) = (found(&self.settings.begin)?, found(&self.settings.end)?);
        let wanted = align::Wanted { begin: begin.as_deref(), end: end.as_deref() };
        let result = align::build(&input_of(inputs, built), &wanted, &self.settings, progress)?;
        if result.report.warns() {
            built.warnings.push(result.report.message());
        }
        built.clip = Arc::new(result.clip.clone());
        Ok(StageResult::Align(Arc::new(result)))
    }
}

impl Outcome for align::Built {
    fn figures(&self, _: &BuiltTake, _: &Clip) -> Value {
        json!(self.report)
    }

    fn bytes(&self) -> usize {
        self.clip.bytes()
    }
}
