//! A* search (Hart, Nilsson & Raphael 1968) with memory that is reused between queries.

use super::super::{NONE, STEPS};
use super::block_costs::BlockCosts;
use super::bucket_queue::BucketQueue;
use super::search_graph::SearchGraph;
use super::{PathLink, jump_points};
use portamento_anim::math::random;
use portamento_base::progress::{Cancelled, Progress};

/// Memory of searches, reusable for the next query on any ground.
#[derive(Debug, Default)]
pub struct Scratch {
    nodes: Vec<Node>,
    open: BucketQueue,
    /// Directions in which the goal is straight ahead, with the stamp of the query.
    goal_sight: Vec<(u32, u8)>,
    /// Number of the query; nodes with another stamp are untouched.
    stamp: u32,
    goal: u32,
    /// Cost of the best path to the goal so far.
    limit: f64,
    /// Seed that decides between paths of equal cost; without it the first found stays.
    ties: Option<u64>,
    /// Number of cells expanded by the last query.
    pub expanded: usize,
}

#[derive(Clone, Copy, Debug, Default)]
struct Node {
    cost: f64,
    parent: u32,
    /// Stamp of the query, direction of entry, and closed flag.
    state: u32,
}

/// Direction of entry of the first cell.
const NO_DIRECTION: usize = 8;

/// Direction of entry of a cell on which a link lands.
const CROSSING: usize = 9;

/// Closed flag in the state of a node.
const CLOSED: u32 = 1;

/// Stamp increment of one query in the state of a node.
const QUERY: u32 = 1 << 5;

/// Relative difference up to which costs are equal, since sums in another order differ by rounding.
const EQUAL_COST_TOLERANCE: f64 = 1e-12;

/// True if the seed prefers the second of two equal paths.
fn prefers_second(seed: u64, [cell, parent]: [u32; 2]) -> bool {
    random::spread(seed ^ random::spread(u64::from(cell) << 32 | u64::from(parent))) & 1 != 0
}

impl Node {
    /// Returns the index of the direction in which the path enters the node; [`NO_DIRECTION`] at the start, [`CROSSING`]
    /// after a link.
    fn entered(&self) -> usize {
        (self.state / 2) as usize % 16
    }
}

impl Scratch {
    /// Resets the state for a new query; `rest` estimates the cost of the whole path.
    fn begin(&mut self, query: Query, rest: f64) {
        let Query { graph, from, to, .. } = query;
        // Stamps avoid clearing all nodes before every query. When they run out, everything is cleared.
        if self.stamp >= u32::MAX / QUERY - 1 {
            self.nodes.clear();
            self.goal_sight.clear();
            self.stamp = 0;
        }
        let cells = graph.ground.cells.len();
        self.stamp += 1;
        self.nodes.resize(cells.max(self.nodes.len()), Node::default());
        self.goal_sight.resize(cells.max(self.goal_sight.len()), (0, 0));
        self.open.clear(rest, graph.grain);
        (self.goal, self.limit, self.expanded, self.ties) = (to, f64::INFINITY, 0, query.ties);
        self.offer(from, from, NO_DIRECTION, 0.0, || rest);
    }

    /// Records a path to `cell` from `parent`, entered in direction `entered`, unless a known one costs no more.
    #[inline]
    fn offer(&mut self, cell: u32, parent: u32, entered: usize, cost: f64, rest: impl FnOnce() -> f64) {
        let query = QUERY * self.stamp;
        let node = &mut self.nodes[cell as usize];
        // Later stamps compare greater, so one comparison identifies nodes of this query.
        if node.state >= query && node.cost <= cost {
            // Only the parent changes: successors do not depend on which of two equal paths was taken.
            let is_step = entered != CROSSING && node.entered() != CROSSING;
            if self.ties.is_some_and(|seed| {
                is_step && cost <= node.cost * (1.0 + EQUAL_COST_TOLERANCE) && prefers_second(seed, [cell, parent])
            }) {
                node.parent = parent;
            }
            return;
        }
        *node = Node { cost, parent, state: query + 2 * entered as u32 };
        // The goal is never expanded; its cost is only an upper limit.
        if cell == self.goal {
            self.limit = cost;
            return;
        }
        let total = cost + rest();
        if total < self.limit {
            self.open.push(total, cell);
        }
    }

