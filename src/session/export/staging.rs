//! Building and encoding takes, one after the other, into files that wait to be put in place.

use std::ops::Range;

use serde_json::Value;

use super::nothing;
use super::plan::{Output, Wanted, output};
use super::request::ExportRequest;
use crate::export::{ExportError, FileSet, Replace};
use crate::message::{Message, Tell, message};
use crate::progress::Progress;

/// An export whose files wait beside their places.
#[derive(Debug)]
pub(in crate::session) struct Staged {
    pub files: FileSet,
    /// One per take that has files of its own.
    pub reports: Vec<Report>,
    /// Which takes are missing and why.
    pub failure: Option<Message>,
    pub replace: Replace,
}

/// What is told of some files.
#[derive(Debug)]
pub(in crate::session) struct Report {
    pub told: Value,
    /// Which files of the set it is about.
    pub files: Range<usize>,
}

/// Everything that `request` asks for of `takes`. A take that fails does not stop the others; a disk that does, a source that
/// would be overwritten, or somebody who stops the work, stops all.
pub(super) fn stage(
    request: &ExportRequest,
    takes: Vec<Wanted>,
    files: FileSet,
    progress: &Progress,
) -> Result<Staged, Message> {
    let total = takes.len();
    let mut staging = Staging { request, progress, files, reports: Vec::new(), failures: Vec::new() };
    if request.is_folder() {
        staging.add_each(takes)?
    } else {
        staging.add_together(takes)?
    }
    let Staging { files, reports, failures, .. } = staging;
    match (reports.is_empty(), failures.first()) {
        (true, Some(first)) => Err(nothing(first.why.clone())),
        _ => Ok(Staged { files, failure: failure(&failures, total), reports, replace: request.replace }),
    }
}

struct Staging<'r> {
    request: &'r ExportRequest,
    progress: &'r Progress,
    files: FileSet,
    reports: Vec<Report>,
    failures: Vec<Failure>,
}

/// A take that is not exported.
struct Failure {
    take: String,
    why: Message,
}

impl Staging<'_> {
    /// Each take a file of its own, written as soon as it is made, so that one at a time is in memory.
    fn add_each(&mut self, takes: Vec<Wanted>) -> Result<(), Message> {
        let total = takes.len();
        for (number, wanted) in takes.into_iter().enumerate() {
            let take = wanted.name.clone();
            let added = match self.planned(wanted, number, total)? {
                Ok(output) => self.add(output)?,
                Err(why) => Err(why),
            };
            match added {
                Ok(report) => self.reports.push(report),
                Err(why) => self.failures.push(Failure { take, why }),
            }
        }
        Ok(())
    }

    /// All takes as clips of one file.
    fn add_together(&mut self, takes: Vec<Wanted>) -> Result<(), Message> {
        let total = takes.len();
        let mut whole: Option<Output> = None;
        for (number, wanted) in takes.into_iter().enumerate() {
            let take = wanted.name.clone();
            match (self.planned(wanted, number, total)?, whole.take()) {
                (Ok(next), None) => whole = Some(next),
                (Ok(next), Some(before)) => whole = Some(before.joined(next).map_err(nothing)?),
                (Err(why), before) => {
                    whole = before;
                    self.failures.push(Failure { take, why });
                }
            }
        }
        let Some(whole) = whole else { return Ok(()) };
        whole.check(self.request).map_err(nothing)?;
        let failed = |why: Message| message!("notice.export_failed", "Export failed: %{why}", why = why);
        let report = self.add(whole)?.map_err(failed)?;
        self.reports.push(report);
        Ok(())
    }

    /// The outer error stops everything.
    fn planned(&self, wanted: Wanted, number: usize, total: usize) -> Result<Result<Output, Message>, Message> {
        self.progress.step(number, total).map_err(|stopped| stopped.message())?;
        let planned = output(self.request, wanted, self.progress);
        // What was stopped in the middle did not fail.
        self.progress.step(number, total).map_err(|stopped| stopped.message())?;
        Ok(planned)
    }

    /// Adds one output; what it added before it failed is taken out again. The outer error stops everything.
    fn add(&mut self, mut output: Output) -> Result<Result<Report, Message>, Message> {
        let before = self.files.len();
        output.tell_apart(self.request);
        match output.write(&mut self.files, self.request, self.progress) {
            Ok(told) => Ok(Ok(Report { told, files: before..self.files.len() })),
            Err(error) if stops_all(&error) => Err(nothing(error.message())),
            Err(error) => {
                self.files.truncate(before);
                Ok(Err(error.message()))
            }
        }
    }
}

/// Whether no other take should be written either: the files of an export are old or new together.
fn stops_all(error: &ExportError) -> bool {
    use ExportError::{Cancelled, SourceInTheWay, Unwritable, WrittenTwice};
    matches!(error, SourceInTheWay { .. } | Cancelled(_) | Unwritable { .. } | WrittenTwice { .. })
}

/// Which takes are missing, in one message.
fn failure(failures: &[Failure], total: usize) -> Option<Message> {
    let told = |Failure { take, why }: &Failure| {
        message!("notice.take_failed", "“%{take}”: %{why}", take = take, why = why.clone())
    };
    let join = |first, next| message!("error.lines", "%{first}\n%{next}", first = first, next = next);
    let reasons = failures.iter().map(told).reduce(join)?;
    Some(message!(
        "notice.takes_failed",
        "%{failed} of %{total} takes were not exported, the other %{written} were.\n%{reasons}",
        failed = failures.len(),
        total = total,
        written = total - failures.len(),
        reasons = reasons,
    ))
}
