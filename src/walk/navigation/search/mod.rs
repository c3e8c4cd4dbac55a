//! Path search over walkable ground: the quickest path, or one of many that are nearly as quick.

mod astar;
mod block_costs;
mod bucket_queue;
mod cells;
mod cost_bounds;
mod crossings;
mod jump_points;
mod search_graph;
mod turn_pruning;

pub use astar::Scratch;
pub(super) use block_costs::BlockCosts;
pub use cost_bounds::bound;
pub use crossings::{LinkPreference, LinkRule};
pub use search_graph::SearchGraph;

use self::astar::{Query, Trail};
use super::nearest;
use portamento_base::message::{Message, message, messages};
use portamento_base::progress::{Cancelled, Progress};

/// Settings of a search.
#[derive(Clone, Debug, PartialEq)]
pub struct SearchSettings {
    /// Seed of the variation; the same seed gives the same path. With any variety it also decides between equally
    /// quick paths.
    pub seed: u64,
    /// 0 gives the exactly quickest path. Up to 1, paths differ more and may take longer, but never more than
    /// [`bound`].
    pub variety: f64,
    /// True if level ground of uniform speed is searched by jump points. Travel time is equal, the search is quicker.
    pub jumping: bool,
}

impl Default for SearchSettings {
    fn default() -> Self {
        Self { seed: 1, variety: 0.5, jumping: true }
    }
}

/// A path over cells.
#[derive(Clone, Debug, PartialEq)]
pub struct CellPath {
    /// Every cell from the first to the last; each is linked to the next, by a step or by a link.
    pub cells: Vec<u32>,
    /// The links on the path, in order.
    pub links: Vec<PathLink>,
    /// Indices in `cells` of the start, every stop and the goal.
    pub stops: Vec<usize>,
    /// Travel time from the first cell to the last, seconds.
    pub seconds: f64,
    /// Travel time of the quickest path, seconds.
    pub optimal: f64,
    /// Guaranteed largest ratio of `seconds` to `optimal`.
    pub bound: f64,
    /// Number of cells that the search expanded.
    pub expanded: usize,
    /// Notices for the animator.
    pub notices: Vec<SearchNotice>,
}

/// A link on a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PathLink {
    /// Index of its first cell in [`CellPath::cells`]; the next cell is the landing.
    pub at: usize,
    /// Index of the link in [`SearchGraph::links`].
    pub link: u32,
}

messages! {
/// A notice about a path.
#[derive(Clone, Debug, PartialEq)]
pub enum SearchNotice {
    /// A stop cannot be reached.
    Unreachable {
        /// Number of the stop along the path; the first after the start is 1.
        stop: usize,
        /// True if it is the last stop.
        goal: bool,
        /// The cell at which the path ends instead.
        nearest: u32,
        /// Distance from that cell to the stop, metres.
        metres: f64,
    } => message!(
        "notice.search.unreachable",
        "%{stop} cannot be reached: the route ends %{metres} m away, at the nearest reachable ground. Move it, or relax the \
         limits of walkable ground.",
        stop = stop_name(*stop, *goal), metres = format!("{metres:.2}")
    ),
}
}

/// Returns the name of a stop for the start of a sentence. Number 0 is the start; `goal` marks the last one.
pub fn stop_name(stop: usize, goal: bool) -> Message {
    match stop {
        0 => message!("stop.start", "The start"),
        _ if goal => message!("stop.goal", "The goal"),
        number => message!("stop.number", "Stop %{number}", number),
    }
}

