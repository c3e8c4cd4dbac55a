//! Builds and encodes takes, in parallel if each has its own file, into files that wait to be moved into place.

use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use rayon::prelude::*;

use super::plan::{Output, Wanted, output};
use super::report::ExportReport;
use super::request::ExportRequest;
use crate::Severity;
use crate::background::in_background;
use crate::variants::Index;
use portamento_base::message::{Message, Tell, message};
use portamento_base::progress::Progress;
use portamento_formats::export::{ExportError, FileSet, Replace};

/// A finished export whose files are not yet in place.
#[derive(Debug)]
pub(crate) struct Staged {
    pub files: FileSet,
    /// One report per file.
    pub reports: Vec<Report>,
    /// The takes that failed, with the reasons.
    pub failure: Option<Message>,
    /// Messages about the sets of the takes.
    pub notes: Vec<(Severity, Message)>,
    pub replace: Replace,
}

/// The report about some of the files.
#[derive(Debug)]
pub(crate) struct Report {
    pub report: ExportReport,
    /// Range of its files in the set.
    pub files: Range<usize>,
}

/// Builds and encodes `takes` into `files`, as `request` demands, without moving them into place. A failed take does not
/// stop the others.
///
/// Returns `Err` if all takes fail. Disk errors, conflicts with source files and cancellation also stop the export.
pub(super) fn stage(
    request: &ExportRequest,
    takes: Vec<Wanted>,
    files: FileSet,
    progress: &Progress,
) -> Result<Staged, Message> {
    let total = takes.len();
    let mut staging = Staging { request, progress, files, reports: Vec::new(), failures: Vec::new() };
    if request.is_per_take() {
        staging.add_each(takes)?
    } else {
        staging.add_by_file(takes)?
    }
    let Staging { mut files, reports, failures, .. } = staging;
    if !reports.is_empty() {
        let written = request.further.iter().try_for_each(|(path, bytes)| files.write(path, bytes));
        written.map_err(|error| nothing_exported(error.message()))?;
    }
    match (reports.is_empty(), failures.first()) {
        (true, Some(first)) => Err(nothing_exported(first.why.clone())),
        _ => Ok(Staged {
            notes: Vec::new(),
            files,
            failure: failure(&failures, total),
            reports,
            replace: request.replace,
        }),
    }
}

impl Staged {
    /// Syncs the files on the worker thread so that the UI thread never waits for `fsync`.
    pub(super) fn synced(mut self) -> Result<Self, Message> {
        in_background(|| self.files.sync()).map_err(|error| nothing_exported(error.message()))?;
        Ok(self)
    }

    /// Adds `index` with the files and figures of the exported takes. Two files are added, as JSON and CSV.
    pub(super) fn with_index(mut self, mut index: Index, request: &ExportRequest) -> Result<Self, Message> {
        self.reports.iter().for_each(|report| index.set_exported_results(&report.report));
        let index_path = |ending: &str| match request.is_folder() {
            true => request.destination.join(format!("index.{ending}")),
            false => request.destination.with_extension(format!("index.{ending}")),
        };
        for (ending, text) in [("json", index.json()), ("csv", index.csv())] {
            self.files
                .write(&index_path(ending), text.as_bytes())
                .map_err(|error| nothing_exported(error.message()))?;
        }
        Ok(self)
    }
}

/// An export in progress: the files, reports and failures so far.
struct Staging<'r> {
    request: &'r ExportRequest,
    progress: &'r Progress,
    files: FileSet,
    reports: Vec<Report>,
    failures: Vec<Failure>,
}

/// A take that failed.
struct Failure {
    take: String,
    why: Message,
}

