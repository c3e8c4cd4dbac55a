//! Stairs are a slope: where steps follow each other, the ground counts as the plane through about a metre of them.
//!
//! Each tread is level and each riser a wall, so that triangles alone tell neither that stairs are steep nor which way they rise.

use rayon::prelude::*;

use crate::systems::navigation::{Cell, NONE};

/// Metres on either side of a cell that the plane goes through.
const AROUND: f64 = 0.55;
/// Metres between two cells beside each other, beyond what their slopes explain, from which on there is a step.
const STEP: f64 = 0.04;
/// Metres that the ground changes by around a cell in stairs, as a share of the highest step there: a single step changes it by 1.
const FOLLOWED: f64 = 1.5;

/// Linked ground with the edge of its cells, metres.
#[derive(Clone, Copy)]
pub(super) struct Linked<'a> {
    pub cells: &'a [Cell],
    pub links: &'a [[u32; 8]],
    pub cell: f64,
}

/// For every cell of stairs how far the plane through its steps rises per metre along x and along z; zeros elsewhere.
pub(super) fn rises(ground: Linked) -> Vec<[f32; 2]> {
    let reach = (AROUND / ground.cell).round().max(1.0) as usize;
    let near = near_steps(ground, reach);
    let rise = |cell: usize| if near[cell] { ground.rise(cell, reach as i64).unwrap_or_default() } else { [0.0; 2] };
    (0..ground.cells.len()).into_par_iter().map(rise).collect()
}

/// Which cells have a step within `reach` cells.
fn near_steps(ground: Linked, reach: usize) -> Vec<bool> {
    let mut near: Vec<bool> = (0..ground.cells.len()).into_par_iter().map(|cell| ground.step(cell) > STEP).collect();
    let mut border: Vec<u32> = (0..near.len() as u32).filter(|cell| near[*cell as usize]).collect();
    for _ in 0..reach {
        let mut next = Vec::new();
        for to in border.iter().flat_map(|cell| ground.links[*cell as usize]).filter(|to| *to != NONE) {
            if !std::mem::replace(&mut near[to as usize], true) {
                next.push(to);
            }
        }
        border = next;
    }
    near
}

impl Linked<'_> {
    /// Highest step from a cell to one straight beside it, metres.
    fn step(&self, cell: usize) -> f64 {
        let here = &self.cells[cell];
        let to = |direction: usize| self.links[cell][direction];
        let beyond = |to: u32| {
            let there = &self.cells[to as usize];
            let explained = self.cell * f64::from(here.slope.max(there.slope)).to_radians().tan();
            (there.height - here.height).abs() - explained
        };
        [0, 2, 4, 6].into_iter().map(to).filter(|to| *to != NONE).map(beyond).fold(0.0, f64::max)
    }

    /// The rise of the plane through the cells within `reach` cells of one; `None` where no steps follow each other.
    fn rise(&self, cell: usize, reach: i64) -> Option<[f32; 2]> {
        let around = self.around(cell, reach);
        let step = around.iter().map(|at| self.step(*at as usize)).fold(0.0, f64::max);
        let height = |at: &u32| self.cells[*at as usize].height;
        let (low, high) =
            around.iter().map(height).fold((f64::MAX, f64::MIN), |(low, high), y| (low.min(y), high.max(y)));
        if step <= STEP || high - low < FOLLOWED * step {
            return None;
        }
        let place = |at: &u32| self.cells[*at as usize].column.map(|at| f64::from(at) * self.cell);
        let count = around.len() as f64;
        let mean = |axis: usize| around.iter().map(|at| place(at)[axis]).sum::<f64>() / count;
        let (x, z, y) = (mean(0), mean(1), around.iter().map(height).sum::<f64>() / count);
        let mut sums = [0.0; 5];
        for at in &around {
            let ([px, pz], py) = (place(at), height(at));
            let (dx, dz, dy) = (px - x, pz - z, py - y);
            let terms = [dx * dx, dx * dz, dz * dz, dx * dy, dz * dy];
            sums.iter_mut().zip(terms).for_each(|(sum, term)| *sum += term);
        }
        let [xx, xz, zz, xy, zy] = sums;
        // A row of cells tells nothing of the slope across it, which then counts as level.
        let least = 1e-6 * (xx + zz);
        let (xx, zz) = (xx + least, zz + least);
        let area = xx * zz - xz * xz;
        let rise = [(xy * zz - zy * xz) / area, (zy * xx - xy * xz) / area];
        rise.iter().all(|value| value.is_finite()).then(|| rise.map(|value| value as f32))
    }

    /// The cells that can be reached straight within `reach` columns either way of one, itself first.
    fn around(&self, cell: usize, reach: i64) -> Vec<u32> {
        let column = |at: u32| self.cells[at as usize].column.map(i64::from);
        let middle = column(cell as u32);
        let inside = |at: u32| column(at).iter().zip(middle).all(|(at, middle)| (at - middle).abs() <= reach);
        let side = (2 * reach + 1) as usize;
        let index = |at: u32| {
            let [x, z] = column(at);
            (z - middle[1] + reach) as usize * side + (x - middle[0] + reach) as usize
        };
        let mut seen = vec![false; side * side];
        let mut found = vec![cell as u32];
        seen[index(cell as u32)] = true;
        let mut next = 0;
        while next < found.len() {
            let links = self.links[found[next] as usize];
            for to in [0, 2, 4, 6].map(|direction| links[direction]) {
                if to != NONE && inside(to) && !std::mem::replace(&mut seen[index(to)], true) {
                    found.push(to);
                }
            }
            next += 1;
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::systems::navigation::search::grids::layer;

    /// Degrees of the planes on ground whose height follows from x, in cells of 0.1 m.
    fn degrees(height: impl Fn(f64) -> f64, slope: f32) -> Vec<f64> {
        let ground = layer([40, 9], 0.1, |x, _| Some((height(f64::from(x) * 0.1), slope, 1.0)));
        let rises = rises(Linked { cells: &ground.cells, links: &ground.links, cell: ground.cell });
        (0..40).map(|x| f64::from(rises[4 * 40 + x][0]).atan().to_degrees()).collect()
    }

    #[test]
    fn steps_that_follow_each_other_are_a_slope_and_one_step_or_a_ramp_is_none() {
        let stairs = degrees(|x| 0.18 * (x / 0.3).floor(), 0.0);
        let middle = &stairs[8..32];
        assert!(middle.iter().all(|slope| (slope - 31.0).abs() < 3.0), "{middle:?}");
        assert!(degrees(|x| if x < 2.0 { 0.0 } else { 0.18 }, 0.0).iter().all(|slope| *slope == 0.0));
        assert!(degrees(|x| 0.6 * x, 31.0).iter().all(|slope| *slope == 0.0));
        let down = degrees(|x| -0.18 * (x / 0.3).floor(), 0.0);
        assert!(down[8..32].iter().all(|slope| (slope + 31.0).abs() < 3.0), "{down:?}");
    }
}
