//! Results of fixing listed clips. Which takes fix a listed clip is derived from the project; the results are
//! measured in the background. So reopening a project, undo and edits show the same state.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::mpsc::{Receiver, Sender, channel};

use rayon::prelude::*;

use super::mend::{may_mend, mends};
use super::mending::{OpenFiles, with_unmended};
use super::{ClipRow, ClipTable};
use crate::background::in_background;
use crate::{JobKey, OpenDocument, Session};
use portamento_anim::quality::Quality;
use portamento_base::progress::Progress;
use portamento_takes::document::{
    Asset, Character, Document, FileId, Library, Loaded, SourceFile, Take, TakeId, TakeSource,
};
use portamento_takes::evaluate::{BuiltTake, TakeCache};

/// The listed clips that takes of the project fix.
#[derive(Debug, Default)]
pub(super) struct MendedRows {
    /// Repaired rows by index in [`ClipTable::rows`].
    of: BTreeMap<usize, MendedRow>,
    /// The project, its files and the row count that `of` was computed for.
    seen: Option<(Document, Library, usize)>,
    figures: BTreeMap<TakeId, MendedFigures>,
    incoming: Option<Receiver<MendedFigures>>,
    /// Number of times `of` was recomputed.
    pub(super) changes: usize,
}

/// A listed clip that a take fixes; if there are several takes, the newest.
#[derive(Debug)]
struct MendedRow {
    take: TakeId,
    /// `None` while the file is not loaded.
    inputs: Option<Inputs>,
    /// The row after the fix; `None` until it is measured.
    after: Option<ClipRow>,
}

/// The measured result of a fixing take.
#[derive(Debug)]
struct MendedFigures {
    inputs: Inputs,
    /// `None` until measured. `Some(None)` if the motion cannot be built.
    quality: Option<Option<Quality>>,
    /// True if a stage was not applied, so that the take fixes nothing.
    is_undone: bool,
}

/// The inputs of the measurement.
#[derive(Clone, Debug, PartialEq)]
struct Inputs {
    /// The take under the name of its clip, because the name indicates whether it loops.
    take: Take,
    file: SourceFile,
    character: Option<Character>,
    loaded: Asset<Loaded>,
}

impl Inputs {
    /// Returns the part of the project on which the figures of `take` depend; `None` if its character is not loaded.
    fn of(take: &Take, opened: OpenDocument) -> Option<Self> {
        let id = take.character;
        let (file, loaded) = (opened.document.file(id)?.clone(), opened.library.get(id)?.clone());
        let character = opened.document.character(id).cloned();
        let name = take.source.clip_names().first().map_or_else(String::new, ToString::to_string);
        Some(Self { take: Take { name, ..take.clone() }, file, character, loaded })
    }
}

/// Returns the clip that `take` fixes: a clip of the take's own file, with active stages, all of which fix. `None` for any
/// other take.
fn mended_clip(take: &Take) -> Option<(FileId, &str)> {
    let TakeSource::Clip { file, clip } = &take.source else { return None };
    let is_plain = *file == take.character && take.stages.iter().any(|stage| stage.is_active());
    let mut active = take.stages.iter().filter(|stage| stage.is_active());
    (is_plain && active.all(|stage| may_mend(&stage.kind))).then_some((*file, clip))
}

impl MendedRows {
    /// Forces a recomputation of the fixed rows; for tests.
    pub(super) fn forget_rows(&mut self) {
        self.seen = None;
    }

    /// Keeps the measured figures but no rows.
    pub(super) fn without_rows(mut self) -> Self {
        self.figures.retain(|_, figures| figures.quality.is_some());
        Self { figures: self.figures, changes: self.changes + 1, ..Self::default() }
    }

    /// Keeps the figures that the background job has sent, without waiting for more.
    fn receive(&mut self) {
        let arrived: Vec<MendedFigures> = self.incoming.iter().flat_map(Receiver::try_iter).collect();
        for figures in arrived {
            self.keep(figures);
        }
    }

    /// Stores `figures` and marks the rows as outdated.
    fn keep(&mut self, figures: MendedFigures) {
        self.figures.insert(figures.inputs.take.id, figures);
        self.seen = None;
    }

    /// Returns the inputs that still have to be measured and marks them as requested. Inputs that are requested already are
    /// left out.
    fn request_pending(&mut self) -> Vec<Inputs> {
        let is_requested = |row: &MendedRow, inputs: &Inputs| {
            self.figures.get(&row.take).is_some_and(|figures| figures.inputs == *inputs)
        };
        let pending = self.of.values().filter(|row| row.after.is_none());
        let pending = pending.filter_map(|row| row.inputs.clone().filter(|inputs| !is_requested(row, inputs)));
        let pending: Vec<Inputs> = pending.collect();
        for inputs in &pending {
            let unknown = MendedFigures { inputs: inputs.clone(), quality: None, is_undone: false };
            self.figures.insert(inputs.take.id, unknown);
        }
        pending
    }

    /// True if a stage of the take of `inputs` is known not to be applied.
    fn is_undone(&self, inputs: &Inputs) -> bool {
        self.figures.get(&inputs.take.id).is_some_and(|figures| figures.is_undone && figures.inputs == *inputs)
    }

    /// Returns `before` with the figures measured for `inputs`, if they are known. The quality is `None` if the motion
    /// cannot be built.
    fn row(&self, before: &ClipRow, inputs: &Inputs) -> Option<ClipRow> {
        let known = self.figures.get(&inputs.take.id).filter(|figures| figures.inputs == *inputs)?;
        let after = known.quality.clone()?;
        let quality = after.zip(before.quality.as_ref()).map(|(after, before)| with_unmended(before, after));
        Some(ClipRow { quality, ..before.clone() })
    }
}

