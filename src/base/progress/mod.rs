//! Progress and cancellation of slow work.
//!
//! Anything that may take longer than 200 ms takes a [`Progress`] and calls [`Progress::step`] at least every few
//! milliseconds of work. The worker, which reports, and the window, which shows and cancels, share one value.

mod fraction;
mod watched;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use self::fraction::Fraction;
use crate::budget::Budget;
use crate::message::{Message, Tell, display_in_english, message};

/// A shared fraction from 0 to 1, a cancel flag and a memory budget. Clones share all three.
#[derive(Clone, Debug, Default)]
pub struct Progress {
    fraction: Arc<Fraction>,
    gauge: Arc<Gauge>,
    budget: Budget,
}

/// The shared cancel flag, and the counts of tests.
#[derive(Debug, Default)]
struct Gauge {
    cancelled: AtomicBool,
    watched: Option<watched::Watched>,
}

/// The error of cancelled work; nothing was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub struct Cancelled;

display_in_english!(Cancelled);

impl Tell for Cancelled {
    fn message(&self) -> Message {
        message!("error.cancelled", "Cancelled. Nothing was changed.")
    }
}

impl Progress {
    /// Creates a progress at 0 that is not cancelled.
    pub fn new() -> Self {
        Self::default()
    }

    /// Creates a progress at 0 for work that may use the memory of `budget`.
    pub fn within(budget: Budget) -> Self {
        Self { budget, ..Self::default() }
    }

    /// Returns a progress at 0 for a part whose fraction is not reported; it shares cancellation and budget.
    pub fn part(&self) -> Self {
        Self { fraction: Arc::default(), ..self.clone() }
    }

    /// Returns a progress at 0 for a part that is the fraction `share` of the work, 0…1.
    ///
    /// The total advances with its parts. Neither goes back, and parallel parts add up.
    pub fn share(&self, share: f64) -> Self {
        Self { fraction: Arc::new(Fraction::of(self.fraction.clone(), share)), ..self.clone() }
    }

    /// Returns a progress for one of `count` equal parts of the work.
    pub fn one_of(&self, count: usize) -> Self {
        self.share(1.0 / count.max(1) as f64)
    }

    /// Returns the memory budget; every allocation whose size depends on a file or a setting is taken from it.
    pub fn budget(&self) -> &Budget {
        &self.budget
    }

    /// Reports `done` of `total` units. Returns `Err` if the work was cancelled.
    pub fn step(&self, done: usize, total: usize) -> Result<(), Cancelled> {
        let fraction = if total == 0 { 1.0 } else { done as f64 / total as f64 };
        self.fraction.set(fraction.clamp(0.0, 1.0));
        if self.gauge.watched.as_ref().is_some_and(watched::Watched::step) {
            self.cancel();
        }
        if self.is_cancelled() { Err(Cancelled) } else { Ok(()) }
    }

    /// Reports the work as complete. Returns `Err` if it was cancelled.
    pub fn finish(&self) -> Result<(), Cancelled> {
        if self.is_cancelled() { Err(Cancelled) } else { self.step(1, 1) }
    }

    /// Returns the last reported fraction, 0…1.
    pub fn fraction(&self) -> f32 {
        self.fraction.get() as f32
    }

    /// Asks the worker to stop at its next step.
    pub fn cancel(&self) {
        self.gauge.cancelled.store(true, Ordering::Relaxed);
    }

    /// True if cancellation was requested.
    pub fn is_cancelled(&self) -> bool {
        self.gauge.cancelled.load(Ordering::Relaxed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cancelling_stops_the_worker_and_keeps_the_fraction() {
        let worker = Progress::new();
        let window = worker.clone();
        assert_eq!(worker.step(1, 4), Ok(()));
        window.cancel();
        assert_eq!(worker.step(2, 4), Err(Cancelled));
        assert_eq!(window.fraction(), 0.5);
    }

    #[test]
    fn a_part_has_its_own_fraction_and_is_cancelled_with_the_total() {
        let total = Progress::new();
        let part = total.part();
        assert_eq!((total.step(1, 4), part.step(1, 2)), (Ok(()), Ok(())));
        assert_eq!((total.fraction(), part.fraction()), (0.25, 0.5));
        total.cancel();
        assert_eq!(part.step(2, 2), Err(Cancelled));
    }

    #[test]
    fn the_total_is_the_sum_of_its_shares_and_never_goes_back() {
        let total = Progress::new();
        let parts = [total.one_of(2), total.one_of(2)];
        let mut seen = Vec::new();
        for (part, done) in [(0, 1), (1, 2), (0, 0), (0, 2), (1, 1), (1, 4), (0, 4)] {
            assert_eq!(parts[part].step(done, 4), Ok(()));
            seen.push(total.fraction());
        }
        assert_eq!(seen, [0.125, 0.375, 0.375, 0.5, 0.5, 0.75, 1.0]);
    }

    #[test]
    fn a_share_of_a_share_advances_the_total_and_an_unreported_part_does_not() {
        let total = Progress::new();
        let half = total.share(0.5);
        let quarter = half.share(0.5);
        assert_eq!((quarter.step(1, 2), total.fraction(), half.fraction()), (Ok(()), 0.125, 0.25));
        assert_eq!((half.part().step(1, 1), total.fraction()), (Ok(()), 0.125));
        assert_eq!((half.finish(), total.fraction()), (Ok(()), 0.5));
        assert_eq!((quarter.finish(), total.fraction()), (Ok(()), 0.5));
        total.cancel();
        assert_eq!(quarter.finish(), Err(Cancelled));
    }
}
