//! Render-farm jobs, and exports take by take, on this machine or as parts of a job.

use std::path::{Path, PathBuf};

use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::Failure;
use portamento_session::batch::job::{Job, read_parts};
use portamento_session::batch::parts::{Chunks, Parts};
use portamento_session::batch::{OutcomeState, SetOutcome, TakeOutcome};
use portamento_session::variants::Index;
use portamento_session::{ExportRequest, Session};

/// Flags for the folder and task size of a job.
#[derive(Debug, Default, clap::Args)]
pub(super) struct JobFolder {
    /// Write a render-farm job instead: a folder with copies of all sources, an Open Job Description and a Slurm
    /// array script.
    #[arg(long, value_name = "FOLDER")]
    pub job: Option<PathBuf>,
    /// With --job, approximate duration of each task; a few takes or files of each kind are timed now.
    #[arg(long, value_name = "SECONDS", default_value_t = 60.0, requires = "job", value_parser = seconds)]
    part_seconds: f64,
}

/// Flags for writing a job of takes.
#[derive(Debug, Default, clap::Args)]
pub(super) struct JobFlags {
    #[command(flatten)]
    pub folder: JobFolder,
    /// With --job, number of takes per task. Default: estimated from --part-seconds.
    #[arg(long, value_name = "TAKES", requires = "job", conflicts_with = "part_seconds")]
    part_takes: Option<usize>,
    /// Values of each variant, if the takes are variants of one take.
    #[arg(skip)]
    pub index: Index,
}

/// Flags for exporting take by take.
#[derive(Debug, Default, clap::Args)]
pub(super) struct PartFlags {
    /// Export take by take: finished and unchanged takes are skipped, and a failed take does not stop the others.
    #[arg(long)]
    resume: bool,
    #[command(flatten)]
    of: PartOf,
}

/// Flags for a part of a job.
#[derive(Debug, Default, clap::Args)]
pub(super) struct PartOf {
    /// Part list of a job, used with --part.
    #[arg(long, value_name = "PARTS.json", requires = "part")]
    pub parts: Option<PathBuf>,
    /// Number of the part to process, from 1; finished and unchanged files are skipped.
    #[arg(long, value_name = "NUMBER", requires = "parts")]
    pub part: Option<usize>,
}

/// A part of a job, with the list of all parts.
pub(super) struct ChosenPart<T> {
    /// The file of the part list.
    pub path: PathBuf,
    pub parts: Parts<T>,
    /// The 0-based index of the part.
    pub at: usize,
}

impl JobFolder {
    /// Returns the task size: `count` items if given, otherwise the requested duration.
    pub fn chunks(&self, count: Option<usize>) -> Chunks {
        count.map_or(Chunks::Seconds(self.part_seconds), Chunks::Count)
    }
}

impl PartOf {
    /// Returns the requested part; `None` without --parts. Returns `Err` if the list cannot be read or the job has no such
    /// part.
    pub fn read<T: DeserializeOwned + Ord + Clone>(&self) -> Result<Option<ChosenPart<T>>, Failure> {
        let Some((path, part)) = self.parts.clone().zip(self.part) else { return Ok(None) };
        let parts: Parts<T> = read_parts(&path).map_err(|why| Failure::Usage(why.to_string()))?;
        let of = parts.parts.len();
        let wanted = part.checked_sub(1).filter(|&at| at < of);
        let unknown = || Failure::Usage(format!("There is no part {part}; the job has parts 1 to {of}."));
        wanted.map(|at| Some(ChosenPart { path, parts, at })).ok_or_else(unknown)
    }
}

impl JobFlags {
    /// Writes the job of `request` to `folder`. Prints the summary. Returns `Err` if `request` names one file for all
    /// takes, or if the job cannot be written.
    pub fn write(
        &self,
        session: &mut Session,
        request: ExportRequest,
        folder: PathBuf,
        json: bool,
    ) -> Result<(), Failure> {
        if !request.is_folder() {
            return Err(Failure::Usage("A job writes one file per take. Omit --out, or give a folder.".into()));
        }
        let chunks = self.folder.chunks(self.part_takes);
        let replace = request.replace;
        let planned = session.plan_job(&Job { request, folder: folder.clone(), chunks, index: self.index.clone() });
        let planned = planned.map_err(|why| Failure::Failed(why.to_string()))?;
        super::commit(planned.files, replace)?;
        let parts = planned.parts;
        print_summary(&folder, "takes", &parts, json)
    }
}

