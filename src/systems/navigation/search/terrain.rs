//! What a search needs to know of ground, worked out once per ground.
//!
//! The estimate of what is left of a way is the straight one at the best pace anywhere. Distances from landmarks (Goldberg &
//! Harrelson, "Computing the Shortest Path: A* Search Meets Graph Theory", 2005) were measured beside it: eight of them still
//! leave 70 % of the cells to be looked at on hills with pillars, for 32 bytes a cell and eight exhaustive searches in advance.

use std::f64::consts::SQRT_2;
use std::sync::Arc;

use rayon::prelude::*;

use super::super::{Ground, NONE};
use super::{detour, jump};

/// Width of a class of slope, degrees; ground that changes its class is a turning point.
const CLASS_DEGREES: f32 = 5.0;

/// Ratio of two speeds that are a class apart.
const CLASS_SPEED: f32 = 1.2;

/// Width of a search's buckets, in quickest steps.
const GRAIN: f64 = 0.2;

/// Ground made ready to be searched many times.
#[derive(Clone, Debug)]
pub struct Terrain {
    /// The ground itself.
    pub ground: Arc<Ground>,
    /// Where each cell leads.
    pub(super) exits: Vec<Exits>,
    /// What kind of ground each cell is.
    pub(super) marks: Vec<Marks>,
    /// Slope and speed of cells in classes.
    classes: Vec<u32>,
    /// The least seconds a step along one column can take anywhere.
    pace: f64,
    /// Seconds that a search need not tell apart before it has to.
    pub(super) grain: f64,
}

/// Where a cell leads in each direction; one line of the processor's cache.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
pub(super) struct Exits {
    /// The cell where a jump ends, or `NONE`.
    pub(super) jumps: [u32; 8],
    /// Seconds of a single step, infinite where there is none.
    pub(super) seconds: [f32; 8],
}

/// What kind of ground a cell is; kept together, since waiting for memory is most of a search.
#[derive(Clone, Copy, Debug)]
pub(super) struct Marks {
    /// Column along x and z.
    pub(super) column: [f32; 2],
    /// Directions worth taking next, as bits, by the direction in which the cell was entered; the last for ways that begin.
    pub(super) after: [u8; 9],
    /// Whether the ground is level and even all around.
    pub(super) plain: bool,
    /// Directions in which a jump is not just a step, as bits.
    pub(super) far: u8,
    /// Directions of steps that are turning points, as bits.
    pub(super) turning: u8,
}

impl Terrain {
    /// Prepares `ground`; takes time and memory in proportion to its cells.
    pub fn new(ground: Arc<Ground>) -> Self {
        let plain = jump::plain(&ground);
        let jumps = jump::table(&ground, &plain);
        let exits = jumps.into_par_iter().enumerate();
        let exits: Vec<Exits> =
            exits.map(|(cell, jumps)| Exits { jumps, seconds: steps(&ground, cell as u32) }).collect();
        let pace = pace(&exits);
        let classes: Vec<u32> = ground.cells.iter().map(class).collect();
        let mark = |(cell, links): (usize, &[u32; 8])| {
            let turns = |it: usize| links[it] != NONE && classes[links[it] as usize] != classes[cell];
            let far = bits(|it| links[it] != exits[cell].jumps[it]);
            let after = [bits(|it| links[it] != NONE); 9];
            let column = ground.cells[cell].column.map(|it| it as f32);
            Marks { column, after, plain: plain[cell], far, turning: bits(turns) }
        };
        let mut marks: Vec<Marks> = ground.links.par_iter().enumerate().map(mark).collect();
        detour::prune(&ground, &exits, &mut marks);
        Self { exits, marks, classes, pace, grain: pace * GRAIN, ground }
    }

    /// Whether the step from `from` to `to` is a turning point: it leads to ground of another slope or speed.
    pub fn turns(&self, from: u32, to: u32) -> bool {
        self.classes[from as usize] != self.classes[to as usize]
    }

    /// Column of a cell along x and z.
    #[inline]
    pub(super) fn column(&self, cell: u32) -> [f32; 2] {
        self.marks[cell as usize].column
    }

    /// No way between two columns is quicker than this, seconds.
    #[inline]
    pub(super) fn least(&self, from: [f32; 2], to: [f32; 2]) -> f64 {
        let (x, z) = (f64::from((from[0] - to[0]).abs()), f64::from((from[1] - to[1]).abs()));
        (x.max(z) + (SQRT_2 - 1.0) * x.min(z)) * self.pace
    }
}

/// The directions for which `is` holds.
fn bits(is: impl Fn(usize) -> bool) -> u8 {
    (0..8).filter(|it| is(*it)).fold(0, |bits, it| bits | 1 << it)
}

/// Seconds of the quickest step, by columns.
fn pace(exits: &[Exits]) -> f64 {
    let columns = |direction: usize| if direction.is_multiple_of(2) { 1.0 } else { SQRT_2 };
    let quickest = |it: &Exits| {
        let paces = it.seconds.iter().enumerate().map(|(direction, it)| f64::from(*it) / columns(direction));
        paces.fold(f64::INFINITY, f64::min)
    };
    let pace = exits.par_iter().map(quickest).reduce(|| f64::INFINITY, f64::min);
    // A hair less than exact, so that rounding never makes it too much.
    if pace.is_finite() { pace * (1.0 - 1e-12) } else { 1.0 }
}

fn steps(ground: &Ground, cell: u32) -> [f32; 8] {
    let seconds = |to: u32| if to == NONE { f32::INFINITY } else { ground.seconds(cell, to) as f32 };
    ground.links[cell as usize].map(seconds)
}

fn class(cell: &super::super::Cell) -> u32 {
    let slope = (cell.slope / CLASS_DEGREES).floor() as i32;
    let speed = ((cell.speed(0.0) as f32).ln() / CLASS_SPEED.ln()).round() as i32;
    (slope.clamp(0, 255) as u32) << 16 | (speed + 0x4000).clamp(0, 0x7fff) as u32
}