messages! {
/// Reason why there is no path.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum SearchError {
    /// A cell index that the ground does not have.
    NoSuchCell {
        /// The index.
        cell: u32,
        /// Number of cells.
        cells: usize,
    } => message!(
        "error.search.no_such_cell",
        "Position %{cell} is not on the walkable ground of %{cells} cells. Choose start and goal again.",
        cell, cells
    ),
    /// Fewer than two stops.
    TooFewStops => message!(
        "error.search.too_few_stops",
        "A route needs a start and a goal. Choose both."
    ),
    /// The variety is not a number within 0…1.
    BadVariety {
        /// The rejected variety.
        variety: f64,
    } => message!(
        "error.search.bad_variety",
        "The variety is %{variety}. Choose a value between 0 and 1.",
        variety
    ),
    /// The turning radius is not within 0…100 m.
    BadRadius {
        /// The rejected radius, metres.
        radius: f64,
    } => message!(
        "error.search.bad_radius",
        "The corner radius is %{radius} m. Choose one between 0 and 100 m.",
        radius
    ),
    /// The factor of a preference for a kind of link is not within 0.1…10.
    BadLinkFactor {
        /// The rejected factor.
        factor: f64,
    } => message!(
        "error.search.bad_link_factor",
        "The factor of a crossing is %{factor}. Choose one between 0.1 and 10.",
        factor
    ),
    /// A value of a clip that crosses is not usable.
    BadCrossing {
        /// Number of the clip, from 1.
        clip: usize,
        /// Name of the value in files.
        name: &'static str,
        /// Smallest allowed value.
        low: f64,
        /// Largest allowed value.
        high: f64,
    } => message!(
        "error.search.bad_crossing",
        "Crossing %{clip}: %{name} must be between %{low} and %{high}, the lower end of a range first.",
        clip, name, low, high
    ),
    /// More clips that cross than can be compared.
    TooManyCrossings {
        /// Number of clips.
        count: usize,
        /// Largest allowed number.
        most: usize,
    } => message!(
        "error.search.too_many_crossings",
        "%{count} crossings cannot be compared. Give at most %{most}.",
        count, most
    ),
    /// The number of seeds is not within 1…100.
    BadCount {
        /// The requested number.
        count: usize,
        /// The largest allowed number.
        most: usize,
    } => message!(
        "error.search.bad_count",
        "%{count} routes cannot be compared. Choose a number between 1 and %{most}.",
        count, most
    ),
    /// Cancelled on request.
    Cancelled(#[from] error: Cancelled) => error.message(),
}
}

/// Returns a path through all `stops` in order. An unreachable stop is replaced by the nearest reachable cell.
///
/// Returns `Err` if:
/// - a stop is not a cell of the ground;
/// - there are fewer than two stops;
/// - `settings.variety` is not within 0…1;
/// - `progress` was cancelled.
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

/// Returns the quickest path through all `stops`, cells in this order. Returns `Err` with fewer than two stops, for a
/// cell that does not exist, without a path, and if cancelled.
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
    let (mut trail, mut stop_indices) = (Trail::at(stops[0]), vec![0]);
    let (mut notices, mut expanded) = (Vec::new(), 0);
    let mut find = |from: u32, to: u32| {
        let query = Query { graph, from, to, ties: None, progress };
        let leg = if jumping { astar::quickest(query, scratch) } else { astar::quickest_step_by_step(query, scratch) }?;
        expanded += scratch.expanded;
        Ok::<_, Cancelled>(leg)
    };
    for (index, &to) in stops.iter().enumerate().skip(1) {
        let from = trail.end();
        let mut leg = find(from, to)?;
        if leg.is_none() {
            let near = nearest::reachable(graph, from, graph.ground.position(to));
            let metres = graph.ground.position(near).distance(graph.ground.position(to));
            let goal = index + 1 == stops.len();
            notices.push(SearchNotice::Unreachable { stop: index, goal, nearest: near, metres });
            leg = find(from, near)?;
        }
        leg.into_iter().for_each(|leg| trail.append(leg));
        stop_indices.push(trail.cells.len() - 1);
    }
    let Trail { cells, links } = trail;
    let seconds = seconds(graph, &cells, &links);
    Ok(CellPath { cells, links, stops: stop_indices, seconds, optimal: seconds, bound: 1.0, expanded, notices })
}

/// Returns one seed's path through the stops of the quickest path. Without variety, it is the quickest path itself.
/// Returns `Err` for a variety outside 0…1, and if cancelled.
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
    let mut trail = Trail::at(quickest.cells[0]);
    found.stops.truncate(1);
    found.bound = bound(variety) * graph.crossings.spread;
    for ends in quickest.stops.windows(2) {
        let [from, to] = [0, 1].map(|end| quickest.cells[ends[end]]);
        let query = Query { graph, from, to, ties: Some(settings.seed), progress };
        let leg = astar::cheapest(query, &costs, scratch)?;
        found.expanded += scratch.expanded;
        leg.into_iter().for_each(|leg| trail.append(leg));
        found.stops.push(trail.cells.len() - 1);
    }
    (found.cells, found.links) = (trail.cells, trail.links);
    found.seconds = seconds(graph, &found.cells, &found.links);
    Ok(found)
}

/// Returns the travel time along linked cells, seconds. `links` are those on the path.
pub fn seconds(graph: &SearchGraph, cells: &[u32], links: &[PathLink]) -> f64 {
    let mut links = links.iter().peekable();
    let step = |(index, step): (usize, &[u32])| match links.next_if(|link| link.at == index) {
        Some(link) => graph.links[link.link as usize].seconds,
        None => graph.ground.seconds(step[0], step[1]),
    };
    cells.windows(2).enumerate().map(step).sum()
}

#[cfg(test)]
use super::{Cell, Ground, NONE, STEPS};
#[cfg(test)]
pub(super) mod grids;
#[cfg(test)]
mod tests;
