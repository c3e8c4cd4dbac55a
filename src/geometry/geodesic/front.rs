//! What a search over a surface has reached and not yet gone on from, nearest first.
//!
//! Buckets of equal reach, only the nearest of which is kept in order (Denardo and Fox, "Shortest-Route Methods: 1. Reaching,
//! Pruning, and Buckets", 1979): half of what is pushed is reached on a shorter way before its turn, and never costs a place
//! in a heap. The order is exactly that of one heap for all.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Buckets between a vertex and the next, on average.
const FINENESS: f32 = 32.0;
/// How many are kept side by side; what is further away waits until they come near.
const BUCKETS: u64 = 256;

/// The queue.
#[derive(Debug, Default)]
pub(super) struct Front {
    buckets_per_unit: f32,
    /// Number of the bucket that is open.
    now: u64,
    /// What is in that bucket, or nearer.
    open: BinaryHeap<Reverse<FrontVertex>>,
    /// The buckets after it, each at its number modulo their count.
    later: Vec<Vec<FrontVertex>>,
    /// How many vertices they hold.
    waiting: usize,
    /// What lies beyond the last of them.
    beyond: Vec<FrontVertex>,
}

impl Front {
    /// Makes an emptied queue ready for a mesh whose vertices are about `step` apart. Whatever it is, only the time depends on it.
    pub fn begin(&mut self, step: f32) {
        self.buckets_per_unit = FINENESS / step;
        self.now = 0;
        self.later.resize_with(BUCKETS as usize, Vec::new);
    }

    fn bucket(&self, vertex: FrontVertex) -> u64 {
        (vertex.length() * self.buckets_per_unit) as u64
    }

    pub fn push(&mut self, vertex: FrontVertex) {
        let bucket = self.bucket(vertex);
        if bucket <= self.now {
            self.open.push(Reverse(vertex));
        } else if bucket - self.now < BUCKETS {
            self.later[(bucket % BUCKETS) as usize].push(vertex);
            self.waiting += 1;
        } else {
            self.beyond.push(vertex);
        }
    }

    /// Takes out the nearest one that is still wanted.
    pub fn pop(&mut self, is_wanted: impl Fn(&FrontVertex) -> bool) -> Option<FrontVertex> {
        loop {
            while let Some(Reverse(first)) = self.open.pop() {
                if is_wanted(&first) {
                    return Some(first);
                }
            }
            self.now = self.next_bucket()?;
            let bucket = &mut self.later[(self.now % BUCKETS) as usize];
            self.waiting -= bucket.len();
            self.open.extend(bucket.drain(..).filter(&is_wanted).map(Reverse));
        }
    }

    /// The next bucket that may hold something. Each time all have had their turn, what lies beyond is looked through.
    fn next_bucket(&mut self) -> Option<u64> {
        if self.waiting > 0 {
            let next = self.now + 1;
            if next.is_multiple_of(BUCKETS) {
                self.now = next;
                self.look_beyond();
            }
            return Some(next);
        }
        let nearest = self.beyond.iter().map(|&vertex| self.bucket(vertex)).min()?;
        self.now = nearest;
        self.look_beyond();
        Some(nearest)
    }

    fn look_beyond(&mut self) {
        let beyond = std::mem::take(&mut self.beyond);
        beyond.into_iter().for_each(|vertex| self.push(vertex));
    }
}

/// A vertex and how far it is, as one number: nearest first; equal lengths by number, so that the order never depends on the
/// queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct FrontVertex(u64);

impl FrontVertex {
    /// Lengths are never negative, so that their bits are in their order.
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
                // Lengths like those of a search, and some that are nearer than what was taken out last.
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
