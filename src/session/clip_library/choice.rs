//! Selection of table rows: single, toggle, range and all shown.

use std::collections::BTreeSet;

use super::table::{ChoiceEnds, ClipTable};
use super::{ClipRow, Found, mends};

/// The effect of selecting a row on the rest of the selection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChooseMode {
    /// The other rows are deselected.
    Alone,
    /// The other rows stay selected; the row itself is toggled.
    Toggle,
    /// Selects exactly the range from the anchor (the last row selected without `UpTo`) to this row.
    UpTo,
}

impl ClipTable {
    /// Selects the row at index `row` of [`ClipTable::rows`]. It becomes the anchor, unless a range was selected.
    pub fn choose(&mut self, row: usize, mode: ChooseMode) {
        let shown = self.shown();
        let shown_index = |row: usize| shown.iter().position(|&each| each == row);
        let range = self.ends.anchor.and_then(shown_index).zip(shown_index(row)).filter(|_| mode == ChooseMode::UpTo);
        match range {
            Some((from, to)) => self.chosen = shown[from.min(to)..=from.max(to)].iter().copied().collect(),
            None if mode == ChooseMode::Toggle && self.chosen.remove(&row) => {}
            None if mode == ChooseMode::Toggle => drop(self.chosen.insert(row)),
            None => self.chosen = BTreeSet::from([row]),
        }
        let anchor = if range.is_some() { self.ends.anchor } else { Some(row) };
        self.ends = ChoiceEnds { anchor, last: Some(row) };
    }

    /// True if a selected row has something to fix.
    pub fn can_mend_chosen(&self) -> bool {
        let can = |row: &ClipRow| row.quality.as_ref().is_some_and(|quality| !mends(quality).is_empty());
        self.chosen.iter().filter_map(|&row| self.rows.get(row)).any(can)
    }

    /// Selects `rows` (indices into [`ClipTable::rows`]); keeps the current selection if `add`.
    pub fn choose_all(&mut self, rows: &[usize], add: bool) {
        if !add {
            self.chosen.clear();
        }
        self.chosen.extend(rows);
        let last = rows.last().copied();
        self.ends = ChoiceEnds { anchor: last, last };
    }

    /// Selects exactly the shown rows.
    pub fn choose_shown(&mut self) {
        let shown = self.shown();
        self.chosen = shown.iter().copied().collect();
        self.ends = ChoiceEnds { anchor: shown.first().copied(), last: shown.last().copied() };
    }

    /// True if `found` applies to a row that was shown last.
    pub fn has_shown(&self, found: Found) -> bool {
        self.last_shown().iter().any(|&at| found.holds(&self.rows[at], self.is_mended(at)))
    }

    /// Selects exactly the shown rows to which `found` applies.
    pub fn choose_found(&mut self, found: Found) {
        let shown = self.shown();
        let holds = |&at: &usize| found.holds(&self.rows[at], self.is_mended(at));
        let alike: Vec<usize> = shown.iter().copied().filter(holds).collect();
        self.ends = ChoiceEnds { anchor: alike.first().copied(), last: alike.last().copied() };
        self.chosen = alike.into_iter().collect();
    }

    /// Moves the selection by `rows` (negative: up) from the last selected row, or selects the first row. Returns the
    /// index among the shown rows; `None` if none are shown. Further moves beyond the ends stay there. `mode` is as in
    /// [`Self::choose`].
    pub fn choose_next(&mut self, rows: isize, mode: ChooseMode) -> Option<usize> {
        let shown = self.shown();
        let last = self.ends.last.and_then(|row| shown.iter().position(|&each| each == row));
        let end = shown.len().checked_sub(1)?;
        let shown_index = last.map_or(0, |last| last.saturating_add_signed(rows).min(end));
        self.choose(shown[shown_index], mode);
        Some(shown_index)
    }
}
