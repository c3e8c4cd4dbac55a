//! The true shortest way over a grid at any angle: along the convex corners of what is blocked, which such a way bends at.
//!
//! Every corner that is seen is looked at (visibility graph; Lozano-Pérez & Wesley 1979), in whole half cells, so that nothing
//! is rounded but lengths.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::Ground;

/// Open and blocked cells with the corners of the blocked ones.
pub struct Corners {
    wide: i64,
    deep: i64,
    open: Vec<bool>,
    /// Places in half cells.
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

    /// Length in cells between the middles of two columns; `None` where no way leads.
    pub fn shortest(&self, from: [u32; 2], to: [u32; 2]) -> Option<f64> {
        let middle = |column: [u32; 2]| column.map(|at| 2 * i64::from(at) + 1);
        let mut places = self.corners.clone();
        places.extend([middle(from), middle(to)]);
        let (start, goal) = (places.len() - 2, places.len() - 1);
        let apart = |a: usize, b: usize| {
            ((places[a][0] - places[b][0]) as f64).hypot((places[a][1] - places[b][1]) as f64) / 2.0
        };
        let mut lengths = vec![f64::INFINITY; places.len()];
        let mut closed = vec![false; places.len()];
        let mut open = BinaryHeap::new();
        lengths[start] = 0.0;
        // Lengths are positive, so that their bits are in their order.
        open.push(Reverse((apart(start, goal).to_bits(), start)));
        while let Some(Reverse((_, here))) = open.pop() {
            if here == goal {
                return Some(lengths[goal]);
            }
            if std::mem::replace(&mut closed[here], true) {
                continue;
            }
            let unvisited: Vec<usize> = (0..places.len()).filter(|place| !closed[*place]).collect();
            for next in unvisited {
                let length = lengths[here] + apart(here, next);
                if length < lengths[next] && self.sees(places[here], places[next]) {
                    lengths[next] = length;
                    open.push(Reverse(((length + apart(next, goal)).to_bits(), next)));
                }
            }
        }
        None
    }

    /// Whether the straight way between two places, in half cells, meets the inside of no blocked cell.
    fn sees(&self, a: [i64; 2], b: [i64; 2]) -> bool {
        let [a, b] = if a[1] <= b[1] { [a, b] } else { [b, a] };
        let [dx, dz] = [b[0] - a[0], b[1] - a[1]];
        if dz == 0 {
            let columns = a[0].min(b[0]).div_euclid(2)..(a[0].max(b[0]) + 1).div_euclid(2);
            let row = a[1].div_euclid(2);
            let beside = |x: i64| self.is_open(x, row) || a[1] % 2 == 0 && self.is_open(x, row - 1);
            return columns.into_iter().all(beside);
        }
        // x in half cells where the line is at a height, times dz.
        let at = |z: i64| a[0] * dz + dx * (z - a[1]);
        (a[1].div_euclid(2)..(b[1] + 1).div_euclid(2)).all(|row| {
            let ends = [at((2 * row).max(a[1])), at((2 * row + 2).min(b[1]))];
            let (low, high) = (ends[0].min(ends[1]), ends[0].max(ends[1]));
            let cell = 2 * dz;
            if low == high && low % cell == 0 {
                // Straight along a border between columns.
                return self.is_open(low / cell, row) || self.is_open(low / cell - 1, row);
            }
            let last = if low == high { low.div_euclid(cell) } else { (high - 1).div_euclid(cell) };
            (low.div_euclid(cell)..=last).all(|x| self.is_open(x, row))
        })
    }
}
