//! Threads for long work, apart from those that the window shares.

use std::sync::LazyLock;

use rayon::{ThreadPool, ThreadPoolBuilder};

static POOL: LazyLock<Option<ThreadPool>> = LazyLock::new(|| ThreadPoolBuilder::new().build().ok());

/// Does `work` with threads of its own for what it does in parallel: the window takes part in what all threads share, and would
/// stand still until the last long piece of it is done.
pub(super) fn in_background<R: Send>(work: impl FnOnce() -> R + Send) -> R {
    // What is parallel work already stays where it is.
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
