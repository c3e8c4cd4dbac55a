//! Eroded floors to a graph of cells.

use glam::DVec2;
use rerecast::CompactHeightfield;

use super::sample::Surfaces;
use super::speed::Speeds;
use super::{State, VoxelMap};
use crate::systems::pathing::{Cell, Ground, NONE, STEPS};

/// What one can stand on before it is numbered as ground.
pub(super) type Floors = CompactHeightfield;

/// Directions of the compact field for the four straight entries of `STEPS`.
const STRAIGHT: [u8; 4] = [2, 1, 0, 3];

/// The ground of all spans that are still walkable; writes each span's cell into the map.
pub(super) fn ground(map: &mut VoxelMap, floors: &Floors, surfaces: &Surfaces, speeds: &Speeds) -> Ground {
    let mut ground = Ground {
        cell: map.settings.cell,
        origin: DVec2::new(map.origin.x, map.origin.z),
        columns: map.columns,
        starts: Vec::with_capacity(map.starts.len()),
        ..Ground::default()
    };
    // The floors are numbered like the spans that passed the filters.
    let mut of_floor = Vec::with_capacity(floors.spans.len());
    for column in 0..map.starts.len() - 1 {
        ground.starts.push(ground.cells.len() as u32);
        for index in map.range(column) {
            let span = map.spans[index];
            if !matches!(span.state, State::Walkable | State::Radius | State::Blocked) {
                continue;
            }
            let walkable = span.state == State::Walkable;
            of_floor.push(if walkable { ground.cells.len() as u32 } else { NONE });
            if walkable {
                map.spans[index].cell = ground.cells.len() as u32;
                let [speed_up, speed_down] = speeds.at(map, column, index);
                let column = [column as u32 % map.columns[0], column as u32 / map.columns[0]];
                let height = surfaces.height(map, index);
                ground.cells.push(Cell { column, height, slope: span.slope, speed_up, speed_down });
            }
        }
    }
    ground.starts.push(ground.cells.len() as u32);
    ground.links = links(&ground, floors, &of_floor, map.settings.climb);
    ground
}

fn links(ground: &Ground, floors: &Floors, of_floor: &[u32], climb: f64) -> Vec<[u32; 8]> {
    let mut links = vec![[NONE; 8]; ground.cells.len()];
    for (floor, &cell) in of_floor.iter().enumerate().filter(|&(_, &cell)| cell != NONE) {
        for (step, direction) in STRAIGHT.into_iter().enumerate() {
            links[cell as usize][2 * step] = straight(ground, floors, of_floor, (floor, direction));
        }
    }
    keep_two_way(&mut links);
    drop_high_steps(ground, &mut links, climb);
    for cell in 0..links.len() {
        for step in [1, 3, 5, 7] {
            links[cell][step] =
                diagonal(&links, cell, step).filter(|&to| is_climbable(ground, cell, to, climb)).unwrap_or(NONE);
        }
    }
    links
}

/// The cell beside a floor in a direction of the compact field.
fn straight(ground: &Ground, floors: &Floors, of_floor: &[u32], (floor, direction): (usize, u8)) -> u32 {
    let Some(layer) = floors.spans[floor].con(direction) else { return NONE };
    let [x, z] = ground.cells[of_floor[floor] as usize].column.map(|at| at as i32);
    let (_, _, to) = floors.con_indices(x, z, direction, layer);
    of_floor[to]
}

/// Drops straight links that do not lead back: of two floors that one could step on, the field knows only the lower.
fn keep_two_way(links: &mut [[u32; 8]]) {
    for cell in 0..links.len() {
        for step in [0, 2, 4, 6] {
            let to = links[cell][step];
            if to != NONE && links[to as usize][(step + 4) % 8] != cell as u32 {
                links[cell][step] = NONE;
            }
        }
    }
}

/// Drops straight links between cells whose surfaces, finer than voxels, are more than the climb apart.
fn drop_high_steps(ground: &Ground, links: &mut [[u32; 8]], climb: f64) {
    for (cell, links) in links.iter_mut().enumerate() {
        for step in [0, 2, 4, 6] {
            if links[step] != NONE && !is_climbable(ground, cell, links[step], climb) {
                links[step] = NONE;
            }
        }
    }
}

fn is_climbable(ground: &Ground, from: usize, to: u32, climb: f64) -> bool {
    // Heights come from single-precision corners.
    (ground.cells[from].height - ground.cells[to as usize].height).abs() <= climb + 1e-4
}

/// The cell that both ways around a corner lead to.
fn diagonal(links: &[[u32; 8]], cell: usize, step: usize) -> Option<u32> {
    let follow = |cell: u32, step: usize| Some(links[cell as usize][step]).filter(|&to| to != NONE);
    let (before, after) = (step - 1, (step + 1) % STEPS.len());
    let one = follow(follow(cell as u32, before)?, after)?;
    let other = follow(follow(cell as u32, after)?, before)?;
    (one == other).then_some(one)
}
