//! How far slow work has come, and whether it should stop.
//!
//! Anything that may take longer than 200 ms takes a [`Progress`] and calls [`Progress::step`] at least every few
//! milliseconds of work. The same value is shared by the worker (which reports) and the window (which shows and cancels).

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use crate::budget::Budget;
use crate::message::{Message, Tell, display_in_english, message};

/// A shared gauge from 0 to 1 with a cancel flag and the memory that the work may take. Cloning shares all three.
#[derive(Clone, Debug, Default)]
pub struct Progress {
    fraction_bits: Arc<AtomicU32>,
    gauge: Arc<Gauge>,
    budget: Budget,
}

#[derive(Debug, Default)]
struct Gauge {
    cancelled: AtomicBool,
    #[cfg(test)]
    watched: watched::Watched,
}

#[cfg(test)]
pub(crate) mod watched;

/// The work was stopped on request; nothing was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub struct Cancelled;

display_in_english!(Cancelled);

impl Tell for Cancelled {
    fn message(&self) -> Message {
        message!("error.cancelled", "Stopped on request; nothing was changed.")
    }
}

impl Progress {
    /// A gauge at 0 that nobody has cancelled.
    pub fn new() -> Self {
        Self::default()
    }

    /// A gauge at 0 for work that may take no more memory than `budget` has.
    pub fn within(budget: Budget) -> Self {
        Self { budget, ..Self::default() }
    }

    /// A gauge at 0 for a part of the work, such as one of many files: it stops with the whole and takes from the same budget.
    pub fn part(&self) -> Self {
        Self { fraction_bits: Arc::default(), ..self.clone() }
    }

    /// What the work may take; every allocation whose size a file or a setting decides is taken from it.
    pub fn budget(&self) -> &Budget {
        &self.budget
    }

    /// Reports `done` of `total` units and answers whether to go on.
    pub fn step(&self, done: usize, total: usize) -> Result<(), Cancelled> {
        let fraction = if total == 0 { 1.0 } else { done as f32 / total as f32 };
        self.fraction_bits.store(fraction.clamp(0.0, 1.0).to_bits(), Ordering::Relaxed);
        #[cfg(test)]
        self.watch();
        if self.is_cancelled() { Err(Cancelled) } else { Ok(()) }
    }

    /// The last reported fraction, 0…1.
    pub fn fraction(&self) -> f32 {
        f32::from_bits(self.fraction_bits.load(Ordering::Relaxed))
    }

    /// Asks the worker to stop at its next step.
    pub fn cancel(&self) {
        self.gauge.cancelled.store(true, Ordering::Relaxed);
    }

    /// Whether somebody asked to stop.
    pub fn is_cancelled(&self) -> bool {
        self.gauge.cancelled.load(Ordering::Relaxed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cancelled_gauge_stops_its_worker_and_keeps_the_fraction() {
        let worker = Progress::new();
        let window = worker.clone();
        assert_eq!(worker.step(1, 4), Ok(()));
        window.cancel();
        assert_eq!(worker.step(2, 4), Err(Cancelled));
        assert_eq!(window.fraction(), 0.5);
    }

    #[test]
    fn a_part_has_a_gauge_of_its_own_and_stops_with_the_whole() {
        let whole = Progress::new();
        let part = whole.part();
        assert_eq!((whole.step(1, 4), part.step(1, 2)), (Ok(()), Ok(())));
        assert_eq!((whole.fraction(), part.fraction()), (0.25, 0.5));
        whole.cancel();
        assert_eq!(part.step(2, 2), Err(Cancelled));
    }
}
