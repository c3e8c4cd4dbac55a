//! Straight lines over walkable ground, column by column (Amanatides & Woo, "A Fast Voxel Traversal Algorithm", 1987).

use glam::DVec2;

use super::super::{Ground, NONE, STEPS};

/// Walks straight from `from` in `cell` to `to`, telling `visit` every cell with the shares of the line where it is entered
/// and left. The cell at the end, or `None` where the line leaves the ground or cuts a corner.
pub(super) fn walk(
    ground: &Ground,
    mut cell: u32,
    [from, to]: [DVec2; 2],
    mut visit: impl FnMut(u32, f64, f64),
) -> Option<u32> {
    let start = (from - ground.origin) / ground.cell;
    let way = (to - from) / ground.cell;
    let mut done = 0.0;
    loop {
        let column = ground.cells[cell as usize].column;
        let leaves = |axis: usize| match way[axis] {
            way if way > 0.0 => (f64::from(column[axis]) + 1.0 - start[axis]) / way,
            way if way < 0.0 => (f64::from(column[axis]) - start[axis]) / way,
            _ => f64::INFINITY,
        };
        let (x, z) = (leaves(0), leaves(1));
        // Never back: rounding at a border must not repeat a cell.
        let next = x.min(z).max(done);
        visit(cell, done, next.min(1.0));
        if next >= 1.0 {
            return Some(cell);
        }
        done = next;
        // Through a corner only where both cells beside it are open, as a diagonal link promises.
        let both = (x - z).abs() < 1e-9;
        let sign = |axis: usize, taken: bool| if taken { way[axis].signum() as i32 } else { 0 };
        let step = [sign(0, both || x < z), sign(1, both || z < x)];
        let direction = STEPS.iter().position(|known| *known == step)?;
        cell = ground.links[cell as usize][direction];
        if cell == NONE {
            return None;
        }
    }
}

/// Height of the ground at a place in `cell`, between the middles of the cells around it; metres.
pub(super) fn height(ground: &Ground, cell: u32, place: DVec2) -> f64 {
    let here = &ground.cells[cell as usize];
    let middle = DVec2::new(f64::from(here.column[0]) + 0.5, f64::from(here.column[1]) + 0.5);
    let off = ((place - ground.origin) / ground.cell - middle).clamp(DVec2::splat(-0.5), DVec2::splat(0.5));
    let (right, down) = (if off.x < 0.0 { 4 } else { 0 }, if off.y < 0.0 { 6 } else { 2 });
    let corner = if right == 0 { if down == 2 { 1 } else { 7 } } else { if down == 2 { 3 } else { 5 } };
    let rise = |direction: usize| {
        let there = ground.links[cell as usize][direction];
        (there != NONE).then(|| ground.cells[there as usize].height - here.height)
    };
    let (x, z) = (rise(right).unwrap_or(0.0), rise(down).unwrap_or(0.0));
    // Without a corner the plane through the two sides goes on.
    let both = rise(corner).unwrap_or(x + z);
    let (u, v) = (off.x.abs(), off.y.abs());
    here.height + u * x + v * z + u * v * (both - x - z)
}

/// What a straight line does in one cell.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct CellCrossing {
    pub cell: u32,
    /// Shares of the line where the cell is entered and left.
    pub enter: f64,
    pub leave: f64,
    /// Seconds in the cell.
    pub seconds: f64,
}

/// The pieces of a straight line, one for each cell, or `None` where it leaves the ground.
pub(super) fn pieces(ground: &Ground, cell: u32, line: [DVec2; 2]) -> Option<Vec<CellCrossing>> {
    let mut pieces = Vec::new();
    let way = line[1] - line[0];
    walk(ground, cell, line, |cell, enter, leave| {
        let at = |share: f64| height(ground, cell, line[0].lerp(line[1], share));
        let rise = at(leave) - at(enter);
        let seconds = ground.cells[cell as usize].seconds((way * (leave - enter)).to_array(), rise);
        pieces.push(CellCrossing { cell, enter, leave, seconds });
    })?;
    Some(pieces)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::systems::navigation::search::grids::{cell, layer};

    #[test]
    fn a_line_through_a_corner_needs_both_cells_beside_it() {
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
        let line = [from, to].map(|cell| ramp.place(cell)).map(|place| DVec2::new(place.x, place.z));
        let seconds: f64 = pieces(&ramp, from, line).unwrap().iter().map(|piece| piece.seconds).sum();
        let steps: f64 = (from..to).map(|cell| ramp.seconds(cell, cell + 1)).sum();
        assert!((seconds - steps).abs() < 1e-12, "{seconds} for {steps}");
        assert!((height(&ramp, from + 1, DVec2::new(0.9, 0.8)) - 0.26).abs() < 1e-12);
    }

    #[test]
    fn heights_lie_between_the_middles_of_cells_along_both_axes() {
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