impl ClipTable {
    /// Stores the result of fixing a clip with `take`, so that it is not measured again.
    pub(crate) fn keep_mended(&mut self, take: &Take, opened: OpenDocument, quality: Option<Quality>) {
        let inputs = Inputs::of(take, opened);
        let figures = inputs.map(|inputs| MendedFigures { inputs, quality: Some(quality), is_undone: false });
        figures.into_iter().for_each(|figures| self.mended.keep(figures));
    }

    /// Updates the fixed rows if `opened` or the list changed.
    pub(crate) fn follow_mended(&mut self, opened: OpenDocument) {
        self.mended.receive();
        let count = self.rows.len();
        let is_same = |(document, library, rows): &(Document, Library, usize)| {
            *rows == count && document == opened.document && library == opened.library
        };
        if (count == 0 && self.mended.seen.is_none()) || self.mended.seen.as_ref().is_some_and(is_same) {
            return;
        }
        let of = self.mended_rows(opened);
        self.mended.of = of;
        self.mended.changes += 1;
        self.mended.seen = (count > 0).then(|| (opened.document.clone(), opened.library.clone(), count));
        // Undo may bring a removed file back.
        let is_known = |figures: &MendedFigures| opened.library.has(figures.inputs.file.id, &figures.inputs.loaded);
        self.mended.figures.retain(|_, figures| is_known(figures));
    }

    /// Returns the take that repairs each row, by row index; the take with the highest ID if there are several. Rows without
    /// such a take are missing.
    fn mended_rows(&self, opened: OpenDocument) -> BTreeMap<usize, MendedRow> {
        let mut of = BTreeMap::new();
        for take in &opened.document.takes {
            let Some(at) = self.row_mended_by(take, opened.document) else { continue };
            let inputs = Inputs::of(take, opened);
            if inputs.as_ref().is_some_and(|inputs| self.mended.is_undone(inputs)) {
                continue;
            }
            let after = inputs.as_ref().and_then(|inputs| self.mended.row(&self.rows[at], inputs));
            let row = of.entry(at).or_insert(MendedRow { take: take.id, inputs: None, after: None });
            if row.take <= take.id {
                *row = MendedRow { take: take.id, inputs, after };
            }
        }
        of
    }

    /// Returns the index of the listed clip that `take` fixes; `None` if that clip is not listed or has nothing to fix. The
    /// take must have no other stages than fixing ones.
    fn row_mended_by(&self, take: &Take, document: &Document) -> Option<usize> {
        let (file, clip) = mended_clip(take)?;
        let at = self.row_index(&document.file(file)?.path, clip)?;
        let to_mend = mends(self.rows[at].quality.as_ref()?);
        (!to_mend.is_empty()).then_some(at)
    }

    /// Returns the index among all rows of a clip; `None` if it is not listed.
    fn row_index(&self, file: &Path, clip: &str) -> Option<usize> {
        self.row_ranges.get(file)?.clone().find(|&at| self.rows.get(at).is_some_and(|row| row.clip == clip))
    }

    /// Returns the row at index `at` after the fix; `None` if no take fixes it or it is not measured yet.
    pub fn after(&self, at: usize) -> Option<&ClipRow> {
        self.mended.of.get(&at)?.after.as_ref()
    }

    /// True if a take of the project fixes the clip at index `at` of [`ClipTable::rows`].
    pub fn is_mended(&self, at: usize) -> bool {
        self.mended.of.contains_key(&at)
    }

    /// True if `take` fixes a listed clip.
    pub fn is_mended_by(&self, take: TakeId) -> bool {
        self.mended.of.values().any(|mended| mended.take == take)
    }
}

impl Session {
    /// Starts a job that measures unmeasured fixes; does nothing unless `calm` (no drag or text input is active).
    pub(crate) fn measure_mended(&mut self, calm: bool) {
        if !calm || self.jobs.is_running(&JobKey::MeasureMended) {
            return;
        }
        let pending = self.clips.mended.request_pending();
        if pending.is_empty() {
            return;
        }
        let open = OpenFiles { document: self.document.clone(), library: self.library.clone() };
        let (found, incoming) = channel();
        self.clips.mended.incoming = Some(incoming);
        self.jobs.start(JobKey::MeasureMended, move |progress| measure(&open, &pending, progress, &found), |_, ()| {});
    }
}

/// Measures each of `pending` and sends the figures to `found`.
fn measure(open: &OpenFiles, pending: &[Inputs], progress: &Progress, found: &Sender<MendedFigures>) {
    let each = |inputs: &Inputs| {
        let part = progress.one_of(pending.len());
        if part.is_cancelled() {
            return;
        }
        let built = open.built(&inputs.take, &mut TakeCache::default(), &part).ok();
        if part.finish().is_ok() {
            let is_undone = |take: &BuiltTake| take.stages.iter().any(|stage| stage.undone.is_some());
            let is_undone = built.as_ref().is_some_and(|(built, _)| is_undone(built));
            let quality = Some(built.map(|(_, quality)| quality));
            // The receiver is gone if other clips were listed meanwhile.
            drop(found.send(MendedFigures { inputs: inputs.clone(), quality, is_undone }));
        }
    };
    in_background(|| pending.par_iter().for_each(each));
}

#[cfg(test)]
mod tests;
