//! Search data that is computed once per ground.
//!
//! The A* heuristic is the straight distance at the highest speed anywhere. Landmark distances (Goldberg & Harrelson,
//! "Computing the Shortest Path: A* Search Meets Graph Theory", 2005) were measured as an alternative. Eight landmarks
//! still expand 70 % of the cells on hills with pillars, and cost 32 bytes per cell and eight exhaustive searches.

use std::f64::consts::SQRT_2;
use std::sync::Arc;

use rayon::prelude::*;

use super::super::links::Link;
use super::super::{Ground, NONE};
use super::cells::{CellFlags, StepCosts, rank, ranks};
use super::crossings::{Crossings, LinkPreference};
use super::{SearchError, jump_points, turn_pruning};

/// Width of a slope class, degrees. A step to another class is a turning point. Tuned; no derivation recorded.
const CLASS_DEGREES: f32 = 5.0;

/// Speed ratio between neighbouring classes. Tuned; no derivation recorded.
const CLASS_SPEED: f32 = 1.2;

/// Width of a search's buckets, in quickest steps. Tuned; no derivation recorded.
const BUCKET_STEPS: f64 = 0.2;

/// Ground prepared for many searches.
#[derive(Clone, Debug)]
pub struct SearchGraph {
    /// The ground itself.
    pub ground: Arc<Ground>,
    /// Links over obstacles and gaps.
    pub links: Arc<[Link]>,
    /// The links as steps.
    pub(super) crossings: Crossings,
    /// Links and step costs of each cell.
    pub(super) steps: Vec<StepCosts>,
    /// Search flags of each cell.
    pub(super) flags: Vec<CellFlags>,
    /// Slope and speed class of each cell.
    classes: Vec<u32>,
    /// Smallest travel time per column anywhere, seconds.
    pace: f64,
    /// Width of a search bucket, seconds.
    pub(super) grain: f64,
}

impl SearchGraph {
    /// Prepares `ground`, in time and memory proportional to its cells.
    pub fn new(ground: Arc<Ground>) -> Self {
        Self::prepared(ground, Arc::default(), Crossings::default())
    }

    /// Prepares `ground` with links between its cells. Kinds without a preference count with their time.
    ///
    /// Returns `Err` if:
    /// - a link starts or ends at a cell that the ground does not have;
    /// - the factor of a preference is outside 0.1…10.
    pub fn with_links(
        ground: Arc<Ground>,
        links: Arc<[Link]>,
        preferences: &[LinkPreference],
    ) -> Result<Self, SearchError> {
        let cells = ground.cells.len();
        let mut ends = links.iter().flat_map(|link| [link.from, link.to]);
        if let Some(cell) = ends.find(|cell| *cell as usize >= cells) {
            return Err(SearchError::NoSuchCell { cell, cells });
        }
        let crossings = Crossings::new(&links, preferences)?;
        Ok(Self::prepared(ground, links, crossings))
    }

    fn prepared(ground: Arc<Ground>, links: Arc<[Link]>, crossings: Crossings) -> Self {
        let mut plain = jump_points::plain(&ground);
        // A jump must end where a link starts.
        crossings.all().iter().for_each(|crossing| plain[crossing.from as usize] = false);
        let jumps = jump_points::table(&ground, &plain);
        let costs = |(cell, jumps)| StepCosts { jumps, seconds: seconds(&ground, cell as u32) };
        let steps: Vec<StepCosts> = jumps.into_par_iter().enumerate().map(costs).collect();
        let pace = pace(&steps).min(crossing_pace(&ground, &crossings));
        let classes: Vec<u32> = ground.cells.iter().map(class).collect();
        let flag = |(cell, links): (usize, &[u32; 8])| {
            let changes = links.map(|to| if to == NONE { 0.0 } else { change(&ground, &classes, [cell as u32, to]) });
            let far = bits(|direction| links[direction] != steps[cell].jumps[direction]);
            let after = [bits(|direction| links[direction] != NONE); 9];
            let column = ground.cells[cell].column.map(|part| part as f32);
            CellFlags { column, after, plain: plain[cell], crosses: false, far, turning: ranks(changes) }
        };
        let mut flags: Vec<CellFlags> = ground.links.par_iter().enumerate().map(flag).collect();
        turn_pruning::prune(&ground, &steps, &mut flags);
        crossings.all().iter().for_each(|crossing| flags[crossing.from as usize].crosses = true);
        Self { steps, flags, classes, pace, grain: pace * BUCKET_STEPS, ground, links, crossings }
    }

