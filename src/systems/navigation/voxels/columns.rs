//! Spans of a band of rows while triangles are added.

use rerecast::{AreaType, Heightfield, Span};

use super::rasterise::ColumnFill;

/// The end of a column, and of the spans that are not in use.
const END: u32 = u32::MAX;

/// Spans by column, each column a list from the bottom up.
#[derive(Debug)]
pub(super) struct Columns {
    /// The lowest span of each column, or `END`.
    lowest: Vec<u32>,
    /// The span added last to each column, or `END`: levels are mostly listed from the ground up, so the next lies above it.
    latest: Vec<u32>,
    spans: Vec<SolidSpan>,
    /// Spans that were merged into others, as a list.
    unused: u32,
    /// How many spans there are.
    pub count: usize,
}

#[derive(Clone, Copy, Debug)]
struct SolidSpan {
    low: u16,
    high: u16,
    area: AreaType,
    above: u32,
}

impl Columns {
    /// Columns without spans.
    pub(super) fn new(columns: usize) -> Self {
        Self {
            lowest: vec![END; columns],
            latest: vec![END; columns],
            spans: Vec::with_capacity(columns),
            unused: END,
            count: 0,
        }
    }

    /// Adds a piece to its column: pieces that touch become one span. Where both tops are within `climb` voxels the larger
    /// area is kept, else that of the higher top; a lower piece still makes a higher one walkable that was not, as in Recast.
    pub(super) fn insert(&mut self, piece: ColumnFill, area: AreaType, climb: u16) {
        let mut span = SolidSpan { low: piece.low, high: piece.high, area, above: END };
        let latest = self.latest[piece.column];
        let (mut below, mut next, mut home) = match self.spans.get(latest as usize) {
            // Above the last one added nothing below needs to be looked at.
            Some(other) if other.high < span.low => (latest, other.above, END),
            _ => (END, self.lowest[piece.column], END),
        };
        while next != END {
            let other = self.spans[next as usize];
            if other.low > span.high {
                break;
            }
            if other.high < span.low {
                below = next;
            } else {
                span.area = merged_area(&span, &other, climb);
                span.low = span.low.min(other.low);
                span.high = span.high.max(other.high);
                // The first span that is touched takes the piece in; the others that it joins become free.
                if home == END { home = next } else { self.drop(next) }
            }
            next = other.above;
        }
        span.above = next;
        if home != END {
            self.spans[home as usize] = span;
            self.latest[piece.column] = home;
            return;
        }
        let new = self.add(span);
        self.latest[piece.column] = new;
        match self.spans.get_mut(below as usize) {
            Some(below) => below.above = new,
            None => self.lowest[piece.column] = new,
        }
    }

    fn add(&mut self, span: SolidSpan) -> u32 {
        self.count += 1;
        let place = self.unused;
        if let Some(unused) = self.spans.get_mut(place as usize) {
            self.unused = unused.above;
            *unused = span;
            return place;
        }
        self.spans.push(span);
        self.spans.len() as u32 - 1
    }

    fn drop(&mut self, span: u32) {
        self.count -= 1;
        self.spans[span as usize].above = self.unused;
        self.unused = span;
    }

    /// Moves all spans into the columns of a field from `first` on.
    pub(super) fn move_to(self, field: &mut Heightfield, first: usize) {
        for (lowest, column) in self.lowest.iter().zip(&mut field.spans[first..]) {
            let (mut next, mut below) = (*lowest, None);
            while let Some(&SolidSpan { low, high, area, above }) = self.spans.get(next as usize) {
                let key = field.allocated_spans.insert(Span { min: low, max: high, area, next: None });
                match below {
                    Some(below) => field.allocated_spans[below].next = Some(key),
                    None => *column = Some(key),
                }
                (next, below) = (above, Some(key));
            }
        }
    }
}

fn merged_area(new: &SolidSpan, old: &SolidSpan, climb: u16) -> AreaType {
    if new.high.abs_diff(old.high) <= climb {
        new.area.0.max(old.area.0).into()
    } else if new.high > old.high || !old.area.is_walkable() {
        new.area
    } else {
        old.area
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::Vec3;
    use rerecast::{Aabb3d, HeightfieldBuilder};

    /// Low and high of the spans of one column, bottom up.
    fn spans(columns: &Columns) -> Vec<(u16, u16)> {
        let mut found = Vec::new();
        let mut next = columns.lowest[0];
        while let Some(span) = columns.spans.get(next as usize) {
            found.push((span.low, span.high));
            next = span.above;
        }
        found
    }

    #[test]
    fn spans_are_the_same_in_whatever_order_their_pieces_come() {
        let mut seed = 7_u32;
        let mut random = |below: u32| {
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (seed >> 8) % below
        };
        let filled = |pieces: &[(u16, u16)]| {
            let mut columns = Columns::new(1);
            pieces.iter().for_each(|&(low, high)| columns.insert(ColumnFill { column: 0, low, high }, AreaType(5), 1));
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
        for (low, high, area) in [(20, 22, 3), (0, 2, 1), (8, 9, 9), (2, 4, 2), (30, 31, 4), (21, 40, 0)] {
            columns.insert(ColumnFill { column: 0, low, high }, area.into(), 1);
        }
        assert_eq!(columns.count, 3);
        let aabb = Aabb3d { min: Vec3::ZERO, max: Vec3::ONE };
        let mut field = HeightfieldBuilder { aabb, cell_size: 1.0, cell_height: 1.0 }.build().unwrap();
        columns.move_to(&mut field, 0);
        let mut found = Vec::new();
        let mut next = field.spans[0];
        while let Some(key) = next {
            let span = &field.allocated_spans[key];
            found.push((span.min, span.max, span.area.0));
            next = span.next;
        }
        assert_eq!(found, [(0, 4, 2), (8, 9, 9), (20, 40, 0)]);
        assert_eq!(field.allocated_spans.len(), 3);
    }

    #[test]
    fn the_place_of_a_merged_span_is_used_again() {
        let mut columns = Columns::new(2);
        for (column, low, high) in [(0, 0, 1), (0, 4, 5), (0, 1, 4), (1, 7, 8)] {
            columns.insert(ColumnFill { column, low, high }, AreaType(1), 1);
        }
        assert_eq!((columns.count, columns.spans.len()), (2, 2));
    }
}
