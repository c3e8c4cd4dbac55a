//! Counts memory allocations per thread, and the bytes of all threads.

use std::alloc::{GlobalAlloc, Layout};
use std::cell::Cell;
use std::sync::atomic::{AtomicUsize, Ordering};

use mimalloc::MiMalloc;

thread_local! {
    static COUNT: Cell<u64> = const { Cell::new(0) };
}

/// Bytes that are allocated now, and the most at one time since the last call of [`peak_bytes`].
static LIVE: AtomicUsize = AtomicUsize::new(0);
static PEAK: AtomicUsize = AtomicUsize::new(0);

/// The allocator of the tests, which counts the allocations of each thread.
pub struct CountingAllocator;

impl CountingAllocator {
    fn count() {
        // A thread that is ending has no counter.
        let _ = COUNT.try_with(|count| count.set(count.get() + 1));
    }

    fn add_bytes(size: usize) {
        let live = LIVE.fetch_add(size, Ordering::Relaxed) + size;
        PEAK.fetch_max(live, Ordering::Relaxed);
    }

    fn remove_bytes(size: usize) {
        LIVE.fetch_sub(size, Ordering::Relaxed);
    }
}

#[allow(
    unsafe_code,
    reason = "an allocator cannot be written without; it hands everything on as it came, in tests only"
)]
unsafe impl GlobalAlloc for CountingAllocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        Self::count();
        Self::add_bytes(layout.size());
        unsafe { MiMalloc.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        Self::count();
        Self::add_bytes(layout.size());
        unsafe { MiMalloc.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, from: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        Self::count();
        // While it grows, a list may be in memory twice.
        Self::add_bytes(size);
        let grown = unsafe { MiMalloc.realloc(from, layout, size) };
        Self::remove_bytes(layout.size());
        grown
    }

    unsafe fn dealloc(&self, from: *mut u8, layout: Layout) {
        Self::remove_bytes(layout.size());
        unsafe { MiMalloc.dealloc(from, layout) }
    }
}

/// Returns the number of allocations in `run`.
pub fn allocations(run: impl FnOnce()) -> u64 {
    let before = COUNT.get();
    run();
    COUNT.get() - before
}

/// Returns the bytes that all threads together have allocated at one time in `run`, beyond those before. Only meaningful if
/// nothing else runs in the process.
pub fn peak_bytes(run: impl FnOnce()) -> usize {
    let before = LIVE.load(Ordering::Relaxed);
    PEAK.store(before, Ordering::Relaxed);
    run();
    PEAK.load(Ordering::Relaxed) - before
}

#[test]
fn allocations_are_counted() {
    assert_eq!(allocations(|| drop(std::hint::black_box(vec![1, 2, 3]))), 1);
    assert_eq!(allocations(|| assert!(std::hint::black_box([1, 2, 3]).contains(&2))), 0);
}
