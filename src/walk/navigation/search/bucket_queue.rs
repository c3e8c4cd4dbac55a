//! Priority queue of cells by estimated cost, accurate to the width of a bucket.
//!
//! Buckets of equal width (Dial, "Algorithm 360: Shortest-Path Forest with Topological Ordering", 1969) replace a
//! heap, so no comparisons are needed. Within a bucket the order is last in, first out. The search re-expands cells
//! that get cheaper and continues until the goal's bucket is empty, so it still finds the least cost.

/// Number of buckets. Cells with larger estimates wait in one list.
const BUCKETS: usize = 2048;

/// Cells by estimated cost.
#[derive(Debug, Default)]
pub(super) struct BucketQueue {
    buckets: Vec<Vec<u32>>,
    /// Cells beyond the last bucket with their estimates.
    later: Vec<(f64, u32)>,
    /// Estimate at the start of the first bucket.
    begin: f64,
    /// Buckets per unit of the estimate.
    per_unit: f64,
    /// The current bucket.
    at: usize,
    /// The last bucket that may contain cells.
    last: usize,
}

impl BucketQueue {
    /// Clears the queue for estimates from `begin` on, with buckets of `width`.
    pub(super) fn clear(&mut self, begin: f64, width: f64) {
        self.buckets.resize_with(BUCKETS, Vec::new);
        self.buckets[self.at.min(self.last)..=self.last].iter_mut().for_each(Vec::clear);
        self.later.clear();
        (self.begin, self.per_unit, self.at, self.last) = (begin, 1.0 / width, 0, 0);
    }

    /// Adds a cell. An estimate below the current bucket goes into the current bucket.
    #[inline]
    pub(super) fn push(&mut self, estimate: f64, cell: u32) {
        // Never behind the current bucket: an estimate may fall below it by rounding.
        let bucket = self.bucket(estimate).max(self.at);
        match self.buckets.get_mut(bucket) {
            Some(cells) => {
                cells.push(cell);
                self.last = self.last.max(bucket);
            }
            // Beyond the buckets; sorted in when they are empty.
            None => self.later.push((estimate, cell)),
        }
    }

    /// Removes and returns the next cell whose estimate may be below `limit`; `None` if there is none.
    #[inline]
    pub(super) fn pop(&mut self, limit: f64) -> Option<u32> {
        loop {
            // No remaining cell can improve the known path.
            if self.bucket(limit) < self.at {
                return None;
            }
            if let Some(cell) = self.buckets.get_mut(self.at)?.pop() {
                return Some(cell);
            }
            self.at += 1;
            if self.at > self.last {
                self.advance()?;
            }
        }
    }

    /// Refills the buckets, starting at the smallest waiting estimate. Returns `None` if nothing waits.
    fn advance(&mut self) -> Option<()> {
        self.begin = self.later.iter().map(|entry| entry.0).min_by(f64::total_cmp)?;
        (self.at, self.last) = (0, 0);
        for (estimate, cell) in std::mem::take(&mut self.later) {
            self.push(estimate, cell);
        }
        Some(())
    }
    /// Returns the bucket index of an estimate.
    fn bucket(&self, estimate: f64) -> usize {
        ((estimate - self.begin) * self.per_unit) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_come_out_by_estimate_to_within_a_width() {
        let mut open = BucketQueue::default();
        open.clear(3.0, 0.5);
        let estimate = |cell: u32| 3.0 + f64::from(cell * 7919 % 5000);
        (0..5000).for_each(|cell| open.push(estimate(cell), cell));
        let mut last = 0.0;
        let mut count = 0;
        while let Some(cell) = open.pop(f64::INFINITY) {
            assert!(estimate(cell) >= last - 0.5);
            last = estimate(cell);
            count += 1;
        }
        assert_eq!((count, last), (5000, 5002.0));
    }

    #[test]
    fn no_cell_at_or_beyond_the_limit_is_returned() {
        let mut open = BucketQueue::default();
        open.clear(0.0, 1.0);
        [0.5, 1e9, 3.5].into_iter().zip(0..).for_each(|(estimate, cell)| open.push(estimate, cell));
        let next = |open: &mut BucketQueue| open.pop(2.0);
        assert_eq!([next(&mut open), next(&mut open)], [Some(0), None]);
        assert_eq!((open.pop(f64::INFINITY), open.pop(f64::INFINITY)), (Some(2), Some(1)));
        assert_eq!(open.pop(f64::INFINITY), None);
    }
}
