//! Undisturbed run times.

use std::time::{Duration, Instant};

/// Returns the shortest of `runs`, which is least disturbed by other processes.
pub fn shortest(runs: usize, mut run: impl FnMut()) -> Duration {
    let timed = |_| {
        let start = Instant::now();
        run();
        start.elapsed()
    };
    (0..runs).map(timed).min().unwrap_or_default()
}
