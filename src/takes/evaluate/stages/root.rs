//! The root stage: moves the root motion to another joint or removes it.

use std::sync::Arc;

use serde_json::{Value, json};

use super::{Modify, Outcome};
use crate::document::setting::{Described, Measure, Row, choice, row};
use crate::evaluate::inputs::Inputs;
use crate::evaluate::{BuiltTake, StageResult, TakeError};
use portamento_anim::Clip;
use portamento_base::message::message;
use portamento_base::progress::Progress;
use portamento_stretch::root;

impl Described for root::Settings {
    const ROWS: &'static [&'static [Row]] = &[&[
        choice("travel", "form.root_travel", "travel."),
        row("heading", "form.root_heading", Measure::Plain),
        row("evened", "form.root_evened", Measure::Seconds).within(0.0, Self::MAX_SMOOTHING_SECONDS),
    ]];
}

impl Modify for root::Settings {
    fn is_slow(&self, _: bool) -> bool {
        true
    }

    fn apply(&self, inputs: &Inputs, built: &mut BuiltTake, progress: &Progress) -> Result<StageResult, TakeError> {
        let input = root::Input {
            skeleton: &inputs.character.model.skeleton,
            clip: &built.clip,
            roles: &inputs.roles,
            fps: built.fps,
            metres_per_unit: inputs.metres_per_unit,
            mesh_joints: &inputs.character.model.mesh_joints(),
        };
        let result = root::build(&input, self, progress)?;
        if result.report.moved > result.report.bound {
            built.warnings.push(message!(
                "warning.root.moved",
                "Between frames the body deviates by up to %{distance} mm: keys of the source are too far apart for its rotations.",
                distance = format!("{:.2}", result.report.moved * 1e3)
            ));
        }
        built.clip = Arc::new(result.clip.clone());
        built.root = Some(result.root);
        Ok(StageResult::Root(Arc::new(result)))
    }
}

impl Outcome for root::Built {
    fn figures(&self, _: &BuiltTake, _: &Clip) -> Value {
        json!(self.report)
    }

    fn bytes(&self) -> usize {
        self.clip.bytes()
    }
}
