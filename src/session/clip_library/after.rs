//! What comes of mending listed clips. Which takes do that is read from the project, and what they come to is measured in the
//! background: a project that is opened again, an undo and an edit tell the same as mending itself.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::mpsc::{Receiver, Sender, channel};

use rayon::prelude::*;

use super::mend::{may_mend, mends};
use super::mending::{OpenFiles, with_unmended};
use super::{ClipRow, ClipTable};
use crate::anim::quality::Quality;
use crate::document::{Asset, Character, Document, FileId, Library, Loaded, SourceFile, Take, TakeId, TakeSource};
use crate::evaluate::TakeCache;
use crate::message::{Message, message};
use crate::progress::Progress;
use crate::session::background::in_background;
use crate::session::{OpenDocument, Session};

/// Listed clips that takes of the project mend.
#[derive(Debug, Default)]
pub(super) struct MendedRows {
    /// By their place in [`ClipTable::rows`].
    of: BTreeMap<usize, MendedRow>,
    /// The project, its files and the number of rows for which `of` was made.
    seen: Option<(Document, Library, usize)>,
    figures: BTreeMap<TakeId, MendedFigures>,
    incoming: Option<Receiver<MendedFigures>>,
    /// How often `of` was made anew.
    pub(super) changes: usize,
}

/// A listed clip that a take mends, the newest of several.
#[derive(Debug)]
struct MendedRow {
    take: TakeId,
    /// `None` while its file is not read.
    inputs: Option<Inputs>,
    /// Its row once mended; `None` until that is measured.
    after: Option<ClipRow>,
}

/// What a take that mends comes to.
#[derive(Debug)]
struct MendedFigures {
    inputs: Inputs,
    /// `None` until they are measured; a motion that cannot be built has none then either.
    quality: Option<Option<Quality>>,
}

/// What the figures of a take that mends follow from.
#[derive(Clone, Debug, PartialEq)]
struct Inputs {
    /// Called as its clip, which tells whether that repeats.
    take: Take,
    file: SourceFile,
    character: Option<Character>,
    loaded: Asset<Loaded>,
}

impl Inputs {
    fn of(take: &Take, opened: OpenDocument) -> Option<Self> {
        let id = take.character;
        let (file, loaded) = (opened.document.file(id)?.clone(), opened.library.get(id)?.clone());
        let character = opened.document.character(id).cloned();
        let name = take.source.clip_names().first().map_or_else(String::new, ToString::to_string);
        Some(Self { take: Take { name, ..take.clone() }, file, character, loaded })
    }
}

/// The clip that `take` mends: one of its own file, after which nothing but what mends acts.
fn mended_clip(take: &Take) -> Option<(FileId, &str)> {
    let TakeSource::Clip { file, clip } = &take.source else { return None };
    let is_plain = *file == take.character && take.stages.iter().any(|stage| stage.is_active());
    let mut active = take.stages.iter().filter(|stage| stage.is_active());
    (is_plain && active.all(|stage| may_mend(&stage.kind))).then_some((*file, clip))
}

impl MendedRows {
    /// For tests: as if nothing were known of which rows are mended.
    #[cfg(test)]
    pub(super) fn forget_rows(&mut self) {
        self.seen = None;
    }

    /// What is known of the takes whatever the rows.
    pub(super) fn without_rows(mut self) -> Self {
        self.figures.retain(|_, figures| figures.quality.is_some());
        Self { figures: self.figures, changes: self.changes + 1, ..Self::default() }
    }

    fn take_in(&mut self) {
        let arrived: Vec<MendedFigures> = self.incoming.iter().flat_map(Receiver::try_iter).collect();
        for figures in arrived {
            self.keep(figures);
        }
    }

    fn keep(&mut self, figures: MendedFigures) {
        self.figures.insert(figures.inputs.take.id, figures);
        self.seen = None;
    }

    /// The figures that are still to be measured, which are asked for from now on.
    fn ask(&mut self) -> Vec<Inputs> {
        let is_asked = |row: &MendedRow, inputs: &Inputs| {
            self.figures.get(&row.take).is_some_and(|figures| figures.inputs == *inputs)
        };
        let wanted = self.of.values().filter(|row| row.after.is_none());
        let wanted = wanted.filter_map(|row| row.inputs.clone().filter(|inputs| !is_asked(row, inputs)));
        let wanted: Vec<Inputs> = wanted.collect();
        for inputs in &wanted {
            self.figures.insert(inputs.take.id, MendedFigures { inputs: inputs.clone(), quality: None });
        }
        wanted
    }

