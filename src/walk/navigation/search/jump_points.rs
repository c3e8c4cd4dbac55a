//! Jump points: on level ground of uniform speed the search expands only cells where a path may bend.
//!
//! Harabor & Grastien, "Online Graph Pruning for Pathfinding on Grid Maps" (AAAI 2011), with the rules that cut no
//! corners. The jump table follows their "Improving Jump Point Search" (ICAPS 2014). Pruning is limited to cells whose
//! eight neighbours are equally level and fast, so it never costs time (Carlson et al., "Optimal Pathfinding on Weighted
//! Grid Maps", AAAI 2023).
//!
//! Varied paths do not use jumps: every block of ground has its own cost, so jumps would have to end at every block
//! border, after at most 10 cells of 0.3 m. Only cells that are plain with their block around could be jumped over. Their
//! share bounds what jumps save; the cells along the borders, which every path crosses, remain. Measured on four levels (a
//! walled yard, a dungeon of flat floors, undulating land, hills with pillars):
//!
//! ```text
//!                                           yard  dungeon  land  hills
//! cells plain with their block around (%)      7       36     0     20
//! expansions saved without variety (%)         3       33     0     13
//! ```
//!
//! On flat grids jumps save 97 % of the expansions, and with blocks at most 64 %: 8² of 10² cells.

use rayon::prelude::*;

use super::super::{Ground, NONE};

/// Per cell and direction, the next cell at which a path may bend, or `NONE`.
pub(super) type Jumps = Vec<[u32; 8]>;

/// Returns the direction of `STEPS` rotated counter-clockwise by `eighths`.
pub(super) fn turned(direction: usize, eighths: usize) -> usize {
    (direction + eighths) % 8
}

/// Returns for each cell true if its surroundings are level, of uniform speed and linked like a plain grid.
pub(super) fn plain(ground: &Ground) -> Vec<bool> {
    (0..ground.cells.len()).into_par_iter().map(|cell| is_plain(ground, cell as u32)).collect()
}
/// True if the surroundings of `cell` are level, of uniform speed and linked like a plain grid.
fn is_plain(ground: &Ground, cell: u32) -> bool {
    let around = &ground.links[cell as usize];
    let link = |from: u32, direction: usize| ground.links[from as usize][direction % 8];
    let mutual = |a: u32, b: u32, direction: usize| link(a, direction) == b && link(b, direction + 4) == a;
    let here = &ground.cells[cell as usize];
    (0..8).filter(|&direction| around[direction] != NONE).all(|direction| {
        let (neighbour, next) = (around[direction], around[turned(direction, 1)]);
        let there = &ground.cells[neighbour as usize];
        let alike = there.height == here.height && there.speed(0.0) == here.speed(0.0) && !there.is_stairs();
        // From a straight direction the adjacent ring step is two eighths on, from a diagonal one three.
        let along = turned(direction, if direction % 2 == 0 { 2 } else { 3 });
        let ring = next == NONE || mutual(neighbour, next, along);
        let across = around[turned(direction, 2)];
        let corner = direction % 2 == 1 || next == NONE || across == NONE || mutual(neighbour, across, direction + 3);
        alike && mutual(cell, neighbour, direction) && ring && corner
    })
}

/// Returns the useful directions from a plain cell that was entered in `direction`, as bits.
pub(super) fn worthwhile(around: &[u32; 8], direction: usize) -> u8 {
    let bit = |eighths: usize| 1u8 << turned(direction, eighths);
    if direction % 2 == 1 {
        return bit(0) | bit(1) | bit(7);
    }
    let forced = |eighths: usize, gains: u8| if around[turned(direction, eighths)] == NONE { gains } else { 0 };
    bit(0) | forced(3, bit(1) | bit(2)) | forced(5, bit(7) | bit(6))
}

/// True if a straight run that enters `cell` in `direction` has to stop there.
pub(super) fn stops(ground: &Ground, plain: bool, cell: u32, direction: usize) -> bool {
    let around = &ground.links[cell as usize];
    let open = (0..8).filter(|&direction| around[direction] != NONE).fold(0u8, |bits, direction| bits | 1 << direction);
    let ahead = 1u8 << direction;
    !plain || worthwhile(around, direction) & open & !ahead != 0
}

/// Returns every jump of `ground`.
pub(super) fn table(ground: &Ground, plain: &[bool]) -> Jumps {
    let mut jumps = vec![[NONE; 8]; ground.cells.len()];
    // Straight jumps come first: a diagonal one ends where a straight one begins.
    for direction in [0, 2, 4, 6, 1, 3, 5, 7] {
        let count = ground.cells.len();
        // Cells are sorted by z, then x, so the first four directions lead to later cells.
        for step in 0..count {
            let cell = if direction < 4 { count - 1 - step } else { step };
            let next = ground.links[cell][direction];
            if next != NONE {
                let there = &jumps[next as usize];
                let halt = if direction % 2 == 0 {
                    stops(ground, plain[next as usize], next, direction)
                } else {
                    let sideways = [there[turned(direction, 1)], there[turned(direction, 7)]];
                    !plain[next as usize] || sideways.iter().any(|&jump| jump != NONE)
                };
                jumps[cell][direction] = if halt { next } else { there[direction] };
            }
        }
    }
    jumps
}
