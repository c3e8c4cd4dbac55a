//! What the user makes ([`document`]) and what it looks like at a time ([`evaluate`]): the only place where the systems meet.

pub mod document;
pub mod evaluate;

/// Counts what tests ask of it.
#[cfg(test)]
#[global_allocator]
static ALLOCATOR: portamento_test_support::allocations::CountingAllocator =
    portamento_test_support::allocations::CountingAllocator;
