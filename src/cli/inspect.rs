//! `portamento inspect`: prints the content of a file.

use std::path::PathBuf;

use super::Failure;
use super::flags::up::UpArgument;
use portamento_session::inspect;

/// Prints the content of a file.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// File: glTF, GLB, VRM, FBX, BVH, NPZ or NPY.
    file: PathBuf,
    #[command(flatten)]
    up: UpArgument,
    /// Print the report as JSON.
    #[arg(long)]
    json: bool,
}

impl Arguments {
    /// Prints the content of the file. Returns `Err` if it cannot be opened.
    pub(super) fn run(self) -> Result<(), Failure> {
        let (session, id, asset) = super::open_up(&self.file, self.up)?;
        let report = inspect::report(&session, id, &asset, &self.file.display().to_string());
        super::print(&report, self.json)
    }
}
