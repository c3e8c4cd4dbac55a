//! Straight lines over walkable ground, column by column (Amanatides & Woo, "A Fast Voxel Traversal Algorithm", 1987).

use glam::DVec2;

use super::super::{Ground, NONE, STEPS};

/// Share of a line by which rounding may move its crossing with a border.
const BORDER_TOLERANCE: f64 = 1e-12;

/// Traverses the line from `from` in `cell` to `to`. Calls `visit` for every cell with the line parameters at which it
/// is entered and left. Returns the last cell, or `None` if the line leaves the ground or cuts a corner.
pub(super) fn walk(
    ground: &Ground,
    mut cell: u32,
    [from, to]: [DVec2; 2],
    mut visit: impl FnMut(u32, f64, f64),
) -> Option<u32> {
    let start = (from - ground.origin) / ground.cell;
    let direction = (to - from) / ground.cell;
    let mut done = 0.0;
    loop {
        let column = ground.cells[cell as usize].column;
        let leaves = |axis: usize| match direction[axis] {
            step if step > 0.0 => (f64::from(column[axis]) + 1.0 - start[axis]) / step,
            step if step < 0.0 => (f64::from(column[axis]) - start[axis]) / step,
            _ => f64::INFINITY,
        };
        let (x, z) = (leaves(0), leaves(1));
        // Never backwards: rounding at a border must not repeat a cell.
        let next = x.min(z).max(done);
        // A line that ends on a border stays in the cell before it, whatever the rounding.
        if next >= 1.0 - BORDER_TOLERANCE {
            visit(cell, done, 1.0);
            return Some(cell);
        }
        visit(cell, done, next);
        done = next;
        // A line passes through a corner only if both adjacent cells are open, like a diagonal link.
        let both = (x - z).abs() < 1e-9;
        let sign = |axis: usize, taken: bool| if taken { direction[axis].signum() as i32 } else { 0 };
        let step = [sign(0, both || x < z), sign(1, both || z < x)];
        let link = STEPS.iter().position(|known| *known == step)?;
        cell = ground.links[cell as usize][link];
        if cell == NONE {
            return None;
        }
    }
}

/// Returns the ground height at a position in `cell`, interpolated between the centres of neighbouring cells, metres.
pub(super) fn height(ground: &Ground, cell: u32, position: DVec2) -> f64 {
    let here = &ground.cells[cell as usize];
    let middle = DVec2::new(f64::from(here.column[0]) + 0.5, f64::from(here.column[1]) + 0.5);
    let offset = ((position - ground.origin) / ground.cell - middle).clamp(DVec2::splat(-0.5), DVec2::splat(0.5));
    let (right, down) = (if offset.x < 0.0 { 4 } else { 0 }, if offset.y < 0.0 { 6 } else { 2 });
    let corner = if right == 0 { if down == 2 { 1 } else { 7 } } else { if down == 2 { 3 } else { 5 } };
    let rise = |direction: usize| {
        let there = ground.links[cell as usize][direction];
        (there != NONE).then(|| ground.cells[there as usize].height - here.height)
    };
    let (x, z) = (rise(right).unwrap_or(0.0), rise(down).unwrap_or(0.0));
    // Without a diagonal neighbour the plane through the two sides is extended.
    let both = rise(corner).unwrap_or(x + z);
    let (u, v) = (offset.x.abs(), offset.y.abs());
    here.height + u * x + v * z + u * v * (both - x - z)
}

/// The part of a straight line within one cell.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct CellCrossing {
    pub cell: u32,
    /// Line parameters (0…1) at which the cell is entered and left.
    pub enter: f64,
    pub leave: f64,
    /// Travel time in the cell, seconds.
    pub seconds: f64,
}

/// Returns the crossings of a straight line, one per cell; `None` if it leaves the ground.
pub(super) fn pieces(ground: &Ground, cell: u32, line: [DVec2; 2]) -> Option<Vec<CellCrossing>> {
    let mut pieces = Vec::new();
    let displacement = line[1] - line[0];
    walk(ground, cell, line, |cell, enter, leave| {
        let at = |share: f64| height(ground, cell, line[0].lerp(line[1], share));
        let rise = at(leave) - at(enter);
        let seconds = ground.cells[cell as usize].seconds((displacement * (leave - enter)).to_array(), rise);
        pieces.push(CellCrossing { cell, enter, leave, seconds });
    })?;
    Some(pieces)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::navigation::search::grids::{cell, layer};

    #[test]
    fn a_line_through_a_corner_needs_both_adjacent_cells() {
        let open = layer([2, 2], 1.0, |_, _| Some((0.0, 0.0, 1.0)));
        let shut = layer([2, 2], 1.0, |x, z| (x == z || x == 0).then_some((0.0, 0.0, 1.0)));
        let line = [DVec2::splat(0.5), DVec2::splat(1.5)];
        assert_eq!(walk(&open, 0, line, |_, _, _| ()), Some(3));
        assert_eq!(walk(&shut, 0, line, |_, _, _| ()), None);
    }

    #[test]
    fn a_line_up_a_ramp_takes_as_long_as_its_steps() {
        let ramp = layer([5, 3], 0.5, |x, _| Some((f64::from(x) * 0.2, 20.0, 2.0)));
        let [from, to] = [0, 4].map(|x| cell(&ramp, [x, 1]));
        let line = [from, to].map(|cell| ramp.position(cell)).map(|center| DVec2::new(center.x, center.z));
        let seconds: f64 = pieces(&ramp, from, line).unwrap().iter().map(|piece| piece.seconds).sum();
        let steps: f64 = (from..to).map(|cell| ramp.seconds(cell, cell + 1)).sum();
        assert!((seconds - steps).abs() < 1e-12, "{seconds} for {steps}");
        assert!((height(&ramp, from + 1, DVec2::new(0.9, 0.8)) - 0.26).abs() < 1e-12);
    }

    #[test]
    fn heights_are_interpolated_between_cell_centres_along_both_axes() {
        // Cells of half a metre that rise by 0.2 m along x and by 0.1 m along z: a plane.
        let slope = layer([5, 5], 0.5, |x, z| Some((f64::from(x) * 0.2 + f64::from(z) * 0.1, 20.0, 2.0)));
        let at = cell(&slope, [2, 2]);
        for (x, z) in [(1.25, 1.25), (1.0, 1.25), (1.5, 1.25), (1.25, 1.0), (1.25, 1.5), (1.1, 1.4), (1.4, 1.1)] {
            let wanted = (x - 0.25) / 0.5 * 0.2 + (z - 0.25) / 0.5 * 0.1;
            let found = height(&slope, at, DVec2::new(x, z));
            assert!((found - wanted).abs() < 1e-9, "{x} {z}: {found} for {wanted}");
        }
    }
}
