//! Undo as snapshots of the whole document.

use std::sync::Arc;

use super::{Change, Document};

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
}

/// Snapshots kept: documents are a few kilobytes, so this is a long afternoon within a few megabytes.
const CAPACITY: usize = 1000;

impl History {
    /// A history that starts at `document`, which counts as saved.
    pub fn new(document: &Document) -> Self {
        let first = Entry { change: Change::Start, snapshot: Arc::new(document.clone()) };
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
        let change = Change::between(before, document);
        self.entries.truncate(self.current + 1);
        self.saved = self.saved.filter(|&saved| saved <= self.current);
        self.entries.push(Entry { change, snapshot: Arc::new(document.clone()) });
        if self.entries.len() > CAPACITY {
            self.entries.remove(0);
            self.saved = self.saved.and_then(|saved| saved.checked_sub(1));
        }
        self.current = self.entries.len() - 1;
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::SceneObject;
    use glam::DVec3;

    fn with_objects(count: usize) -> Document {
        let object = |i| SceneObject { name: format!("mark {i}"), position: DVec3::ZERO };
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
