//! `portamento recover`: finishes or undoes exports that were interrupted.

use std::path::{Path, PathBuf};

use serde_json::json;

use super::Failure;
use portamento_base::message::Tell as _;
use portamento_formats::export::file_system::Disk;
use portamento_formats::export::{Resolution, Sources, file_set};

/// Lists the exports to a folder that were interrupted, and finishes or undoes them. Files that were changed since are
/// left as they are.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// Folder that was exported to.
    folder: PathBuf,
    /// Replace the old files by the new ones that wait.
    #[arg(long, conflicts_with = "undo")]
    finish: bool,
    /// Restore the files as they were before the export.
    #[arg(long)]
    undo: bool,
    /// Print the report as JSON.
    #[arg(long)]
    json: bool,
}

impl Arguments {
    /// Lists the interrupted exports, and finishes or undoes them if requested. Returns `Err` if they are only listed and there
    /// are some, or if one cannot be resolved.
    pub(super) fn run(self) -> Result<(), Failure> {
        if !self.folder.is_dir() {
            return Err(Failure::Usage(format!("{} is not a folder.", self.folder.display())));
        }
        let folder = self.folder.canonicalize().unwrap_or_else(|_| self.folder.clone());
        let resolution = match (self.finish, self.undo) {
            (true, _) => Some(Resolution::Finish),
            (_, true) => Some(Resolution::Undo),
            _ => None,
        };
        let remains = file_set::clean(&Disk, &folder);
        remains.unreadable.iter().for_each(|report| crate::warn(&format!("warning: {report}")));
        let mut sentences = Vec::new();
        for interrupted in &remains.interrupted {
            sentences.push(interrupted.message().to_string());
            let Some(resolution) = resolution else { continue };
            let reports = interrupted.resolve(&Disk, &Sources::default(), resolution);
            let reports = reports.map_err(|error| Failure::Failed(error.message().to_string()))?;
            reports.iter().for_each(|report| crate::warn(&format!("warning: {report}")));
        }
        let done = match (resolution, sentences.is_empty()) {
            (_, true) => "nothing to do",
            (None, _) => "open",
            (Some(Resolution::Finish), _) => "finished",
            (Some(Resolution::Undo), _) => "undone",
        };
        super::print(&json!({ "interrupted": sentences, "state": done }), self.json)?;
        match (resolution, sentences.is_empty()) {
            (None, false) => Err(Failure::Failed(how_to_resolve(&self.folder))),
            _ => Ok(()),
        }
    }
}

/// Returns the sentence with the commands that resolve the interrupted exports to `folder`.
pub(super) fn how_to_resolve(folder: &Path) -> String {
    let folder = folder.display();
    format!(
        "Run `portamento recover \"{folder}\" --finish` to finish it, or with --undo to restore the files as they were."
    )
}
