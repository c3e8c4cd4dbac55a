//! Building and encoding takes, side by side where each has a file of its own, into files that wait to be put in place.

use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use rayon::prelude::*;
use serde_json::Value;

use super::plan::{Output, Wanted, output};
use super::request::ExportRequest;
use crate::export::{ExportError, FileSet, Replace};
use crate::message::{Message, Tell, message};
use crate::progress::Progress;
use crate::session::background::in_background;
use crate::session::variants::Index;

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
    if request.is_per_take() {
        staging.add_each(takes)?
    } else {
        staging.add_by_file(takes)?
    }
    let Staging { files, reports, failures, .. } = staging;
    match (reports.is_empty(), failures.first()) {
        (true, Some(first)) => Err(nothing(first.why.clone())),
        _ => Ok(Staged { files, failure: failure(&failures, total), reports, replace: request.replace }),
    }
}

impl Staged {
    /// The same once the disk has all files, which who puts them in place, and draws the window, need not wait for then.
    pub(super) fn synced(mut self) -> Result<Self, Message> {
        in_background(|| self.files.sync()).map_err(|error| nothing(error.message()))?;
        Ok(self)
    }

    /// These and `index` beside them, with the files and figures of what was made.
    pub(super) fn with_index(mut self, mut index: Index, request: &ExportRequest) -> Result<Self, Message> {
        self.reports.iter().for_each(|report| index.tell_exported(&report.told));
        let beside = |ending: &str| match request.is_folder() {
            true => request.destination.join(format!("index.{ending}")),
            false => request.destination.with_extension(format!("index.{ending}")),
        };
        for (ending, text) in [("json", index.json()), ("csv", index.csv())] {
            self.files.write(&beside(ending), text.as_bytes()).map_err(|error| nothing(error.message()))?;
        }
        Ok(self)
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
    /// Each take a file of its own, written as soon as it is made, so that no more are in memory than there are threads. One that fails
    /// is tried once more alone: beside others it may have found too little memory.
    fn add_each(&mut self, takes: Vec<Wanted>) -> Result<(), Message> {
        let total = takes.len();
        let (request, progress) = (self.request, self.progress);
        let side = SideBySide {
            request,
            progress,
            first: &self.files,
            total,
            numbers: AtomicUsize::new(0),
            sets: Mutex::default(),
        };
        let make = || takes.par_iter().map(|wanted| side.make(wanted)).collect::<Result<Vec<StagedResult>, _>>();
        let made = in_background(make)?;
        let starts = self.take_over(side.sets.into_inner().unwrap_or_else(PoisonError::into_inner))?;
        for (wanted, made) in takes.into_iter().zip(made) {
            let take = wanted.name.clone();
            let added = match made {
                Ok(StagedTake { set, told, files }) => {
                    Ok(Report { told, files: starts[set] + files.start..starts[set] + files.end })
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

    /// Brings in sets that were filled side by side; answers for each where its files begin.
    fn take_over(&mut self, mut sets: Vec<NumberedSet>) -> Result<Vec<usize>, Message> {
        sets.sort_by_key(|set| set.number);
        let mut starts = Vec::new();
        for set in sets {
            starts.push(self.files.len());
            self.files.absorb(set.files).map_err(|error| nothing(error.message()))?;
        }
        Ok(starts)
    }

    /// Takes that go into one file as clips of it; all of them where one file is written.
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

    /// All `takes` as clips of one file, of `total` in all.
    fn add_together(&mut self, takes: Vec<Wanted>, total: usize) -> Result<(), Message> {
        let mut whole: Option<Output> = None;
        for wanted in takes {
            let take = wanted.name.clone();
            match (self.planned(wanted, total)?, whole.take()) {
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
    fn planned(&self, wanted: Wanted, total: usize) -> Result<Result<Output, Message>, Message> {
        let part = self.progress.one_of(total);
        part.step(0, 1).map_err(|stopped| stopped.message())?;
        let planned = output(self.request, wanted, &part);
        // What was stopped in the middle did not fail.
        part.finish().map_err(|stopped| stopped.message())?;
        Ok(planned)
    }

    /// Adds one output. The outer error stops everything.
    fn add(&mut self, output: Output) -> Result<Result<Report, Message>, Message> {
        let before = self.files.len();
        let told = add(output, &mut self.files, self.request, &self.progress.part())?;
        Ok(told.map(|told| Report { told, files: before..self.files.len() }))
    }
}

/// Takes that are made side by side, each thread writing to a set of its own.
struct SideBySide<'r> {
    request: &'r ExportRequest,
    progress: &'r Progress,
    /// The set that takes over the others.
    first: &'r FileSet,
    total: usize,
    /// How many sets there are.
    numbers: AtomicUsize,
    /// Those that nobody writes to just now.
    sets: Mutex<Vec<NumberedSet>>,
}

struct NumberedSet {
    number: usize,
    files: FileSet,
}

/// What was made of a take, or why nothing.
type StagedResult = Result<StagedTake, Message>;

/// Files of a set that belong to one take.
struct StagedTake {
    set: usize,
    told: Value,
    files: Range<usize>,
}

impl SideBySide<'_> {
    /// Makes one take and writes it. The outer error stops everything.
    fn make(&self, wanted: &Wanted) -> Result<StagedResult, Message> {
        let part = self.progress.one_of(self.total);
        let (making, writing) = (part.share(0.5), part.share(0.5));
        making.step(0, 1).map_err(|stopped| stopped.message())?;
        let planned = output(self.request, wanted.clone(), &making);
        // What was stopped in the middle did not fail.
        making.finish().map_err(|stopped| stopped.message())?;
        let output = match planned {
            Ok(output) => output,
            Err(why) => return Ok(Err(why)),
        };
        let mut set = self.free_set();
        let before = set.files.len();
        let told = add(output, &mut set.files, self.request, &writing);
        // Who is stopped now is told of it by what comes next.
        let _ = writing.finish();
        let (number, files) = (set.number, before..set.files.len());
        self.sets.lock().unwrap_or_else(PoisonError::into_inner).push(set);
        Ok(told?.map(|told| StagedTake { set: number, told, files }))
    }

    fn free_set(&self) -> NumberedSet {
        let free = self.sets.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let new = || NumberedSet { number: self.numbers.fetch_add(1, Ordering::Relaxed), files: self.first.sibling() };
        free.unwrap_or_else(new)
    }
}

/// Adds `output` to `files`; what it added before it failed is taken out again. The outer error stops everything.
fn add(
    mut output: Output,
    files: &mut FileSet,
    request: &ExportRequest,
    progress: &Progress,
) -> Result<Result<Value, Message>, Message> {
    let before = files.len();
    output.tell_apart(request);
    match output.write(files, request, progress) {
        Ok(told) => Ok(Ok(told)),
        Err(error) if stops_all(&error) => Err(nothing(error.message())),
        Err(error) => {
            files.truncate(before);
            Ok(Err(error.message()))
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
        "%{failed} of %{total} takes %{failed|was|were} not exported, the other %{written} %{written|was|were}.\n%{reasons}",
        failed = failures.len(),
        total = total,
        written = total - failures.len(),
        reasons = reasons,
    ))
}

/// Why no file was written at all.
pub(super) fn nothing(why: Message) -> Message {
    message!("notice.not_exported", "Nothing was exported: %{why}", why = why)
}
