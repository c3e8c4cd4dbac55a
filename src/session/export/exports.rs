//! Exports of this session: the next one's choices, the last one's files, and one that waits for an answer.

use std::path::{Path, PathBuf};

use serde_json::Value;

use super::staging::{Report, Staged, nothing};
use super::{ExportChoice, job_name};
use crate::export::{ExportError, PlacedFile, Replace};
use crate::message::{Message, Tell, message};
use crate::session::{Jobs, Notice, Notices, Severity};

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

    /// Answers for [`Exports::files_in_the_way`]: replaces all of them, or writes nothing.
    pub(in crate::session) fn answer(&mut self, replaces: bool, notices: &mut Notices) {
        if let Some(staged) = self.staged.take().filter(|_| replaces) {
            self.put_in_place(Staged { replace: Replace::Allow, ..staged }, notices);
        }
    }

    /// Writes what is `staged`, or waits for an answer where that would replace files.
    pub(super) fn put_in_place(&mut self, mut staged: Staged, notices: &mut Notices) {
        match staged.files.commit(staged.replace) {
            Ok(placed) => {
                let (reports, written): (Vec<Value>, Vec<usize>) =
                    staged.reports.into_iter().map(|report| with_unchanged(report, &placed)).unzip();
                self.files = placed.into_iter().map(|file| file.path).collect();
                tell_all(&reports, &written, notices);
                self.reports = reports;
                notices.say_all(Severity::Error, staged.failure);
            }
            Err(ExportError::WouldReplace { .. }) => self.staged = Some(staged),
            Err(error) => notices.say(Severity::Error, nothing(error.message())),
        }
    }
}

/// Tells of all `reports`, for which so many files were `written` each: in one sentence where they are several, since of forty nobody
/// would see but the last.
fn tell_all(reports: &[Value], written: &[usize], notices: &mut Notices) {
    let is_plain = |report: &Value| report["texture"].is_null() && report["kept"].is_null();
    let (plain, others): (Vec<_>, Vec<_>) = reports.iter().zip(written).partition(|(report, _)| is_plain(report));
    match &plain[..] {
        [] => {}
        [(report, written)] => tell(report, **written, notices),
        [(first, _), ..] => {
            let written = plain.iter().map(|(_, written)| **written).sum();
            let unchanged = plain.iter().map(|(report, _)| unchanged_files(report)).sum();
            let path = PathBuf::from(first["file"].as_str().unwrap_or_default());
            let folder = path.parent().map(Path::to_owned);
            let message = match (written, &folder) {
                (0, Some(folder)) => message!(
                    "notice.unchanged_all",
                    "All %{count} files in %{folder} are as they were, so nothing was written.",
                    count = unchanged,
                    folder = folder.display().to_string(),
                ),
                _ => told(&path, written, unchanged),
            };
            notices.push(Notice { severity: Severity::Done, message, folder });
        }
    }
    others.into_iter().for_each(|(report, written)| tell(report, *written, notices));
}

fn unchanged_files(report: &Value) -> usize {
    report["unchanged_files"].as_u64().unwrap_or(0) as usize
}

/// Tells of a report, for which that many files were `written`.
fn tell(report: &Value, written: usize, notices: &mut Notices) {
    let path = PathBuf::from(report["file"].as_str().unwrap_or_default());
    let exact = report["texture"]["largest_error"].as_f64();
    let told = told(&path, written, unchanged_files(report));
    let message = match exact {
        Some(off) => message!(
            "notice.exported_texture",
            "%{exported} Its texels put no vertex further than %{off} units off its place.",
            exported = told,
            off = format!("{off:.1e}"),
        ),
        None => told,
    };
    notices.push(Notice { severity: Severity::Done, message, folder: path.parent().map(Path::to_owned) });
    if let Some(kept) = report["kept"].as_str() {
        notices.say(Severity::Info, settings_kept(kept));
    }
}

/// The report with the number of its files that were as they are, and how many were written.
fn with_unchanged(Report { mut told, files }: Report, placed: &[PlacedFile]) -> (Value, usize) {
    let placed = placed.get(files).unwrap_or_default();
    let unchanged = placed.iter().filter(|file| file.was_so).count();
    if unchanged > 0 {
        told["unchanged_files"] = unchanged.into();
    }
    (told, placed.len() - unchanged)
}

/// What is said of files of which `first` is the first: how many were `written`, and how many were so before.
fn told(first: &Path, written: usize, unchanged: usize) -> Message {
    match (written, unchanged) {
        (0, _) => message!(
            "notice.unchanged",
            "%{file} is as it was, so nothing was written.",
            file = first.display().to_string(),
        ),
        (_, 0) => exported(first, written),
        (_, _) => message!(
            "notice.exported_changed",
            "%{exported} Files that are as they were and were not written again: %{count}.",
            exported = exported(first, written),
            count = unchanged,
        ),
    }
}

/// Settings that an engine has made its own are not written over.
fn settings_kept(file: &str) -> Message {
    message!(
        "notice.godot_settings_kept",
        "%{file} is Godot's own by now and stays as it is. Choose the script beside it as its import script, and the key optimiser off.",
        file = file,
    )
}

/// The sentence for `files` files, of which `first` is the first.
pub(super) fn exported(first: &Path, files: usize) -> Message {
    match (first.parent().filter(|folder| !folder.as_os_str().is_empty()), first.file_name()) {
        (Some(folder), Some(name)) if files > 1 => {
            message!(
                "notice.exported_to",
                "Exported %{count} files to %{folder}, %{first} first.",
                count = files,
                folder = folder.display().to_string(),
                first = name.display().to_string(),
            )
        }
        _ => {
            let first = first.display().to_string();
            match files {
                0 | 1 => message!("notice.exported", "Exported %{file}.", file = first),
                _ => message!(
                    "notice.exported_several",
                    "Exported %{count} files, %{first} first.",
                    count = files,
                    first = first,
                ),
            }
        }
    }
}
