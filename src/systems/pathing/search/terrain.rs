//! What a search needs to know of ground, worked out once per ground.

use std::sync::Arc;

use rayon::prelude::*;

use super::super::{Ground, NONE};
use super::jump::{self, Jumps};

/// Width of a class of slope, degrees; ground that changes its class is a turning point.
const CLASS_DEGREES: f32 = 5.0;

/// Ratio of two speeds that are a class apart.
const CLASS_SPEED: f32 = 1.2;

/// Ground made ready to be searched many times.
#[derive(Clone, Debug)]
pub struct Terrain {
    /// The ground itself.
    pub ground: Arc<Ground>,
    /// Seconds of every step, infinite where there is none.
    pub(super) costs: Vec<[f32; 8]>,
    /// Which jumps lead on from a cell.
    pub(super) jumps: Jumps,
    /// Cells with level, even ground all around.
    pub(super) plain: Vec<bool>,
    /// Slope and speed of cells in classes.
    pub(super) classes: Vec<u32>,
    /// The least seconds a metre can take anywhere.
    pub(super) pace: f64,
}

impl Terrain {
    /// Prepares `ground`; takes time and memory in proportion to its cells.
    pub fn new(ground: Arc<Ground>) -> Self {
        let plain = jump::plain(&ground);
        let jumps = jump::table(&ground, &plain);
        let costs = (0..ground.cells.len()).into_par_iter().map(|cell| steps(&ground, cell as u32)).collect();
        let fastest = ground.cells.iter().fold(0.0f32, |most, it| most.max(it.speed_up).max(it.speed_down));
        let classes = ground.cells.iter().map(class).collect();
        Self { costs, jumps, plain, classes, pace: 1.0 / f64::from(fastest), ground }
    }

    /// Whether the step from `from` to `to` is a turning point: it leads to ground of another slope or speed.
    pub fn turns(&self, from: u32, to: u32) -> bool {
        self.classes[from as usize] != self.classes[to as usize]
    }

    /// No way between two columns is quicker than this, seconds.
    pub(super) fn least(&self, from: [u32; 2], to: [u32; 2]) -> f64 {
        let (x, z) = (f64::from(from[0].abs_diff(to[0])), f64::from(from[1].abs_diff(to[1])));
        let columns = x.max(z) + (std::f64::consts::SQRT_2 - 1.0) * x.min(z);
        // A hair less than exact, so that rounded costs never make it too much.
        columns * self.ground.cell * self.pace * (1.0 - 1e-6)
    }
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
