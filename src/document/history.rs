//! Undo as snapshots of the whole document.

use std::sync::Arc;

use super::{Change, Document};
use crate::math::WeightMap;

/// Snapshots in the order they were made, and where the document stands among them.
#[derive(Clone, Debug)]
pub struct History {
    entries: Vec<Entry>,
    current: usize,
    saved: Option<usize>,
}

/// One state the user can come back to.
#[derive(Clone, Debug)]
pub struct Entry {
    /// What changed to get here.
    pub change: Change,
    snapshot: Arc<Document>,
    /// What it holds in memory and the entry before does not.
    bytes: usize,
}

/// Snapshots kept: documents are a few kilobytes, so this is a long afternoon within a few megabytes.
const CAPACITY: usize = 1000;

/// Bytes that all snapshots may hold: painting is megabytes per stroke.
const MOST_BYTES: usize = 256 << 20;

impl History {
    /// A history that starts at `document`, which counts as saved.
    pub fn new(document: &Document) -> Self {
        let first = Entry { change: Change::Start, snapshot: Arc::new(document.clone()), bytes: 0 };
        Self { entries: vec![first], current: 0, saved: Some(0) }
    }

    /// Takes a snapshot when `document` differs from the current one; what was undone before is dropped.
    ///
    /// Call it on the first calm frame after an interaction, so that one drag is one entry.
    pub fn observe(&mut self, document: &Document) {
        let before = &self.entries[self.current].snapshot;
        if **before == *document {
            return;
        }
        let (change, bytes) = (Change::between(before, document), bytes_of(document, before));
        self.entries.truncate(self.current + 1);
        self.saved = self.saved.filter(|&saved| saved <= self.current);
        self.entries.push(Entry { change, snapshot: Arc::new(document.clone()), bytes });
        self.forget(MOST_BYTES);
        self.current = self.entries.len() - 1;
    }

    /// Drops the oldest entries beyond the limits; the last step can be undone in any case.
    fn forget(&mut self, most_bytes: usize) {
        let mut bytes: usize = self.entries.iter().map(|entry| entry.bytes).sum();
        let mut dropped = 0;
        while self.entries.len() - dropped > CAPACITY || bytes > most_bytes && self.entries.len() - dropped > 2 {
            bytes -= self.entries[dropped].bytes;
            dropped += 1;
        }
        self.entries.drain(..dropped);
        self.saved = self.saved.and_then(|saved| saved.checked_sub(dropped));
    }

    /// The state before the current one, if there is one.
    pub fn undo(&mut self) -> Option<Document> {
        self.go_to(self.current.checked_sub(1)?)
    }

    /// The state that was undone last, if any.
    pub fn redo(&mut self) -> Option<Document> {
        self.go_to(self.current + 1)
    }

    /// Makes entry `index` current and gives its document; `None` past the end.
    pub fn go_to(&mut self, index: usize) -> Option<Document> {
        let entry = self.entries.get(index)?;
        self.current = index;
        Some(Document::clone(&entry.snapshot))
    }

    /// All entries, oldest first.
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// Index of the current entry.
    pub fn current(&self) -> usize {
        self.current
    }

    /// Marks the current entry as what is on disk.
    pub fn mark_saved(&mut self) {
        self.saved = Some(self.current);
    }

    /// Whether `document` is what is on disk.
    pub fn is_saved(&self, document: &Document) -> bool {
        self.saved.is_some_and(|saved| *self.entries[saved].snapshot == *document)
    }
}

/// Bytes that `document` holds in memory and `before` does not: all but the painting they share.
fn bytes_of(document: &Document, before: &Document) -> usize {
    let [mut document, mut before] = [document.clone(), before.clone()];
    let known = taken_out(&mut before);
    let is_new = |painted: &WeightMap| !known.iter().any(|known| known.is_shared_with(painted));
    let painted =
        taken_out(&mut document).iter().filter(|painted| is_new(painted)).map(|map| map.values().len()).sum::<usize>();
    // As text the rest is about as large as in memory.
    let rest = serde_json::to_vec(&document).map_or(0, |text| text.len());
    rest + painted * size_of::<f32>()
}

/// The painting of `document`, which has none any more.
fn taken_out(document: &mut Document) -> Vec<WeightMap> {
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
    fn undo_and_redo_walk_the_same_states() {
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

    /// A cloth with that many vertices painted.
    fn painted(vertices: usize, value: f32) -> Document {
        let cloth = crate::systems::cloth::Settings { pins: vec![value; vertices].into(), ..Default::default() };
        let take = crate::document::Take {
            id: crate::document::TakeId(1),
            name: "flag".into(),
            character: crate::document::FileId(1),
            source: crate::document::TakeSource::Cloth(Box::new(cloth)),
            stages: Vec::new(),
        };
        Document { takes: vec![take], ..Document::default() }
    }

    #[test]
    fn snapshots_hold_no_more_than_the_limit_and_share_what_is_the_same() {
        let mut history = History::new(&Document::default());
        let (stroke, most) = (100_000, 4_050_000);
        let strokes: Vec<Document> = (0..40).map(|number| painted(stroke, number as f32)).collect();
        for document in &strokes {
            history.observe(document);
            history.forget(most);
            history.current = history.entries.len() - 1;
        }
        let bytes: usize = history.entries().iter().map(|entry| entry.bytes).sum();
        let kept = history.entries().len();
        assert!(bytes <= most && kept == most / (4 * stroke), "{kept} entries of {bytes} bytes");
        assert_eq!(history.undo().as_ref(), Some(&strokes[38]));
        history.redo();
        for number in 0..100 {
            let mut renamed = strokes[39].clone();
            renamed.takes[0].name = format!("flag {number}");
            history.observe(&renamed);
            history.forget(most);
            history.current = history.entries.len() - 1;
        }
        assert_eq!(history.entries().len(), kept + 100, "the same painting is counted once");
        assert!(!history.is_saved(&Document::default()));
    }

    #[test]
    fn a_new_edit_drops_what_was_undone_and_knows_what_is_saved() {
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
