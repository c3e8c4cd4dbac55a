//! Ambient occlusion of a level: the density of surfaces around each cell of a grid. It darkens corners.

use glam::{UVec3, Vec3};

use portamento_anim::math::Bounds;

/// Side length of a cell in metres. Large levels use larger cells, see [`MAX_CELLS`]. Tuned; no derivation recorded.
const CELL: f32 = 0.15;
/// Largest number of cells in the grid. Tuned; no derivation recorded.
const MAX_CELLS: f32 = 1.0e6;
/// Number of empty cells around the level. Tuned; no derivation recorded.
const MARGIN_CELLS: f32 = 4.0;
/// Half widths, in cells, of the two box blurs: close by and within reach. Each blur runs twice. Tuned; no derivation recorded.
const BLUR_RADII_CELLS: [usize; 2] = [1, 4];

/// A grid of blurred surface density. Cells are ordered x first, then y, then z.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct AmbientOcclusion {
    /// The grid's lower corner, metres.
    pub low: Vec3,
    /// Metres along a cell's sides.
    pub cell: f32,
    /// Cells along x, y and z.
    pub size: UVec3,
    /// Density per cell for each of [`BLUR_RADII_CELLS`]: 128 on a free wall, 255 where two walls meet.
    pub values: Vec<[u8; 2]>,
}

impl AmbientOcclusion {
    /// Builds the grid from triangles (three corners each, metres). Returns `None` if the bounds are not finite or there are no
    /// triangles.
    pub fn new(corners: &[Vec3]) -> Option<Self> {
        let bounds = Bounds::around(corners.iter().copied()).filter(|bounds| bounds.size().is_finite())?;
        let sides = |cell: f32| (bounds.size() / cell + 2.0 * MARGIN_CELLS + 1.0).ceil();
        let mut cell = CELL;
        while sides(cell).element_product() > MAX_CELLS {
            cell *= 1.1;
        }
        let (low, size) = (bounds.low - MARGIN_CELLS * cell, sides(cell).as_uvec3());
        let mut area = Grid { size, cells: vec![0.0; size.element_product() as usize] };
        for triangle in corners.as_chunks::<3>().0 {
            area.add(triangle.map(|corner| (corner - low) / cell));
        }
        area.cells.iter_mut().for_each(|cell| *cell = cell.min(1.0));
        let [close, within_reach] = BLUR_RADII_CELLS.map(|radius| area.blur(radius));
        let values = close.cells.iter().zip(&within_reach.cells).map(|(&close, &reach)| {
            // Two box blurs have a triangle kernel, whose centre weighs 1 / box width. Multiplying by the box width gives 1 on
            // a wall.
            let shares = [close * (2 * BLUR_RADII_CELLS[0] + 1) as f32, reach * (2 * BLUR_RADII_CELLS[1] + 1) as f32];
            shares.map(|share| (share * 127.5).min(255.0) as u8)
        });
        Some(Self { low, cell, size, values: values.collect() })
    }
}

/// A grid of scalars.
struct Grid {
    size: UVec3,
    cells: Vec<f32>,
}

impl Grid {
    /// Distributes a triangle's area (in cell faces) over the cells around small pieces of it. Corners are in cells from the
    /// grid's lower corner.
    fn add(&mut self, [a, b, c]: [Vec3; 3]) {
        let sides = [(a, b, c), (b, c, a), (c, a, b)];
        let length = |(from, to, _): &(Vec3, Vec3, Vec3)| from.distance(*to);
        let Some((a, b, tip)) = sides.into_iter().max_by(|one, other| length(one).total_cmp(&length(other))) else {
            return;
        };
        let area = (b - a).cross(tip - a).length() * 0.5;
        if !area.is_finite() || area == 0.0 {
            return;
        }
        // Rows run from the longest side to the opposite corner.
        let rows = pieces(2.0 * area / a.distance(b));
        for row in 0..rows {
            let up = (row as f32 + 0.5) / rows as f32;
            let (from, to) = (a.lerp(tip, up), b.lerp(tip, up));
            let count = pieces(from.distance(to));
            let share = area * 2.0 * (1.0 - up) / (rows * count) as f32;
            (0..count).for_each(|piece| self.splat(from.lerp(to, (piece as f32 + 0.5) / count as f32), share));
        }
    }

    /// Distributes `area` over the eight cells around `at`, in cells from the grid's lower corner (trilinear).
    fn splat(&mut self, at: Vec3, area: f32) {
        let first = (at - 0.5).floor().max(Vec3::ZERO);
        let part = (at - 0.5 - first).clamp(Vec3::ZERO, Vec3::ONE);
        let first = first.as_uvec3().min(self.size - 2);
        for corner in 0..8_u32 {
            let far = UVec3::new(corner & 1, corner >> 1 & 1, corner >> 2);
            let share = Vec3::select(far.cmpeq(UVec3::ONE), part, 1.0 - part).element_product();
            let index = self.index(first + far);
            self.cells[index] += area * share;
        }
    }

