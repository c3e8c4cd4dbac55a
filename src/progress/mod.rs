//! How far slow work has come, and whether it should stop.
//!
//! Anything that may take longer than 200 ms takes a [`Progress`] and calls [`Progress::step`] at least every few
//! milliseconds of work. The same value is shared by the worker (which reports) and the window (which shows and cancels).

mod fraction;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use self::fraction::Fraction;
use crate::budget::Budget;
use crate::message::{Message, Tell, display_in_english, message};

/// A shared gauge from 0 to 1 with a cancel flag and the memory that the work may take. Cloning shares all three.
#[derive(Clone, Debug, Default)]
pub struct Progress {
    fraction: Arc<Fraction>,
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

    /// A gauge at 0 for a part of the work that is not told: it stops with the whole and takes from the same budget.
    pub fn part(&self) -> Self {
        Self { fraction: Arc::default(), ..self.clone() }
    }

    /// The same for a part that is such a `share` of the work, 0…1: as far as it comes, the whole does too. Neither goes back; of
    /// several at a time the whole is as far as all of them together.
    pub fn share(&self, share: f64) -> Self {
        Self { fraction: Arc::new(Fraction::of(self.fraction.clone(), share)), ..self.clone() }
    }

    /// A gauge for one of `count` equal parts of the work.
    pub fn one_of(&self, count: usize) -> Self {
        self.share(1.0 / count.max(1) as f64)
    }

    /// What the work may take; every allocation whose size a file or a setting decides is taken from it.
    pub fn budget(&self) -> &Budget {
        &self.budget
    }

    /// Reports `done` of `total` units and answers whether to go on.
    pub fn step(&self, done: usize, total: usize) -> Result<(), Cancelled> {
        let fraction = if total == 0 { 1.0 } else { done as f64 / total as f64 };
        self.fraction.set(fraction.clamp(0.0, 1.0));
        #[cfg(test)]
        self.watch();
        if self.is_cancelled() { Err(Cancelled) } else { Ok(()) }
    }

    /// The work is done, unless it was cancelled; answers whether to go on with the whole.
    pub fn finish(&self) -> Result<(), Cancelled> {
        if self.is_cancelled() { Err(Cancelled) } else { self.step(1, 1) }
    }

    /// The last reported fraction, 0…1.
    pub fn fraction(&self) -> f32 {
        self.fraction.get() as f32
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

    #[test]
    fn the_whole_is_as_far_as_its_shares_together_and_never_goes_back() {
        let whole = Progress::new();
        let parts = [whole.one_of(2), whole.one_of(2)];
        let mut seen = Vec::new();
        for (part, done) in [(0, 1), (1, 2), (0, 0), (0, 2), (1, 1), (1, 4), (0, 4)] {
            assert_eq!(parts[part].step(done, 4), Ok(()));
            seen.push(whole.fraction());
        }
        assert_eq!(seen, [0.125, 0.375, 0.375, 0.5, 0.5, 0.75, 1.0]);
    }

    #[test]
    fn a_share_of_a_share_moves_the_whole_and_what_is_not_told_does_not() {
        let whole = Progress::new();
        let half = whole.share(0.5);
        let quarter = half.share(0.5);
        assert_eq!((quarter.step(1, 2), whole.fraction(), half.fraction()), (Ok(()), 0.125, 0.25));
        assert_eq!((half.part().step(1, 1), whole.fraction()), (Ok(()), 0.125));
        assert_eq!((half.finish(), whole.fraction()), (Ok(()), 0.5));
        assert_eq!((quarter.finish(), whole.fraction()), (Ok(()), 0.5));
        whole.cancel();
        assert_eq!(quarter.finish(), Err(Cancelled));
    }
}
