//! `portamento add-on`: saves the add-on for Blender.

use std::path::PathBuf;
use std::sync::Arc;

use super::{Failure, Force};
use portamento_formats::export::FileSet;
use portamento_session::add_on;

/// Saves the add-on for Blender 4.5 and later as a zip file, which Blender installs.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// Zip file to write.
    #[arg(short, long, default_value = add_on::BLENDER_FILE)]
    out: PathBuf,
    #[command(flatten)]
    force: Force,
}

impl Arguments {
    /// Writes the zip file of the add-on. Returns `Err` if it exists and may not be replaced, or cannot be written.
    pub(super) fn run(self) -> Result<(), Failure> {
        let bytes = add_on::blender().map_err(|why| Failure::Failed(why.to_string()))?;
        let mut files = FileSet::new(Arc::default());
        files.write(&self.out, &bytes).map_err(super::refused)?;
        super::commit(files, self.force)
    }
}
