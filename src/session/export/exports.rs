//! The exports of this session: current settings, results of the last export, and an export waiting for confirmation.

use std::path::{Path, PathBuf};

use super::ExportChoice;
use super::as_i_work::ExportAsIWork;
use super::report::ExportReport;
use super::sets::SetClip;
use super::staging::{Report, Staged, nothing_exported};
use super::write::gif_left_out;
use crate::{JobKey, Jobs, Notice, Notices, Severity, Topic};
use portamento_base::message::{Message, Tell, message};
use portamento_formats::export::file_system::FileSystem;
use portamento_formats::export::{ExportError, Interrupted, Replace, Resolution, Sources, WrittenFile, file_set};

/// The exports of a session.
#[derive(Debug, Default)]
pub struct Exports {
    /// The settings of the next export.
    pub choice: ExportChoice,
    pub(super) reports: Vec<ExportReport>,
    pub(super) files: Vec<PathBuf>,
    /// An export that waits for permission to replace files.
    pub(super) staged: Option<Staged>,
    /// Exports that a dying process interrupted and that wait for a decision.
    interrupted: Vec<Interrupted>,
    /// The export of every change, if it is on.
    pub(super) as_i_work: Option<ExportAsIWork>,
    /// The export of every change that begins when the running export has succeeded.
    pub(super) next_as_i_work: Option<ExportAsIWork>,
}

impl Exports {
    /// Returns the reports of the last successful export, one per file.
    pub fn reports(&self) -> &[ExportReport] {
        &self.reports
    }

    /// Forgets the reports of the last export. The list of its files stays.
    pub(crate) fn forget_reports(&mut self) {
        self.reports.clear();
    }

    /// Returns the clip that the last export of a single take measured for the sets of that take; `None` without sets.
    pub(crate) fn take_set_clip(&mut self) -> Option<SetClip> {
        self.reports.iter_mut().flat_map(ExportReport::take_set_clips).next()
    }

    /// Returns the files of the last successful export.
    pub fn files(&self) -> &[PathBuf] {
        &self.files
    }

    /// True if an export is among the `jobs` or waits for confirmation.
    pub fn is_running(&self, jobs: &Jobs) -> bool {
        self.staged.is_some() || jobs.is_running(&JobKey::Export)
    }

    /// Stops the running export, or one that waits for confirmation; no files are written. The export of every change does
    /// not begin with it.
    pub fn stop(&mut self, jobs: &Jobs) {
        self.next_as_i_work = None;
        self.staged = None;
        jobs.cancel(&JobKey::Export);
    }

    /// Returns the existing files the waiting export would replace; `None` if none waits.
    pub fn conflicting_files(&self) -> Option<Vec<PathBuf>> {
        let staged = self.staged.as_ref()?;
        Some(staged.files.replaced().map(Path::to_owned).collect())
    }

    /// Answers the prompt of [`Exports::conflicting_files`]: replaces the files, or writes nothing. Adds notices with the
    /// result.
    pub(crate) fn answer(&mut self, replaces: bool, notices: &mut Notices) {
        if !replaces {
            self.next_as_i_work = None;
        }
        if let Some(staged) = self.staged.take().filter(|_| replaces) {
            self.put_in_place(Staged { replace: Replace::Allow, ..staged }, notices);
        }
    }

    /// Returns the interrupted exports that wait for [`FileCommand::Resolve`](crate::FileCommand::Resolve).
    pub fn interrupted(&self) -> &[Interrupted] {
        &self.interrupted
    }

    /// Returns the interrupted exports and asks no more about them; for the command line, which prints them.
    pub fn take_interrupted(&mut self) -> Vec<Interrupted> {
        std::mem::take(&mut self.interrupted)
    }

    /// Asks about exports that earlier windows noted in `folder` and did not finish.
    pub fn ask_about_noted(&mut self, folder: &Path) {
        self.ask_about(&file_set::noted(folder));
    }

    /// Adds interrupted exports to those about which the user is asked, each only once.
    fn ask_about(&mut self, found: &[Interrupted]) {
        for one in found {
            if self.interrupted.iter().all(|known| known.journal() != one.journal()) {
                self.interrupted.push(one.clone());
            }
        }
    }

    /// Finishes or undoes the interrupted export with that journal, and adds notices with the result. `None` leaves its
    /// files as they are. Either way, the user is asked no more.
    pub(crate) fn resolve(
        &mut self,
        journal: &Path,
        resolution: Option<Resolution>,
        (disk, sources): (&dyn FileSystem, &Sources),
        notices: &mut Notices,
    ) {
        let Some(index) = self.interrupted.iter().position(|one| one.journal() == journal) else { return };
        let interrupted = self.interrupted.remove(index);
        let Some(resolution) = resolution else { return };
        match interrupted.resolve(disk, sources, resolution) {
            Ok(reports) => {
                notices.add_all(Severity::Warning, reports);
                let folder = interrupted.folder().to_owned();
                let message = resolved(&folder, resolution);
                notices.push(Notice::new(Severity::Done, message).in_folder(Some(folder)));
            }
            Err(error) => notices.add(Severity::Error, error.message()),
        }
    }

