//! What the user makes ([`document`]) and what it looks like at a time ([`evaluate`]): the only place where the systems meet.

// First, because it defines the macro with the kinds of stages.
#[macro_use]
pub mod evaluate;
pub mod document;

/// Counts what tests ask of it.
#[cfg(test)]
#[global_allocator]
static ALLOCATOR: portamento_test_support::allocations::CountingAllocator =
    portamento_test_support::allocations::CountingAllocator;
