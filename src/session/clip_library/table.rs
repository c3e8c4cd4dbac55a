//! The clip table of the window: rows arrive while they are measured, and are sorted, filtered and selected.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, channel};

use super::after::MendedRows;
use super::columns::{COLUMNS, findings};
use super::strips::Strips;
use super::{ClipRow, Figures, Found, MeasuredFile, Tags, clip_files, measure_each};
use crate::{JobKey, Jobs, Topic};
use portamento_base::message::{Message, message};
use portamento_base::progress::Progress;
use portamento_takes::document::file;

/// Sort order and filter of the table.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Order {
    /// Index of the sort column in [`COLUMNS`]; ties keep the order of clips in a file.
    pub column: usize,
    /// True if the largest value comes first.
    pub descending: bool,
    /// Search words; a row must contain all of them in file, clip, tags or findings.
    pub words: String,
    /// Filter by findings.
    pub found: Found,
}

/// All rows, the selection and the sort order.
#[derive(Debug, Default)]
pub struct ClipTable {
    /// Sort order and filter.
    pub order: Order,
    /// Selected rows, as indices into [`ClipTable::rows`].
    pub chosen: BTreeSet<usize>,
    pub(super) ends: ChoiceEnds,
    figures: Figures,
    tags: Tags,
    paths: Vec<PathBuf>,
    pub(super) rows: Vec<ClipRow>,
    /// Range of row indices of each file.
    pub(super) row_ranges: BTreeMap<PathBuf, Range<usize>>,
    failures: Vec<(PathBuf, Message)>,
    pub(super) strips: Strips,
    /// The files measured since the last [`ClipTable::take_in`].
    incoming: Option<Receiver<MeasuredFile>>,
    /// The shown rows in order, as indices into `rows`.
    shown: Arc<[usize]>,
    /// The order and state that `shown` was computed for.
    shown_for: Option<(Order, [usize; 3])>,
    /// Number of tag changes.
    tagged: usize,
    pub(super) mended: MendedRows,
    /// Clips that the last fix left unchanged, with the reason.
    pub(super) refused: Vec<(ClipRow, Message)>,
}

/// The ends of the selection, as indices into [`ClipTable::rows`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct ChoiceEnds {
    /// Start of a range selection.
    pub anchor: Option<usize>,
    /// The last selected row.
    pub last: Option<usize>,
}

impl ClipTable {
    /// True if no folder was opened yet.
    pub fn is_empty(&self) -> bool {
        self.paths.is_empty()
    }

    /// True if one of `jobs` is measuring clips.
    pub fn is_measuring(&self, jobs: &Jobs) -> bool {
        jobs.is_running(&JobKey::MeasureClips)
    }

    /// Returns the listed folders and files.
    pub fn paths(&self) -> &[PathBuf] {
        &self.paths
    }

    /// Returns all rows, in order of arrival.
    pub fn rows(&self) -> &[ClipRow] {
        &self.rows
    }

    /// Returns the selected rows.
    pub fn chosen_rows(&self) -> Vec<ClipRow> {
        self.chosen.iter().filter_map(|&at| self.rows.get(at)).cloned().collect()
    }

    /// Returns the unreadable files with the reason.
    pub fn failures(&self) -> &[(PathBuf, Message)] {
        &self.failures
    }

    /// Loads figures and tags from `folder`, and stores them there from now on.
    pub fn keep_in(&mut self, folder: &Path) {
        self.figures = Figures::in_folder(folder);
        self.tags = Tags::in_folder(folder);
    }

    /// Returns the tags of the selected rows; the flag is true if all of them have the tag. The tags are sorted.
    pub fn tags_of_chosen(&self) -> Vec<(String, bool)> {
        let chosen: Vec<&ClipRow> = self.chosen.iter().filter_map(|&at| self.rows.get(at)).collect();
        let all: BTreeSet<&String> = chosen.iter().flat_map(|row| &row.tags).collect();
        all.into_iter().map(|tag| (tag.clone(), chosen.iter().all(|row| row.tags.contains(tag)))).collect()
    }

    /// Returns the shown rows in order, as indices into [`ClipTable::rows`]. The list is cached until rows, tags, fixes or
    /// the order change.
    pub fn shown(&mut self) -> Arc<[usize]> {
        let wanted = (self.order.clone(), [self.rows.len(), self.tagged, self.mended.changes]);
        if self.shown_for.as_ref() != Some(&wanted) {
            self.shown = self.filtered_and_sorted().into();
            self.shown_for = Some(wanted);
        }
        self.shown.clone()
    }

    /// Returns the result of the last call of [`ClipTable::shown`].
    pub fn last_shown(&self) -> &[usize] {
        &self.shown
    }