impl Staging<'_> {
    /// Exports each take to its own file, so that at most one take per thread is in memory. A failed take is tried
    /// again alone, because parallel takes may have exhausted the memory.
    fn add_each(&mut self, takes: Vec<Wanted>) -> Result<(), Message> {
        let total = takes.len();
        let (request, progress) = (self.request, self.progress);
        let parallel = ParallelStaging {
            request,
            progress,
            first: &self.files,
            total,
            numbers: AtomicUsize::new(0),
            sets: Mutex::default(),
        };
        let make = || takes.par_iter().map(|wanted| parallel.make(wanted)).collect::<Result<Vec<StagedResult>, _>>();
        let results = in_background(make)?;
        let starts = self.merge_sets(parallel.sets.into_inner().unwrap_or_else(PoisonError::into_inner))?;
        for (wanted, result) in takes.into_iter().zip(results) {
            let take = wanted.name.clone();
            let added = match result {
                Ok(StagedTake { set, report, files }) => {
                    Ok(Report { report, files: starts[set] + files.start..starts[set] + files.end })
                }
                Err(_) if total > 1 => match self.planned(wanted, total)? {
                    Ok(output) => self.add(output)?,
                    Err(why) => Err(why),
                },
                Err(why) => Err(why),
            };
            match added {
                Ok(report) => self.reports.push(report),
                Err(why) => self.failures.push(Failure { take, why }),
            }
        }
        Ok(())
    }

    /// Merges the sets that were filled in parallel; returns the index of the first file of each.
    fn merge_sets(&mut self, mut sets: Vec<NumberedSet>) -> Result<Vec<usize>, Message> {
        sets.sort_by_key(|set| set.number);
        let mut starts = Vec::new();
        for set in sets {
            starts.push(self.files.len());
            self.files.absorb(set.files).map_err(|error| nothing_exported(error.message()))?;
        }
        Ok(starts)
    }

    /// Exports takes grouped by file, as clips; all takes if one file is written.
    fn add_by_file(&mut self, takes: Vec<Wanted>) -> Result<(), Message> {
        let total = takes.len();
        let mut files: Vec<(String, Vec<Wanted>)> = Vec::new();
        for wanted in takes {
            let file = if self.request.is_folder() { wanted.file.clone() } else { String::new() };
            match files.iter_mut().find(|(known, _)| *known == file) {
                Some((_, of_file)) => of_file.push(wanted),
                None => files.push((file, vec![wanted])),
            }
        }
        files.into_iter().try_for_each(|(_, of_file)| self.add_together(of_file, total))
    }

    /// Exports `takes` as clips of one file; `total` is the number of takes in the whole export. Failed takes are noted.
    /// Returns `Err` if the takes do not fit into one file.
    fn add_together(&mut self, takes: Vec<Wanted>, total: usize) -> Result<(), Message> {
        let mut joined: Option<Output> = None;
        for wanted in takes {
            let take = wanted.name.clone();
            match (self.planned(wanted, total)?, joined.take()) {
                (Ok(next), None) => joined = Some(next),
                (Ok(next), Some(before)) => joined = Some(before.joined(next).map_err(nothing_exported)?),
                (Err(why), before) => {
                    joined = before;
                    self.failures.push(Failure { take, why });
                }
            }
        }
        let Some(joined) = joined else { return Ok(()) };
        joined.check(self.request).map_err(nothing_exported)?;
        let failed = |why: Message| message!("notice.export_failed", "Export failed: %{why}", why = why);
        let report = self.add(joined)?.map_err(failed)?;
        self.reports.push(report);
        Ok(())
    }

    /// Builds the output of one take. The outer error stops the export. The inner one is the reason why the take failed.
    fn planned(&self, wanted: Wanted, total: usize) -> Result<Result<Output, Message>, Message> {
        let part = self.progress.one_of(total);
        part.step(0, 1).map_err(|stopped| stopped.message())?;
        let planned = output(self.request, wanted, &part);
        // A cancelled take is not a failed take.
        part.finish().map_err(|stopped| stopped.message())?;
        Ok(planned)
    }

    /// Encodes one output. The outer error stops the export. The inner one is the reason why the output failed.
    fn add(&mut self, output: Output) -> Result<Result<Report, Message>, Message> {
        let before = self.files.len();
        let report = add(output, &mut self.files, self.request, &self.progress.part())?;
        Ok(report.map(|report| Report { report, files: before..self.files.len() }))
    }
}

