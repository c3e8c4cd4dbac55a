//! Computes the values of a long list with several threads.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use portamento_base::progress::{Cancelled, Progress};

/// Numbers below which one thread is faster than several. Tuned; no derivation recorded.
const MIN_PARALLEL_NUMBERS: usize = 1 << 18;
/// Parts of the list per thread, so that threads with quick parts take over the rest.
const PARTS_PER_THREAD: usize = 16;

/// Returns `of(0)` to `of(count - 1)` in order. Each of them reads or computes about `numbers` numbers, which decides whether
/// several threads share the work. The result is independent of their number.
///
/// The threads belong to this call alone. Rayon's would begin other files of a library while they wait, and load all of them.
/// Returns `Err` if `progress` is cancelled.
pub fn parallel_map<T: Send>(
    count: usize,
    numbers: usize,
    progress: &Progress,
    of: impl Fn(usize) -> T + Sync,
) -> Result<Vec<T>, Cancelled> {
    let threads = if count.saturating_mul(numbers) < MIN_PARALLEL_NUMBERS { 1 } else { rayon::current_num_threads() };
    if threads == 1 {
        let one = |i: usize| progress.step(i, count).map(|()| of(i));
        return (0..count).map(one).collect();
    }
    let part_length = count.div_ceil(threads * PARTS_PER_THREAD);
    let (next, done) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let work = || -> Result<Vec<(usize, Vec<T>)>, Cancelled> {
        let mut parts = Vec::new();
        loop {
            let start = next.fetch_add(part_length, Ordering::Relaxed);
            if start >= count {
                return Ok(parts);
            }
            let end = count.min(start + part_length);
            progress.step(done.load(Ordering::Relaxed), count)?;
            parts.push((start, (start..end).map(&of).collect::<Vec<T>>()));
            done.fetch_add(end - start, Ordering::Relaxed);
        }
    };
    let results = thread::scope(|scope| {
        let others: Vec<_> = (1..threads).map(|_| scope.spawn(work)).collect();
        let own = work();
        // Passes the panic of another thread on to the caller.
        let joined =
            others.into_iter().map(|other| other.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
        std::iter::once(own).chain(joined).collect::<Result<Vec<_>, Cancelled>>()
    })?;
    let mut parts: Vec<(usize, Vec<T>)> = results.into_iter().flatten().collect();
    parts.sort_by_key(|(start, _)| *start);
    Ok(parts.into_iter().flat_map(|(_, part)| part).collect())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::sync::Mutex;

    use super::*;

    fn with_threads<T: Send>(threads: usize, run: impl FnOnce() -> T + Send) -> T {
        rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap().install(run)
    }

    #[test]
    fn values_are_in_order_with_any_number_of_threads() {
        for (count, numbers) in [(0, 1), (1, 1 << 20), (5, 1 << 20), (4099, 1 << 10), (100, 1)] {
            let expected: Vec<usize> = (0..count).map(|i| i * i).collect();
            for threads in [1, 2, 3] {
                let found = with_threads(threads, || parallel_map(count, numbers, &Progress::new(), |i| i * i));
                assert_eq!(found, Ok(expected.clone()), "{count} values, {threads} threads");
            }
        }
    }

    #[test]
    fn long_lists_use_several_threads_and_short_lists_one() {
        let threads_of = |numbers: usize| {
            let seen = Mutex::new(BTreeSet::new());
            let note = |_: usize| {
                std::thread::sleep(std::time::Duration::from_millis(1));
                seen.lock().unwrap().insert(format!("{:?}", std::thread::current().id()))
            };
            with_threads(2, || parallel_map(100, numbers, &Progress::new(), note)).unwrap();
            seen.into_inner().unwrap().len()
        };
        assert_eq!((threads_of(1), threads_of(1 << 20)), (1, 2));
    }

    #[test]
    fn cancelling_stops_all_threads() {
        let progress = Progress::stopping_at(3);
        let found = with_threads(2, || parallel_map(1 << 16, 1 << 10, &progress, |i| i));
        assert_eq!(found, Err(Cancelled));
        assert!(progress.is_cancelled());
    }
}
