//! Exports of this session: the next one's choices, the last one's files, and one that waits for an answer.

use std::path::{Path, PathBuf};

use serde_json::Value;

use super::staging::Staged;
use super::{ExportChoice, job_name};
use crate::session::Jobs;

/// What was exported and what is about to be.
#[derive(Debug, Default)]
pub struct Exports {
    /// What is chosen for the next one.
    pub choice: ExportChoice,
    pub(super) reports: Vec<Value>,
    pub(super) files: Vec<PathBuf>,
    /// One that waits for the answer whether it may replace files.
    pub(super) staged: Option<Staged>,
}

impl Exports {
    /// What the last successful one wrote, one report per file.
    pub fn reports(&self) -> &[Value] {
        &self.reports
    }

    /// The files of the last successful one.
    pub(in crate::session) fn files(&self) -> &[PathBuf] {
        &self.files
    }

    /// Whether one is among the `jobs`, or waits for an answer.
    pub fn is_running(&self, jobs: &Jobs) -> bool {
        self.staged.is_some() || jobs.running().any(|job| job.name == job_name())
    }

    /// Stops the one among the `jobs`; none of its files are written.
    pub fn stop(&mut self, jobs: &Jobs) {
        self.staged = None;
        jobs.running().filter(|job| job.name == job_name()).for_each(|job| job.progress.cancel());
    }

    /// The files that the last one would replace, while nobody said whether it may.
    pub fn files_in_the_way(&self) -> Option<Vec<PathBuf>> {
        let staged = self.staged.as_ref()?;
        Some(staged.files.replaced().map(Path::to_owned).collect())
    }
}
