//! The upward axis of a file, a flag of the commands that open a figure.

use portamento_anim::geometry::UpAxis;
use portamento_session::Session;
use portamento_takes::document::FileId;

/// The upward axis of a file.
#[derive(Clone, Copy, Debug, Default, clap::Args)]
pub(crate) struct UpArgument {
    /// The axis of the file that points up: y or z. Default: as its format says; guessed from the motion for BVH, NPZ and NPY.
    #[arg(long, value_name = "AXIS", value_parser = axis)]
    up: Option<UpAxis>,
}

impl UpArgument {
    /// Turns `file` so that this axis points up. Does nothing without the flag.
    pub(crate) fn apply(self, session: &mut Session, file: FileId) {
        if self.up.is_some() {
            session.set_up_axis(file, self.up);
        }
    }
}

/// Parses an upward axis: `y`, `Y`, `z` or `Z`. Returns `Err` for other text, also with a sign.
pub(crate) fn axis(text: &str) -> Result<UpAxis, String> {
    match text {
        "y" | "Y" => Ok(UpAxis::Y),
        "z" | "Z" => Ok(UpAxis::Z),
        _ => Err("use y or z".into()),
    }
}