/// Parallel export; each thread writes to its own file set.
struct ParallelStaging<'r> {
    request: &'r ExportRequest,
    progress: &'r Progress,
    /// The set that the others are merged into.
    first: &'r FileSet,
    total: usize,
    /// Number of sets created so far.
    numbers: AtomicUsize,
    /// Sets that no thread uses at the moment.
    sets: Mutex<Vec<NumberedSet>>,
}

struct NumberedSet {
    number: usize,
    files: FileSet,
}

/// The staged files of a take, or the reason it failed.
type StagedResult = Result<StagedTake, Message>;

/// The files of one take in a set.
struct StagedTake {
    set: usize,
    report: ExportReport,
    files: Range<usize>,
}

impl ParallelStaging<'_> {
    /// Builds and encodes one take. The outer error stops the export. The inner one is the reason why the take failed.
    fn make(&self, wanted: &Wanted) -> Result<StagedResult, Message> {
        let part = self.progress.one_of(self.total);
        let (making, writing) = (part.share(0.5), part.share(0.5));
        making.step(0, 1).map_err(|stopped| stopped.message())?;
        let planned = output(self.request, wanted.clone(), &making);
        // A cancelled take is not a failed take.
        making.finish().map_err(|stopped| stopped.message())?;
        let output = match planned {
            Ok(output) => output,
            Err(why) => return Ok(Err(why)),
        };
        let mut set = self.free_set();
        let before = set.files.len();
        let report = add(output, &mut set.files, self.request, &writing);
        // If the job is cancelled here, the next step reports it.
        let _ = writing.finish();
        let (number, files) = (set.number, before..set.files.len());
        self.sets.lock().unwrap_or_else(PoisonError::into_inner).push(set);
        Ok(report?.map(|report| StagedTake { set: number, report, files }))
    }

    /// Returns a set of files that no thread fills now, a new one if there is none.
    fn free_set(&self) -> NumberedSet {
        let free = self.sets.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let new = || NumberedSet { number: self.numbers.fetch_add(1, Ordering::Relaxed), files: self.first.sibling() };
        free.unwrap_or_else(new)
    }
}

/// Encodes `output` into `files`; removes its partial files if it fails. The outer error stops the export.
fn add(
    mut output: Output,
    files: &mut FileSet,
    request: &ExportRequest,
    progress: &Progress,
) -> Result<Result<ExportReport, Message>, Message> {
    let before = files.len();
    output.make_names_unique(request);
    match output.write(files, request, progress) {
        Ok(report) => Ok(Ok(report)),
        Err(error) if stops_all(&error) => Err(nothing_exported(error.message())),
        Err(error) => {
            files.truncate(before);
            Ok(Err(error.message()))
        }
    }
}

/// True if the error stops the whole export, so that old and new files are never mixed.
fn stops_all(error: &ExportError) -> bool {
    use ExportError::{Cancelled, SourceInTheWay, Unwritable, WrittenTwice};
    matches!(error, SourceInTheWay { .. } | Cancelled(_) | Unwritable { .. } | WrittenTwice { .. })
}

/// Returns one message about all failed takes of `total`; `None` if none failed.
fn failure(failures: &[Failure], total: usize) -> Option<Message> {
    let take_failed = |Failure { take, why }: &Failure| {
        message!("notice.take_failed", "“%{take}”: %{why}", take = take, why = why.clone())
    };
    let join = |first, next| message!("error.lines", "%{first}\n%{next}", first = first, next = next);
    let reasons = failures.iter().map(take_failed).reduce(join)?;
    Some(message!(
        "notice.takes_failed",
        "%{failed} of %{total} %{total|take|takes} could not be exported; %{written} %{written|was|were} exported.\n%{reasons}",
        failed = failures.len(),
        total = total,
        written = total - failures.len(),
        reasons = reasons,
    ))
}

/// Returns the message that no file was written.
pub(super) fn nothing_exported(why: Message) -> Message {
    message!("notice.not_exported", "Nothing was exported: %{why}", why = why)
}
