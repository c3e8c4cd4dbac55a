//! Undo by snapshots of the full document.

use std::sync::Arc;

use super::{Change, Document};
use portamento_anim::math::WeightMap;

/// Snapshots in order, with the current and the saved position.
#[derive(Clone, Debug)]
pub struct History {
    entries: Vec<Entry>,
    current: usize,
    saved: Option<usize>,
}

/// One state that the user can return to.
#[derive(Clone, Debug)]
pub struct Entry {
    /// The change that led to this state.
    pub change: Change,
    snapshot: Arc<Document>,
    /// Memory of this snapshot that it does not share with the previous one, bytes.
    bytes: usize,
}

/// Maximum number of snapshots: documents are a few kilobytes, so this is a long afternoon within a few megabytes.
const MAX_SNAPSHOTS: usize = 1000;

/// Maximum memory of all snapshots in bytes: painting takes megabytes per stroke.
const MAX_SNAPSHOT_BYTES: usize = 256 << 20;

impl History {
    /// Creates a history that starts at `document`, which counts as saved.
    pub fn new(document: &Document) -> Self {
        let first = Entry { change: Change::Start, snapshot: Arc::new(document.clone()), bytes: 0 };
        Self { entries: vec![first], current: 0, saved: Some(0) }
    }

    /// Takes a snapshot if `document` differs from the current one. Undone entries are dropped.
    ///
    /// Call it on the first idle frame after an interaction, so that one drag is one entry. The oldest entries are dropped
    /// beyond [`MAX_SNAPSHOTS`] and [`MAX_SNAPSHOT_BYTES`].
    pub fn observe(&mut self, document: &Document) {
        let before = &self.entries[self.current].snapshot;
        if **before == *document {
            return;
        }
        let (change, bytes) = (Change::between(before, document), bytes_of(document, before));
        self.entries.truncate(self.current + 1);
        self.saved = self.saved.filter(|&saved| saved <= self.current);
        self.entries.push(Entry { change, snapshot: Arc::new(document.clone()), bytes });
        self.forget(MAX_SNAPSHOT_BYTES);
        self.current = self.entries.len() - 1;
    }

    /// Replaces the current snapshot by `document`, which completes the same step. Undone entries are dropped. The name of
    /// the step stays.
    pub fn amend(&mut self, document: &Document) {
        self.entries.truncate(self.current + 1);
        self.saved = self.saved.filter(|&saved| saved < self.current);
        self.entries[self.current].snapshot = Arc::new(document.clone());
    }

    /// Drops the oldest entries until both limits are met. The last step can always be undone. `max_bytes` limits the
    /// memory of all. The current position is not updated.
    fn forget(&mut self, max_bytes: usize) {
        let mut bytes: usize = self.entries.iter().map(|entry| entry.bytes).sum();
        let mut dropped = 0;
        while self.entries.len() - dropped > MAX_SNAPSHOTS || bytes > max_bytes && self.entries.len() - dropped > 2 {
            bytes -= self.entries[dropped].bytes;
            dropped += 1;
        }
        self.entries.drain(..dropped);
        self.saved = self.saved.and_then(|saved| saved.checked_sub(dropped));
    }

    /// Makes the previous entry current and returns its document, if there is one.
    pub fn undo(&mut self) -> Option<Document> {
        self.go_to(self.current.checked_sub(1)?)
    }

    /// Makes the next (undone) entry current and returns its document, if there is one.
    pub fn redo(&mut self) -> Option<Document> {
        self.go_to(self.current + 1)
    }

    /// Makes entry `index` current and returns its document; `None` past the end.
    pub fn go_to(&mut self, index: usize) -> Option<Document> {
        let entry = self.entries.get(index)?;
        self.current = index;
        Some(Document::clone(&entry.snapshot))
    }

    /// Returns all entries, oldest first.
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// Returns the oldest remembered document: the project as it was opened, unless more steps were taken than are kept.
    pub fn start(&self) -> &Document {
        &self.entries[0].snapshot
    }

    /// Returns the index of the current entry.
    pub fn current(&self) -> usize {
        self.current
    }

