//! Jump points: over level ground of one speed only the cells where the way may need to bend are looked at.
//!
//! Harabor & Grastien, "Online Graph Pruning for Pathfinding on Grid Maps" (AAAI 2011), with the rules that cut no corners;
//! the table of every jump follows their "Improving Jump Point Search" (ICAPS 2014). Pruning is kept to cells whose eight
//! neighbours are as level and as fast as they are, as in Carlson et al., "Optimal Pathfinding on Weighted Grid Maps"
//! (AAAI 2023), so that it never costs a second.
//!
//! Ways with variety do without: every block of ground has its own cost there, so that jumps would have to end at every
//! border of a block. Of the cells of four levels (a walled yard, a dungeon of flat floors, undulating land, hills with
//! pillars) 7, 36, 0 and 20 % are plain with their whole neighbourhood in one block, and only those could be skipped; without
//! variety jumps spare 3, 33, 0 and 13 % of the cells looked at there, against 97 % on flat grids.

use rayon::prelude::*;

use super::super::{Ground, NONE};

/// Per cell and direction the next cell at which a way may bend, or `NONE` where there is none.
pub(super) type Jumps = Vec<[u32; 8]>;

/// Direction of `STEPS`, turned by eighths counter-clockwise.
pub(super) fn turned(direction: usize, eighths: usize) -> usize {
    (direction + eighths) % 8
}

/// Whether the ground around every cell is level, of one speed and linked like a plain grid.
pub(super) fn plain(ground: &Ground) -> Vec<bool> {
    (0..ground.cells.len()).into_par_iter().map(|cell| is_plain(ground, cell as u32)).collect()
}

fn is_plain(ground: &Ground, cell: u32) -> bool {
    let around = &ground.links[cell as usize];
    let link = |from: u32, direction: usize| ground.links[from as usize][direction % 8];
    let mutual = |a: u32, b: u32, direction: usize| link(a, direction) == b && link(b, direction + 4) == a;
    let here = &ground.cells[cell as usize];
    (0..8).filter(|&direction| around[direction] != NONE).all(|direction| {
        let (beside, next) = (around[direction], around[turned(direction, 1)]);
        let there = &ground.cells[beside as usize];
        let alike = there.height == here.height && there.speed(0.0) == here.speed(0.0) && !there.is_stairs();
        // On an even direction the next neighbour lies two eighths on, on an odd one three.
        let along = turned(direction, if direction % 2 == 0 { 2 } else { 3 });
        let ring = next == NONE || mutual(beside, next, along);
        let across = around[turned(direction, 2)];
        let corner = direction % 2 == 1 || next == NONE || across == NONE || mutual(beside, across, direction + 3);
        alike && mutual(cell, beside, direction) && ring && corner
    })
}

/// The directions worth taking from a plain cell that was entered in `direction`, as bits.
pub(super) fn worthwhile(around: &[u32; 8], direction: usize) -> u8 {
    let bit = |eighths: usize| 1u8 << turned(direction, eighths);
    if direction % 2 == 1 {
        return bit(0) | bit(1) | bit(7);
    }
    let forced = |eighths: usize, gains: u8| if around[turned(direction, eighths)] == NONE { gains } else { 0 };
    bit(0) | forced(3, bit(1) | bit(2)) | forced(5, bit(7) | bit(6))
}

/// Whether a way that enters `cell` straight in `direction` has to be thought over there.
pub(super) fn stops(ground: &Ground, plain: bool, cell: u32, direction: usize) -> bool {
    let around = &ground.links[cell as usize];
    let open = (0..8).filter(|&direction| around[direction] != NONE).fold(0u8, |bits, direction| bits | 1 << direction);
    let ahead = 1u8 << direction;
    !plain || worthwhile(around, direction) & open & !ahead != 0
}

/// Every jump of `ground`.
pub(super) fn table(ground: &Ground, plain: &[bool]) -> Jumps {
    let mut jumps = vec![[NONE; 8]; ground.cells.len()];
    // Straight jumps first: a diagonal one ends where a straight one begins.
    for direction in [0, 2, 4, 6, 1, 3, 5, 7] {
        let count = ground.cells.len();
        // Cells are ordered by z, then x, so that the first four directions lead to later cells.
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
