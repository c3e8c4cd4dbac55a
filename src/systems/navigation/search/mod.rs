//! The way over walkable ground: the quickest, or one of many that are nearly as quick.

mod astar;
mod block_costs;
mod bucket_queue;
mod cells;
mod cost_bounds;
mod jump_points;
mod search_graph;
mod turn_pruning;

pub use astar::Scratch;
pub(super) use block_costs::BlockCosts;
pub use cost_bounds::bound;
pub use search_graph::SearchGraph;

use self::astar::Query;
use super::{Ground, nearest};
use crate::message::{Message, message, tell};
use crate::progress::{Cancelled, Progress};

/// What kind of way is wanted.
#[derive(Clone, Debug, PartialEq)]
pub struct SearchSettings {
    /// Same seed, same way; with any variety it also decides between ways that take equally long.
    pub seed: u64,
    /// 0 is the quickest way exactly; up to 1 ways differ more and may take longer, never over [`bound`].
    pub variety: f64,
    /// Whether level ground of one speed is jumped over; the way takes as long, the search is quicker.
    pub jumping: bool,
}

impl Default for SearchSettings {
    fn default() -> Self {
        Self { seed: 1, variety: 0.5, jumping: true }
    }
}

/// A way over ground.
#[derive(Clone, Debug, PartialEq)]
pub struct CellPath {
    /// Every cell from the first to the last; each is linked to the next.
    pub cells: Vec<u32>,
    /// Where in `cells` the start, every stop and the goal are.
    pub stops: Vec<usize>,
    /// Seconds from the first cell to the last.
    pub seconds: f64,
    /// Seconds of the quickest way.
    pub optimal: f64,
    /// `seconds` is never more than this many times `optimal`.
    pub bound: f64,
    /// Cells the search looked at, a measure of its work.
    pub expanded: usize,
    /// What the animator should know.
    pub notices: Vec<SearchNotice>,
}

/// What the animator should know about a way.
#[derive(Clone, Debug, PartialEq)]
pub enum SearchNotice {
    /// The goal cannot be reached.
    Unreachable {
        /// Number of the stop along the way; the first after the start is 1.
        stop: usize,
        /// Whether it is the last of them.
        goal: bool,
        /// The cell the way ends at.
        nearest: u32,
        /// Metres from there to the stop.
        metres: f64,
    },
}

tell!(SearchNotice {
    Self::Unreachable { stop, goal, metres, .. } => message!(
        "notice.search.unreachable",
        "%{stop} cannot be reached: the way ends %{metres} m from it, at the nearest ground that can. Move it, or widen \
         what counts as walkable.",
        stop = stop_name(*stop, *goal), metres = format!("{metres:.2}")
    ),
});

/// What sentences begin with to name a stop of that number, of which `goal` is the last.
pub fn stop_name(stop: usize, goal: bool) -> Message {
    match stop {
        0 => message!("stop.start", "The start"),
        _ if goal => message!("stop.goal", "The goal"),
        number => message!("stop.number", "Stop %{number}", number),
    }
}

/// Why there is no way.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum SearchError {
    /// A cell that is not of this ground.
    NoSuchCell {
        /// Index that no cell has.
        cell: u32,
        /// How many there are.
        cells: usize,
    },
    /// Fewer than two places.
    TooFewStops,
    /// Variety that is not a number from 0 to 1.
    BadVariety {
        /// The refused variety.
        variety: f64,
    },
    /// A turning radius that is not a usable length.
    BadRadius {
        /// The refused radius, metres.
        radius: f64,
    },
    /// No seed, or more than are compared.
    BadCount {
        /// How many were asked for.
        count: usize,
        /// The most there can be.
        most: usize,
    },
    /// Stopped on request.
    Cancelled(#[from] Cancelled),
}

tell!(SearchError {
    Self::NoSuchCell { cell, cells } => message!(
        "error.search.no_such_cell",
        "Place %{cell} is not on this ground of %{cells} cells. Choose start and goal again.",
        cell, cells
    ),
    Self::TooFewStops => message!(
        "error.search.too_few_stops",
        "A way needs a start and a goal. Choose both."
    ),
    Self::BadVariety { variety } => message!(
        "error.search.bad_variety",
        "The variety is %{variety}, which is not between 0 and 1. Choose a value in that range.",
        variety
    ),
    Self::BadRadius { radius } => message!(
        "error.search.bad_radius",
        "The turning radius is %{radius} m. Choose one between 0 and 100 m.",
        radius
    ),
    Self::BadCount { count, most } => message!(
        "error.search.bad_count",
        "%{count} routes cannot be compared. Choose a number between 1 and %{most}.",
        count, most
    ),
    Self::Cancelled(error) => error.message(),
});

