//! The queue of a geodesic search: vertices reached but not yet processed, nearest first.
//!
//! The queue consists of buckets of equal width, of which only the nearest is sorted (Denardo and Fox, "Shortest-Route
//! Methods: 1. Reaching, Pruning, and Buckets", 1979). Half of the entries are superseded by a shorter path before
//! their turn and never enter a heap. The order is exactly that of a single heap.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Average number of buckets between adjacent vertices.
const BUCKETS_PER_STEP: f32 = 32.0;
/// Number of buckets; entries farther away wait in a list until they come within range.
const BUCKETS: u64 = 256;

/// A bucket queue of vertices by distance.
#[derive(Debug, Default)]
pub(super) struct Front {
    buckets_per_unit: f32,
    /// Number of the open bucket.
    open_bucket: u64,
    /// Entries of the open bucket, or nearer.
    open: BinaryHeap<Reverse<FrontVertex>>,
    /// The following buckets, each at its number modulo `BUCKETS`.
    later: Vec<Vec<FrontVertex>>,
    /// Number of entries in `later`.
    waiting: usize,
    /// Entries beyond the last bucket.
    beyond: Vec<FrontVertex>,
}

impl Front {
    /// Prepares an empty queue for a mesh whose vertices are about `step` apart. The value affects only the speed.
    pub fn begin(&mut self, step: f32) {
        self.buckets_per_unit = BUCKETS_PER_STEP / step;
        self.open_bucket = 0;
        self.later.resize_with(BUCKETS as usize, Vec::new);
    }

    /// Returns the number of the bucket of an entry, from 0.
    fn bucket(&self, vertex: FrontVertex) -> u64 {
        (vertex.length() * self.buckets_per_unit) as u64
    }

    /// Adds an entry. It may be nearer than the open bucket.
    pub fn push(&mut self, vertex: FrontVertex) {
        let bucket = self.bucket(vertex);
        if bucket <= self.open_bucket {
            self.open.push(Reverse(vertex));
        } else if bucket - self.open_bucket < BUCKETS {
            self.later[(bucket % BUCKETS) as usize].push(vertex);
            self.waiting += 1;
        } else {
            self.beyond.push(vertex);
        }
    }

    /// Removes and returns the nearest entry for which `is_wanted` is true, and drops the nearer ones. Returns `None` if there is
    /// none.
    pub fn pop(&mut self, is_wanted: impl Fn(&FrontVertex) -> bool) -> Option<FrontVertex> {
        loop {
            while let Some(Reverse(first)) = self.open.pop() {
                if is_wanted(&first) {
                    return Some(first);
                }
            }
            self.open_bucket = self.next_bucket()?;
            let bucket = &mut self.later[(self.open_bucket % BUCKETS) as usize];
            self.waiting -= bucket.len();
            self.open.extend(bucket.drain(..).filter(&is_wanted).map(Reverse));
        }
    }

    /// Returns the next bucket that may have entries. After each round of all buckets, the entries beyond are
    /// redistributed. Returns `None` if the queue is empty.
    fn next_bucket(&mut self) -> Option<u64> {
        if self.waiting > 0 {
            let next = self.open_bucket + 1;
            if next.is_multiple_of(BUCKETS) {
                self.open_bucket = next;
                self.redistribute();
            }
            return Some(next);
        }
        let nearest = self.beyond.iter().map(|&vertex| self.bucket(vertex)).min()?;
        self.open_bucket = nearest;
        self.redistribute();
        Some(nearest)
    }

    /// Sorts the entries beyond the last bucket into the buckets that now cover them.
    fn redistribute(&mut self) {
        let beyond = std::mem::take(&mut self.beyond);
        beyond.into_iter().for_each(|vertex| self.push(vertex));
    }
}

/// A vertex and its distance in one number: sorted by distance, then by vertex, so that the order does not depend on
/// the queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct FrontVertex(u64);

impl FrontVertex {
    /// Distances are never negative, so their bits sort like the numbers.
    pub fn new(length: f32, vertex: usize) -> Self {
        Self(u64::from(length.to_bits()) << 32 | vertex as u64)
    }

    pub fn length(self) -> f32 {
        f32::from_bits((self.0 >> 32) as u32)
    }

    pub fn vertex(self) -> usize {
        self.0 as u32 as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_order_is_that_of_one_heap(
            step in prop_oneof![0.01_f32..10.0, Just(0.0), Just(f32::NAN), Just(f32::INFINITY)],
            pushed in prop::collection::vec((0.0_f32..60.0, 0_usize..5), 1..300),
        ) {
            let (mut front, mut heap) = (Front::default(), BinaryHeap::new());
            front.begin(step);
            let is_wanted = |front: &FrontVertex| front.vertex() != 3;
            let both = |front: &mut Front, heap: &mut BinaryHeap<_>| {
                let next = std::iter::from_fn(|| heap.pop()).map(|Reverse(next)| next).find(is_wanted);
                (front.pop(is_wanted), next)
            };
            for (turn, &(length, vertex)) in pushed.iter().enumerate() {
                // Distances like those of a search, and some nearer than the last removed one.
                let next = FrontVertex::new(if turn % 7 == 0 { length } else { turn as f32 * 0.1 + length * 0.02 }, vertex);
                front.push(next);
                heap.push(Reverse(next));
                if turn % 3 == 2 {
                    let (ours, theirs) = both(&mut front, &mut heap);
                    prop_assert_eq!(ours, theirs);
                }
            }
            loop {
                let (ours, theirs) = both(&mut front, &mut heap);
                prop_assert_eq!(ours, theirs);
                if ours.is_none() {
                    break;
                }
            }
        }
    }
}
