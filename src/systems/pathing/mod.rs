//! Walking a path and stopping on the mark: levels become ground, ground is searched, clips walk the way found.

mod fan;
mod ground;
pub mod voxel;
mod line;
mod nearest;
mod route;
mod search;
#[cfg(test)]
mod tests;
pub mod walk;

pub use fan::{Blade, Fan, FanSettings, fan};
pub use ground::{Cell, Ground, NONE, STEPS};
pub use nearest::{nearest, reachable};
pub use route::{Route, route};
pub use search::{
    Found, Notice, Scratch, SearchError, SearchSettings, Terrain, bound, called, search, search_through, seconds,
};