    /// Returns the index of a cell: x first, then y, then z.
    fn index(&self, cell: UVec3) -> usize {
        ((cell.z * self.size.y + cell.y) * self.size.x + cell.x) as usize
    }

    /// Returns a copy blurred twice along each axis by a box of `2 · radius + 1` cells.
    fn blur(&self, radius: usize) -> Self {
        let [x, y, z] = self.size.to_array().map(|count| count as usize);
        let mut cells = self.cells.clone();
        for (count, step) in [(x, 1), (y, x), (z, x * y)] {
            let (mut line, mut sums) = (vec![0.0; count], vec![0.0; count + 1]);
            for first in (0..cells.len()).filter(|index| index / step % count == 0) {
                (0..count).for_each(|at| line[at] = cells[first + at * step]);
                (0..2).for_each(|_| mean(&mut line, &mut sums, radius));
                (0..count).for_each(|at| cells[first + at * step] = line[at]);
            }
        }
        Self { size: self.size, cells }
    }
}

/// Returns the number of equal pieces, each shorter than a cell, that a length in cells is cut into.
fn pieces(length: f32) -> usize {
    (length * 1.5).ceil().max(1.0) as usize
}

/// Replaces each number of `line` by the mean of itself and `spread` neighbours on either side; 0 beyond the ends. `sums` is
/// scratch space, one element longer than `line`.
fn mean(line: &mut [f32], sums: &mut [f32], spread: usize) {
    for (at, value) in line.iter().enumerate() {
        sums[at + 1] = sums[at] + value;
    }
    let (count, width) = (line.len(), (2 * spread + 1) as f32);
    for (at, value) in line.iter_mut().enumerate() {
        *value = (sums[(at + spread + 1).min(count)] - sums[at.saturating_sub(spread)]) / width;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn square([a, b, c, d]: [Vec3; 4]) -> [Vec3; 6] {
        [a, b, c, a, c, d]
    }

    fn at(near: &AmbientOcclusion, position: Vec3) -> [u8; 2] {
        let cell = ((position - near.low) / near.cell).as_uvec3();
        near.values[((cell.z * near.size.y + cell.y) * near.size.x + cell.x) as usize]
    }

    /// A floor of 6 m with a wall on it.
    fn corner() -> AmbientOcclusion {
        let floor = [Vec3::ZERO, Vec3::Z * 6.0, Vec3::new(6.0, 0.0, 6.0), Vec3::X * 6.0];
        let wall = [Vec3::ZERO, Vec3::X * 6.0, Vec3::new(6.0, 3.0, 0.0), Vec3::Y * 3.0];
        AmbientOcclusion::new(&[square(floor), square(wall)].concat()).unwrap()
    }

    #[test]
    fn occlusion_is_stronger_near_a_wall_than_on_a_free_floor() {
        let near = corner();
        let (open, next_to_wall) = (Vec3::new(3.0, 0.3, 3.0), Vec3::new(3.0, 0.3, 0.1));
        for (far, close) in at(&near, open).into_iter().zip(at(&near, next_to_wall)) {
            assert!(close > far + 40, "{close} beside the wall, {far} in the open");
        }
        assert_eq!(at(&near, Vec3::new(3.0, 2.5, 3.0)), [0, 0], "in the air is nothing");
    }

    #[test]
    fn the_density_of_a_floor_does_not_depend_on_its_position_between_cells() {
        // Below it lies a point, so that the grid stays where it is.
        let lower_point = Vec3::NEG_Y;
        let weight = |height: f32| {
            let corners = [(0.0, 0.0), (0.0, 6.0), (6.0, 6.0), (6.0, 0.0)].map(|(x, z)| Vec3::new(x, height, z));
            let near = AmbientOcclusion::new(&[&square(corners)[..], &[lower_point; 3]].concat()).unwrap();
            let sample_pos = Vec3::new(3.0, height + 1.5 * near.cell, 3.0) - Vec3::Y * 0.5 * near.cell;
            let part = ((sample_pos - near.low) / near.cell).y.fract();
            let [lower, upper] = [0.0, near.cell].map(|up| f32::from(at(&near, sample_pos + Vec3::Y * up)[0]));
            lower + (upper - lower) * part
        };
        let weights = [0.0, 0.03, 0.06, 0.09, 0.12].map(weight);
        let (least, most) = weights.into_iter().fold((f32::MAX, 0.0_f32), |(a, b), each| (a.min(each), b.max(each)));
        assert!(least > 40.0 && most < least + 8.0, "{weights:?}");
    }

    #[test]
    fn a_large_level_respects_the_cell_limit_and_an_empty_one_has_no_grid() {
        let far = Vec3::new(900.0, 20.0, 700.0);
        let near = AmbientOcclusion::new(&[Vec3::ZERO, far, far.with_z(0.0)]).unwrap();
        assert!(near.values.len() <= MAX_CELLS as usize && near.cell > 1.0, "{}", near.values.len());
        assert_eq!(AmbientOcclusion::new(&[]), None);
    }
}
