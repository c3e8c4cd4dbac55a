//! Recordings of a complete animation: cycles until they repeat, and the cache by trees of bones.

pub(super) mod bake;
pub(super) mod close_loop;
pub(super) mod cycle_track;
pub(super) mod driven_rows;
pub(super) mod recordings;
pub(super) mod step_grid;
mod tree_recording;
mod window;
