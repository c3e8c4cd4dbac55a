//! Progress of some work, alone or as a share of other work.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// A number from 0 to 1 that several threads may advance.
#[derive(Debug, Default)]
pub(super) struct Fraction {
    /// Bits of an `f64`. They are ordered like the numbers, since none is negative.
    bits: AtomicU64,
    /// The total that advances with this fraction, and this fraction's share of it.
    total: Option<(Arc<Fraction>, f64)>,
}

impl Fraction {
    /// Creates a fraction at 0 that is a `share` of `total`.
    pub fn of(total: Arc<Self>, share: f64) -> Self {
        Self { bits: AtomicU64::new(0), total: Some((total, share)) }
    }

    pub fn get(&self) -> f64 {
        f64::from_bits(self.bits.load(Ordering::Relaxed))
    }

    /// Advances to `to`; can go back only if it is no share of another fraction.
    pub fn set(&self, to: f64) {
        match &self.total {
            None => self.bits.store(to.to_bits(), Ordering::Relaxed),
            Some((total, share)) => {
                let before = f64::from_bits(self.bits.fetch_max(to.to_bits(), Ordering::Relaxed));
                total.add((to - before).max(0.0) * share);
            }
        }
    }

    /// Advances by `more`, at most to 1, and advances the total by its share of that.
    fn add(&self, more: f64) {
        let further = |bits| Some((f64::from_bits(bits) + more).min(1.0).to_bits());
        let before = self.bits.fetch_update(Ordering::Relaxed, Ordering::Relaxed, further).map_or(1.0, f64::from_bits);
        if let Some((total, share)) = &self.total {
            total.add(more.min(1.0 - before) * share);
        }
    }
}
