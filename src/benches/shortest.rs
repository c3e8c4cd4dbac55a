//! How long something takes when nothing disturbs it.

use std::time::{Duration, Instant};

/// The shortest of `runs`, which other work on the machine disturbs least.
pub fn shortest(runs: usize, mut run: impl FnMut()) -> Duration {
    let timed = |_| {
        let start = Instant::now();
        run();
        start.elapsed()
    };
    (0..runs).map(timed).min().unwrap_or_default()
}
