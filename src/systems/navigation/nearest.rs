//! The cell nearest to a place.

use glam::DVec3;

use super::{Ground, NONE};

/// The cell whose middle is nearest to `place`; `None` on empty ground. Of equals the first.
pub fn nearest(ground: &Ground, place: DVec3) -> Option<u32> {
    closest(ground, 0..ground.cells.len() as u32, place)
}

/// The cell nearest to `place` that can be reached from `from`; at worst `from` itself.
pub fn reachable(ground: &Ground, from: u32, place: DVec3) -> u32 {
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
