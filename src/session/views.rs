//! The item shown at each step of the history, so that undo and redo also bring the view back.

use super::Shown;
use portamento_takes::document::History;

/// The item that was shown last while each entry of the history was current.
#[derive(Debug, Default)]
pub(super) struct Views {
    /// One item per entry of the history.
    shown: Vec<Shown>,
    /// The number of entries and the current one at the last note.
    seen: (usize, usize),
}

impl Views {
    /// Notes that `shown` is on screen while the current entry of `history` is.
    pub fn note(&mut self, history: &History, shown: &Shown) {
        let (count, current) = (history.entries().len(), history.current());
        let is_new_entry = self.seen != (count, current) && current + 1 == count;
        if is_new_entry {
            // A new entry follows the previous one; the history may have dropped its oldest entries.
            self.shown.truncate(self.seen.1 + 1);
            let dropped = (self.shown.len() + 1).saturating_sub(count);
            self.shown.drain(..dropped.min(self.shown.len()));
        }
        self.shown.resize(count, Shown::Nothing);
        if let Some(view) = self.shown.get_mut(current) {
            view.clone_from(shown);
        }
        self.seen = (count, current);
    }

    /// Notes that the history went to another of its entries. Returns what was shown there; `None` if nothing was.
    pub fn travel(&mut self, history: &History) -> Option<Shown> {
        self.seen = (history.entries().len(), history.current());
        self.shown.get(history.current()).filter(|shown| **shown != Shown::Nothing).cloned()
    }
}