/// The way through all `stops` in order, from the first to the last; where a stop cannot be reached, by the nearest cell that can.
pub fn search(
    graph: &SearchGraph,
    stops: &[u32],
    settings: &SearchSettings,
    scratch: &mut Scratch,
    progress: &Progress,
) -> Result<CellPath, SearchError> {
    let quickest = quickest_through(graph, stops, settings.jumping, scratch, progress)?;
    varied(graph, &quickest, settings, scratch, progress)
}

/// The quickest way through all stops.
pub(super) fn quickest_through(
    graph: &SearchGraph,
    stops: &[u32],
    jumping: bool,
    scratch: &mut Scratch,
    progress: &Progress,
) -> Result<CellPath, SearchError> {
    let count = graph.ground.cells.len();
    if let Some(&cell) = stops.iter().find(|stop| **stop as usize >= count) {
        return Err(SearchError::NoSuchCell { cell, cells: count });
    }
    if stops.len() < 2 {
        return Err(SearchError::TooFewStops);
    }
    let (mut cells, mut places) = (vec![stops[0]], vec![0]);
    let (mut notices, mut expanded) = (Vec::new(), 0);
    let mut find = |from: u32, to: u32| {
        let query = Query { graph, from, to, ties: None, progress };
        let way = if jumping { astar::quickest(query, scratch) } else { astar::quickest_step_by_step(query, scratch) }?;
        expanded += scratch.expanded;
        Ok::<_, Cancelled>(way)
    };
    for (index, &to) in stops.iter().enumerate().skip(1) {
        let from = cells[cells.len() - 1];
        let mut way = find(from, to)?;
        if way.is_none() {
            let near = nearest::reachable(&graph.ground, from, graph.ground.place(to));
            let metres = graph.ground.place(near).distance(graph.ground.place(to));
            let goal = index + 1 == stops.len();
            notices.push(SearchNotice::Unreachable { stop: index, goal, nearest: near, metres });
            way = find(from, near)?;
        }
        cells.extend(way.iter().flatten().skip(1));
        places.push(cells.len() - 1);
    }
    let seconds = seconds(&graph.ground, &cells);
    Ok(CellPath { cells, stops: places, seconds, optimal: seconds, bound: 1.0, expanded, notices })
}

/// One seed's way through the stops of the quickest one.
pub(super) fn varied(
    graph: &SearchGraph,
    quickest: &CellPath,
    settings: &SearchSettings,
    scratch: &mut Scratch,
    progress: &Progress,
) -> Result<CellPath, SearchError> {
    let variety = settings.variety;
    if !(0.0..=1.0).contains(&variety) {
        return Err(SearchError::BadVariety { variety });
    }
    let mut found = quickest.clone();
    if variety == 0.0 {
        return Ok(found);
    }
    let costs = BlockCosts::new(graph, settings.seed, variety);
    found.cells.truncate(1);
    found.stops.truncate(1);
    found.bound = bound(variety);
    for ends in quickest.stops.windows(2) {
        let [from, to] = [0, 1].map(|end| quickest.cells[ends[end]]);
        let query = Query { graph, from, to, ties: Some(settings.seed), progress };
        let way = astar::cheapest(query, &costs, scratch)?;
        found.expanded += scratch.expanded;
        found.cells.extend(way.iter().flatten().skip(1));
        found.stops.push(found.cells.len() - 1);
    }
    found.seconds = seconds(&graph.ground, &found.cells);
    Ok(found)
}

/// Seconds along linked cells.
pub fn seconds(ground: &Ground, cells: &[u32]) -> f64 {
    cells.windows(2).map(|step| ground.seconds(step[0], step[1])).sum()
}

#[cfg(test)]
use super::{Cell, NONE, STEPS};
#[cfg(test)]
pub(super) mod grids;
#[cfg(test)]
mod tests;
