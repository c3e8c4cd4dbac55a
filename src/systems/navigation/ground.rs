//! Walkable ground as a graph: cells a character can stand on, and which cells lie beside each.

use glam::{DVec2, DVec3};

/// No neighbour in that direction.
pub const NONE: u32 = u32::MAX;

/// Steps to the eight neighbouring columns, counter-clockwise seen from above with +Z down the page; odd ones are diagonal.
pub const STEPS: [[i32; 2]; 8] = [[1, 0], [1, 1], [0, 1], [-1, 1], [-1, 0], [-1, -1], [0, -1], [1, -1]];

/// Walkable ground. Cells are in the order of their columns (x fastest, then z), then of their height.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Ground {
    /// Edge of a cell, metres.
    pub cell: f64,
    /// The corner of column 0, 0; metres.
    pub origin: DVec2,
    /// Columns along x and along z.
    pub columns: [u32; 2],
    /// Where the cells of each column begin in `cells`; one entry more than there are columns.
    pub starts: Vec<u32>,
    /// Every place to stand.
    pub cells: Vec<Cell>,
    /// Per cell and direction of `STEPS` the cell that can be reached in one step, or `NONE`. A diagonal is linked only where
    /// both corners beside it are.
    pub links: Vec<[u32; 8]>,
}

/// A place to stand.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Cell {
    /// Column along x and along z.
    pub column: [u32; 2],
    /// Height of the ground, metres.
    pub height: f64,
    /// Of the triangle that made the ground, or in stairs of the plane through their steps: degrees from level.
    pub slope: f32,
    /// Metres that stairs rise here per metre along x and along z, seen over about a metre; zeros where there are none.
    pub stairs: [f32; 2],
    /// Metres per second when the step rises; area factors included; positive and finite.
    pub speed_up: f32,
    /// Metres per second when the step falls.
    pub speed_down: f32,
}

impl Ground {
    /// The middle of a cell's surface, metres.
    pub fn place(&self, cell: u32) -> DVec3 {
        let cell = &self.cells[cell as usize];
        let at = |axis: usize| self.origin[axis] + (f64::from(cell.column[axis]) + 0.5) * self.cell;
        DVec3::new(at(0), cell.height, at(1))
    }

    /// The cells above one another in the column of `place`, bottom up; none outside.
    pub fn under(&self, place: DVec3) -> &[Cell] {
        let [x, z] = [place.x - self.origin.x, place.z - self.origin.y].map(|offset| (offset / self.cell).floor());
        let inside = x >= 0.0 && z >= 0.0 && x < f64::from(self.columns[0]) && z < f64::from(self.columns[1]);
        if !inside {
            return &[];
        }
        let column = z as usize * self.columns[0] as usize + x as usize;
        &self.cells[self.starts[column] as usize..self.starts[column + 1] as usize]
    }

    /// Seconds from the middle of `from` to the middle of the neighbouring cell `to`: half the way at the speed of each.
    pub fn seconds(&self, from: u32, to: u32) -> f64 {
        let [here, there] = [from, to].map(|cell| &self.cells[cell as usize]);
        let rise = there.height - here.height;
        let way = [0, 1].map(|axis| (f64::from(there.column[axis]) - f64::from(here.column[axis])) * self.cell);
        0.5 * (here.seconds(way, rise) + there.seconds(way, rise))
    }
}

impl Cell {
    /// Seconds of a way along x and z (metres) that rises by `rise`; on stairs it rises as they do, wherever it meets a step.
    pub fn seconds(&self, way: [f64; 2], rise: f64) -> f64 {
        let [x, z] = self.stairs.map(f64::from);
        let rise = if self.is_stairs() { x * way[0] + z * way[1] } else { rise };
        DVec3::new(way[0], rise, way[1]).length() / self.speed(rise)
    }

    /// Whether steps follow each other here.
    pub(super) fn is_stairs(&self) -> bool {
        self.stairs != [0.0; 2]
    }

    /// Metres per second on a step that rises by `rise`; level steps go at the mean of up and down.
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
    fn a_step_takes_half_its_way_at_the_speed_of_either_cell() {
        let cell =
            |x, height, up, down| Cell { column: [x, 0], height, speed_up: up, speed_down: down, ..Cell::default() };
        let ground =
            Ground { cell: 2.0, cells: vec![cell(0, 0.0, 1.0, 4.0), cell(1, 0.0, 3.0, 6.0)], ..Ground::default() };
        assert_eq!(ground.place(1), DVec3::new(3.0, 0.0, 1.0));
        assert!((ground.seconds(0, 1) - (1.0 / 2.5 + 1.0 / 4.5)).abs() < 1e-12);
    }
}
