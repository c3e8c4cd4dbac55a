//! The clips of folders as the window lists them: rows come in while they are measured, are put in order and chosen.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, channel};

use super::after::MendedRows;
use super::columns::{COLUMNS, findings};
use super::strips::Strips;
use super::{ClipRow, Figures, Found, MeasuredFile, Tags, clip_files, measure_each};
use crate::document::file;
use crate::message::{Message, message};
use crate::progress::Progress;
use crate::session::{Jobs, Severity};

/// How rows are ordered and which of them are shown.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Order {
    /// Place in [`COLUMNS`] of the column by which rows are ordered; clips of one file that are equal there keep their order.
    pub column: usize,
    /// The greatest first.
    pub descending: bool,
    /// Rows whose file, clip, tags or findings hold these words.
    pub words: String,
    /// Rows by what was found in them.
    pub found: Found,
}

/// All rows and what of them is shown.
#[derive(Debug, Default)]
pub struct ClipTable {
    /// How they are shown.
    pub order: Order,
    /// Rows that were chosen, by their place in [`ClipTable::rows`].
    pub chosen: BTreeSet<usize>,
    pub(super) ends: ChoiceEnds,
    figures: Figures,
    tags: Tags,
    paths: Vec<PathBuf>,
    pub(super) rows: Vec<ClipRow>,
    /// Where the rows of each file are among them.
    pub(super) places: BTreeMap<PathBuf, Range<usize>>,
    failures: Vec<(PathBuf, Message)>,
    pub(super) strips: Strips,
    incoming: Option<Receiver<MeasuredFile>>,
    shown: Arc<[usize]>,
    /// What `shown` was made for.
    shown_for: Option<(Order, [usize; 3])>,
    /// How often tags were changed.
    tagged: usize,
    pub(super) mended: MendedRows,
}

/// Where choosing goes on from, as places in [`ClipTable::rows`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct ChoiceEnds {
    /// Where a range begins.
    pub anchor: Option<usize>,
    /// The row that was chosen last.
    pub last: Option<usize>,
}

impl ClipTable {
    /// Whether no folder was chosen yet.
    pub fn is_empty(&self) -> bool {
        self.paths.is_empty()
    }

    /// Whether clips are still being measured by one of `jobs`.
    pub fn is_measuring(&self, jobs: &Jobs) -> bool {
        jobs.running().any(|job| Self::is_measuring_by(&job.name))
    }

    /// Whether the job called `name` measures clips: nothing that is shown waits for it.
    pub fn is_measuring_by(name: &Message) -> bool {
        *name == measuring()
    }

    /// Folders and files whose clips are listed.
    pub fn paths(&self) -> &[PathBuf] {
        &self.paths
    }

    /// All rows, in the order in which they came in.
    pub fn rows(&self) -> &[ClipRow] {
        &self.rows
    }

    /// The chosen rows themselves.
    pub fn chosen_rows(&self) -> Vec<ClipRow> {
        self.chosen.iter().filter_map(|&at| self.rows.get(at)).cloned().collect()
    }

    /// Files that could not be read, each with the reason.
    pub fn failures(&self) -> &[(PathBuf, Message)] {
        &self.failures
    }

    /// Figures and tags are kept in `folder` and found again there.
    pub fn keep_in(&mut self, folder: &Path) {
        self.figures = Figures::in_folder(folder);
        self.tags = Tags::in_folder(folder);
    }

    /// All tags of the chosen rows, and whether all of them have it.
    pub fn tags_of_chosen(&self) -> Vec<(String, bool)> {
        let chosen: Vec<&ClipRow> = self.chosen.iter().filter_map(|&at| self.rows.get(at)).collect();
        let all: BTreeSet<&String> = chosen.iter().flat_map(|row| &row.tags).collect();
        all.into_iter().map(|tag| (tag.clone(), chosen.iter().all(|row| row.tags.contains(tag)))).collect()
    }

