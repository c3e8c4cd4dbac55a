//! Counts memory allocations per thread.

use std::alloc::{GlobalAlloc, Layout};
use std::cell::Cell;

use mimalloc::MiMalloc;

thread_local! {
    static COUNT: Cell<u64> = const { Cell::new(0) };
}

/// The allocator of the tests, which counts the allocations of each thread.
pub struct CountingAllocator;

impl CountingAllocator {
    fn count() {
        // A thread that is ending has no counter.
        let _ = COUNT.try_with(|count| count.set(count.get() + 1));
    }
}

#[allow(
    unsafe_code,
    reason = "an allocator cannot be written without; it hands everything on as it came, in tests only"
)]
unsafe impl GlobalAlloc for CountingAllocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        Self::count();
        unsafe { MiMalloc.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        Self::count();
        unsafe { MiMalloc.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, from: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        Self::count();
        unsafe { MiMalloc.realloc(from, layout, size) }
    }

    unsafe fn dealloc(&self, from: *mut u8, layout: Layout) {
        unsafe { MiMalloc.dealloc(from, layout) }
    }
}

/// Returns the number of allocations in `run`.
pub fn allocations(run: impl FnOnce()) -> u64 {
    let before = COUNT.get();
    run();
    COUNT.get() - before
}

#[test]
fn allocations_are_counted() {
    assert_eq!(allocations(|| drop(std::hint::black_box(vec![1, 2, 3]))), 1);
    assert_eq!(allocations(|| assert!(std::hint::black_box([1, 2, 3]).contains(&2))), 0);
}
