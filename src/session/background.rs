//! A thread pool for long jobs, separate from the global rayon pool that the window uses.

use std::sync::LazyLock;

use rayon::{ThreadPool, ThreadPoolBuilder};

static POOL: LazyLock<Option<ThreadPool>> = LazyLock::new(|| ThreadPoolBuilder::new().build().ok());

/// Runs `work` on a separate thread pool. Long work on the global pool would block the window: the window's own
/// parallel loops run there and may pick up a long task. Returns its result once it is done; the caller waits. Without such
/// a pool the work runs on the caller's thread.
pub(super) fn in_background<R: Send>(work: impl FnOnce() -> R + Send) -> R {
    // Work that is already running on a rayon pool stays on it.
    match POOL.as_ref().filter(|_| rayon::current_thread_index().is_none()) {
        Some(pool) => pool.install(work),
        None => work(),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::sync::mpsc::channel;
    use std::time::Duration;

    use rayon::prelude::*;

    use super::*;

    #[test]
    fn what_the_window_computes_does_not_wait_for_long_work() {
        let is_over = AtomicBool::new(false);
        let wait = |_| {
            while !is_over.load(Ordering::Relaxed) {
                std::thread::sleep(Duration::from_millis(1));
            }
        };
        let (sender, receiver) = channel();
        std::thread::scope(|scope| {
            scope.spawn(|| in_background(|| (0..64).into_par_iter().for_each(wait)));
            scope.spawn(move || sender.send((0..1000_u64).into_par_iter().sum::<u64>()));
            let sum = receiver.recv_timeout(Duration::from_secs(20));
            is_over.store(true, Ordering::Relaxed);
            assert_eq!(sum, Ok(499_500));
        });
    }
}