    /// Returns the next cell to expand and closes it; `None` once the best path to the goal is known.
    #[inline]
    fn take(&mut self, rest: impl Fn(u32) -> f64) -> Option<u32> {
        loop {
            let cell = self.open.pop(self.limit)?;
            let node = &mut self.nodes[cell as usize];
            // An entry may be outdated: cheaper paths are pushed again instead of moved within the queue.
            if node.state & CLOSED == 0 && (self.limit == f64::INFINITY || node.cost + rest(cell) < self.limit) {
                node.state |= CLOSED;
                self.expanded += 1;
                return Some(cell);
            }
        }
    }

    /// Returns the best path to the goal as its expanded cells, from the start; `None` if no path was found.
    fn trail(&self, graph: &SearchGraph) -> Option<Trail> {
        if self.limit == f64::INFINITY {
            return None;
        }
        let mut cell = self.goal;
        let mut trail = Trail::at(cell);
        while self.nodes[cell as usize].parent != cell {
            let node = &self.nodes[cell as usize];
            if node.entered() == CROSSING {
                let link = graph.crossings.link(node.parent, cell);
                trail.links.extend(link.map(|link| PathLink { at: trail.cells.len(), link }));
            }
            cell = node.parent;
            trail.cells.push(cell);
        }
        trail.cells.reverse();
        trail.links.reverse();
        let last = trail.cells.len() - 1;
        trail.links.iter_mut().for_each(|link| link.at = last - link.at);
        Some(trail)
    }

    /// Offers the landings of the links that start at a cell. `factor` returns the factor of a landing, `rest` a lower
    /// bound of the remaining cost from it.
    fn cross(
        &mut self,
        graph: &SearchGraph,
        (cell, cost): (u32, f64),
        factor: impl Fn(u32) -> f64,
        rest: impl Fn(u32) -> f64,
    ) {
        for crossing in graph.crossings.from(cell) {
            let cost = cost + crossing.cost * factor(crossing.to);
            self.offer(crossing.to, cell, CROSSING, cost, || rest(crossing.to));
        }
    }
}

/// Cells of a path and the links between them.
#[derive(Clone, Debug)]
pub(super) struct Trail {
    pub cells: Vec<u32>,
    pub links: Vec<PathLink>,
}

impl Trail {
    /// Returns the path that stays at one cell.
    pub fn at(cell: u32) -> Self {
        Self { cells: vec![cell], links: Vec::new() }
    }

    /// Returns the last cell.
    pub fn end(&self) -> u32 {
        self.cells[self.cells.len() - 1]
    }

    /// Appends a path that begins at the last cell.
    pub fn append(&mut self, next: Self) {
        let offset = self.cells.len() - 1;
        self.links.extend(next.links.into_iter().map(|link| PathLink { at: link.at + offset, ..link }));
        self.cells.extend(next.cells.into_iter().skip(1));
    }
}

/// Expands cells until the best path is known. `look` offers the neighbours of a cell, given its node. Returns `None`
/// without a path, and `Err` if `progress` is cancelled.
fn run(
    scratch: &mut Scratch,
    Query { graph, progress, .. }: Query,
    rest: impl Fn(u32) -> f64,
    look: impl Fn(&mut Scratch, u32, Node),
) -> Result<Option<Trail>, Cancelled> {
    while let Some(cell) = scratch.take(&rest) {
        // Reading a shared flag at every cell would be measurable.
        if scratch.expanded % 1024 == 1 && progress.is_cancelled() {
            return Err(Cancelled);
        }
        look(scratch, cell, scratch.nodes[cell as usize]);
    }
    Ok(scratch.trail(graph))
}

/// A query between two cells.
#[derive(Clone, Copy)]
pub(super) struct Query<'a> {
    pub graph: &'a SearchGraph,
    pub from: u32,
    pub to: u32,
    /// Seed that decides between paths of equal cost.
    pub ties: Option<u64>,
    pub progress: &'a Progress,
}

impl Query<'_> {
    /// Returns a lower bound of the remaining travel time from a cell, seconds.
    fn rest(&self, cell: u32) -> f64 {
        self.graph.least(self.graph.column(cell), self.graph.column(self.to))
    }
}

