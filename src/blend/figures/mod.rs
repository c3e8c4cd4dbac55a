//! Figures about a built blend: active clips, weights, and pops compared with what sources and weights explain.

mod active_clips;
pub(super) mod weights;
pub(super) mod pop_meter;
mod tree_pops;
