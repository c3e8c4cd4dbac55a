//! Turns that no best way takes, since their two steps can always be made for less.
//!
//! This carries the pruning of neighbours by Harabor & Grastien, "Online Graph Pruning for Pathfinding on Grid Maps" (AAAI
//! 2011), over to steps of any cost: a turn is left out only where another way between its ends is strictly cheaper in actual
//! seconds, whatever [`super::block_costs`] makes of the blocks it crosses. A best way has no such turn, so that nothing gets longer.

use rayon::prelude::*;

use super::super::{Ground, NONE};
use super::cells::{CellFlags, StepCosts, rank};
use super::cost_bounds::{DEAREST, LEAST, halved};
use super::jump_points::turned;

/// How much cheaper the other way has to be, as a share; beyond all rounding.
const MARGIN: f64 = 1e-5;

/// Takes the turns that are never worth it out of what `flags` tells to be worth taking next.
pub(super) fn prune(ground: &Ground, steps: &[StepCosts], flags: &mut [CellFlags]) {
    let map = Map { ground, steps, flags };
    let cells = (0..ground.cells.len() as u32).into_par_iter();
    let after: Vec<[u8; 8]> = cells.map(|from| std::array::from_fn(|direction| map.after(from, direction))).collect();
    flags.iter_mut().for_each(|cell| cell.after[..8].fill(0));
    // Where steps from several cells enter in one direction, what is worth taking after any of them counts.
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
    /// The directions worth taking after a step from `from` in `direction`.
    fn after(&self, from: u32, direction: usize) -> u8 {
        let Some(middle) = self.neighbour(from, direction) else { return 0 };
        let worth =
            |next: &usize| self.neighbour(middle, *next).is_some() && !self.is_spared(from, middle, [direction, *next]);
        (0..8).filter(worth).fold(0, |bits, direction| bits | 1 << direction)
    }

    /// Whether the steps from `from` to `middle` and on can always be made for less.
    fn is_spared(&self, from: u32, middle: u32, steps: [usize; 2]) -> bool {
        let to = self.neighbour(middle, steps[1]);
        let turn = turned(steps[1], 8 - steps[0]);
        let aside = |eighths: usize| turned(steps[0], if turn < 4 { eighths } else { 8 - eighths });
        let turning = || [self.step(from, steps[0]), self.step(middle, steps[1])];
        match (steps[0] % 2, turn.min(8 - turn)) {
            (_, 4) => to == Some(from),
            (0, 3) => self.neighbour(from, aside(2)) == to && is_less(&[self.step(from, aside(2))], turning()),
            (1, 3) | (0, 2) => self.neighbour(from, aside(1)) == to && is_less(&[self.step(from, aside(1))], turning()),
            (1, 2) => self.neighbour(from, aside(1)).is_some_and(|between| {
                let straight = [self.step(from, aside(1)), self.step(between, aside(1))];
                self.neighbour(between, aside(1)) == to && is_less(&straight, turning())
            }),
            _ => false,
        }
    }

    fn neighbour(&self, cell: u32, direction: usize) -> Option<u32> {
        Some(self.ground.links[cell as usize][direction]).filter(|to| *to != NONE)
    }

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
    /// What it costs where it leads to a block of that factor, and of that one for turning points.
    fn cost(&self, plain: f64, turning: f64) -> f64 {
        self.seconds * plain * if self.turning { turning } else { 1.0 }
    }
}

/// Whether a way of one or two steps costs less than another of two to the same cell, whatever its blocks cost.
fn is_less(way: &[Step], other: [Step; 2]) -> bool {
    // The last steps lead to one block, where both may be turning points of different ranks. Blocks between are as dear as can be on
    // the one way, and as cheap on the other.
    let between: f64 = way.iter().rev().skip(1).map(|step| step.cost(DEAREST, 1.0)).sum();
    [[1.0, 1.0], [1.0, LEAST], [DEAREST, 1.0], [DEAREST, LEAST]].into_iter().all(|[plain, turning]| {
        let last = way.last().map_or(0.0, |step| step.cost(plain, halved(turning)));
        between + last < (1.0 - MARGIN) * (other[0].cost(1.0, LEAST) + other[1].cost(plain, turning))
    })
}
