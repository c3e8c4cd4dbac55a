//! The close stage.

use std::sync::Arc;

use serde_json::{Value, json};

use super::{Modify, Outcome};
use crate::document::setting::{Described, Measure, Row, choice, row};
use crate::evaluate::inputs::Inputs;
use crate::evaluate::{BuiltTake, StageResult, TakeError};
use portamento_anim::Clip;
use portamento_base::progress::Progress;
use portamento_repair::close;

impl Described for close::Settings {
    const ROWS: &'static [&'static [Row]] = &[&[
        row("seam", "form.close_seam", Measure::Seconds).within(Self::MIN_SEAM_SECONDS, 1800.0),
        choice("side", "form.close_side", "close."),
        choice("cycle", "form.close_cycle", "close."),
        row("feet", "form.close_feet", Measure::Plain),
    ]];
}

impl Modify for close::Settings {
    fn is_automatic(&self) -> bool {
        true
    }

    fn is_slow(&self, _: bool) -> bool {
        true
    }

    fn apply(&self, inputs: &Inputs, built: &mut BuiltTake, progress: &Progress) -> Result<StageResult, TakeError> {
        let skeleton = &inputs.character.model.skeleton;
        let result = close::build(&input_of(inputs, built), self, progress)?;
        let name = |joint: usize| skeleton.joints[joint].name.clone();
        built.warnings.extend(result.report.warnings.iter().map(|warning| warning.message_with_names(&name)));
        built.clip = Arc::new(result.clip.clone());
        Ok(StageResult::Close(Arc::new(result)))
    }
}

/// Returns the motion of `built` as input of a stage on whole loops or on ends.
pub(super) fn input_of<'a>(inputs: &'a Inputs, built: &'a BuiltTake) -> close::Input<'a> {
    close::Input {
        skeleton: &inputs.character.model.skeleton,
        clip: &built.clip,
        root: built.root,
        roles: &inputs.roles,
        fps: built.fps,
        metres_per_unit: inputs.metres_per_unit,
    }
}

impl Outcome for close::Built {
    /// Returns the figures of a close stage: gaps in position and speed with the worst joints, the travel of a cycle, and its feet.
    fn figures(&self, take: &BuiltTake, _: &Clip) -> Value {
        let joint = |joint: usize| take.character.model.skeleton.joints.get(joint).map(|joint| joint.name.as_str());
        let gap = |gap: &close::Gap| {
            json!({
                "place": gap.place, "place_joint": joint(gap.position_joint), "turn_radians": gap.turn,
                "velocity": gap.velocity, "velocity_joint": joint(gap.velocity_joint),
            })
        };
        json!({
            "closes_already": self.report.closes_already,
            "side": self.report.side,
            "after_start_seconds": self.report.after_start,
            "before_end_seconds": self.report.before_end,
            "before": gap(&self.report.before),
            "after": gap(&self.report.after),
            "travel_m": self.report.travel.with_y(0.0).length(),
            "climb_m": self.report.travel.y,
            "turn_radians": self.report.turn,
            "foot_jump_m": self.report.foot_jump,
            "foot_slide_m": self.report.foot_slide,
            "moved_m": self.report.moved,
        })
    }

    fn bytes(&self) -> usize {
        self.clip.bytes()
    }

    fn repeats(&self) -> bool {
        true
    }
}
