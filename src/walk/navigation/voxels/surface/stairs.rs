//! Stairs as slopes: consecutive steps count as the plane through about a metre of them.
//!
//! Each tread is level and each riser a wall, so triangles alone show neither the steepness of stairs nor their
//! direction.

use rayon::prelude::*;

use crate::navigation::{Cell, NONE};

/// Half width of the area that the plane is fitted to, metres. Tuned; no derivation recorded.
const FIT_RADIUS_M: f64 = 0.55;
/// Height difference between neighbouring cells, beyond what their slopes explain, from which there is a step, metres.
const STEP_MIN_M: f64 = 0.04;
/// Smallest ratio of total height range to highest step in stairs; a single step has a ratio of 1. Tuned; no
/// derivation recorded.
const STAIRS_MIN_RATIO: f64 = 1.5;

/// Linked cells with their edge length, metres.
#[derive(Clone, Copy)]
pub(crate) struct Linked<'a> {
    pub cells: &'a [Cell],
    pub links: &'a [[u32; 8]],
    pub cell: f64,
}

/// Returns for every cell of stairs the gradient of the plane through its steps along x and z; zeros elsewhere. Both are in
/// metres up per metre.
pub(crate) fn rises(ground: Linked) -> Vec<[f32; 2]> {
    let reach = (FIT_RADIUS_M / ground.cell).round().max(1.0) as usize;
    let near = near_steps(ground, reach);
    let rise = |cell: usize| if near[cell] { ground.rise(cell, reach as i64).unwrap_or_default() } else { [0.0; 2] };
    (0..ground.cells.len()).into_par_iter().map(rise).collect()
}

/// Returns for every cell true if a step is within `reach` cells.
fn near_steps(ground: Linked, reach: usize) -> Vec<bool> {
    let mut near: Vec<bool> =
        (0..ground.cells.len()).into_par_iter().map(|cell| ground.step(cell) > STEP_MIN_M).collect();
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
    /// Returns the highest step from a cell to a straight neighbour, metres, less the rise that their slopes explain; at
    /// least 0.
    fn step(&self, cell: usize) -> f64 {
        let here = &self.cells[cell];
        let to = |direction: usize| self.links[cell][direction];
        let excess_height = |to: u32| {
            let there = &self.cells[to as usize];
            let explained = self.cell * f64::from(here.slope.max(there.slope)).to_radians().tan();
            (there.height - here.height).abs() - explained
        };
        [0, 2, 4, 6].into_iter().map(to).filter(|to| *to != NONE).map(excess_height).fold(0.0, f64::max)
    }

    /// Returns the gradient along x and z, metres up per metre, of the plane through the cells within `reach` cells of one;
    /// `None` without consecutive steps.
    fn rise(&self, cell: usize, reach: i64) -> Option<[f32; 2]> {
        let neighbours = self.around(cell, reach);
        let step = neighbours.iter().map(|at| self.step(*at as usize)).fold(0.0, f64::max);
        let height = |at: &u32| self.cells[*at as usize].height;
        let (low, high) =
            neighbours.iter().map(height).fold((f64::MAX, f64::MIN), |(low, high), y| (low.min(y), high.max(y)));
        if step <= STEP_MIN_M || high - low < STAIRS_MIN_RATIO * step {
            return None;
        }
        let position = |at: &u32| self.cells[*at as usize].column.map(|at| f64::from(at) * self.cell);
        let count = neighbours.len() as f64;
        let mean = |axis: usize| neighbours.iter().map(|at| position(at)[axis]).sum::<f64>() / count;
        let (x, z, y) = (mean(0), mean(1), neighbours.iter().map(height).sum::<f64>() / count);
        let mut sums = [0.0; 5];
        for at in &neighbours {
            let ([px, pz], py) = (position(at), height(at));
            let (dx, dz, dy) = (px - x, pz - z, py - y);
            let terms = [dx * dx, dx * dz, dz * dz, dx * dy, dz * dy];
            sums.iter_mut().zip(terms).for_each(|(sum, term)| *sum += term);
        }
        let [xx, xz, zz, xy, zy] = sums;
        // A row of cells does not determine the slope across it, which then counts as level.
        let regularisation = 1e-6 * (xx + zz);
        let (xx, zz) = (xx + regularisation, zz + regularisation);
        let area = xx * zz - xz * xz;
        let rise = [(xy * zz - zy * xz) / area, (zy * xx - xy * xz) / area];
        rise.iter().all(|value| value.is_finite()).then(|| rise.map(|value| value as f32))
    }

    /// Returns the cells connected by straight links within `reach` columns in either direction, starting with the
    /// cell itself.
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
    use crate::navigation::search::grids::layer;

    /// Returns the slope of the planes in degrees on ground whose height depends on x, with cells of 0.1 m.
    fn degrees(height: impl Fn(f64) -> f64, slope: f32) -> Vec<f64> {
        let ground = layer([40, 9], 0.1, |x, _| Some((height(f64::from(x) * 0.1), slope, 1.0)));
        let rises = rises(Linked { cells: &ground.cells, links: &ground.links, cell: ground.cell });
        (0..40).map(|x| f64::from(rises[4 * 40 + x][0]).atan().to_degrees()).collect()
    }

    #[test]
    fn consecutive_steps_are_stairs_and_a_single_step_or_a_ramp_is_not() {
        let stairs = degrees(|x| 0.18 * (x / 0.3).floor(), 0.0);
        let middle = &stairs[8..32];
        assert!(middle.iter().all(|slope| (slope - 31.0).abs() < 3.0), "{middle:?}");
        assert!(degrees(|x| if x < 2.0 { 0.0 } else { 0.18 }, 0.0).iter().all(|slope| *slope == 0.0));
        assert!(degrees(|x| 0.6 * x, 31.0).iter().all(|slope| *slope == 0.0));
        let down = degrees(|x| -0.18 * (x / 0.3).floor(), 0.0);
        assert!(down[8..32].iter().all(|slope| (slope + 31.0).abs() < 3.0), "{down:?}");
    }
}
