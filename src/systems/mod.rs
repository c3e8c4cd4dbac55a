//! The systems. Each is pure: no window, no files, no clock, no globals, and none knows a sibling.
//!
//! All have the same four names: `Settings`, `BuildError`, `build` (validates, may be slow) and `Built::sample`
//! (per frame, allocates nothing, cannot fail).

pub mod blend;
pub mod cleanup;
pub mod close;
pub mod cloth;
pub mod dynamics;
pub mod ground;
pub mod locomotion;
pub mod looping;
pub mod mirror;
pub mod navigation;
pub mod retarget;
pub mod retime;
pub mod root;
pub mod stretch;
pub mod trim;