/// Prints the summary of a job written to `folder`; `what` is the kind of its items. Prints JSON if `json` is set,
/// otherwise lines.
pub(super) fn print_summary<T>(folder: &Path, what: &str, parts: &Parts<T>, json: bool) -> Result<(), Failure> {
    let report = json!({
        "job": folder.display().to_string(), what: parts.all().count(), "parts": parts.parts.len(),
        "run": format!("openjd run {}", folder.join("template.json").display()),
    });
    super::print(&report, json)
}

impl PartFlags {
    /// True if takes are exported one by one.
    pub(super) fn is_one_by_one(&self) -> bool {
        self.resume || self.of.parts.is_some()
    }

    /// Exports the takes of `request`, or those of the requested part, one by one, and prints each result. Failed takes do
    /// not stop the others, but give `Err` at the end.
    pub fn bake(&self, session: &mut Session, mut request: ExportRequest, json: bool) -> Result<(), Failure> {
        if let Some(ChosenPart { mut parts, at, .. }) = self.of.read()? {
            request.together = parts.all().copied().collect();
            request.takes = parts.parts.swap_remove(at);
        }
        let (total, mut number, mut spent) = (request.takes.len(), 0_usize, 0.0);
        let outcomes = session.bake_each(&request, |outcome| {
            (number, spent) = (number + 1, spent + outcome.seconds);
            if !json {
                let left = spent / number as f64 * (total - number) as f64;
                crate::warn(&format!(
                    "{number}/{total} {} ({:.2} s), {left:.0} s left",
                    line(outcome),
                    outcome.seconds
                ));
            }
        });
        let outcomes = outcomes.map_err(|why| Failure::Usage(why.to_string()))?;
        super::warn_of_interrupted(&session.exports.take_interrupted());
        if json {
            super::print(&outcomes.takes.iter().map(row).collect::<Vec<Value>>().into(), true)?;
        }
        outcomes.sets.iter().map(set_line).for_each(|line| super::warn(&line));
        let failures: Vec<&TakeOutcome> =
            outcomes.takes.iter().filter(|outcome| outcome.state.failure().is_some()).collect();
        if let Some(first) = failures.first() {
            let sentence = format!("{} of {total} takes failed. The first: {}", failures.len(), line(first));
            return Err(Failure::Failed(sentence));
        }
        let failed = outcomes.sets.iter().find(|set| set.is_requested && set.state.failure().is_some());
        failed.map_or(Ok(()), |set| Err(Failure::Failed(set_line(set))))
    }
}

/// Returns a line about a take: the reason if it failed, else its state.
fn line(outcome: &TakeOutcome) -> String {
    match outcome.state.failure() {
        Some(why) => format!("{}: {why}", outcome.take),
        None => format!("{}: {}", outcome.take, outcome.state.name()),
    }
}

/// Returns a line about a set: the reason if it failed, else its state and its files.
pub(super) fn set_line(SetOutcome { set, state, files, .. }: &SetOutcome) -> String {
    match state {
        OutcomeState::Failed(why) | OutcomeState::Outdated(why) => format!("{set}: {why}"),
        OutcomeState::Written | OutcomeState::Kept => format!("{set}: {} {}", state.name(), files.join(", ")),
    }
}

/// Returns the outcome of a take as JSON, with the reason if it failed.
fn row(outcome: &TakeOutcome) -> Value {
    let mut row = json!({ "take": outcome.take, "state": outcome.state.name(), "seconds": outcome.seconds });
    if let Some(why) = outcome.state.failure() {
        row["reason"] = why.to_string().into();
    }
    row
}

/// Parses seconds above 0. Returns `Err` with what is allowed for any other text.
fn seconds(text: &str) -> Result<f64, String> {
    let seconds = text.parse().ok().filter(|seconds: &f64| *seconds > 0.0 && seconds.is_finite());
    seconds.ok_or_else(|| "give a time above 0".into())
}
