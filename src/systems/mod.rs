//! Pure motion-processing systems.
//!
//! No system uses a window, a file, a clock or a global, and none uses another system.
//!
//! Each one exposes the same four names: `Settings`, `BuildError`, `build` and `Built::sample`. `build` validates its input and
//! may be slow. `Built::sample` runs once per frame, allocates nothing and cannot fail.

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
