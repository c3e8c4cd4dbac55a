//! Conversion of eroded floors to a graph of cells.

use glam::DVec2;
use rayon::prelude::*;

use super::floors::Floors;
use super::spans::bands::{Band, split};
use super::surface::sample::TopFaces;
use super::surface::speed::Speeds;
use super::surface::stairs;
use super::{State, VoxelMap};
use crate::navigation::{Cell, Ground, NONE, STEPS};

/// Directions of floors for the four straight entries of `STEPS`.
const STRAIGHT: [usize; 4] = [2, 1, 0, 3];

/// Returns the ground of all walkable spans, and writes each span's cell into the map.
pub(super) fn ground(
    map: &mut VoxelMap,
    floors: Floors,
    bands: &[Band],
    surfaces: &TopFaces,
    speeds: &Speeds,
) -> Ground {
    let numbered = numbered(map, floors);
    let count = numbered.starts.last().map_or(0, |start| *start as usize);
    let mut links = vec![[NONE; 8]; count];
    link_straight(&mut links, &numbered, bands);
    // Free memory early, as levels can be large.
    let NumberedFloors { floors, cells: of_floor, starts } = numbered;
    drop((floors, of_floor));
    let mut cells = vec![Cell::default(); count];
    make_cells(&mut cells, map, &starts, bands, |column, span| {
        let [speed_up, speed_down] = speeds.at(map, column, span);
        let height = surfaces.height(map, span);
        let column = [column as u32 % map.columns[0], column as u32 / map.columns[0]];
        Cell { column, height, slope: map.spans[span].slope, speed_up, speed_down, ..Cell::default() }
    });
    let climb = map.settings.climb;
    links.par_iter_mut().enumerate().for_each(|(cell, links)| drop_high_steps(&cells, cell, links, climb));
    for cell in 0..links.len() {
        for step in [1, 3, 5, 7] {
            let to = diagonal(&links, cell, step).filter(|&to| is_climbable(&cells, cell, to, climb));
            links[cell][step] = to.unwrap_or(NONE);
        }
    }
    slope_stairs(map, &mut cells, &links, speeds);
    let origin = DVec2::new(map.origin.x, map.origin.z);
    Ground { cell: map.settings.cell, origin, columns: map.columns, starts, cells, links }
}

/// Sets slope, gradient and speeds of stair cells, and the slope of their spans, from the plane through the steps. The slope
/// is in degrees and at most the slope limit.
fn slope_stairs(map: &mut VoxelMap, cells: &mut [Cell], links: &[[u32; 8]], speeds: &Speeds) {
    let rises = stairs::rises(stairs::Linked { cells, links, cell: map.settings.cell });
    let limit = map.settings.slope_limit as f32;
    for column in 0..map.starts.len() - 1 {
        for span in map.range(column) {
            let cell = map.spans[span].cell as usize;
            let Some(&[x, z]) = rises.get(cell).filter(|rise| **rise != [0.0; 2]) else { continue };
            // Stairs that can be climbed step by step count as no steeper than the slope limit.
            let slope = (x * x + z * z).sqrt().atan().to_degrees().min(limit);
            map.spans[span].slope = slope;
            let [speed_up, speed_down] = speeds.at(map, column, span);
            cells[cell] = Cell { slope, stairs: [x, z], speed_up, speed_down, ..cells[cell] };
        }
    }
}

/// Floors and their cells.
struct NumberedFloors {
    floors: Floors,
    /// The cell of each floor, or [`NONE`].
    cells: Vec<u32>,
    /// Index of each column's first cell, with one final entry.
    starts: Vec<u32>,
}

/// Numbers the walkable spans and writes these cell indices into `map`.
fn numbered(map: &mut VoxelMap, floors: Floors) -> NumberedFloors {
    let (mut starts, mut cells) = (Vec::with_capacity(map.starts.len()), Vec::with_capacity(floors.links.len()));
    let mut count = 0;
    for column in 0..map.starts.len() - 1 {
        starts.push(count);
        for index in map.range(column) {
            // Floors are numbered like the spans that passed the filters.
            let span = &mut map.spans[index];
            match span.state {
                State::Walkable => {
                    (span.cell, count) = (count, count + 1);
                    cells.push(span.cell);
                }
                State::Radius | State::Blocked => cells.push(NONE),
                State::Steep | State::Ceiling | State::Ledge => {}
            }
        }
    }
    starts.push(count);
    NumberedFloors { floors, cells, starts }
}
/// Fills `cells` with the result of `make` for each walkable span, given its column and index.
fn make_cells(
    cells: &mut [Cell],
    map: &VoxelMap,
    starts: &[u32],
    bands: &[Band],
    make: impl Fn(usize, usize) -> Cell + Sync,
) {
    split(cells, starts, bands).into_par_iter().zip(bands).for_each(|(cells, band)| {
        let spans = band.columns.clone().flat_map(|column| map.range(column).map(move |span| (column, span)));
        let standing = spans.filter(|(_, span)| map.spans[*span].cell != NONE);
        cells.iter_mut().zip(standing).for_each(|(cell, (column, span))| *cell = make(column, span));
    });
}

/// Links cells to straight neighbours if the link is mutual: of two floors that one could step on, each links only to
/// the lower.
fn link_straight(links: &mut [[u32; 8]], numbered: &NumberedFloors, bands: &[Band]) {
    let NumberedFloors { floors, cells, starts } = numbered;
    split(links, starts, bands).into_par_iter().zip(bands).for_each(|(links, band)| {
        let within = floors.starts[band.columns.start] as usize..floors.starts[band.columns.end] as usize;
        let standing = within.filter(|floor| cells[*floor] != NONE);
        for (links, floor) in links.iter_mut().zip(standing) {
            for (step, direction) in STRAIGHT.into_iter().enumerate() {
                let to = floors.links[floor][direction];
                let leads_back = to != NONE && floors.links[to as usize][(direction + 2) % 4] == floor as u32;
                links[2 * step] = if leads_back { cells[to as usize] } else { NONE };
            }
        }
    });
}

/// Removes straight links to cells whose surface heights, finer than voxels, differ by more than `climb`
/// metres.
fn drop_high_steps(cells: &[Cell], cell: usize, links: &mut [u32; 8], climb: f64) {
    for step in [0, 2, 4, 6] {
        if links[step] != NONE && !is_climbable(cells, cell, links[step], climb) {
            links[step] = NONE;
        }
    }
}

/// True if the heights of two cells differ by at most `climb` metres.
fn is_climbable(cells: &[Cell], from: usize, to: u32, climb: f64) -> bool {
    // Heights come from single-precision vertices.
    (cells[from].height - cells[to as usize].height).abs() <= climb + 1e-4
}

/// Returns the cell that both paths around a corner lead to; `None` if they do not meet. `step` is a diagonal entry of
/// `STEPS`.
fn diagonal(links: &[[u32; 8]], cell: usize, step: usize) -> Option<u32> {
    let linked_to = |cell: u32, step: usize| Some(links[cell as usize][step]).filter(|&to| to != NONE);
    let (before, after) = (step - 1, (step + 1) % STEPS.len());
    let first_path = linked_to(linked_to(cell as u32, before)?, after)?;
    let second_path = linked_to(linked_to(cell as u32, after)?, before)?;
    (first_path == second_path).then_some(first_path)
}
