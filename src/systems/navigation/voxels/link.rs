//! Eroded floors to a graph of cells.

use glam::DVec2;
use rayon::prelude::*;
use rerecast::CompactHeightfield;

use super::bands::{Band, split};
use super::sample::TopFaces;
use super::speed::Speeds;
use super::{State, VoxelMap, stairs};
use crate::systems::navigation::{Cell, Ground, NONE, STEPS};

/// What one can stand on before it is numbered as ground.
pub(super) type Floors = CompactHeightfield;

/// Directions of the compact field for the four straight entries of `STEPS`.
const STRAIGHT: [u8; 4] = [2, 1, 0, 3];

/// The ground of all spans that are still walkable; writes each span's cell into the map.
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
    // Large levels are large: what is done with makes room for what comes.
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

/// Gives the cells of stairs, and their spans, the slope of the plane through the steps, and the speed for it.
fn slope_stairs(map: &mut VoxelMap, cells: &mut [Cell], links: &[[u32; 8]], speeds: &Speeds) {
    let rises = stairs::rises(stairs::Linked { cells, links, cell: map.settings.cell });
    let limit = map.settings.slope_limit as f32;
    for column in 0..map.starts.len() - 1 {
        for span in map.range(column) {
            let cell = map.spans[span].cell as usize;
            let Some(&[x, z]) = rises.get(cell).filter(|rise| **rise != [0.0; 2]) else { continue };
            // Stairs that can be climbed step by step count as no steeper than what may be walked on.
            let slope = (x * x + z * z).sqrt().atan().to_degrees().min(limit);
            map.spans[span].slope = slope;
            let [speed_up, speed_down] = speeds.at(map, column, span);
            cells[cell] = Cell { slope, stairs: [x, z], speed_up, speed_down, ..cells[cell] };
        }
    }
}

/// The compact field's floors and the cells that they became.
struct NumberedFloors {
    floors: Floors,
    /// The cell of each floor, or [`NONE`].
    cells: Vec<u32>,
    /// Where the cells of each column begin; one more than there are columns.
    starts: Vec<u32>,
}

/// Numbers the spans that are still walkable.
fn numbered(map: &mut VoxelMap, floors: Floors) -> NumberedFloors {
    let (mut starts, mut cells) = (Vec::with_capacity(map.starts.len()), Vec::with_capacity(floors.spans.len()));
    let mut count = 0;
    for column in 0..map.starts.len() - 1 {
        starts.push(count);
        for index in map.range(column) {
            // The floors are numbered like the spans that passed the filters.
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

/// Links cells to those straight beside them, where the link leads back: of two floors that one could step on, the field knows
/// only the lower.
fn link_straight(links: &mut [[u32; 8]], numbered: &NumberedFloors, bands: &[Band]) {
    let NumberedFloors { floors, cells, starts } = numbered;
    let wide = usize::from(floors.width);
    split(links, starts, bands).into_par_iter().zip(bands).for_each(|(links, band)| {
        let places = band.columns.clone().flat_map(|column| {
            let range = floors.cells[column].index_range();
            range.map(move |floor| ([column % wide, column / wide].map(|part| part as i32), floor))
        });
        let standing = places.filter(|(_, floor)| cells[*floor] != NONE);
        for (links, (place, floor)) in links.iter_mut().zip(standing) {
            for (step, direction) in STRAIGHT.into_iter().enumerate() {
                let to = neighbour(floors, place, floor, direction).filter(|(place, to)| {
                    neighbour(floors, *place, *to, (direction + 2) % 4).is_some_and(|(_, back)| back == floor)
                });
                links[2 * step] = to.map_or(NONE, |(_, to)| cells[to]);
            }
        }
    });
}

/// The floor beside another in a direction of the field, and its column.
fn neighbour(floors: &Floors, [x, z]: [i32; 2], floor: usize, direction: u8) -> Option<([i32; 2], usize)> {
    let layer = floors.spans[floor].con(direction)?;
    let (x, z, to) = floors.con_indices(x, z, direction, layer);
    Some(([x, z], to))
}

/// Drops straight links to cells whose surfaces, finer than voxels, are more than the climb apart.
fn drop_high_steps(cells: &[Cell], cell: usize, links: &mut [u32; 8], climb: f64) {
    for step in [0, 2, 4, 6] {
        if links[step] != NONE && !is_climbable(cells, cell, links[step], climb) {
            links[step] = NONE;
        }
    }
}

fn is_climbable(cells: &[Cell], from: usize, to: u32, climb: f64) -> bool {
    // Heights come from single-precision corners.
    (cells[from].height - cells[to as usize].height).abs() <= climb + 1e-4
}

/// The cell that both ways around a corner lead to.
fn diagonal(links: &[[u32; 8]], cell: usize, step: usize) -> Option<u32> {
    let linked_to = |cell: u32, step: usize| Some(links[cell as usize][step]).filter(|&to| to != NONE);
    let (before, after) = (step - 1, (step + 1) % STEPS.len());
    let one = linked_to(linked_to(cell as u32, before)?, after)?;
    let other = linked_to(linked_to(cell as u32, after)?, before)?;
    (one == other).then_some(one)
}
