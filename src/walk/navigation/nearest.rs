//! Search for the cell nearest to a position.

use glam::DVec3;

use super::{Ground, NONE};

/// Returns the cell whose centre is nearest to `position`, the first of equals; `None` on empty ground.
pub fn nearest(ground: &Ground, position: DVec3) -> Option<u32> {
    closest(ground, 0..ground.cells.len() as u32, position)
}

/// Returns the nearest cell within `metres` that belongs to at least `cells` linked cells; `None` if there is none.
pub fn nearest_on_open_ground(ground: &Ground, position: DVec3, cells: usize, metres: f64) -> Option<u32> {
    let sizes = linked_cells(ground);
    let is_candidate =
        |cell: &u32| sizes[*cell as usize] >= cells && ground.position(*cell).distance(position) <= metres;
    closest(ground, (0..ground.cells.len() as u32).filter(is_candidate), position)
}

/// Returns for each cell the size of its connected ground, which it reaches or from which it is reached.
fn linked_cells(ground: &Ground) -> Vec<usize> {
    let mut islands: Vec<usize> = vec![usize::MAX; ground.cells.len()];
    let mut sizes: Vec<usize> = Vec::new();
    for first in 0..ground.cells.len() {
        if islands[first] != usize::MAX {
            continue;
        }
        let island = sizes.len();
        let (mut size, mut open) = (0, vec![first]);
        islands[first] = island;
        while let Some(cell) = open.pop() {
            size += 1;
            for &next in ground.links[cell].iter().filter(|next| **next != NONE) {
                if islands[next as usize] == usize::MAX {
                    islands[next as usize] = island;
                    open.push(next as usize);
                }
            }
        }
        sizes.push(size);
    }
    islands.into_iter().map(|island| sizes[island]).collect()
}

/// Returns the cell nearest to `position` that is reachable from `from`; at worst `from` itself.
pub(super) fn reachable(ground: &Ground, from: u32, position: DVec3) -> u32 {
    let mut reached = vec![false; ground.cells.len()];
    let mut open = vec![from];
    reached[from as usize] = true;
    while let Some(cell) = open.pop() {
        for &next in ground.links[cell as usize].iter().filter(|next| **next != NONE) {
            if !std::mem::replace(&mut reached[next as usize], true) {
                open.push(next);
            }
        }
    }
    let reached = (0..ground.cells.len() as u32).filter(|cell| reached[*cell as usize]);
    closest(ground, reached, position).unwrap_or(from)
}
/// Returns the one of `cells` whose centre is nearest to `position`.
fn closest(ground: &Ground, cells: impl Iterator<Item = u32>, position: DVec3) -> Option<u32> {
    let distance = |cell: u32| ground.position(cell).distance_squared(position);
    // The first of equals, so the result depends only on the order of the cells.
    cells.map(|cell| (distance(cell), cell)).min_by(|a, b| a.0.total_cmp(&b.0)).map(|found| found.1)
}