    /// Sorts by that column; sorting by the current column reverses the order. `column` must be an index into [`COLUMNS`].
    pub fn order_by(&mut self, column: usize) {
        let turns = self.order.column == column;
        self.order.descending = if turns { !self.order.descending } else { COLUMNS[column].begins_with_most() };
        self.order.column = column;
    }

    /// Repeats the rows until there are `count`; for tests.
    pub fn repeat_rows(&mut self, count: usize) {
        self.rows = self.rows.iter().cycle().take(count).cloned().collect();
    }

    /// Sets `finding` as the only finding of clip `name`; for tests.
    pub fn find(&mut self, name: &str, finding: portamento_anim::quality::Finding) {
        let row = self.rows.iter_mut().find(|row| row.clip == name);
        let quality = row.and_then(|row| row.quality.as_mut());
        quality.into_iter().for_each(|quality| quality.findings = vec![finding]);
        self.mended.forget_rows();
    }

    /// Starts a job that measures all clips of folders and files; replaces the current list. Clears the selection and keeps
    /// the sort order and filter. The job adds a notice if a folder cannot be read.
    pub(crate) fn measure(&mut self, paths: Vec<PathBuf>, jobs: &mut Jobs) {
        let paths: Vec<PathBuf> = paths.iter().map(|path| file::absolute(path)).collect();
        let (found, incoming) = channel();
        let last = std::mem::take(self);
        let Self { order, figures, tags, mended, .. } = last;
        let cache = figures.clone();
        let mended = mended.without_rows();
        let incoming = Some(incoming);
        *self = Self { paths: paths.clone(), order, figures, tags, mended, incoming, ..Self::default() };
        let work = move |progress: &Progress| -> Result<(), Message> {
            let files = clip_files(&paths)?;
            // The receiver is gone if another folder was opened meanwhile.
            measure_each(&files, &cache, progress, |measured| drop(found.send(measured)));
            Ok(())
        };
        jobs.start(JobKey::MeasureClips, work, |session, outcome| match outcome {
            Ok(()) => session.notices.succeed(&Topic::MeasureClips),
            Err(message) => session.notices.fail(Topic::MeasureClips, message),
        });
    }

    /// Adds `tag` to the selected clips, or removes it if `holds` is false, and saves.
    ///
    /// Returns `Err` if the tags cannot be saved; the change then lasts until the program ends.
    pub(crate) fn tag_chosen(&mut self, tag: &str, holds: bool) -> Result<(), Message> {
        let saved = self.tags.set(&self.chosen_rows(), tag, holds);
        self.tags.apply_to(&mut self.rows);
        self.tagged += 1;
        saved.map_err(|error| {
            message!(
                "notice.tags_not_kept",
                "The tag could not be saved: %{error}. It stays until you close the program.",
                error = &error
            )
        })
    }

    /// Adds the rows measured since the last call, with their tags, and the failures.
    pub(crate) fn take_in(&mut self) {
        let Some(incoming) = &self.incoming else { return };
        for MeasuredFile { file, rows } in incoming.try_iter() {
            match rows {
                Ok(mut rows) => {
                    self.tags.apply_to(&mut rows);
                    self.row_ranges.insert(file, self.rows.len()..self.rows.len() + rows.len());
                    self.rows.extend(rows);
                }
                Err(reason) => self.failures.push((file, reason)),
            }
        }
    }

    /// Returns the indices of the rows that match the filter, sorted.
    fn filtered_and_sorted(&self) -> Vec<usize> {
        let Self { rows, order, .. } = self;
        let words = order.words.to_lowercase();
        let words: Vec<&str> = words.split_whitespace().collect();
        let is_shown = |&at: &usize| {
            let row = &rows[at];
            let tags = || row.tags.join(" ");
            let text = || format!("{} {} {} {}", row.file.display(), row.clip, tags(), findings(row)).to_lowercase();
            order.found.holds(row, self.is_mended(at)) && (words.is_empty() || holds_all(&text(), &words))
        };
        let mut shown: Vec<usize> = (0..rows.len()).filter(is_shown).collect();
        let column = &COLUMNS[order.column.min(COLUMNS.len() - 1)];
        shown.sort_by(|&one, &other| {
            let by_column = column.order(&rows[one], &rows[other], order.descending);
            // Files arrive in any order; the clips of one file arrive in order.
            by_column.then_with(|| rows[one].file.cmp(&rows[other].file)).then(one.cmp(&other))
        });
        shown
    }
}

/// True if `text` contains each of `words`. Case matters.
fn holds_all(text: &str, words: &[&str]) -> bool {
    words.iter().all(|word| text.contains(word))
}
