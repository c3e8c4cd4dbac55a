//! The stretch stage.

use std::sync::Arc;

use super::Modify;
use crate::document::stage::{RootChoice, Stretch};
use crate::evaluate::inputs::Inputs;
use crate::evaluate::{BuiltTake, StageResult, TakeError};
use portamento_anim::root_synthesis;
use portamento_anim::{RootKind, RootMotion};
use portamento_base::progress::Progress;
use portamento_stretch as stretch;

impl Modify for Stretch {
    fn is_slow(&self, _: bool) -> bool {
        false
    }

    fn apply(&self, inputs: &Inputs, built: &mut BuiltTake, progress: &Progress) -> Result<StageResult, TakeError> {
        choose_root(inputs, self.root, built)?;
        let stage = stretched(inputs, self, built, progress)?;
        let measures = stretch::DisplayUnits {
            times: &stage.report.times,
            fps: built.fps,
            metres_per_unit: inputs.metres_per_unit,
            skeleton: &inputs.character.model.skeleton,
        };
        built.warnings.extend(stage.report.warnings.iter().map(|warning| warning.message(&measures)));
        built.clip = Arc::new(stage.clip().clone());
        Ok(StageResult::Stretch(Arc::new(stage)))
    }
}

/// Applies the user's choice of root motion. Computed root motion also changes the clip.
fn choose_root(inputs: &Inputs, choice: RootChoice, built: &mut BuiltTake) -> Result<(), TakeError> {
    match choice {
        RootChoice::Found => {}
        RootChoice::Joint(joint) => {
            let kind = if inputs.roles.hips == Some(joint) { RootKind::HipsGroundPart } else { RootKind::Root };
            built.root = Some(RootMotion { joint, kind });
        }
        RootChoice::Made => {
            let skeleton = &inputs.character.model.skeleton;
            let synthesized = root_synthesis::synthesize_root_motion(
                skeleton,
                &built.clip,
                &inputs.roles,
                built.fps,
                inputs.metres_per_unit,
            )?;
            (built.clip, built.root) = (Arc::new(synthesized.0), Some(synthesized.1));
        }
    }
    Ok(())
}

fn stretched(
    inputs: &Inputs,
    stretch: &Stretch,
    before: &BuiltTake,
    progress: &Progress,
) -> Result<stretch::Built, TakeError> {
    let mut settings = stretch.settings.clone();
    if let Some(name) = &stretch.aim_at {
        let object = inputs.objects.iter().find(|object| object.name == *name);
        let object = object.ok_or_else(|| TakeError::NoObject(name.clone()))?;
        settings.target = Some(stretch::Target::World(object.position / inputs.metres_per_unit));
    }
    let root = before.root.ok_or_else(|| TakeError::NoJoints(before.clip_name.clone()))?;
    let mesh_joints = inputs.character.model.mesh_joints();
    let input = stretch::Input {
        skeleton: &inputs.character.model.skeleton,
        clip: &before.clip,
        roles: &inputs.roles,
        root,
        fps: before.fps,
        metres_per_unit: inputs.metres_per_unit,
        mesh_joints: &mesh_joints,
    };
    Ok(stretch::build(&input, &settings, progress)?)
}
