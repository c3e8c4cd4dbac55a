//! Test support: counts the steps of work, cancels it at one of them, and measures the time between steps.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::{Gauge, Progress};

/// Counts and times of the steps of some work, and the step at which it is cancelled.
#[derive(Debug, Default)]
pub(super) struct Watched {
    steps: AtomicU64,
    /// The step at which the work is cancelled, counted from 1; 0 for none.
    stops_at: u64,
    /// The time of the last step, and the longest time between two.
    longest: Mutex<(Option<Instant>, Duration)>,
}

impl Watched {
    /// Counts a step. Returns true if the work is to be cancelled there.
    pub(super) fn step(&self) -> bool {
        self.note_time();
        self.steps.fetch_add(1, Ordering::Relaxed) + 1 == self.stops_at
    }

    /// Records the time of a step and the longest time between two steps.
    fn note_time(&self) {
        let mut longest = self.longest.lock().unwrap_or_else(PoisonError::into_inner);
        let now = Instant::now();
        let since = longest.0.map_or(Duration::ZERO, |before| now - before);
        *longest = (Some(now), longest.1.max(since));
    }
}

impl Progress {
    /// Creates a progress that counts its steps and cancels the work at `step`, counted from 1; 0 for never.
    pub fn stopping_at(step: u64) -> Self {
        let watched = Watched { stops_at: step, ..Watched::default() };
        Self { gauge: Arc::new(Gauge { watched: Some(watched), ..Gauge::default() }), ..Self::default() }
    }

    /// Returns the number of steps so far; 0 unless the progress was made by [`Progress::stopping_at`].
    pub fn steps(&self) -> u64 {
        self.gauge.watched.as_ref().map_or(0, |watched| watched.steps.load(Ordering::Relaxed))
    }

    /// Returns the longest time between two steps; 0 unless the progress was made by [`Progress::stopping_at`].
    pub fn longest_step(&self) -> Duration {
        let longest = |watched: &Watched| watched.longest.lock().unwrap_or_else(PoisonError::into_inner).1;
        self.gauge.watched.as_ref().map_or(Duration::ZERO, longest)
    }

    /// Records the time at which work begins or ends as if it were a step, without counting it.
    pub fn note_time(&self) {
        self.gauge.watched.iter().for_each(Watched::note_time);
    }
}