    /// Marks the current entry as saved.
    pub fn mark_saved(&mut self) {
        self.saved = Some(self.current);
    }

    /// True if `document` equals the saved state.
    pub fn is_saved(&self, document: &Document) -> bool {
        self.saved.is_some_and(|saved| *self.entries[saved].snapshot == *document)
    }
}

/// Returns the memory of `document` that it does not share with `before`, in bytes.
fn bytes_of(document: &Document, before: &Document) -> usize {
    let [mut document, mut before] = [document.clone(), before.clone()];
    let known = take_painting(&mut before);
    let is_new = |painted: &WeightMap| !known.iter().any(|known| known.is_shared_with(painted));
    let painted = take_painting(&mut document)
        .iter()
        .filter(|painted| is_new(painted))
        .map(|map| map.values().len())
        .sum::<usize>();
    // The serialized size approximates the memory of the remaining data.
    let rest = serde_json::to_vec(&document).map_or(0, |text| text.len());
    rest + painted * size_of::<f32>()
}

/// Removes all painted weight maps from `document` and returns them.
fn take_painting(document: &mut Document) -> Vec<WeightMap> {
    document.takes.iter_mut().flat_map(|take| take.weight_maps_mut()).map(std::mem::take).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::SceneObject;
    use glam::DVec3;

    fn with_objects(count: usize) -> Document {
        let object = |i| SceneObject::point(&format!("mark {i}"), DVec3::ZERO);
        Document { objects: (0..count).map(object).collect(), ..Document::default() }
    }

    #[test]
    fn undo_and_redo_visit_the_same_states() {
        let mut history = History::new(&with_objects(0));
        history.observe(&with_objects(1));
        history.observe(&with_objects(1));
        history.observe(&with_objects(2));
        assert_eq!(history.entries().len(), 3);
        assert_eq!(history.undo(), Some(with_objects(1)));
        assert_eq!(history.undo(), Some(with_objects(0)));
        assert_eq!(history.undo(), None);
        assert_eq!(history.redo(), Some(with_objects(1)));
    }

    /// Returns a document with a cloth of `vertices` painted vertices.
    fn painted(vertices: usize, value: f32) -> Document {
        let cloth = portamento_dynamics::cloth::Settings { pins: vec![value; vertices].into(), ..Default::default() };
        let take = crate::document::Take {
            id: crate::document::TakeId(1),
            name: "flag".into(),
            character: crate::document::FileId(1),
            source: crate::document::TakeSource::Cloth(Box::new(cloth)),
            stages: Vec::new(),
            loops: None,
        };
        Document { takes: vec![take], ..Document::default() }
    }

    #[test]
    fn snapshots_stay_within_the_limit_and_share_equal_painting() {
        let mut history = History::new(&Document::default());
        let (stroke, limit) = (100_000, 4_050_000);
        let strokes: Vec<Document> = (0..40).map(|number| painted(stroke, number as f32)).collect();
        for document in &strokes {
            history.observe(document);
            history.forget(limit);
            history.current = history.entries.len() - 1;
        }
        let bytes: usize = history.entries().iter().map(|entry| entry.bytes).sum();
        let retained = history.entries().len();
        assert!(bytes <= limit && retained == limit / (4 * stroke), "{retained} entries of {bytes} bytes");
        assert_eq!(history.undo().as_ref(), Some(&strokes[38]));
        history.redo();
        for number in 0..100 {
            let mut renamed = strokes[39].clone();
            renamed.takes[0].name = format!("flag {number}");
            history.observe(&renamed);
            history.forget(limit);
            history.current = history.entries.len() - 1;
        }
        assert_eq!(history.entries().len(), retained + 100, "shared painting is counted once");
        assert!(!history.is_saved(&Document::default()));
    }

    #[test]
    fn a_new_edit_drops_undone_entries_and_the_saved_mark() {
        let mut history = History::new(&with_objects(0));
        history.observe(&with_objects(1));
        history.mark_saved();
        history.undo();
        assert!(!history.is_saved(&with_objects(0)));
        history.observe(&with_objects(3));
        assert_eq!(history.redo(), None);
        assert!(!history.is_saved(&with_objects(3)));
    }
}
