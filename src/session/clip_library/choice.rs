//! Which rows of a table are chosen: one alone, one besides others, all up to one, or all that are shown.

use std::collections::BTreeSet;

use super::table::{ChoiceEnds, ClipTable};
use super::{ClipRow, Found, mends};

/// What becomes of the other chosen rows when one is chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChooseMode {
    /// They are chosen no more.
    Alone,
    /// They stay; the row itself is left out where it was chosen.
    Toggle,
    /// All from the row that was chosen alone or besides others up to this one are chosen, and no others.
    UpTo,
}

impl ClipTable {
    /// Chooses the row at that place in [`ClipTable::rows`].
    pub fn choose(&mut self, row: usize, mode: ChooseMode) {
        let shown = self.shown();
        let place = |row: usize| shown.iter().position(|&each| each == row);
        let range = self.ends.anchor.and_then(place).zip(place(row)).filter(|_| mode == ChooseMode::UpTo);
        match range {
            Some((from, to)) => self.chosen = shown[from.min(to)..=from.max(to)].iter().copied().collect(),
            None if mode == ChooseMode::Toggle && self.chosen.remove(&row) => {}
            None if mode == ChooseMode::Toggle => drop(self.chosen.insert(row)),
            None => self.chosen = BTreeSet::from([row]),
        }
        let anchor = if range.is_some() { self.ends.anchor } else { Some(row) };
        self.ends = ChoiceEnds { anchor, last: Some(row) };
    }

    /// Whether something can be mended in a chosen row.
    pub fn can_mend_chosen(&self) -> bool {
        let can = |row: &ClipRow| row.quality.as_ref().is_some_and(|quality| !mends(quality).is_empty());
        self.chosen.iter().filter_map(|&row| self.rows.get(row)).any(can)
    }

    /// Chooses `rows` by their places in [`ClipTable::rows`], besides those that are chosen where they `add` to them.
    pub fn choose_all(&mut self, rows: &[usize], add: bool) {
        if !add {
            self.chosen.clear();
        }
        self.chosen.extend(rows);
        let last = rows.last().copied();
        self.ends = ChoiceEnds { anchor: last, last };
    }

    /// Chooses all rows that are shown and no others.
    pub fn choose_shown(&mut self) {
        let shown = self.shown();
        self.chosen = shown.iter().copied().collect();
        self.ends = ChoiceEnds { anchor: shown.first().copied(), last: shown.last().copied() };
    }

    /// Whether that holds of a row that was shown last.
    pub fn has_shown(&self, found: Found) -> bool {
        self.last_shown().iter().any(|&at| found.holds(&self.rows[at], self.is_mended(at)))
    }

    /// Chooses all shown rows of which that holds and no others.
    pub fn choose_found(&mut self, found: Found) {
        let shown = self.shown();
        let holds = |&at: &usize| found.holds(&self.rows[at], self.is_mended(at));
        let alike: Vec<usize> = shown.iter().copied().filter(holds).collect();
        self.ends = ChoiceEnds { anchor: alike.first().copied(), last: alike.last().copied() };
        self.chosen = alike.into_iter().collect();
    }

    /// Chooses the row that many rows below (above) the one that was chosen last, or the first; answers its place among those
    /// that are shown, `None` where none are.
    pub fn choose_next(&mut self, rows: isize, mode: ChooseMode) -> Option<usize> {
        let shown = self.shown();
        let last = self.ends.last.and_then(|row| shown.iter().position(|&each| each == row));
        let end = shown.len().checked_sub(1)?;
        let place = last.map_or(0, |last| last.saturating_add_signed(rows).min(end));
        self.choose(shown[place], mode);
        Some(place)
    }
}