    /// The row that `before` becomes by what follows from `inputs`, if that is measured.
    fn row(&self, before: &ClipRow, inputs: &Inputs) -> Option<ClipRow> {
        let known = self.figures.get(&inputs.take.id).filter(|figures| figures.inputs == *inputs)?;
        let after = known.quality.clone()?;
        let quality = after.zip(before.quality.as_ref()).map(|(after, before)| with_unmended(before, after));
        Some(ClipRow { quality, ..before.clone() })
    }
}

impl ClipTable {
    /// Keeps what mending a clip came to with `take`, so that it is not measured again.
    pub(in crate::session) fn keep_mended(&mut self, take: &Take, opened: OpenDocument, quality: Option<Quality>) {
        let inputs = Inputs::of(take, opened);
        let figures = inputs.map(|inputs| MendedFigures { inputs, quality: Some(quality) });
        figures.into_iter().for_each(|figures| self.mended.keep(figures));
    }

    /// Finds which listed clips the takes of `opened` mend, where something of it changed.
    pub(in crate::session) fn follow_mended(&mut self, opened: OpenDocument) {
        self.mended.take_in();
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
        let is_open =
            |figures: &MendedFigures| opened.library.get(figures.inputs.file.id) == Some(&figures.inputs.loaded);
        self.mended.figures.retain(|_, figures| is_open(figures));
    }

    fn mended_rows(&self, opened: OpenDocument) -> BTreeMap<usize, MendedRow> {
        let mut of = BTreeMap::new();
        for take in &opened.document.takes {
            let Some(at) = self.row_mended_by(take, opened.document) else { continue };
            let inputs = Inputs::of(take, opened);
            let after = inputs.as_ref().and_then(|inputs| self.mended.row(&self.rows[at], inputs));
            let row = of.entry(at).or_insert(MendedRow { take: take.id, inputs: None, after: None });
            if row.take <= take.id {
                *row = MendedRow { take: take.id, inputs, after };
            }
        }
        of
    }

    /// The place of the listed clip that `take` mends.
    fn row_mended_by(&self, take: &Take, document: &Document) -> Option<usize> {
        let (file, clip) = mended_clip(take)?;
        let at = self.place_of(&document.file(file)?.path, clip)?;
        let to_mend = mends(self.rows[at].quality.as_ref()?);
        (!to_mend.is_empty()).then_some(at)
    }

    fn place_of(&self, file: &Path, clip: &str) -> Option<usize> {
        self.places.get(file)?.clone().find(|&at| self.rows.get(at).is_some_and(|row| row.clip == clip))
    }

    /// What the row at that place in [`ClipTable::rows`] is once mended, where a take of the project does that and is measured.
    pub fn after(&self, at: usize) -> Option<&ClipRow> {
        self.mended.of.get(&at)?.after.as_ref()
    }

    /// Whether a take of the project mends the clip at that place in [`ClipTable::rows`].
    pub fn is_mended(&self, at: usize) -> bool {
        self.mended.of.contains_key(&at)
    }

    /// Whether that take mends a listed clip.
    pub fn is_mended_by(&self, take: TakeId) -> bool {
        self.mended.of.values().any(|mended| mended.take == take)
    }
}

impl Session {
    /// Measures what mends listed clips as one job, where that is not known yet; `calm` when nothing is being dragged or typed.
    pub(in crate::session) fn measure_mended(&mut self, calm: bool) {
        let name = measuring();
        if !calm || self.jobs.running().any(|job| job.name == name) {
            return;
        }
        let wanted = self.clips.mended.ask();
        if wanted.is_empty() {
            return;
        }
        let open = OpenFiles { document: self.document.clone(), library: self.library.clone() };
        let (found, incoming) = channel();
        self.clips.mended.incoming = Some(incoming);
        self.jobs.start(name, move |progress| measure(&open, &wanted, progress, &found), |_, ()| {});
    }
}

/// Gives the figures of each of `wanted` to `found` as soon as they are there.
fn measure(open: &OpenFiles, wanted: &[Inputs], progress: &Progress, found: &Sender<MendedFigures>) {
    let each = |inputs: &Inputs| {
        let part = progress.one_of(wanted.len());
        if part.is_cancelled() {
            return;
        }
        let quality = open.figures(&inputs.take, &mut TakeCache::default(), &part);
        if part.finish().is_ok() {
            // Nobody listens any more where other clips were listed meanwhile.
            drop(found.send(MendedFigures { inputs: inputs.clone(), quality: Some(quality) }));
        }
    };
    in_background(|| wanted.par_iter().for_each(each));
}

/// What the job is called that measures takes that mend.
fn measuring() -> Message {
    message!("job.measure_mended", "Measure mended clips")
}

#[cfg(test)]
mod tests;
