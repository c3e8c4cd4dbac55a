//! Search for the cell nearest to a position.

use std::collections::HashMap;

use glam::DVec3;

use super::search::SearchGraph;
use super::{Ground, NONE};

/// Returns the cell whose centre is nearest to `position`, the first of equals; `None` on empty ground.
pub fn nearest(ground: &Ground, position: DVec3) -> Option<u32> {
    closest(ground, 0..ground.cells.len() as u32, position)
}

/// The cells of ground that is large enough to stand on, found once for all stops.
#[derive(Debug)]
pub struct OpenGround<'a> {
    ground: &'a Ground,
    /// For each cell, true if it belongs to enough linked cells.
    is_open: Vec<bool>,
}

impl<'a> OpenGround<'a> {
    /// Finds the cells of `ground` that belong to at least `cells` linked cells.
    pub fn find(ground: &'a Ground, cells: usize) -> Self {
        Self { ground, is_open: linked_cells(ground).into_iter().map(|size| size >= cells).collect() }
    }

    /// Returns the open cell nearest to `position` within `metres`; `None` if there is none.
    pub fn nearest(&self, position: DVec3, metres: f64) -> Option<u32> {
        let Self { ground, is_open } = self;
        let is_candidate = |cell: &u32| is_open[*cell as usize] && ground.position(*cell).distance(position) <= metres;
        closest(ground, ground.within(position, metres).filter(is_candidate), position)
    }
}

/// Finder of the nearest of a list of cells, for many positions.
#[derive(Debug)]
pub struct NearestOf<'a> {
    ground: &'a Ground,
    cells: &'a [u32],
    /// Indices into `cells` by column, ascending.
    of_column: HashMap<[u32; 2], Vec<u32>>,
}

impl<'a> NearestOf<'a> {
    /// Prepares the search among `cells`.
    pub fn new(ground: &'a Ground, cells: &'a [u32]) -> Self {
        let mut of_column: HashMap<[u32; 2], Vec<u32>> = HashMap::new();
        for (index, &cell) in cells.iter().enumerate() {
            of_column.entry(ground.cells[cell as usize].column).or_default().push(index as u32);
        }
        Self { ground, cells, of_column }
    }

    /// Returns the cell whose centre is nearest to `position`, the first of equals; `None` without cells.
    pub fn at(&self, position: DVec3) -> Option<u32> {
        let distance = |index: &u32| self.ground.position(self.cells[*index as usize]).distance_squared(position);
        let first_nearest = |indices: &mut dyn Iterator<Item = u32>| {
            indices.map(|index| (distance(&index), index)).min_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)))
        };
        let mut best: Option<(f64, u32)> = None;
        for ring in 0.. {
            // A ring with more columns than there are cells costs more than comparing all cells.
            if 8 * ring as usize > self.cells.len() {
                best = first_nearest(&mut (0..self.cells.len() as u32));
                break;
            }
            let columns = self.ground.ring(position, ring);
            let in_ring =
                first_nearest(&mut columns.filter_map(|column| self.of_column.get(&column)).flatten().copied());
            best = first_nearest(&mut [best, in_ring].into_iter().flatten().map(|found| found.1));
            // A centre in the next ring is at least `ring` and a half columns away.
            let reach = (f64::from(ring) + 0.5) * self.ground.cell;
            if best.is_some_and(|(distance, _)| distance < reach * reach) {
                break;
            }
        }
        best.map(|(_, index)| self.cells[index as usize])
    }
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

/// Returns the cell nearest to `position` that is reachable from `from` by steps and links; at worst `from` itself.
pub(super) fn reachable(graph: &SearchGraph, from: u32, position: DVec3) -> u32 {
    let ground = &*graph.ground;
    let mut reached = vec![false; ground.cells.len()];
    let mut open = vec![from];
    reached[from as usize] = true;
    while let Some(cell) = open.pop() {
        let steps = ground.links[cell as usize].into_iter().filter(|next| *next != NONE);
        for next in steps.chain(graph.landings(cell)) {
            if !std::mem::replace(&mut reached[next as usize], true) {
                open.push(next);
            }
        }
    }
    let reached = (0..ground.cells.len() as u32).filter(|cell| reached[*cell as usize]);
    closest(ground, reached, position).unwrap_or(from)
}

/// Returns the one of `cells` whose centre is nearest to `position`; the first of equally near ones. `None` without
/// cells.
fn closest(ground: &Ground, cells: impl Iterator<Item = u32>, position: DVec3) -> Option<u32> {
    let distance = |cell: u32| ground.position(cell).distance_squared(position);
    // The first of equals, so the result depends only on the order of the cells.
    cells.map(|cell| (distance(cell), cell)).min_by(|a, b| a.0.total_cmp(&b.0)).map(|found| found.1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::navigation::Cell;
    use glam::DVec2;
    use proptest::prelude::*;

    /// Returns ground of 9 by 7 columns of 0.4 m with a cell at each of these heights, all but the last column linked along x.
    fn ground(heights: &[Vec<f64>]) -> Ground {
        let (columns, mut starts, mut cells) = ([9, 7], Vec::new(), Vec::new());
        for (column, heights) in heights.iter().enumerate() {
            starts.push(cells.len() as u32);
            let column = [column as u32 % columns[0], column as u32 / columns[0]];
            cells.extend(heights.iter().map(|&height| Cell { column, height, ..Cell::default() }));
        }
        starts.push(cells.len() as u32);
        let next = |cell: usize| {
            let here: &Cell = &cells[cell];
            let there: Option<&Cell> = cells.get(cell + 1);
            there.is_some_and(|there| there.column[0] == here.column[0] + 1 && there.column[0] < 8)
        };
        let link = |cell: usize| {
            let mut links = [NONE; 8];
            if next(cell) {
                links[0] = cell as u32 + 1;
            }
            links
        };
        let links = (0..cells.len()).map(link).collect();
        Ground { cell: 0.4, origin: DVec2::new(-1.0, 2.0), columns, starts, cells, links }
    }

    fn heights() -> impl Strategy<Value = Vec<Vec<f64>>> {
        prop::collection::vec(prop::collection::vec(-1.0..3.0, 0..3), 63)
    }

    fn position() -> impl Strategy<Value = DVec3> {
        (-4.0..6.0, -2.0..4.0, -1.0..8.0).prop_map(|(x, y, z)| DVec3::new(x, y, z))
    }

    proptest! {
        #[test]
        fn the_nearest_open_cell_is_that_of_all_cells(heights in heights(), at in position(), metres in 0.1_f64..3.0) {
            let ground = ground(&heights);
            let sizes = linked_cells(&ground);
            let is_candidate = |cell: &u32| sizes[*cell as usize] >= 2 && ground.position(*cell).distance(at) <= metres;
            let all = closest(&ground, (0..ground.cells.len() as u32).filter(is_candidate), at);
            prop_assert_eq!(OpenGround::find(&ground, 2).nearest(at, metres), all);
        }

        #[test]
        fn the_nearest_of_a_list_is_the_first_nearest(
            heights in heights(), at in position(), every in 1_usize..9, ends in any::<bool>(),
        ) {
            let ground = ground(&heights);
            let mut cells: Vec<u32> = (0..ground.cells.len() as u32).step_by(every).collect();
            if ends {
                cells.truncate(2);
            }
            cells.extend(cells.clone());
            prop_assert_eq!(NearestOf::new(&ground, &cells).at(at), closest(&ground, cells.iter().copied(), at));
        }
    }
}
