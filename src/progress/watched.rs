//! For tests: counts the steps of work, stops it at one of them, and notes how long it ran between two.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use super::Progress;

/// What was seen of the steps of some work.
#[derive(Debug, Default)]
pub(super) struct Watched {
    steps: AtomicU64,
    /// The step at which the work is cancelled, counted from 1; 0 for none.
    stops_at: AtomicU64,
    longest: Mutex<(Option<Instant>, Duration)>,
}

impl Progress {
    /// A gauge whose work is cancelled at that step, counted from 1.
    pub(crate) fn stopping_at(step: u64) -> Self {
        let progress = Self::new();
        progress.gauge.watched.stops_at.store(step, Ordering::Relaxed);
        progress
    }

    /// Steps so far.
    pub(crate) fn steps(&self) -> u64 {
        self.gauge.watched.steps.load(Ordering::Relaxed)
    }

    /// The longest time between two steps, or from the beginning to the first.
    pub(crate) fn longest_step(&self) -> Duration {
        self.gauge.watched.longest.lock().unwrap().1
    }

    /// Work begins now, or ends.
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
