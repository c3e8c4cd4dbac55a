//! Sort order of the loop candidates.

use portamento_looping::SeamReport;
use portamento_looping::finder::Candidate;

/// Sort order of the list; by rank at first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct SeamOrder {
    /// Column index.
    pub column: usize,
    /// True if descending.
    pub is_descending: bool,
}

impl SeamOrder {
    /// Sorts ascending by `column`, or reverses the order if it is already the sort column.
    pub fn click(&mut self, column: usize) {
        *self = Self { column, is_descending: self.column == column && !self.is_descending };
    }

    /// Returns the indices of all `candidates` in sort order. `seams` has the measured seam of each. Unmeasured ones are always
    /// last.
    pub fn ranks(self, candidates: &[Candidate], seams: &[Option<SeamReport>]) -> Vec<usize> {
        let ratio = |rank: usize| seams.get(rank).and_then(|seam| seam.as_ref()?.ratio);
        let key = |rank: usize| {
            let each = &candidates[rank];
            match self.column {
                1 => Some(each.start as f64),
                2 => Some(each.length as f64),
                3 => Some(each.cost),
                4 => ratio(rank),
                _ => Some(rank as f64),
            }
        };
        let mut ranks: Vec<usize> = (0..candidates.len()).collect();
        ranks.sort_by(|&a, &b| match (key(a), key(b)) {
            (Some(a), Some(b)) if self.is_descending => b.total_cmp(&a),
            (Some(a), Some(b)) => a.total_cmp(&b),
            (a, b) => b.is_some().cmp(&a.is_some()),
        });
        ranks
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_second_click_reverses_the_order_and_unmeasured_stays_last() {
        let candidate = |start, length, cost| Candidate {
            start,
            length,
            cost,
            value_gap: 0.0,
            speed_gap: 0.0,
            acceleration_gap: 0.0,
        };
        let candidates = [candidate(9, 14, 0.1), candidate(2, 44, 0.2), candidate(5, 14, 0.3)];
        let seam = |ratio| Some(SeamReport { ratio: Some(ratio), ..SeamReport::default() });
        let seams = [seam(2.0), None, seam(1.0)];
        let mut order = SeamOrder::default();
        let mut clicked = |column| {
            order.click(column);
            order.ranks(&candidates, &seams)
        };
        assert_eq!(clicked(1), [1, 2, 0]);
        assert_eq!(clicked(1), [0, 2, 1]);
        assert_eq!(clicked(2), [0, 2, 1], "rank decides between equals");
        assert_eq!(clicked(4), [2, 0, 1]);
        assert_eq!(clicked(4), [0, 2, 1]);
        assert_eq!(clicked(0), [0, 1, 2]);
    }
}
