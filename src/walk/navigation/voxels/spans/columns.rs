//! Spans of a band of rows while triangles are added.

use super::rasterise::ColumnFill;
use super::solid::SpansMut;
use crate::navigation::voxels::surface::slope::SlopeCode;

/// End of a column's list, and of the list of unused spans.
const LIST_END: u32 = u32::MAX;

/// Spans by column, each column a linked list from the bottom up.
#[derive(Debug)]
pub(super) struct Columns {
    /// Index of the lowest span of each column, or `LIST_END`.
    lowest: Vec<u32>,
    /// Index of the last added span of each column, or `LIST_END`. Levels are mostly listed bottom up, so the next one is
    /// usually above it.
    latest: Vec<u32>,
    spans: Vec<SolidSpan>,
    /// Head of the list of spans that were merged into others.
    unused: u32,
    /// Number of spans.
    pub count: usize,
}

#[derive(Clone, Copy, Debug)]
struct SolidSpan {
    low: u16,
    high: u16,
    slope: SlopeCode,
    next_above: u32,
}

impl Columns {
    /// Creates columns without spans.
    pub(crate) fn new(columns: usize) -> Self {
        Self {
            lowest: vec![LIST_END; columns],
            latest: vec![LIST_END; columns],
            spans: Vec::with_capacity(columns),
            unused: LIST_END,
            count: 0,
        }
    }

    /// Adds a piece to its column; pieces that touch become one span. If both tops are within `climb` voxels, the steeper
    /// slope is kept, otherwise that of the higher top. As in Recast, a lower piece makes a higher unwalkable one walkable.
    /// The column of `piece` counts from the first one here.
    pub(crate) fn insert(&mut self, piece: ColumnFill, slope: SlopeCode, climb: u16) {
        let mut span = SolidSpan { low: piece.low, high: piece.high, slope, next_above: LIST_END };
        let latest = self.latest[piece.column];
        let (mut previous, mut next, mut merged) = match self.spans.get(latest as usize) {
            // Above the last added span, nothing below needs a check.
            Some(other) if other.high < span.low => (latest, other.next_above, LIST_END),
            _ => (LIST_END, self.lowest[piece.column], LIST_END),
        };
        while next != LIST_END {
            let other = self.spans[next as usize];
            if other.low > span.high {
                break;
            }
            if other.high < span.low {
                previous = next;
            } else {
                span.slope = merged_slope(&span, &other, climb);
                span.low = span.low.min(other.low);
                span.high = span.high.max(other.high);
                // The first touched span takes the piece; the others that it joins become unused.
                if merged == LIST_END { merged = next } else { self.drop(next) }
            }
            next = other.next_above;
        }
        span.next_above = next;
        if merged != LIST_END {
            self.spans[merged as usize] = span;
            self.latest[piece.column] = merged;
            return;
        }
        let added = self.add(span);
        self.latest[piece.column] = added;
        match self.spans.get_mut(previous as usize) {
            Some(previous) => previous.next_above = added,
            None => self.lowest[piece.column] = added,
        }
    }
    /// Stores a span and returns its index; unused slots are filled first.
    fn add(&mut self, span: SolidSpan) -> u32 {
        self.count += 1;
        let slot = self.unused;
        if let Some(unused) = self.spans.get_mut(slot as usize) {
            self.unused = unused.next_above;
            *unused = span;
            return slot;
        }
        self.spans.push(span);
        self.spans.len() as u32 - 1
    }
    /// Moves a span to the list of unused slots.
    fn drop(&mut self, span: u32) {
        self.count -= 1;
        self.spans[span as usize].next_above = self.unused;
        self.unused = span;
    }

    /// Writes all spans column by column into `spans`, which has room for exactly this number.
    pub(super) fn write(&self, spans: SpansMut) {
        let mut written = spans.heights.iter_mut().zip(spans.slopes);
        let mut count = spans.first;
        for (lowest, end) in self.lowest.iter().zip(spans.ends) {
            let mut next = *lowest;
            while let Some(span) = self.spans.get(next as usize)
                && let Some((heights, slope)) = written.next()
            {
                (*heights, *slope, next) = ([span.low, span.high], span.slope, span.next_above);
                count += 1;
            }
            *end = count;
        }
    }
}
/// Returns the slope of a merged span; see [`Columns::insert`].
fn merged_slope(new: &SolidSpan, old: &SolidSpan, climb: u16) -> SlopeCode {
    if new.high.abs_diff(old.high) <= climb {
        new.slope.max(old.slope)
    } else if new.high > old.high || !old.slope.is_walkable() {
        new.slope
    } else {
        old.slope
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns low and high of the spans of one column, bottom up.
    fn spans(columns: &Columns) -> Vec<(u16, u16)> {
        let mut found = Vec::new();
        let mut next = columns.lowest[0];
        while let Some(span) = columns.spans.get(next as usize) {
            found.push((span.low, span.high));
            next = span.next_above;
        }
        found
    }

    #[test]
    fn spans_do_not_depend_on_the_order_of_their_pieces() {
        let mut seed = 7_u32;
        let mut random = |limit: u32| {
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (seed >> 8) % limit
        };
        let filled = |pieces: &[(u16, u16)]| {
            let mut columns = Columns::new(1);
            pieces.iter().for_each(|&(low, high)| columns.insert(ColumnFill { column: 0, low, high }, SlopeCode(5), 1));
            assert_eq!(columns.count, spans(&columns).len());
            spans(&columns)
        };
        for _ in 0..300 {
            let low: Vec<u16> = (0..40).map(|_| random(400) as u16).collect();
            let mut pieces: Vec<(u16, u16)> = low.into_iter().map(|low| (low, low + 1 + random(6) as u16)).collect();
            let found = filled(&pieces);
            let holds = |spans: &[(u16, u16)], at: u16| spans.iter().any(|&(low, high)| (low..high).contains(&at));
            assert!(found.windows(2).all(|pair| pair[0].1 < pair[1].0), "{found:?}");
            assert!((0..500).all(|at| holds(&pieces, at) == holds(&found, at)));
            pieces.sort_unstable();
            assert_eq!(filled(&pieces), found);
        }
    }

    #[test]
    fn pieces_that_touch_become_one_span_and_others_stay_in_order() {
        let mut columns = Columns::new(1);
        for (low, high, slope) in [(20, 22, 3), (0, 2, 1), (8, 9, 9), (2, 4, 2), (30, 31, 4), (21, 40, 0)] {
            columns.insert(ColumnFill { column: 0, low, high }, SlopeCode(slope), 1);
        }
        assert_eq!(columns.count, 3);
        let (mut ends, mut heights, mut slopes) = ([0], [[0; 2]; 3], [SlopeCode(0); 3]);
        columns.write(SpansMut { first: 7, ends: &mut ends, heights: &mut heights, slopes: &mut slopes });
        assert_eq!((heights, slopes.map(|slope| slope.0)), ([[0, 4], [8, 9], [20, 40]], [2, 9, 0]));
        assert_eq!(ends, [10]);
    }

    #[test]
    fn the_slot_of_a_merged_span_is_reused() {
        let mut columns = Columns::new(2);
        for (column, low, high) in [(0, 0, 1), (0, 4, 5), (0, 1, 4), (1, 7, 8)] {
            columns.insert(ColumnFill { column, low, high }, SlopeCode(1), 1);
        }
        assert_eq!((columns.count, columns.spans.len()), (2, 2));
    }
}
