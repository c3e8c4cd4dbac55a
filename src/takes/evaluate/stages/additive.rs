//! The additive stage: the difference from a reference pose.

use std::sync::Arc;

use serde_json::{Value, json};

use super::{Modify, Outcome};
use crate::document::setting::{Described, Measure, Row, choice, row};
use crate::document::stage::Additive;
use crate::evaluate::inputs::Inputs;
use crate::evaluate::sources::clip;
use crate::evaluate::{BuiltTake, StageResult, TakeError};
use portamento_anim::Clip;
use portamento_base::message::Tell;
use portamento_base::progress::Progress;
use portamento_stretch::additive;

impl Described for Additive {
    const ROWS: &'static [&'static [Row]] = &[&[
        choice("reference", "form.additive_reference", "additive."),
        row("clip", "form.additive_clip", Measure::Clip),
        row("at", "form.additive_at", Measure::Seconds).within(0.0, additive::Settings::MAX_SECONDS),
        choice("space", "form.additive_space", "additive."),
    ]];
}

impl Modify for Additive {
    fn is_slow(&self, _: bool) -> bool {
        self.settings.space == additive::Space::Character
    }

    fn apply(&self, inputs: &Inputs, built: &mut BuiltTake, progress: &Progress) -> Result<StageResult, TakeError> {
        let Some(stage) = inputs.stages.last() else { return Err(TakeError::NotLoaded(built.clip_name.clone())) };
        let found = self.settings.reference_clip().map(|name| clip::find(inputs, &stage.clips, name)).transpose()?;
        let input = additive::Input {
            skeleton: &inputs.character.model.skeleton,
            clip: &built.clip,
            fps: built.fps,
            reference: found.as_ref().map(|found| &*found.clip),
        };
        let result = additive::build(&input, &self.settings, progress)?;
        built.warnings.extend(found.and_then(|found| found.warning));
        if result.report.warns() {
            built.warnings.push(result.report.message());
        }
        built.clip = Arc::new(result.clip.clone());
        Ok(StageResult::Additive(Arc::new(result)))
    }
}

impl Outcome for additive::Built {
    fn figures(&self, _: &BuiltTake, _: &Clip) -> Value {
        json!(self.report)
    }

    fn bytes(&self) -> usize {
        self.clip.bytes()
    }
}
