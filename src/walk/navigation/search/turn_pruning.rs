//! Turn pruning: turns that no optimal path takes, because another pair of steps is always cheaper.
//!
//! This extends the neighbour pruning of Harabor & Grastien, "Online Graph Pruning for Pathfinding on Grid Maps" (AAAI
//! 2011), to arbitrary step costs. A turn is removed only if another connection of its ends is strictly cheaper in
//! travel time, for any [`super::block_costs`]. An optimal path has no such turn, so no path gets longer.

use rayon::prelude::*;

use super::super::{Ground, NONE};
use super::cells::{CellFlags, StepCosts, rank};
use super::cost_bounds::{MAX_FACTOR, MIN_FACTOR, halved};
use super::jump_points::turned;

/// Required relative saving, larger than all rounding errors.
const MARGIN: f64 = 1e-5;

/// Removes turns that are never useful from `after` in `flags`.
pub(super) fn prune(ground: &Ground, steps: &[StepCosts], flags: &mut [CellFlags]) {
    let map = Map { ground, steps, flags };
    let cells = (0..ground.cells.len() as u32).into_par_iter();
    let after: Vec<[u8; 8]> = cells.map(|from| std::array::from_fn(|direction| map.after(from, direction))).collect();
    flags.iter_mut().for_each(|cell| cell.after[..8].fill(0));
    // A cell may be entered in one direction from several cells, so the union of useful directions counts.
    for (links, after) in ground.links.iter().zip(after) {
        for direction in (0..8).filter(|direction| links[*direction] != NONE) {
            flags[links[direction] as usize].after[direction] |= after[direction];
        }
    }
}

struct Map<'a> {
    ground: &'a Ground,
    steps: &'a [StepCosts],
    flags: &'a [CellFlags],
}

impl Map<'_> {
    /// Returns the useful directions after a step from `from` in `direction`, as bits.
    fn after(&self, from: u32, direction: usize) -> u8 {
        let Some(middle) = self.neighbour(from, direction) else { return 0 };
        let worth =
            |next: &usize| self.neighbour(middle, *next).is_some() && !self.is_spared(from, middle, [direction, *next]);
        (0..8).filter(worth).fold(0, |bits, direction| bits | 1 << direction)
    }

    /// True if another connection is always cheaper than the steps from `from` to `middle` and on.
    fn is_spared(&self, from: u32, middle: u32, steps: [usize; 2]) -> bool {
        let to = self.neighbour(middle, steps[1]);
        let turn = turned(steps[1], 8 - steps[0]);
        let rotated = |eighths: usize| turned(steps[0], if turn < 4 { eighths } else { 8 - eighths });
        let turning = || [self.step(from, steps[0]), self.step(middle, steps[1])];
        match (steps[0] % 2, turn.min(8 - turn)) {
            (_, 4) => to == Some(from),
            (0, 3) => self.neighbour(from, rotated(2)) == to && is_less(&[self.step(from, rotated(2))], turning()),
            (1, 3) | (0, 2) => {
                self.neighbour(from, rotated(1)) == to && is_less(&[self.step(from, rotated(1))], turning())
            }
            (1, 2) => self.neighbour(from, rotated(1)).is_some_and(|between| {
                let straight = [self.step(from, rotated(1)), self.step(between, rotated(1))];
                self.neighbour(between, rotated(1)) == to && is_less(&straight, turning())
            }),
            _ => false,
        }
    }
    /// Returns the cell linked in a direction; `None` if there is none.
    fn neighbour(&self, cell: u32, direction: usize) -> Option<u32> {
        Some(self.ground.links[cell as usize][direction]).filter(|to| *to != NONE)
    }
    /// Returns the step from a cell in a direction.
    fn step(&self, from: u32, direction: usize) -> Step {
        let turning = rank(self.flags[from as usize].turning, direction) != 0;
        Step { seconds: f64::from(self.steps[from as usize].seconds[direction]), turning }
    }
}

/// A step to a neighbour.
struct Step {
    seconds: f64,
    turning: bool,
}

impl Step {
    /// Returns its cost for a block factor of `plain`, and of `turning` at turning points.
    fn cost(&self, plain: f64, turning: f64) -> f64 {
        self.seconds * plain * if self.turning { turning } else { 1.0 }
    }
}

/// True if a connection of one or two steps costs less than another of two steps to the same cell, for any block
/// costs.
fn is_less(path: &[Step], other: [Step; 2]) -> bool {
    // The last steps enter the same block, and both may be turning points of different ranks. Blocks between are taken
    // as most expensive on the first connection, and as cheapest on the other.
    let between: f64 = path.iter().rev().skip(1).map(|step| step.cost(MAX_FACTOR, 1.0)).sum();
    [[1.0, 1.0], [1.0, MIN_FACTOR], [MAX_FACTOR, 1.0], [MAX_FACTOR, MIN_FACTOR]].into_iter().all(|[plain, turning]| {
        let last = path.last().map_or(0.0, |step| step.cost(plain, halved(turning)));
        between + last < (1.0 - MARGIN) * (other[0].cost(1.0, MIN_FACTOR) + other[1].cost(plain, turning))
    })
}
