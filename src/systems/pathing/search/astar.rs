//! Best-first search (Hart, Nilsson & Raphael 1968) in memory that is kept from one query to the next.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::super::{NONE, STEPS};
use super::jump;
use super::terrain::Terrain;
use super::variety::Taste;
use crate::progress::{Cancelled, Progress};

/// Memory of searches; reuse it for the next query on any ground.
#[derive(Debug, Default)]
pub struct Scratch {
    nodes: Vec<Node>,
    /// Smallest first: estimate of the whole, estimate of the rest, cell.
    open: BinaryHeap<Reverse<u128>>,
    /// Directions in which the goal lies straight ahead, for cells stamped with this query.
    sight: Vec<(u32, u8)>,
    /// Number of the query; nodes with another stamp are untouched.
    stamp: u32,
    /// Cells expanded by the last query.
    pub expanded: usize,
}

#[derive(Clone, Copy, Debug, Default)]
struct Node {
    cost: f64,
    parent: u32,
    /// Twice the stamp of the query, plus one once closed.
    state: u32,
}

impl Scratch {
    fn begin(&mut self, cells: usize) {
        if self.stamp >= u32::MAX / 2 - 1 {
            self.nodes.clear();
            self.sight.clear();
            self.stamp = 0;
        }
        self.stamp += 1;
        self.nodes.resize(cells.max(self.nodes.len()), Node::default());
        self.sight.resize(cells.max(self.sight.len()), (0, 0));
        self.open.clear();
        self.expanded = 0;
    }

    #[inline]
    fn offer(&mut self, cell: u32, parent: u32, cost: f64, rest: impl FnOnce() -> f64) {
        let open = 2 * self.stamp;
        let node = &mut self.nodes[cell as usize];
        if node.state == open + 1 || node.state == open && node.cost <= cost {
            return;
        }
        *node = Node { cost, parent, state: open };
        let rest = rest();
        // Positive floats are in the order of their bits.
        let whole = u128::from((cost + rest).to_bits()) << 64;
        self.open.push(Reverse(whole | u128::from((rest as f32).to_bits()) << 32 | u128::from(cell)));
    }

    /// The cheapest open cell, closed from now on.
    fn take(&mut self) -> Option<u32> {
        loop {
            let Reverse(key) = self.open.pop()?;
            let cell = key as u32;
            let node = &mut self.nodes[cell as usize];
            if node.state == 2 * self.stamp {
                node.state += 1;
                self.expanded += 1;
                return Some(cell);
            }
        }
    }

    fn trail(&self, to: u32) -> Vec<u32> {
        let mut trail = vec![to];
        let mut cell = to;
        while self.nodes[cell as usize].parent != cell {
            cell = self.nodes[cell as usize].parent;
            trail.push(cell);
        }
        trail.reverse();
        trail
    }
}

/// The quickest way, every cell of it; `None` where there is no way. With `jumping` off every neighbour is looked at.
pub(super) fn quickest(
    terrain: &Terrain,
    [from, to]: [u32; 2],
    jumping: bool,
    scratch: &mut Scratch,
    progress: &Progress,
) -> Result<Option<Vec<u32>>, Cancelled> {
    if !jumping {
        return best(terrain, [from, to], 1.0, scratch, progress, |_, _| 1.0);
    }
    let ground = &*terrain.ground;
    let goal = ground.cells[to as usize].column;
    scratch.begin(ground.cells.len());
    see(terrain, to, scratch);
    scratch.offer(from, from, 0.0, || 0.0);
    while let Some(cell) = scratch.take() {
        if cell == to {
            return Ok(Some(filled(terrain, &scratch.trail(to))));
        }
        if scratch.expanded.is_multiple_of(1024) && progress.is_cancelled() {
            return Err(Cancelled);
        }
        let Node { cost, parent, .. } = scratch.nodes[cell as usize];
        let mut left = directions(terrain, cell, parent);
        while left != 0 {
            let direction = left.trailing_zeros() as usize;
            left &= left - 1;
            let next = landing(terrain, cell, direction, to, scratch);
            if next != NONE {
                let cost = cost + span(terrain, cell, next, direction);
                scratch.offer(next, cell, cost, || terrain.least(ground.cells[next as usize].column, goal));
            }
        }
    }
    Ok(None)
}

/// The way of least taste-weighted seconds, every cell of it; `None` where there is no way.
pub(super) fn tastiest(
    terrain: &Terrain,
    ends: [u32; 2],
    taste: &Taste,
    scratch: &mut Scratch,
    progress: &Progress,
) -> Result<Option<Vec<u32>>, Cancelled> {
    best(terrain, ends, taste.least, scratch, progress, |from, to| taste.factor(terrain, from, to))
}

