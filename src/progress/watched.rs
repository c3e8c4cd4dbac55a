//! Test support: counts the steps of work, cancels it at one of them, and measures the time between steps.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use super::Progress;

/// Observations of the steps of some work.
#[derive(Debug, Default)]
pub(super) struct Watched {
    steps: AtomicU64,
    /// The step at which the work is cancelled, counted from 1; 0 for never.
    stops_at: AtomicU64,
    longest: Mutex<(Option<Instant>, Duration)>,
}

impl Progress {
    /// Creates a progress that is cancelled at step `step`, counted from 1.
    pub(crate) fn stopping_at(step: u64) -> Self {
        let progress = Self::new();
        progress.gauge.watched.stops_at.store(step, Ordering::Relaxed);
        progress
    }

    /// Returns the number of steps so far.
    pub(crate) fn steps(&self) -> u64 {
        self.gauge.watched.steps.load(Ordering::Relaxed)
    }

    /// Returns the longest time between two steps, or from the start to the first.
    pub(crate) fn longest_step(&self) -> Duration {
        self.gauge.watched.longest.lock().unwrap().1
    }

    /// Marks the start or the end of the work.
    pub(crate) fn note_time(&self) {
        let (now, mut longest) = (Instant::now(), self.gauge.watched.longest.lock().unwrap());
        let since = longest.0.map_or(Duration::ZERO, |before| now - before);
        *longest = (Some(now), longest.1.max(since));
    }

    pub(super) fn watch(&self) {
        self.note_time();
        let step = self.gauge.watched.steps.fetch_add(1, Ordering::Relaxed) + 1;
        if step == self.gauge.watched.stops_at.load(Ordering::Relaxed) {
            self.cancel();
        }
    }
}