/// Returns every cell of the quickest path; `None` without a path. Level ground is searched by jump points. Returns
/// `Err` if cancelled.
pub(super) fn quickest(query: Query, scratch: &mut Scratch) -> Result<Option<Trail>, Cancelled> {
    let graph = query.graph;
    let goal = graph.column(query.to);
    scratch.begin(query, query.rest(query.from));
    mark_sight_lines(graph, query.to, scratch);
    let rest = |cell: u32| query.rest(cell);
    let bends = run(scratch, query, rest, |scratch, cell, node| {
        let (steps, flags) = (&graph.steps[cell as usize], &graph.flags[cell as usize]);
        if flags.crosses {
            scratch.cross(graph, (cell, node.cost), |_| 1.0, rest);
        }
        for direction in each(directions(graph, cell, node.entered())) {
            let (mut next, mut count) = (steps.jumps[direction], 1.0);
            if flags.far >> direction & 1 != 0 {
                next = landing(graph, cell, direction, scratch);
                count = apart(graph, cell, next);
            }
            if next != NONE {
                // A run of several cells is plain, so all its steps cost the same.
                let cost = node.cost + count * f64::from(steps.seconds[direction]);
                scratch.offer(next, cell, direction, cost, || {
                    graph.least(moved(flags.column, direction, count as f32), goal)
                });
            }
        }
    })?;
    Ok(bends.map(|bends| filled(graph, &bends)))
}

/// Returns every cell of the quickest path, expanding all neighbours. `None` without a path. Returns `Err` if
/// cancelled.
pub(super) fn quickest_step_by_step(query: Query, scratch: &mut Scratch) -> Result<Option<Trail>, Cancelled> {
    best(query, 1.0, |_| |_| 1.0, |_| 1.0, scratch)
}

/// Returns every cell of the path with the least cost (travel time times `costs`); `None` without a path. Returns
/// `Err` if cancelled.
pub(super) fn cheapest(query: Query, costs: &BlockCosts, scratch: &mut Scratch) -> Result<Option<Trail>, Cancelled> {
    let landing = |to: u32| f64::from(costs.landing_factor(query.graph, to));
    best(query, costs.least, |cell| costs.factors(query.graph, cell), landing, scratch)
}

/// Returns the path with the least travel time times factors, expanding all neighbours. `factors` returns the factor
/// of a cell's steps by direction, `landing` that of a link to a cell, never below `least`. `None` without a path.
/// Returns `Err` if cancelled.
fn best<F: Fn(usize) -> f32>(
    query: Query,
    least: f64,
    factors: impl Fn(u32) -> F,
    landing: impl Fn(u32) -> f64,
    scratch: &mut Scratch,
) -> Result<Option<Trail>, Cancelled> {
    let graph = query.graph;
    let goal = graph.column(query.to);
    let rest = |cell: u32| least * query.rest(cell);
    scratch.begin(query, rest(query.from));
    run(scratch, query, rest, |scratch, cell, node| {
        let (steps, flags) = (&graph.steps[cell as usize], &graph.flags[cell as usize]);
        if flags.crosses {
            scratch.cross(graph, (cell, node.cost), &landing, rest);
        }
        // Usually true, which saves one memory access.
        let every_jump_a_step = flags.far == 0;
        let links = if every_jump_a_step { &steps.jumps } else { &graph.ground.links[cell as usize] };
        let factor = factors(cell);
        for direction in each(flags.after[node.entered().min(NO_DIRECTION)]) {
            let cost = node.cost + f64::from(steps.seconds[direction]) * f64::from(factor(direction));
            let rest = || least * graph.least(moved(flags.column, direction, 1.0), goal);
            scratch.offer(links[direction], cell, direction, cost, rest);
        }
    })
}

/// Returns the indices of the set bits.
fn each(mut bits: u8) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let direction = bits.trailing_zeros() as usize;
        // Clears the lowest set bit.
        bits &= bits.wrapping_sub(1);
        (direction < 8).then_some(direction)
    })
}

/// Returns the column `count` steps away.
#[inline]
fn moved([x, z]: [f32; 2], direction: usize, count: f32) -> [f32; 2] {
    let [dx, dz] = STEPS[direction];
    [x + dx as f32 * count, z + dz as f32 * count]
}

/// Returns the number of steps of a straight or diagonal run between two cells.
fn apart(graph: &SearchGraph, from: u32, to: u32) -> f64 {
    if to == NONE {
        return 0.0;
    }
    let [a, b] = [from, to].map(|cell| graph.column(cell));
    f64::from((a[0] - b[0]).abs().max((a[1] - b[1]).abs()))
}

