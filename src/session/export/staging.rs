//! Building takes side by side and encoding them one after the other into files that wait to be put in place.

use std::ops::Range;

use rayon::prelude::*;
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

/// How many takes of how many are done.
#[derive(Clone, Copy)]
struct Place {
    done: usize,
    total: usize,
}

impl Place {
    fn step(self, progress: &Progress) -> Result<(), Message> {
        progress.step(self.done, self.total).map_err(|stopped| stopped.message())
    }
}

impl Staging<'_> {
    /// Each take a file of its own. As many as there are threads are made side by side and written in order before the next, so that
    /// no more are in memory. One that fails is tried once more alone: beside others it may have found too little memory.
    fn add_each(&mut self, takes: Vec<Wanted>) -> Result<(), Message> {
        for (number, some) in takes.chunks(rayon::current_num_threads()).enumerate() {
            let place = Place { done: number * rayon::current_num_threads(), total: takes.len() };
            let planned = self.planned_side_by_side(some, place)?;
            let added = planned.into_iter().map(|planned| self.added(planned));
            let added = added.collect::<Result<Vec<_>, _>>()?;
            for (wanted, mut added) in some.iter().zip(added) {
                if added.is_err() && some.len() > 1 {
                    let alone = self.planned(wanted.clone(), place)?;
                    added = self.added(alone)?;
                }
                match added {
                    Ok(report) => self.reports.push(report),
                    Err(why) => self.failures.push(Failure { take: wanted.name.clone(), why }),
                }
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
            match (self.planned(wanted, Place { done: number, total })?, whole.take()) {
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
    fn planned(&self, wanted: Wanted, place: Place) -> Result<Result<Output, Message>, Message> {
        place.step(self.progress)?;
        let planned = output(self.request, wanted, self.progress);
        // What was stopped in the middle did not fail.
        place.step(self.progress)?;
        Ok(planned)
    }

    /// The same for several at once.
    fn planned_side_by_side(&self, some: &[Wanted], place: Place) -> Result<Vec<Result<Output, Message>>, Message> {
        if let [only] = some {
            return self.planned(only.clone(), place).map(|planned| vec![planned]);
        }
        place.step(self.progress)?;
        let (request, progress) = (self.request, self.progress);
        let planned = some.par_iter().map(|wanted| output(request, wanted.clone(), &progress.part())).collect();
        place.step(self.progress)?;
        Ok(planned)
    }

    fn added(&mut self, planned: Result<Output, Message>) -> Result<Result<Report, Message>, Message> {
        planned.map_or_else(|why| Ok(Err(why)), |output| self.add(output))
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
