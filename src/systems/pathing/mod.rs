//! Walking a path and stopping on the mark: levels become ground, ground is searched, clips walk the way found.

mod ground;
pub mod voxel;
mod nearest;
mod search;

pub use ground::{Cell, Ground, NONE, STEPS};
pub use nearest::{nearest, reachable};
pub use search::{
    Found, Notice, Scratch, SearchError, SearchSettings, Terrain, bound, search, search_through, seconds,
};
