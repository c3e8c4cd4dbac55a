//! `portamento samples`: regenerates everything in `assets/`.

use std::path::{Path, PathBuf};

use crate::Failure;

/// Regenerates the sample files.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// Folder to write to.
    #[arg(long)]
    out: PathBuf,
    #[command(flatten)]
    force: crate::Force,
    /// Print the report as JSON.
    #[arg(long)]
    json: bool,
}

impl Arguments {
    /// Writes the samples and prints their paths.
    pub(crate) fn run(self) -> Result<(), Failure> {
        let files = write(&self.out, self.force)?;
        let files: Vec<String> = files.iter().map(|path| path.display().to_string()).collect();
        crate::print(&serde_json::json!({ "files": files }), self.json)
    }
}

/// Writes the samples to `folder`, creating it if needed. Returns the paths.
pub(crate) fn write(folder: &Path, force: crate::Force) -> Result<Vec<PathBuf>, Failure> {
    portamento_session::samples::write(folder, force.into()).map_err(crate::refused)
}
