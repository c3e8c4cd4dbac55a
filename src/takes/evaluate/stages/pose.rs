//! The pose stage: corrections of single joints by hand.

use std::sync::Arc;

use serde_json::{Value, json};

use super::close::input_of;
use super::{Modify, Outcome};
use crate::document::setting::{Described, Measure, Row, choice, row};
use crate::evaluate::inputs::Inputs;
use crate::evaluate::{BuiltTake, StageResult, TakeError};
use portamento_anim::Clip;
use portamento_anim::rig::chains::chains;
use portamento_base::progress::Progress;
use portamento_repair::pose::{self, PoseKey};

impl Described for pose::Settings {
    const ROWS: &'static [&'static [Row]] = &[&[
        row("keys", "setting.points", Measure::Plain),
        row("keys/*/time", "pose.time", Measure::Seconds).within(0.0, PoseKey::MAX_SECONDS),
        choice("keys/*/mode", "form.pose_mode", "pose."),
        row("keys/*/fade_in", "form.pose_fade_in", Measure::Seconds).within(0.0, PoseKey::MAX_SECONDS),
        row("keys/*/fade_out", "form.pose_fade_out", Measure::Seconds).within(0.0, PoseKey::MAX_SECONDS),
        choice("keys/*/easing", "form.pose_easing", "easing."),
        row("keys/*/influence", "form.pose_influence", Measure::Percent).within(0.0, 1.0),
        row("keys/*/joints", "setting.pose_joints", Measure::Plain),
        row("keys/*/joints/*/joint", "section.joint", Measure::Plain),
        row("keys/*/joints/*/turn", "form.pose_turn", Measure::Degrees),
        row("keys/*/joints/*/translation", "form.pose_move", Measure::FileLength),
        row("goals", "section.pose_goals", Measure::Plain),
        choice("goals/*/kind", "form.goal_kind", "goal."),
        row("goals/*/joint", "section.joint", Measure::Plain),
        row("goals/*/target", "form.goal_target", Measure::Metres),
        row("goals/*/of", "form.goal_of", Measure::Plain),
        row("goals/*/start", "form.goal_start", Measure::Seconds).within(0.0, PoseKey::MAX_SECONDS),
        row("goals/*/end", "form.goal_end", Measure::Seconds).within(0.0, PoseKey::MAX_SECONDS),
        row("goals/*/fade_in", "form.pose_fade_in", Measure::Seconds).within(0.0, PoseKey::MAX_SECONDS),
        row("goals/*/fade_out", "form.pose_fade_out", Measure::Seconds).within(0.0, PoseKey::MAX_SECONDS),
        choice("goals/*/easing", "form.pose_easing", "easing."),
        row("goals/*/influence", "form.pose_influence", Measure::Percent).within(0.0, 1.0),
        row("goals/*/limit", "form.goal_limit", Measure::Degrees).within(0.0, 180.0),
        row("goals/*/spread", "form.goal_spread", Measure::Percent).within(0.0, 1.0),
    ]];
}

impl Modify for pose::Settings {
    fn is_slow(&self, _: bool) -> bool {
        !self.goals.is_empty()
    }

    fn apply(&self, inputs: &Inputs, built: &mut BuiltTake, progress: &Progress) -> Result<StageResult, TakeError> {
        let limbs = if self.goals.is_empty() { Vec::new() } else { chains(&inputs.character.model, &inputs.roles) };
        let result = pose::build(&input_of(inputs, built), &limbs, self, progress)?;
        built.warnings.extend(result.report.warnings());
        // An unchanged clip keeps its allocation.
        if result.clip != *built.clip {
            built.clip = Arc::new(result.clip);
        }
        Ok(StageResult::Pose(Arc::new(result.report)))
    }
}

impl Outcome for pose::Report {
    fn figures(&self, _: &BuiltTake, _: &Clip) -> Value {
        json!(self)
    }

    fn bytes(&self) -> usize {
        size_of_val(self)
    }
}
