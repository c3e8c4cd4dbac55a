//! The cell nearest to a place.

use glam::DVec3;

use super::{Ground, NONE};

/// The cell whose middle is nearest to `place`; `None` on empty ground. Of equals the first.
pub fn nearest(ground: &Ground, place: DVec3) -> Option<u32> {
    closest(ground, 0..ground.cells.len() as u32, place)
}

/// The cell nearest to `place` on ground of at least `cells` cells that are linked, no farther than `metres`; `None` where there
/// is no such ground.
pub fn nearest_on_open_ground(ground: &Ground, place: DVec3, cells: usize, metres: f64) -> Option<u32> {
    let sizes = linked_cells(ground);
    let near = |cell: &u32| sizes[*cell as usize] >= cells && ground.place(*cell).distance(place) <= metres;
    closest(ground, (0..ground.cells.len() as u32).filter(near), place)
}

/// For each cell how many can be reached from it or from those that reach it.
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

/// The cell nearest to `place` that can be reached from `from`; at worst `from` itself.
pub(super) fn reachable(ground: &Ground, from: u32, place: DVec3) -> u32 {
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
    closest(ground, reached, place).unwrap_or(from)
}

fn closest(ground: &Ground, cells: impl Iterator<Item = u32>, place: DVec3) -> Option<u32> {
    let away = |cell: u32| ground.place(cell).distance_squared(place);
    // The first of equals: the result depends on the order of the cells alone.
    cells.map(|cell| (away(cell), cell)).min_by(|a, b| a.0.total_cmp(&b.0)).map(|found| found.1)
}
