//! The ground stage: corrects the motion to the level of a walk, else to the plane y = 0.

use std::sync::Arc;

use glam::DVec3;
use serde_json::{Value, json};

use super::{Modify, Outcome};
use crate::document::setting::{Described, Measure, Row, row};
use crate::document::stage::Ground;
use crate::evaluate::inputs::Inputs;
use crate::evaluate::{BuiltTake, StageResult, TakeError};
use portamento_anim::Clip;
use portamento_anim::foot_shape::soles;
use portamento_base::message::Tell;
use portamento_base::progress::Progress;
use portamento_repair::ground;

impl Described for Ground {
    const ROWS: &'static [&'static [Row]] = &[&[
        row("hold_feet", "form.ground_hold", Measure::Plain),
        row("own_heights", "form.ground_own_heights", Measure::Plain),
        row("clear_swings", "form.ground_clear", Measure::Plain),
        row("softness", "form.ground_softness", Measure::Seconds).within(0.0, 10.0),
        row("sole", "form.ground_sole", Measure::Metres).within(0.0, 10.0).optional(0.02),
    ]];
}

impl Modify for Ground {
    fn is_automatic(&self) -> bool {
        true
    }

    fn is_slow(&self, _: bool) -> bool {
        true
    }

    fn apply(&self, inputs: &Inputs, built: &mut BuiltTake, progress: &Progress) -> Result<StageResult, TakeError> {
        let root = built.root.ok_or_else(|| TakeError::NoJoints(built.clip_name.clone()))?;
        let walked = built.walked.as_ref().map(|walked| walked.ground.clone());
        let height = |position: DVec3| match &walked {
            Some(level) => level.height(position),
            None => ground::level(position),
        };
        let model = &inputs.character.model;
        let input = ground::Input {
            skeleton: &model.skeleton,
            clip: &built.clip,
            root,
            roles: &inputs.roles,
            soles: &soles(model, &inputs.roles.legs),
            fps: built.fps,
            metres_per_unit: inputs.metres_per_unit,
            within: self.span.map_or([0.0, f64::INFINITY], |span| [span.start, span.end]),
            ground: &height,
        };
        let result = ground::build(&input, &self.settings, progress)?;
        built.warnings.extend(result.report.warnings().iter().map(Tell::message));
        built.clip = Arc::new(result.clip.clone());
        Ok(StageResult::Ground(Arc::new(result)))
    }
}

impl Outcome for ground::Built {
    fn figures(&self, _: &BuiltTake, _: &Clip) -> Value {
        json!(self.report)
    }

    fn bytes(&self) -> usize {
        self.clip.bytes()
    }
}
