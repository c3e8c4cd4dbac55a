//! What came of mending listed clips, as long as the takes that do it are in the project as they were made.

use std::collections::BTreeMap;
use std::path::PathBuf;

use super::{ClipRow, ClipTable};
use crate::document::{Document, Stage, Take, TakeId};

/// A clip once it is mended.
#[derive(Clone, Debug)]
struct MendedRow {
    take: TakeId,
    stages: Vec<Stage>,
    /// Its figures then.
    after: ClipRow,
    /// Whether its take is there and does what it did.
    stands: bool,
}

/// Clips that were mended, by file and name.
#[derive(Clone, Debug, Default)]
pub(super) struct MendedRows {
    of: BTreeMap<PathBuf, BTreeMap<String, MendedRow>>,
    /// How often it changed which of them stand.
    pub(super) changes: usize,
}

impl MendedRows {
    /// The figures of `row` once mended.
    pub(super) fn after(&self, row: &ClipRow) -> Option<&ClipRow> {
        let mended = self.of.get(&row.file)?.get(&row.clip)?;
        mended.stands.then_some(&mended.after)
    }

    fn follow(&mut self, document: &Document) {
        if self.of.is_empty() {
            return;
        }
        let takes: BTreeMap<TakeId, &Take> = document.takes.iter().map(|take| (take.id, take)).collect();
        for mended in self.of.values_mut().flat_map(BTreeMap::values_mut) {
            let stands = takes.get(&mended.take).is_some_and(|take| take.stages == mended.stages);
            self.changes += usize::from(stands != mended.stands);
            mended.stands = stands;
        }
    }
}

impl ClipTable {
    /// Keeps that `take` mends a listed clip, and the row that it would be then.
    pub(in crate::session) fn keep_mended(&mut self, take: &Take, after: ClipRow) {
        let (file, clip) = (after.file.clone(), after.clip.clone());
        let mended = MendedRow { take: take.id, stages: take.stages.clone(), after, stands: true };
        self.mended.of.entry(file).or_default().insert(clip, mended);
        self.mended.changes += 1;
    }

    /// Finds which takes that mend listed clips `document` still has as they were made.
    pub(in crate::session) fn follow_mended(&mut self, document: &Document) {
        self.mended.follow(document);
    }

    /// What `row` is once mended, where a take of the project does that.
    pub fn after(&self, row: &ClipRow) -> Option<&ClipRow> {
        self.mended.after(row)
    }

    /// Whether that take mends a listed clip.
    pub fn is_mended_by(&self, take: TakeId) -> bool {
        self.mended.of.values().flat_map(BTreeMap::values).any(|mended| mended.stands && mended.take == take)
    }
}
