//! The layer stage: a skill over the motion.

use std::borrow::Cow;
use std::sync::Arc;

use serde_json::{Value, json};

use super::{Modify, Outcome};
use crate::document::setting::{Described, EVENTS, MASK, Measure, Row, choice, row};
use crate::document::stage::Layer;
use crate::evaluate::inputs::Inputs;
use crate::evaluate::sources::clip;
use crate::evaluate::{BuiltTake, StageResult, TakeError};
use portamento_anim::Clip;
use portamento_base::progress::Progress;
use portamento_blend::{LayerInput, Layered, layer_over_motion};

impl Described for Layer {
    const ROWS: &'static [&'static [Row]] = &[
        &[
            row("skill", "form.skill_clip", Measure::Clip),
            row("skill_loops", "form.skill_loops", Measure::Plain),
            row("skill_holds", "form.skill_holds", Measure::Plain),
            row("upper", "section.upper_body", Measure::Plain),
            row("run_speeds", "section.running", Measure::Speed),
            row("run_speeds/1", "form.stand_below", Measure::Speed),
            row("run_speeds/2", "form.run_above", Measure::Speed),
            choice("interrupt", "form.interrupt", "interrupt."),
            choice("mode", "form.layer_mode", "layer."),
            row("blend_times", "section.blend_times", Measure::Plain),
            row("blend_times/*/joint", "section.joint", Measure::Plain),
            row("blend_times/*/factor", "", Measure::Plain),
        ],
        MASK,
        EVENTS,
    ];
}

impl Modify for Layer {
    fn is_slow(&self, _: bool) -> bool {
        false
    }

    fn apply(&self, inputs: &Inputs, built: &mut BuiltTake, progress: &Progress) -> Result<StageResult, TakeError> {
        let Some(stage) = inputs.stages.last() else { return Err(TakeError::NotLoaded(built.clip_name.clone())) };
        // The clip names in the stage of the inputs are resolved; those in `self` may be take references.
        let mut clips: Vec<Cow<Clip>> = Vec::new();
        for name in self.settings.clip_names() {
            let found = clip::find(inputs, &stage.clips, name)?;
            built.warnings.extend(found.warning);
            clips.push(found.clip);
        }
        let clips: Vec<&Clip> = clips.iter().map(Cow::as_ref).collect();
        let input = LayerInput {
            skeleton: &inputs.character.model.skeleton,
            motion: &built.clip,
            root: built.root,
            clips: &clips,
            roles: &inputs.roles,
            fps: built.fps,
            metres_per_unit: inputs.metres_per_unit,
        };
        let layered = layer_over_motion(&input, &self.settings, progress)?;
        built.clip = Arc::new(layered.clip.clone());
        Ok(StageResult::Layer(Arc::new(layered)))
    }
}

impl Outcome for Layered {
    /// Returns the figures of a layer: its events, the joints of the skill and the frames in which the skill is active.
    fn figures(&self, take: &BuiltTake, _: &Clip) -> Value {
        let skeleton = &take.character.model.skeleton;
        json!({
            "events": self.events,
            "joints": self.joints.iter().map(|&joint| &skeleton.joints[joint].name).collect::<Vec<_>>(),
            "held_frames": self.held_frames,
            "frames": self.weights.len(),
        })
    }

    fn bytes(&self) -> usize {
        self.clip.bytes() + self.clips.iter().map(Clip::bytes).sum::<usize>()
    }
}
