//! Building and encoding takes, one after the other, into files that wait to be put in place.

use serde_json::Value;

use super::plan::{Output, Wanted, output};
use super::request::ExportRequest;
use crate::export::{ExportError, FileSet, Replace};
use crate::progress::Progress;

/// An export whose files wait beside their places.
#[derive(Debug)]
pub(in crate::session) struct Staged {
    pub files: FileSet,
    /// One per file.
    pub reports: Vec<Value>,
    /// Which takes are missing and why, as a sentence.
    pub failure: Option<String>,
    pub replace: Replace,
}

/// Everything that `request` asks for of `takes`. A take that fails does not stop the others; a disk that does, a source that
/// would be overwritten, or somebody who stops the work, stops all.
pub(super) fn stage(
    request: &ExportRequest,
    takes: Vec<Wanted>,
    files: FileSet,
    progress: &Progress,
) -> Result<Staged, String> {
    let total = takes.len();
    let mut staging = Staging { request, progress, files, reports: Vec::new(), failures: Vec::new() };
    if request.is_folder() {
        staging.add_each(takes)?
    } else {
        staging.add_together(takes)?
    }
    let Staging { files, reports, failures, .. } = staging;
    match (reports.is_empty(), failures.first()) {
        (true, Some((_, sentence))) => Err(nothing(sentence)),
        _ => Ok(Staged { files, failure: failure(&failures, total), reports, replace: request.replace }),
    }
}

struct Staging<'r> {
    request: &'r ExportRequest,
    progress: &'r Progress,
    files: FileSet,
    reports: Vec<Value>,
    /// The names of takes that failed, and why.
    failures: Vec<(String, String)>,
}

impl Staging<'_> {
    /// Each take a file of its own, written as soon as it is made, so that one at a time is in memory.
    fn add_each(&mut self, takes: Vec<Wanted>) -> Result<(), String> {
        let total = takes.len();
        for (number, wanted) in takes.into_iter().enumerate() {
            let name = wanted.name.clone();
            let added = match self.planned(wanted, number, total)? {
                Ok(output) => self.add(&output)?,
                Err(sentence) => Err(sentence),
            };
            match added {
                Ok(report) => self.reports.push(report),
                Err(sentence) => self.failures.push((name, sentence)),
            }
        }
        Ok(())
    }

    /// All takes as clips of one file.
    fn add_together(&mut self, takes: Vec<Wanted>) -> Result<(), String> {
        let total = takes.len();
        let mut whole: Option<Output> = None;
        for (number, wanted) in takes.into_iter().enumerate() {
            let name = wanted.name.clone();
            match (self.planned(wanted, number, total)?, whole.take()) {
                (Ok(next), None) => whole = Some(next),
                (Ok(next), Some(before)) => whole = Some(before.joined(next).map_err(|sentence| nothing(&sentence))?),
                (Err(sentence), before) => {
                    whole = before;
                    self.failures.push((name, sentence));
                }
            }
        }
        let Some(whole) = whole else { return Ok(()) };
        whole.check(self.request).map_err(|sentence| nothing(&sentence))?;
        let report = self.add(&whole)?.map_err(|sentence| format!("Export failed: {sentence}"))?;
        self.reports.push(report);
        Ok(())
    }

    fn planned(&self, wanted: Wanted, number: usize, total: usize) -> Result<Result<Output, String>, String> {
        self.progress.step(number, total).map_err(|stopped| stopped.to_string())?;
        let planned = output(self.request, wanted, self.progress);
        // What was stopped in the middle did not fail.
        self.progress.step(number, total).map_err(|stopped| stopped.to_string())?;
        Ok(planned)
    }

    /// Adds one output; what it added before it failed is taken out again. The outer error stops everything.
    fn add(&mut self, output: &Output) -> Result<Result<Value, String>, String> {
        let before = self.files.len();
        match output.write(&mut self.files, self.request, self.progress) {
            Ok(report) => Ok(Ok(report)),
            Err(error) if stops_all(&error) => Err(nothing(&error.to_string())),
            Err(error) => {
                self.files.truncate(before);
                Ok(Err(error.to_string()))
            }
        }
    }
}

/// Whether no other take should be written either: the files of an export are old or new together.
fn stops_all(error: &ExportError) -> bool {
    use ExportError::{Cancelled, SourceInTheWay, Unwritable, WrittenTwice};
    matches!(error, SourceInTheWay { .. } | Cancelled(_) | Unwritable { .. } | WrittenTwice { .. })
}

fn nothing(sentence: &str) -> String {
    format!("Nothing was exported: {sentence}")
}

fn failure(failures: &[(String, String)], total: usize) -> Option<String> {
    let sentences: Vec<String> = failures.iter().map(|(take, sentence)| format!("\"{take}\": {sentence}")).collect();
    let written = total - failures.len();
    (!failures.is_empty()).then(|| {
        format!(
            "{} of {total} takes were not exported, the other {written} were. {}",
            failures.len(),
            sentences.join(" ")
        )
    })
}
