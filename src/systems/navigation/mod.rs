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
pub use routes::{RouteVariant, RouteSet, RouteSetSettings, Route, route_set, route};
pub use search::{
    CellPath, SearchNotice, Scratch, SearchError, SearchSettings, SearchGraph, bound, stop_name, search,
};
