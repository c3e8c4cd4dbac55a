//! Library jobs on a render farm: writing a job, processing a part, merging the results.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::{Value, json};

use super::outcome::{all_mended, all_read, mended_json, write_tables};
use super::tables;
use crate::job::{self, ChosenPart};
use crate::{Failure, Force, commit, print, print_text, refused};
use portamento_base::message::Message;
use portamento_formats::export::{FileSet, Replace, Sources};
use portamento_session::batch::report::RowState;
use portamento_session::clip_library::Tags;
use portamento_session::clip_library::job::{JobFile, LibraryJob, LibraryReport, PartRow, Wanted, make_part};

/// Flags for a library job.
#[derive(Debug, Default, clap::Args)]
pub(super) struct LibraryJobFlags {
    #[command(flatten)]
    folder: job::JobFolder,
    /// With --job, number of files per task. Default: estimated from --part-seconds.
    #[arg(long, value_name = "FILES", requires = "job", conflicts_with = "part_seconds")]
    part_files: Option<usize>,
}

impl LibraryJobFlags {
    /// Returns the job for `files`; `None` without --job.
    pub(super) fn library_job<'a>(
        &'a self,
        files: &'a [PathBuf],
        wanted: &Wanted,
        tags: &'a Tags,
    ) -> Option<LibraryJob<'a>> {
        let (folder, chunks) = (self.folder.job.as_ref()?, self.folder.chunks(self.part_files));
        Some(LibraryJob { files, wanted: wanted.clone(), tags, folder, chunks })
    }
}

/// Writes `job`, whose files were found in `paths`. Prints the summary. Returns `Err` if the folder of the job is inside
/// one of `paths`.
pub(super) fn write(paths: &[PathBuf], job: LibraryJob, replace: Replace, json: bool) -> Result<(), Failure> {
    let absolute = |path: &Path| std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let folder = job.folder;
    if let Some(around) = paths.iter().find(|path| absolute(folder).starts_with(absolute(path))) {
        return Err(Failure::Usage(format!(
            "{} is inside {}, so its copies would be measured next time. Write the job to another folder.",
            folder.display(),
            around.display()
        )));
    }
    job.wanted.check().map_err(misused)?;
    let planned = job.plan().map_err(failed)?;
    let parts = planned.parts.clone();
    planned.write(replace).map_err(refused)?;
    job::print_summary(folder, "files", &parts, json)
}

/// Processes `part` and writes the results to `out`. A part that is already done is kept. Returns `Err` without `out`.
pub(super) fn process_part(part: ChosenPart<JobFile>, out: Option<&Path>, json: bool) -> Result<(), Failure> {
    let ChosenPart { path, parts, at } = part;
    let out =
        out.ok_or_else(|| Failure::Usage("Use --out to give the folder that the tasks of the job write to.".into()))?;
    let inputs = path.parent().unwrap_or(Path::new(""));
    let record = make_part(inputs, &parts.parts[at], at + 1, out).map_err(failed)?;
    let mut report = json!({ "part": at + 1, "state": if record.is_some() { "written" } else { "kept" } });
    if let Some(record) = record {
        report["files"] = record.files.len().into();
        report["clips"] = record.files.iter().map(|file| file.clips.len()).sum::<usize>().into();
        report["failures"] =
            record.files.iter().filter_map(|file| file.unread.as_ref().or(file.unmended.as_ref())).cloned().collect();
    }
    print(&report, json)
}

/// Merges the results in `out` of the job in the folder `inputs`. If all parts are done, writes the same files as a single
/// process; otherwise prints which are not, and returns `Err`.
pub(crate) fn merge(inputs: &Path, out: &Path, force: Force, json: bool) -> Result<(), Failure> {
    let report = LibraryReport::read(inputs, out).map_err(misused)?;
    let rows: Vec<Value> = report.rows.iter().map(row).collect();
    let (done, all) = (report.count(RowState::Done), report.rows.len());
    let library = report.library();
    let (mended, unmended) = report.mended();
    if done == all {
        let mut sources = Sources::default();
        sources.add(inputs);
        let mut set = FileSet::new(Arc::new(sources));
        let text = |value: &Value| format!("{value:#}\n");
        let written = write_tables(&mut set, out, &report.wanted, &library);
        let written =
            written.and_then(|()| set.write(&out.join("clips.json"), text(&tables::json(&library)).as_bytes()));
        let written = written.and_then(|()| match report.wanted.mend {
            Some(_) => set.write(&out.join("mended.json"), text(&mended_json(&mended, &unmended)).as_bytes()),
            None => Ok(()),
        });
        written.map_err(refused)?;
        commit(set, force)?;
    }
    if json {
        print(&json!({ "done": done, "parts": rows }), true)?;
    } else {
        print_text(&format!("{done} of {all} parts are done.\n"))?;
    }
    report.rows.iter().filter(|row| row.state != RowState::Done).for_each(|row| crate::warn(&line(row)));
    match report.rows.iter().find(|row| row.state != RowState::Done) {
        Some(first) => Err(Failure::Failed(format!(
            "{} of {all} parts are missing or changed, starting with part {}. Run the job again; finished parts are kept.",
            all - done,
            first.number
        ))),
        None => all_mended(&mended, &unmended).and(all_read(&library, report.files())),
    }
}

/// Returns a part of the job as JSON.
fn row(row: &PartRow) -> Value {
    json!({ "part": row.number, "state": row.state.name(), "files": row.names().collect::<Vec<_>>() })
}

/// Returns a line about a part of the job: its number, state and files.
fn line(row: &PartRow) -> String {
    let names: Vec<String> = row.names().map(|name| name.display().to_string()).collect();
    format!("part {} is {}: {}", row.number, row.state.name(), names.join(", "))
}

/// Returns a usage error.
fn misused(why: Message) -> Failure {
    Failure::Usage(why.to_string())
}

/// Returns a failure that is no usage error.
fn failed(why: Message) -> Failure {
    Failure::Failed(why.to_string())
}

#[cfg(test)]
mod tests;
