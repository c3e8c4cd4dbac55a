//! Finding a way: levels become walkable ground, the ground is searched, the cells found become lines to walk.

mod ground;
pub mod voxels;
mod nearest;
mod search;
mod routes;
#[cfg(test)]
mod tests;

pub use ground::{Cell, Ground, NONE, STEPS};
pub use nearest::{nearest, reachable};
pub use routes::{Blade, Fan, FanSettings, Route, fan, route};
pub use search::{
    Found, Notice, Scratch, SearchError, SearchSettings, Terrain, bound, called, search, search_through, seconds,
};
