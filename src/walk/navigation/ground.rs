//! Walkable ground as a graph: the cells a character can stand on, and the links between neighbours.

use glam::{DVec2, DVec3};

/// No neighbour in that direction.
pub const NONE: u32 = u32::MAX;

/// Steps to the eight neighbouring columns, counter-clockwise seen from above with +Z down the page. Odd ones are
/// diagonal.
pub const STEPS: [[i32; 2]; 8] = [[1, 0], [1, 1], [0, 1], [-1, 1], [-1, 0], [-1, -1], [0, -1], [1, -1]];

/// Walkable ground. Cells are sorted by column (x fastest, then z), then by height.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Ground {
    /// Edge of a cell, metres.
    pub cell: f64,
    /// Corner of column (0, 0), metres.
    pub origin: DVec2,
    /// Number of columns along x and z.
    pub columns: [u32; 2],
    /// Index of each column's first cell in `cells`, with one final entry.
    pub starts: Vec<u32>,
    /// All cells.
    pub cells: Vec<Cell>,
    /// Per cell and direction of `STEPS`, the cell reached in one step, or `NONE`. A diagonal is linked only if both
    /// adjacent straight cells are linked.
    pub links: Vec<[u32; 8]>,
}

/// A position on the ground where a character can stand.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Cell {
    /// Column along x and along z.
    pub column: [u32; 2],
    /// Height of the ground, metres.
    pub height: f64,
    /// Slope in degrees from level: of the triangle below, or on stairs of the plane through the steps.
    pub slope: f32,
    /// Gradient of stairs along x and z (metres per metre), measured over about a metre. Zero if there are no stairs.
    pub stairs: [f32; 2],
    /// Speed on a rising step, m/s, positive and finite; area factors are included.
    pub speed_up: f32,
    /// Speed on a falling step, m/s.
    pub speed_down: f32,
}

impl Ground {
    /// Returns the centre of a cell's surface, metres.
    pub fn position(&self, cell: u32) -> DVec3 {
        let cell = &self.cells[cell as usize];
        let coordinate = |axis: usize| self.origin[axis] + (f64::from(cell.column[axis]) + 0.5) * self.cell;
        DVec3::new(coordinate(0), cell.height, coordinate(1))
    }

    /// Returns the cells in the column that contains `point`, bottom up; empty outside the grid.
    pub fn under(&self, point: DVec3) -> &[Cell] {
        let range = self.indices_under(point);
        &self.cells[range.start as usize..range.end as usize]
    }

    /// Returns the cell in the column that contains `point` whose height is nearest; `None` if no cell is within
    /// `tolerance` metres of the height of `point`.
    pub fn cell_at(&self, point: DVec3, tolerance: f64) -> Option<u32> {
        let distance = |cell: u32| (self.cells[cell as usize].height - point.y).abs();
        let near = self.indices_under(point).filter(|cell| distance(*cell) <= tolerance);
        near.min_by(|a, b| distance(*a).total_cmp(&distance(*b)))
    }

    /// Returns the indices of the cells in the column that contains `point`; empty outside the grid.
    fn indices_under(&self, point: DVec3) -> std::ops::Range<u32> {
        let [x, z] = [point.x - self.origin.x, point.z - self.origin.y].map(|offset| (offset / self.cell).floor());
        let inside = x >= 0.0 && z >= 0.0 && x < f64::from(self.columns[0]) && z < f64::from(self.columns[1]);
        if !inside {
            return 0..0;
        }
        let column = z as usize * self.columns[0] as usize + x as usize;
        self.starts[column]..self.starts[column + 1]
    }

    /// Returns the cells of all columns that may have a centre within `metres` of `point`, in order.
    pub(super) fn within(&self, point: DVec3, metres: f64) -> impl Iterator<Item = u32> {
        let columns = |axis: usize, coordinate: f64| {
            let column = |offset: f64| ((coordinate + offset - self.origin[axis]) / self.cell).floor();
            // Casts saturate at the borders.
            (column(-metres) as u32)..(column(metres) + 1.0).min(f64::from(self.columns[axis])) as u32
        };
        let (x, z) = (columns(0, point.x), columns(1, point.z));
        let first = |x: u32, z: u32| self.starts[z as usize * self.columns[0] as usize + x as usize];
        let rows = if x.is_empty() { 0..0 } else { z };
        rows.flat_map(move |z| first(x.start, z)..first(x.end, z))
    }

    /// Returns the columns of the square ring around the column of `point` with a distance of `ring` columns, inside the grid.
    pub(super) fn ring(&self, point: DVec3, ring: u32) -> impl Iterator<Item = [u32; 2]> {
        let middle =
            [point.x - self.origin.x, point.z - self.origin.y].map(|offset| (offset / self.cell).floor() as i64);
        let (ring, columns) = (i64::from(ring), self.columns.map(i64::from));
        let side = move |z: i64| if z.abs() == ring { 1 } else { (2 * ring).max(1) as usize };
        let around = (-ring..=ring).flat_map(move |z| (-ring..=ring).step_by(side(z)).map(move |x| [x, z]));
        let in_grid = move |[x, z]: [i64; 2]| {
            let (x, z) = (middle[0].saturating_add(x), middle[1].saturating_add(z));
            ((0..columns[0]).contains(&x) && (0..columns[1]).contains(&z)).then_some([x as u32, z as u32])
        };
        around.filter_map(in_grid)
    }

    /// Returns the travel time from the centre of `from` to the centre of its neighbour `to`, seconds. Each half of
    /// the distance has the speed of its cell.
    pub fn seconds(&self, from: u32, to: u32) -> f64 {
        let [here, there] = [from, to].map(|cell| &self.cells[cell as usize]);
        let rise = there.height - here.height;
        let offset = [0, 1].map(|axis| (f64::from(there.column[axis]) - f64::from(here.column[axis])) * self.cell);
        0.5 * (here.seconds(offset, rise) + there.seconds(offset, rise))
    }
}

impl Cell {
    /// Returns the travel time along `offset` (x and z, metres) with a height difference of `rise`, seconds. On stairs
    /// the stairs' gradient replaces `rise`.
    pub fn seconds(&self, offset: [f64; 2], rise: f64) -> f64 {
        let [x, z] = self.stairs.map(f64::from);
        let rise = if self.is_stairs() { x * offset[0] + z * offset[1] } else { rise };
        DVec3::new(offset[0], rise, offset[1]).length() / self.speed(rise)
    }

    /// True if the cell belongs to stairs.
    pub(super) fn is_stairs(&self) -> bool {
        self.stairs != [0.0; 2]
    }

    /// Returns the speed on a step with a height difference of `rise`, m/s. A level step has the mean of both speeds.
    pub fn speed(&self, rise: f64) -> f64 {
        let (up, down) = (f64::from(self.speed_up), f64::from(self.speed_down));
        if rise > 0.0 {
            up
        } else if rise < 0.0 {
            down
        } else {
            0.5 * (up + down)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_takes_each_half_at_the_speed_of_its_cell() {
        let cell =
            |x, height, up, down| Cell { column: [x, 0], height, speed_up: up, speed_down: down, ..Cell::default() };
        let ground =
            Ground { cell: 2.0, cells: vec![cell(0, 0.0, 1.0, 4.0), cell(1, 0.0, 3.0, 6.0)], ..Ground::default() };
        assert_eq!(ground.position(1), DVec3::new(3.0, 0.0, 1.0));
        assert!((ground.seconds(0, 1) - (1.0 / 2.5 + 1.0 / 4.5)).abs() < 1e-12);
    }
}
