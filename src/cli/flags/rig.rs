//! Rig flags, shared by all commands that open a character.

use std::path::Path;

use crate::Failure;
use portamento_anim::rig::preset::RigPreset;
use portamento_anim::{Front, Leg, Model, Roles};
use portamento_base::system_reason::system_reason;
use portamento_session::Session;
use portamento_takes::document::FileId;

/// Joint roles given by flags; each overrides the detected role.
#[derive(Debug, Default, clap::Args)]
#[command(next_help_heading = "Rig")]
pub(crate) struct RigArguments {
    /// Rig preset: a file, or mixamo, unreal_mannequin, unity_humanoid, vrm, rigify, kaykit, cmu or biped.
    #[arg(long, value_name = "FILE|NAME")]
    rig_preset: Option<String>,
    /// The hips joint.
    #[arg(long, value_name = "JOINT")]
    hips: Option<String>,
    /// The lowest joint of the upper body.
    #[arg(long, value_name = "JOINT")]
    spine: Option<String>,
    /// The head joint.
    #[arg(long, value_name = "JOINT")]
    head: Option<String>,
    /// The direction the character faces at rest: +z, -z, +x or -x.
    #[arg(long, value_name = "AXIS", value_parser = axis, allow_hyphen_values = true)]
    front: Option<Front>,
    /// A leg as THIGH,SHIN,FOOT or THIGH,SHIN,FOOT,TOE; once per leg.
    #[arg(long = "legs", value_name = "JOINTS")]
    legs: Vec<String>,
}

impl RigArguments {
    /// Sets the roles of the character of `file`. A preset is applied first. Does nothing if `file` is not open.
    ///
    /// Returns a usage error if a joint does not exist, also for a file without joints. Returns one too if the preset
    /// does not exist or does not fit, or if a leg is not three or four joints.
    pub(crate) fn apply(&self, session: &mut Session, file: FileId) -> Result<(), Failure> {
        let Some(loaded) = session.library.get(file).cloned() else { return Ok(()) };
        let mut found = session.document.characters.iter_mut();
        let Some(character) = found.find(|character| character.file == file) else { return Ok(()) };
        if let Some(preset) = &self.rig_preset {
            if RigPreset::named(preset).is_none() {
                session.read.protect(Path::new(preset));
            }
            character.roles = roles_by_preset(preset, &loaded.model, &character.roles)?;
        }
        self.set(&mut character.roles, &loaded.model)
    }

    /// Replaces the roles that flags give. Returns `Err` if a joint does not exist, or a leg is not three or four joints.
    fn set(&self, roles: &mut Roles, model: &Model) -> Result<(), Failure> {
        if let Some(name) = &self.hips {
            roles.hips = Some(crate::joint(model, name)?);
        }
        if let Some(name) = &self.spine {
            roles.spine_split = Some(crate::joint(model, name)?);
        }
        if let Some(name) = &self.head {
            roles.head = Some(crate::joint(model, name)?);
        }
        roles.front = self.front.or(roles.front);
        if !self.legs.is_empty() {
            roles.legs = self.legs.iter().map(|names| leg(model, names)).collect::<Result<_, _>>()?;
        }
        Ok(())
    }
}

/// Returns the roles of `model` by the rig preset named `preset`, or in the file of that path. Roles that the preset does not name
/// are those of `found`.
///
/// Returns `Err` if there is no such preset or file, or if `model` lacks a joint of the preset's hips or legs.
pub(crate) fn roles_by_preset(preset: &str, model: &Model, found: &Roles) -> Result<Roles, Failure> {
    let refused = |reason: String| Failure::Usage(format!("{preset}: {reason}"));
    let preset = match RigPreset::named(preset) {
        Some(known) => known,
        None => {
            let text = portamento_base::regular_file::all(Path::new(preset))
                .map_err(|error| refused(format!("{}.", system_reason(&error))))?;
            RigPreset::from_json(&String::from_utf8_lossy(&text)).map_err(|error| refused(error.to_string()))?
        }
    };
    preset.roles(&model.skeleton, found).map_err(|error| Failure::Usage(error.to_string()))
}

/// Parses `+z`, `-z`, `+x` or `-x`, in any case. Returns `Err` with what is allowed for any other text.
fn axis(text: &str) -> Result<Front, String> {
    let found = Front::ALL.into_iter().find(|front| front.name().eq_ignore_ascii_case(text));
    found.ok_or_else(|| format!("“{text}” is not an axis of the ground. Write +z, -z, +x or -x."))
}

/// Parses a leg of three or four joint names, separated by commas, from the top down. Returns a usage error for
/// another number of names, or if a joint does not exist.
fn leg(model: &Model, names: &str) -> Result<Leg, Failure> {
    let joints = names.split(',').map(|name| crate::joint(model, name.trim())).collect::<Result<Vec<_>, _>>()?;
    match joints[..] {
        [thigh, shin, foot] => Ok(Leg { thigh, shin, foot, toe: None }),
        [thigh, shin, foot, toe] => Ok(Leg { thigh, shin, foot, toe: Some(toe) }),
        _ => Err(Failure::Usage(format!(
            "--legs {names}: a leg is three or four joints, THIGH,SHIN,FOOT or THIGH,SHIN,FOOT,TOE. Name them from the top down."
        ))),
    }
}
