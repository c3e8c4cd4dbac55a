//! The true any-angle shortest path over a grid, which bends only at convex corners of blocked cells.
//!
//! Searches the visibility graph (Lozano-Pérez & Wesley 1979) in integer half cells, so that only lengths are
//! rounded.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::Ground;

/// A grid of open and blocked cells with the corners of the blocked ones.
pub struct Corners {
    wide: i64,
    deep: i64,
    open: Vec<bool>,
    /// Positions in half cells.
    corners: Vec<[i64; 2]>,
}

impl Corners {
    pub fn of(ground: &Ground) -> Self {
        let [wide, deep] = ground.columns.map(i64::from);
        let open = ground.starts.windows(2).map(|pair| pair[0] < pair[1]).collect();
        let mut map = Self { wide, deep, open, corners: Vec::new() };
        let all = (1..deep).flat_map(|z| (1..wide).map(move |x| [x, z]));
        let blocked = |[x, z]: [i64; 2]| {
            [[-1, -1], [0, -1], [-1, 0], [0, 0]].iter().filter(|[dx, dz]| !map.is_open(x + dx, z + dz)).count()
        };
        map.corners = all.filter(|corner| blocked(*corner) == 1).map(|corner| corner.map(|at| 2 * at)).collect();
        map
    }

    pub fn count(&self) -> usize {
        self.corners.len()
    }

    fn is_open(&self, x: i64, z: i64) -> bool {
        x >= 0 && z >= 0 && x < self.wide && z < self.deep && self.open[(z * self.wide + x) as usize]
    }

    /// Returns the path length in cells between the centres of two columns; `None` if there is no path.
    pub fn shortest(&self, from: [u32; 2], to: [u32; 2]) -> Option<f64> {
        let middle = |column: [u32; 2]| column.map(|at| 2 * i64::from(at) + 1);
        let mut positions = self.corners.clone();
        positions.extend([middle(from), middle(to)]);
        let (start, goal) = (positions.len() - 2, positions.len() - 1);
        let apart = |a: usize, b: usize| {
            ((positions[a][0] - positions[b][0]) as f64).hypot((positions[a][1] - positions[b][1]) as f64) / 2.0
        };
        let mut lengths = vec![f64::INFINITY; positions.len()];
        let mut closed = vec![false; positions.len()];
        let mut open = BinaryHeap::new();
        lengths[start] = 0.0;
        // The bits of positive floats sort like their values.
        open.push(Reverse((apart(start, goal).to_bits(), start)));
        while let Some(Reverse((_, here))) = open.pop() {
            if here == goal {
                return Some(lengths[goal]);
            }
            if std::mem::replace(&mut closed[here], true) {
                continue;
            }
            let unvisited: Vec<usize> = (0..positions.len()).filter(|place| !closed[*place]).collect();
            for next in unvisited {
                let length = lengths[here] + apart(here, next);
                if length < lengths[next] && self.sees(positions[here], positions[next]) {
                    lengths[next] = length;
                    open.push(Reverse(((length + apart(next, goal)).to_bits(), next)));
                }
            }
        }
        None
    }

    /// True if the segment between two positions, in half cells, does not cross a blocked cell.
    fn sees(&self, a: [i64; 2], b: [i64; 2]) -> bool {
        let [a, b] = if a[1] <= b[1] { [a, b] } else { [b, a] };
        let [dx, dz] = [b[0] - a[0], b[1] - a[1]];
        if dz == 0 {
            let columns = a[0].min(b[0]).div_euclid(2)..(a[0].max(b[0]) + 1).div_euclid(2);
            let row = a[1].div_euclid(2);
            let is_beside_open = |x: i64| self.is_open(x, row) || a[1] % 2 == 0 && self.is_open(x, row - 1);
            return columns.into_iter().all(is_beside_open);
        }
        // x in half cells of the line at a row, times dz.
        let at = |z: i64| a[0] * dz + dx * (z - a[1]);
        (a[1].div_euclid(2)..(b[1] + 1).div_euclid(2)).all(|row| {
            let ends = [at((2 * row).max(a[1])), at((2 * row + 2).min(b[1]))];
            let (low, high) = (ends[0].min(ends[1]), ends[0].max(ends[1]));
            let cell = 2 * dz;
            if low == high && low % cell == 0 {
                // Exactly along a border between columns.
                return self.is_open(low / cell, row) || self.is_open(low / cell - 1, row);
            }
            let last = if low == high { low.div_euclid(cell) } else { (high - 1).div_euclid(cell) };
            (low.div_euclid(cell)..=last).all(|x| self.is_open(x, row))
        })
    }
}
