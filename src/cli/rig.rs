//! What the user knows of a rig better than the program: flags of every command that opens a character.

use super::Failure;
use crate::anim::{Front, Leg, Model, Roles};
use crate::document::FileId;
use crate::session::Session;

/// Roles given by hand; each overrules what was found.
#[derive(Debug, Default, clap::Args)]
#[command(next_help_heading = "Rig")]
pub struct RigArguments {
    /// The joint that carries the legs.
    #[arg(long, value_name = "JOINT")]
    hips: Option<String>,
    /// The lowest joint of the upper body.
    #[arg(long, value_name = "JOINT")]
    spine: Option<String>,
    /// The axis the character looks along at rest: +z, -z, +x or -x.
    #[arg(long, value_name = "AXIS", value_parser = axis, allow_hyphen_values = true)]
    front: Option<Front>,
    /// A leg as THIGH,SHIN,FOOT or THIGH,SHIN,FOOT,TOE; once for each leg.
    #[arg(long = "legs", value_name = "JOINTS")]
    legs: Vec<String>,
}

impl RigArguments {
    /// Sets the roles of the character of `file`; a joint that it does not have is an error.
    pub(super) fn apply(&self, session: &mut Session, file: FileId) -> Result<(), Failure> {
        let Some(loaded) = session.library.get(file).cloned() else { return Ok(()) };
        let mut found = session.document.characters.iter_mut();
        let Some(character) = found.find(|character| character.file == file) else { return Ok(()) };
        self.set(&mut character.roles, &loaded.model)
    }

    fn set(&self, roles: &mut Roles, model: &Model) -> Result<(), Failure> {
        if let Some(name) = &self.hips {
            roles.hips = Some(super::joint(model, name)?);
        }
        if let Some(name) = &self.spine {
            roles.spine_split = Some(super::joint(model, name)?);
        }
        roles.front = self.front.or(roles.front);
        if !self.legs.is_empty() {
            roles.legs = self.legs.iter().map(|names| leg(model, names)).collect::<Result<_, _>>()?;
        }
        Ok(())
    }
}

fn axis(text: &str) -> Result<Front, String> {
    let found = Front::ALL.into_iter().find(|front| front.name().eq_ignore_ascii_case(text));
    found.ok_or_else(|| format!("“{text}” is not an axis of the ground. Write +z, -z, +x or -x."))
}

fn leg(model: &Model, names: &str) -> Result<Leg, Failure> {
    let joints = names.split(',').map(|name| super::joint(model, name.trim())).collect::<Result<Vec<_>, _>>()?;
    match joints[..] {
        [thigh, shin, foot] => Ok(Leg { thigh, shin, foot, toe: None }),
        [thigh, shin, foot, toe] => Ok(Leg { thigh, shin, foot, toe: Some(toe) }),
        _ => Err(Failure::Usage(format!(
            "--legs {names}: a leg is three or four joints, THIGH,SHIN,FOOT or THIGH,SHIN,FOOT,TOE. Name them from the top down."
        ))),
    }
}
