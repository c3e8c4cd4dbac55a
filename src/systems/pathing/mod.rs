//! Walking a path and stopping on the mark: levels become ground, ground is searched, clips walk the way found.

mod ground;
pub mod walk;

pub use ground::{Cell, Ground, NONE, STEPS};