    /// Returns the size of its cells, steps and links, in bytes.
    pub fn bytes(&self) -> usize {
        let ground = size_of_val(&self.ground.cells[..]) + size_of_val(&self.ground.links[..]);
        let search = size_of_val(&self.steps[..]) + size_of_val(&self.flags[..]) + size_of_val(&self.classes[..]);
        ground + search + size_of_val(&self.links[..])
    }

    /// True if the step from `from` to `to` is a turning point, that is, leads to another class of slope or speed.
    pub fn turns(&self, from: u32, to: u32) -> bool {
        self.classes[from as usize] != self.classes[to as usize]
    }

    /// Returns the cells on which the links from a cell land.
    pub(in super::super) fn landings(&self, cell: u32) -> impl Iterator<Item = u32> {
        self.crossings.from(cell).iter().map(|crossing| crossing.to)
    }

    /// Returns the rank of the change at the step from `from` in `direction`: 1 is the largest from there, 0 is no
    /// change.
    pub(super) fn rank(&self, from: u32, direction: usize) -> usize {
        rank(self.flags[from as usize].turning, direction)
    }

    /// Returns the column of a cell along x and z.
    #[inline]
    pub(super) fn column(&self, cell: u32) -> [f32; 2] {
        self.flags[cell as usize].column
    }

    /// Returns a lower bound of the travel time between two columns, seconds.
    #[inline]
    pub(super) fn least(&self, from: [f32; 2], to: [f32; 2]) -> f64 {
        columns_apart(from, to) * self.pace
    }
}

/// Returns the length of the shortest way over free columns, in columns.
#[inline]
fn columns_apart(from: [f32; 2], to: [f32; 2]) -> f64 {
    let (x, z) = (f64::from((from[0] - to[0]).abs()), f64::from((from[1] - to[1]).abs()));
    x.max(z) + (SQRT_2 - 1.0) * x.min(z)
}

/// Returns the smallest cost per column of a crossing, seconds; infinite without crossings.
fn crossing_pace(ground: &Ground, crossings: &Crossings) -> f64 {
    let column = |cell: u32| ground.cells[cell as usize].column.map(|part| part as f32);
    let paces = crossings.all().iter().map(|crossing| {
        let columns = columns_apart(column(crossing.from), column(crossing.to));
        if columns > 0.0 { crossing.cost / columns } else { f64::INFINITY }
    });
    // Slightly below exact, so that rounding never overestimates.
    paces.fold(f64::INFINITY, f64::min) * (1.0 - 1e-12)
}

/// Returns the directions for which `is` is true, as bits.
fn bits(is: impl Fn(usize) -> bool) -> u8 {
    (0..8).filter(|direction| is(*direction)).fold(0, |bits, direction| bits | 1 << direction)
}

/// Returns the smallest travel time per column, seconds.
fn pace(steps: &[StepCosts]) -> f64 {
    let columns = |direction: usize| if direction.is_multiple_of(2) { 1.0 } else { SQRT_2 };
    let quickest = |step: &StepCosts| {
        let paces =
            step.seconds.iter().enumerate().map(|(direction, seconds)| f64::from(*seconds) / columns(direction));
        paces.fold(f64::INFINITY, f64::min)
    };
    let pace = steps.par_iter().map(quickest).reduce(|| f64::INFINITY, f64::min);
    // Slightly below exact, so that rounding never overestimates.
    if pace.is_finite() { pace * (1.0 - 1e-12) } else { 1.0 }
}

/// Returns the travel time of the step in each direction, seconds.
fn seconds(ground: &Ground, cell: u32) -> [f32; 8] {
    let seconds = |to: u32| if to == NONE { f32::INFINITY } else { ground.seconds(cell, to) as f32 };
    ground.links[cell as usize].map(seconds)
}

/// Returns the size of the change at a step: slope difference in degrees, plus a class width per class of speed. 0
/// within a class.
fn change(ground: &Ground, classes: &[u32], step: [u32; 2]) -> f32 {
    let [a, b] = step.map(|cell| classes[cell as usize]);
    if a == b {
        return 0.0;
    }
    let [from, to] = step.map(|cell| ground.cells[cell as usize].slope);
    (from - to).abs() + CLASS_DEGREES * (a & 0xffff).abs_diff(b & 0xffff) as f32
}
/// Returns the class of a cell: slope class in the upper 16 bits, speed class in the lower.
fn class(cell: &super::super::Cell) -> u32 {
    let slope = (cell.slope / CLASS_DEGREES).floor() as i32;
    let speed = ((cell.speed(0.0) as f32).ln() / CLASS_SPEED.ln()).round() as i32;
    (slope.clamp(0, 255) as u32) << 16 | (speed + 0x4000).clamp(0, 0x7fff) as u32
}
