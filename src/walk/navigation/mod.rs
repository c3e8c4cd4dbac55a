//! Navigation: levels become walkable ground, a search finds cells, and the cells become routes to walk.

mod ground;
pub mod voxels;
mod nearest;
mod search;
mod routes;
pub mod edges;
pub mod links;
#[cfg(test)]
mod tests;

pub use ground::{Cell, Ground, NONE, STEPS};
pub use nearest::{NearestOf, OpenGround, nearest};
pub use routes::{Route, RouteCrossing, RouteSet, RouteSetSettings, RouteVariant, route, route_set};
pub use search::{
    CellPath, LinkPreference, LinkRule, PathLink, Scratch, SearchError, SearchGraph, SearchNotice, SearchSettings,
    bound, search, stop_name,
};