/// Returns the useful directions from a cell when jump points are used, as bits.
fn directions(graph: &SearchGraph, cell: u32, entered: usize) -> u8 {
    let flags = &graph.flags[cell as usize];
    if flags.plain && entered < NO_DIRECTION {
        jump_points::worthwhile(&graph.ground.links[cell as usize], entered)
    } else {
        flags.after[entered.min(NO_DIRECTION)]
    }
}

/// Returns the direction of a straight or diagonal run of cells.
fn heading(graph: &SearchGraph, from: u32, to: u32) -> usize {
    let [from, to] = [from, to].map(|cell| graph.column(cell));
    let sign = |axis: usize| ((to[axis] - from[axis]) as i32).signum();
    let step = [sign(0), sign(1)];
    STEPS.iter().position(|known| *known == step).unwrap_or(0)
}

/// Marks the cells from which plain ground leads straight to the goal.
fn mark_sight_lines(graph: &SearchGraph, goal: u32, scratch: &mut Scratch) {
    // Otherwise every jump ends at the goal anyway.
    if !graph.flags[goal as usize].plain {
        return;
    }
    let ground = &*graph.ground;
    for direction in [0, 2, 4, 6] {
        let mut cell = ground.links[goal as usize][jump_points::turned(direction, 4)];
        while cell != NONE {
            let (stamp, seen) = &mut scratch.goal_sight[cell as usize];
            *seen = if *stamp == scratch.stamp { *seen } else { 0 } | 1 << direction;
            *stamp = scratch.stamp;
            if jump_points::stops(ground, graph.flags[cell as usize].plain, cell, direction) {
                break;
            }
            cell = ground.links[cell as usize][jump_points::turned(direction, 4)];
        }
    }
}
/// True if the goal is straight ahead of `cell` in one of `directions`.
fn is_goal_ahead(scratch: &Scratch, cell: u32, directions: u8) -> bool {
    let (stamp, seen) = scratch.goal_sight[cell as usize];
    stamp == scratch.stamp && seen & directions != 0
}

/// Returns the next cell to expand from `cell` in `direction`, or `NONE`.
fn landing(graph: &SearchGraph, cell: u32, direction: usize, scratch: &Scratch) -> u32 {
    let jump = graph.steps[cell as usize].jumps[direction];
    if direction % 2 == 1 {
        bend(graph, cell, direction, jump, scratch)
    } else if is_goal_ahead(scratch, cell, 1 << direction) {
        scratch.goal
    } else {
        jump
    }
}

/// Returns the first cell where a diagonal run, which would end at `jump`, meets the goal or a straight run to it.
fn bend(graph: &SearchGraph, cell: u32, direction: usize, jump: u32, scratch: &Scratch) -> u32 {
    let [here, there] = [cell, scratch.goal].map(|cell| graph.column(cell));
    let ahead = |axis: usize| (there[axis] - here[axis]) as i64 * i64::from(STEPS[direction][axis]);
    let mut next = cell;
    // A diagonal run may turn into either of its straight directions.
    let sideways = 1 << jump_points::turned(direction, 1) | 1 << jump_points::turned(direction, 7);
    for _ in 0..ahead(0).min(ahead(1)) {
        next = graph.ground.links[next as usize][direction];
        if next == NONE || next == jump {
            return jump;
        }
        if next == scratch.goal || is_goal_ahead(scratch, next, sideways) {
            return next;
        }
    }
    jump
}

/// Returns all cells of a path given by its bends.
fn filled(graph: &SearchGraph, bends: &Trail) -> Trail {
    let mut filled = Trail { cells: bends.cells.first().copied().into_iter().collect(), links: Vec::new() };
    let mut links = bends.links.iter().peekable();
    let cells = &mut filled.cells;
    for (index, ends) in bends.cells.windows(2).enumerate() {
        if let Some(link) = links.next_if(|link| link.at == index) {
            filled.links.push(PathLink { at: cells.len() - 1, ..*link });
            cells.push(ends[1]);
            continue;
        }
        let direction = heading(graph, ends[0], ends[1]);
        let mut cell = ends[0];
        while cell != ends[1] && cell != NONE {
            cell = graph.ground.links[cell as usize][direction];
            cells.push(cell);
        }
    }
    filled
}
