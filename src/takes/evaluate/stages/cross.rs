//! The cross stage: a clip that gets over an obstacle, fitted to another one.

use std::sync::Arc;

use glam::DVec3;
use serde_json::{Value, json};

use super::{Modify, Outcome};
use crate::document::setting::{Described, Measure, Row, choice, row};
use crate::evaluate::inputs::Inputs;
use crate::evaluate::{BuiltTake, StageResult, TakeError};
use portamento_anim::Clip;
use portamento_anim::foot_shape::body_points;
use portamento_anim::rig::chains::chains;
use portamento_base::message::Tell;
use portamento_base::progress::Progress;
use portamento_walk::crossing::{Crossed, Input, Place, Settings, cross};

impl Described for Settings {
    const ROWS: &'static [&'static [Row]] = &[&[
        choice("kind", "form.cross_kind", "crossing."),
        choice("shape", "form.cross_shape", "cross_shape."),
        length("height", "form.cross_height"),
        length("depth", "form.cross_depth"),
        length("width", "form.cross_width"),
        choice("place", "form.cross_place", "cross_place."),
        row("position", "section.cross_position", Measure::Metres),
        row("object", "form.object", Measure::Plain),
        row("yaw", "form.cross_yaw", Measure::Degrees).within(-360.0, 360.0),
        row("rise", "form.cross_rise", Measure::Metres).within(-100.0, 100.0).optional(0.0),
        moment("take_off", "form.cross_take_off"),
        moment("near", "form.cross_near"),
        moment("far", "form.cross_far"),
        moment("landing", "form.cross_landing"),
        row("gravity", "form.cross_gravity", Measure::Plain),
    ]];
}

/// Creates the row of a length of the obstacle.
const fn length(path: &'static str, word: &'static str) -> Row {
    row(path, word, Measure::Metres).within(Settings::MIN_LENGTH_M, Settings::MAX_LENGTH_M)
}

/// Creates the row of a moment, which is found automatically if it is off.
const fn moment(path: &'static str, word: &'static str) -> Row {
    row(path, word, Measure::Seconds).within(0.0, 3600.0).optional(1.0)
}

impl Modify for Settings {
    fn is_slow(&self, _: bool) -> bool {
        true
    }

    fn apply(&self, inputs: &Inputs, built: &mut BuiltTake, progress: &Progress) -> Result<StageResult, TakeError> {
        let root = built.root.ok_or_else(|| TakeError::NoJoints(built.clip_name.clone()))?;
        let model = &inputs.character.model;
        let (mesh_joints, body) = (model.mesh_joints(), body_points(model, &inputs.roles));
        let input = Input {
            skeleton: &model.skeleton,
            clip: &built.clip,
            roles: &inputs.roles,
            limbs: &chains(model, &inputs.roles),
            root,
            fps: built.fps,
            metres_per_unit: inputs.metres_per_unit,
            mesh_joints: &mesh_joints,
            body: &body,
        };
        let result = cross(&input, self, object(self, inputs)?, progress)?;
        built.warnings.extend(result.warnings());
        if let Some(clip) = result.motion() {
            built.clip = Arc::new(clip.clone());
        }
        Ok(StageResult::Cross(Arc::new(result)))
    }
}

/// Returns the position of the scene object that the settings name, metres; `None` if they name none. Returns `Err`
/// if there is no object of that name.
fn object(settings: &Settings, inputs: &Inputs) -> Result<Option<DVec3>, TakeError> {
    if settings.place != Place::Object {
        return Ok(None);
    }
    let found = inputs.objects.iter().find(|object| object.name == settings.object);
    found.map(|object| Some(object.position)).ok_or_else(|| TakeError::NoObject(settings.object.clone()))
}

impl Outcome for Crossed {
    fn figures(&self, _: &BuiltTake, _: &Clip) -> Value {
        match &self.fitted {
            Ok(built) => json!(built.report),
            Err(limit) => json!({ "kind": self.clip.kind, "refused": limit.message().to_string() }),
        }
    }

    fn bytes(&self) -> usize {
        self.motion().map_or(0, Clip::bytes)
    }

    fn output_time(&self, time: f64) -> f64 {
        self.map().map_or(time, |map| map.at(time))
    }

    fn input_time(&self, time: f64) -> f64 {
        self.map().map_or(time, |map| map.incoming_time(time))
    }
}
