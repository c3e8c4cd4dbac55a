//! How far some work is, alone or as a share of other work.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// A number from 0 to 1 that several threads may move.
#[derive(Debug, Default)]
pub(super) struct Fraction {
    /// Those of an `f64`, which are ordered as the numbers are: none is negative.
    bits: AtomicU64,
    /// What moves along, and by how much of the way.
    whole: Option<(Arc<Fraction>, f64)>,
}

impl Fraction {
    /// One at 0 that takes such a `share` of `whole`.
    pub fn of(whole: Arc<Self>, share: f64) -> Self {
        Self { bits: AtomicU64::new(0), whole: Some((whole, share)) }
    }

    pub fn get(&self) -> f64 {
        f64::from_bits(self.bits.load(Ordering::Relaxed))
    }

    /// Goes to `to`; back only where it is a share of nothing.
    pub fn set(&self, to: f64) {
        match &self.whole {
            None => self.bits.store(to.to_bits(), Ordering::Relaxed),
            Some((whole, share)) => {
                let before = f64::from_bits(self.bits.fetch_max(to.to_bits(), Ordering::Relaxed));
                whole.add((to - before).max(0.0) * share);
            }
        }
    }

    /// Goes on by `more`, as far as there is to go.
    fn add(&self, more: f64) {
        let further = |bits| Some((f64::from_bits(bits) + more).min(1.0).to_bits());
        let before = self.bits.fetch_update(Ordering::Relaxed, Ordering::Relaxed, further).map_or(1.0, f64::from_bits);
        if let Some((whole, share)) = &self.whole {
            whole.add(more.min(1.0 - before) * share);
        }
    }
}
