//! `portamento init-contract`: proposes a contract from the clips that exist.

use std::path::PathBuf;

use crate::{Failure, commit, print_text, refused};
use portamento_sets::propose;

/// Proposes a contract for clips: what their names and figures suggest about loops, speeds, and sets.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// Files (glTF, GLB, VRM, FBX, BVH, NPZ, NPY), folders, including subfolders, and projects.
    #[arg(required = true, value_name = "FILE|FOLDER|PROJECT")]
    paths: Vec<PathBuf>,
    /// Contract to write. Default: it is printed.
    #[arg(short, long, value_name = "FILE.toml")]
    out: Option<PathBuf>,
    #[command(flatten)]
    force: crate::Force,
}

impl Arguments {
    /// Writes the proposed contract, or prints it without an output file. Returns `Err` if no clip could be measured.
    pub(crate) fn run(self) -> Result<(), Failure> {
        let delivery = super::measured_delivery(&self.paths)?;
        for (file, why) in &delivery.failures {
            crate::warn(&crate::output::one_line(&format!("warning: {file}: {why}")));
        }
        if delivery.members.is_empty() {
            return Err(Failure::Usage("No clip could be measured, so there is nothing to propose.".into()));
        }
        let text = propose(&delivery.members).text().map_err(|why| Failure::Failed(why.to_string()))?;
        let Some(out) = &self.out else { return print_text(&text) };
        let mut set = super::output_files(&delivery, None);
        set.write(out, text.as_bytes()).map_err(refused)?;
        commit(set, self.force)
    }
}