    /// Places in [`ClipTable::rows`] of what is shown, in order. Made anew only when rows came in or the order changed.
    pub fn shown(&mut self) -> Arc<[usize]> {
        let wanted = (self.order.clone(), [self.rows.len(), self.tagged, self.mended.changes]);
        if self.shown_for.as_ref() != Some(&wanted) {
            self.shown = self.ordered().into();
            self.shown_for = Some(wanted);
        }
        self.shown.clone()
    }

    /// The same as of the last call.
    pub fn last_shown(&self) -> &[usize] {
        &self.shown
    }

    /// Orders by that column; again by the same one turns the order.
    pub fn order_by(&mut self, column: usize) {
        let turns = self.order.column == column;
        self.order.descending = if turns { !self.order.descending } else { COLUMNS[column].begins_with_most() };
        self.order.column = column;
    }

    /// For tests: the same rows again and again, until there are so many.
    #[cfg(test)]
    pub(crate) fn repeat_rows(&mut self, count: usize) {
        self.rows = self.rows.iter().cycle().take(count).cloned().collect();
    }

    /// For tests: as if `finding` alone were found in clip `name`.
    #[cfg(test)]
    pub(crate) fn find(&mut self, name: &str, finding: crate::anim::quality::Finding) {
        let row = self.rows.iter_mut().find(|row| row.clip == name);
        let quality = row.and_then(|row| row.quality.as_mut());
        quality.into_iter().for_each(|quality| quality.findings = vec![finding]);
        self.mended.forget_rows();
    }

    /// Measures all clips of folders and files as one of `jobs`; what was listed before goes.
    pub(in crate::session) fn measure(&mut self, paths: Vec<PathBuf>, jobs: &mut Jobs) {
        let paths: Vec<PathBuf> = paths.iter().map(|path| file::absolute(path)).collect();
        let (found, incoming) = channel();
        let last = std::mem::take(self);
        let Self { order, figures, tags, mended, .. } = last;
        let kept = figures.clone();
        let mended = mended.without_rows();
        let incoming = Some(incoming);
        *self = Self { paths: paths.clone(), order, figures, tags, mended, incoming, ..Self::default() };
        let work = move |progress: &Progress| -> Result<(), Message> {
            let files = clip_files(&paths)?;
            // Nobody listens any more where another folder was chosen meanwhile.
            measure_each(&files, &kept, progress, |measured| drop(found.send(measured)));
            Ok(())
        };
        jobs.start(measuring(), work, |session, outcome| {
            if let Err(message) = outcome {
                session.notices.say(Severity::Error, message);
            }
        });
    }

    /// Gives `tag` to the chosen clips, or takes it from them.
    ///
    /// Errors where that could not be kept on disk.
    pub(in crate::session) fn tag_chosen(&mut self, tag: &str, holds: bool) -> Result<(), Message> {
        let kept = self.tags.set(&self.chosen_rows(), tag, holds);
        self.tags.give(&mut self.rows);
        self.tagged += 1;
        kept.map_err(|error| {
            message!(
                "notice.tags_not_kept",
                "The tag could not be kept on disk: %{error}. It holds until the program ends.",
                error = &error
            )
        })
    }

    /// Brings in what was measured since the last call.
    pub(in crate::session) fn take_in(&mut self) {
        let Some(incoming) = &self.incoming else { return };
        for MeasuredFile { file, rows } in incoming.try_iter() {
            match rows {
                Ok(mut rows) => {
                    self.tags.give(&mut rows);
                    self.places.insert(file, self.rows.len()..self.rows.len() + rows.len());
                    self.rows.extend(rows);
                }
                Err(reason) => self.failures.push((file, reason)),
            }
        }
    }

    /// The rows that are shown, in order.
    fn ordered(&self) -> Vec<usize> {
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
            // Files come in as they are ready; what a file holds comes in order.
            by_column.then_with(|| rows[one].file.cmp(&rows[other].file)).then(one.cmp(&other))
        });
        shown
    }
}

fn holds_all(text: &str, words: &[&str]) -> bool {
    words.iter().all(|word| text.contains(word))
}

/// What the job is called that measures clips.
fn measuring() -> Message {
    message!("job.measure_clips", "Measure clips")
}