fn best(
    terrain: &Terrain,
    [from, to]: [u32; 2],
    least: f64,
    scratch: &mut Scratch,
    progress: &Progress,
    factor: impl Fn(u32, u32) -> f32,
) -> Result<Option<Vec<u32>>, Cancelled> {
    let ground = &*terrain.ground;
    let goal = ground.cells[to as usize].column;
    scratch.begin(ground.cells.len());
    scratch.offer(from, from, 0.0, || 0.0);
    while let Some(cell) = scratch.take() {
        if cell == to {
            return Ok(Some(scratch.trail(to)));
        }
        if scratch.expanded.is_multiple_of(1024) && progress.is_cancelled() {
            return Err(Cancelled);
        }
        let here = scratch.nodes[cell as usize].cost;
        let steps = ground.links[cell as usize].iter().zip(&terrain.costs[cell as usize]);
        for (&next, &seconds) in steps.filter(|(next, _)| **next != NONE) {
            let cost = here + f64::from(seconds) * f64::from(factor(cell, next));
            scratch.offer(next, cell, cost, || least * terrain.least(ground.cells[next as usize].column, goal));
        }
    }
    Ok(None)
}

/// Directions worth taking from a cell, as bits.
fn directions(terrain: &Terrain, cell: u32, parent: u32) -> u8 {
    if parent == cell || !terrain.plain[cell as usize] {
        return u8::MAX;
    }
    jump::worthwhile(&terrain.ground.links[cell as usize], heading(terrain, parent, cell))
}

/// The direction of a straight or diagonal run of cells.
fn heading(terrain: &Terrain, from: u32, to: u32) -> usize {
    let (from, to) = (terrain.ground.cells[from as usize].column, terrain.ground.cells[to as usize].column);
    let sign = |axis: usize| (i64::from(to[axis]) - i64::from(from[axis])).signum() as i32;
    let step = [sign(0), sign(1)];
    STEPS.iter().position(|it| *it == step).unwrap_or(0)
}

/// Marks the cells from which plain ground leads straight to the goal.
fn see(terrain: &Terrain, goal: u32, scratch: &mut Scratch) {
    // Elsewhere the goal ends every jump of itself.
    if !terrain.plain[goal as usize] {
        return;
    }
    let ground = &*terrain.ground;
    for direction in [0, 2, 4, 6] {
        let mut cell = ground.links[goal as usize][jump::turned(direction, 4)];
        while cell != NONE {
            let (stamp, seen) = &mut scratch.sight[cell as usize];
            *seen = if *stamp == scratch.stamp { *seen } else { 0 } | 1 << direction;
            *stamp = scratch.stamp;
            if jump::stops(ground, &terrain.plain, cell, direction) {
                break;
            }
            cell = ground.links[cell as usize][jump::turned(direction, 4)];
        }
    }
}

fn sees(scratch: &Scratch, cell: u32, directions: u8) -> bool {
    let (stamp, seen) = scratch.sight[cell as usize];
    stamp == scratch.stamp && seen & directions != 0
}

/// Where a way from `cell` in `direction` has to be thought over next, or `NONE`.
fn landing(terrain: &Terrain, cell: u32, direction: usize, goal: u32, scratch: &Scratch) -> u32 {
    let jump = terrain.jumps[cell as usize][direction];
    if direction.is_multiple_of(2) {
        return if sees(scratch, cell, 1 << direction) { goal } else { jump };
    }
    let ground = &*terrain.ground;
    let (here, there) = (ground.cells[cell as usize].column, ground.cells[goal as usize].column);
    let ahead = |axis: usize| (i64::from(there[axis]) - i64::from(here[axis])) * i64::from(STEPS[direction][axis]);
    let away = ahead(0).min(ahead(1));
    let mut next = cell;
    let sideways = 1 << jump::turned(direction, 1) | 1 << jump::turned(direction, 7);
    for _ in 0..away {
        next = ground.links[next as usize][direction];
        if next == NONE || next == jump {
            return jump;
        }
        if next == goal || sees(scratch, next, sideways) {
            return next;
        }
    }
    jump
}

/// Seconds of a run of cells.
fn span(terrain: &Terrain, from: u32, to: u32, direction: usize) -> f64 {
    let cells = &terrain.ground.cells;
    let (a, b) = (cells[from as usize].column, cells[to as usize].column);
    let count = a[0].abs_diff(b[0]).max(a[1].abs_diff(b[1]));
    // A run of several cells is plain: all its steps cost the same.
    f64::from(count) * f64::from(terrain.costs[from as usize][direction])
}

/// All cells of a way given by where it bends.
fn filled(terrain: &Terrain, bends: &[u32]) -> Vec<u32> {
    let mut cells: Vec<u32> = bends.first().copied().into_iter().collect();
    for ends in bends.windows(2) {
        let direction = heading(terrain, ends[0], ends[1]);
        let mut cell = ends[0];
        while cell != ends[1] && cell != NONE {
            cell = terrain.ground.links[cell as usize][direction];
            cells.push(cell);
        }
    }
    cells
}