    /// Writes the staged files and stores their reports, or waits for confirmation if files would be replaced. Adds notices
    /// and begins the export of every change if one is pending.
    pub(super) fn put_in_place(&mut self, mut staged: Staged, notices: &mut Notices) {
        let committed = staged.files.commit(staged.replace);
        let remains = staged.files.remains();
        notices.add_all(Severity::Warning, remains.unreadable.iter().cloned());
        self.ask_about(&remains.interrupted);
        match committed {
            Ok(placed) => {
                let (reports, written): (Vec<ExportReport>, Vec<usize>) =
                    staged.reports.into_iter().map(|report| with_unchanged(report, &placed)).unzip();
                self.files = placed.into_iter().map(|file| file.path).collect();
                notify_all(&reports, &written, notices);
                self.reports = reports;
                self.as_i_work = self.next_as_i_work.take();
                staged.notes.into_iter().for_each(|(severity, note)| notices.add(severity, note));
                staged.failure.into_iter().for_each(|error| notices.fail(Topic::Export, error));
            }
            Err(ExportError::WouldReplace { .. }) => self.staged = Some(staged),
            Err(error) => notices.fail(Topic::Export, nothing_exported(error.message())),
        }
    }
}

/// Returns the sentence for a resolved export to `folder`.
fn resolved(folder: &Path, resolution: Resolution) -> Message {
    let folder = folder.display().to_string();
    match resolution {
        Resolution::Finish => {
            message!("notice.export_finished", "Finished the interrupted export to %{folder}.", folder = folder)
        }
        Resolution::Undo => {
            message!("notice.export_undone", "Undid the interrupted export to %{folder}.", folder = folder)
        }
    }
}

/// Adds notices for `reports`; `written` is the number of written files of each. Reports without details share one
/// notice, because many notices would hide each other.
fn notify_all(reports: &[ExportReport], written: &[usize], notices: &mut Notices) {
    let is_plain = |report: &ExportReport| report.texture.is_none() && report.kept.is_none();
    let (plain, others): (Vec<_>, Vec<_>) = reports.iter().zip(written).partition(|(report, _)| is_plain(report));
    match &plain[..] {
        [] => {}
        [(report, written)] => notify(report, **written, notices),
        [(first, _), ..] => {
            let written = plain.iter().map(|(_, written)| **written).sum();
            let unchanged = plain.iter().map(|(report, _)| report.unchanged_files).sum();
            let path = PathBuf::from(&first.file);
            let folder = path.parent().map(Path::to_owned);
            let message = match (written, &folder) {
                (0, Some(folder)) => message!(
                    "notice.unchanged_all",
                    "All %{count} files in %{folder} are unchanged; nothing was written.",
                    count = unchanged,
                    folder = folder.display().to_string(),
                ),
                _ => export_sentence(&path, written, unchanged),
            };
            notices.push(Notice::new(Severity::Done, message).in_folder(folder));
        }
    }
    others.into_iter().for_each(|(report, written)| notify(report, *written, notices));
}

/// Adds the notice for one report with `written` new files.
fn notify(report: &ExportReport, written: usize, notices: &mut Notices) {
    let path = PathBuf::from(&report.file);
    let sentence = export_sentence(&path, written, report.unchanged_files);
    let message = match &report.texture {
        Some(texture) => message!(
            "notice.exported_texture",
            "%{exported} Largest position error of a vertex: %{off} units.",
            exported = sentence,
            off = format!("{:.1e}", texture.largest_error),
        ),
        None => sentence,
    };
    notices.push(Notice::new(Severity::Done, message).in_folder(path.parent().map(Path::to_owned)));
    if let Some(frames) = report.gif_frames {
        notices.add(Severity::Info, gif_left_out(frames));
    }
    if let Some(kept) = &report.kept {
        notices.add(Severity::Info, settings_kept(kept));
    }
}

/// Adds the number of unchanged files to the report; returns it with the number of written files.
fn with_unchanged(Report { mut report, files }: Report, placed: &[WrittenFile]) -> (ExportReport, usize) {
    let placed = placed.get(files).unwrap_or_default();
    report.unchanged_files = placed.iter().filter(|file| file.is_unchanged).count();
    let written = placed.len() - report.unchanged_files;
    (report, written)
}

/// Returns the sentence for exported files: `written` new and `unchanged` old ones. `first` is the path of the first file,
/// new or old.
fn export_sentence(first: &Path, written: usize, unchanged: usize) -> Message {
    match (written, unchanged) {
        (0, _) => message!(
            "notice.unchanged",
            "%{file} is unchanged; nothing was written.",
            file = first.display().to_string(),
        ),
        (_, 0) => exported(first, written),
        (_, _) => message!(
            "notice.exported_changed",
            "%{exported} %{count} %{count|file|files} unchanged, not rewritten.",
            exported = exported(first, written),
            count = unchanged,
        ),
    }
}

/// Returns the notice that import settings edited in Godot were not overwritten.
fn settings_kept(file: &str) -> Message {
    message!(
        "notice.godot_settings_kept",
        "%{file} was edited in Godot and was not overwritten. In Godot, choose the script next to it as the import script and turn the key optimizer off.",
        file = file,
    )
}

/// Returns the sentence for `files` exported files; `first` is the path of the first one.
pub(super) fn exported(first: &Path, files: usize) -> Message {
    match (first.parent().filter(|folder| !folder.as_os_str().is_empty()), first.file_name()) {
        (Some(folder), Some(name)) if files > 1 => {
            message!(
                "notice.exported_to",
                "Exported %{count} files to %{folder}, starting with %{first}.",
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
                    "Exported %{count} files, starting with %{first}.",
                    count = files,
                    first = first,
                ),
            }
        }
    }
}
