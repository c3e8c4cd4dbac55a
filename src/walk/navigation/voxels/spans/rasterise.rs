//! Rasterisation of triangles to spans, exactly as in Recast.
//!
//! After Mikko Mononen, *Recast Navigation*, `RecastRasterization`: a triangle is cut into rows of cells, each row
//! into cells, and the height range within a cell makes a span. The order of floating-point operations is Recast's, so
//! spans are equal bit for bit. Pieces that rounding leaves empty are dropped, which the `rerecast` crate does not do
//! on borders of cells.

use std::mem::swap;
use std::ops::{Add, Mul, Range, Sub};

use glam::{Vec2, Vec3};
use portamento_anim::math::Bounds;

/// Corners of a triangle after four cuts, with room for those that rounding adds.
const MAX_CORNERS: usize = 12;

/// The region of the world that is cut into cells.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RasterGrid {
    /// Lowest corner, metres.
    pub low: Vec3,
    /// Highest corner, metres.
    pub high: Vec3,
    /// Edge of a cell along the ground, metres.
    pub cell: f32,
    /// Height of a voxel, metres.
    pub cell_height: f32,
    /// Cells along x and z.
    pub columns: [i32; 2],
}

/// The part of one column that a triangle fills, voxels above the lowest corner.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ColumnFill {
    pub column: usize,
    pub low: u16,
    pub high: u16,
}

/// Calls `visit` with one piece for each column that `triangle` (metres) touches in `rows`.
pub(crate) fn pieces(triangle: [Vec3; 3], grid: &RasterGrid, rows: &Range<i32>, mut visit: impl FnMut(ColumnFill)) {
    let Bounds { low, high } = extent(triangle);
    if !(grid.low.cmple(high).all() && grid.high.cmpge(low).all()) {
        return;
    }
    let (from, to) = grid.range(low.z, high.z, 2);
    let (mut rest, mut rest_above) = (&mut Polygon::default(), &mut Polygon::default());
    triangle.into_iter().for_each(|corner| rest.push(corner));
    let (mut row, mut spare) = (Polygon::default(), Polygon::default());
    for z in from..=to.min(rows.end - 1) {
        let border = grid.border(z, 2);
        row.count = 0;
        // The following steps depend on x and height only.
        let push_row = |corner: Vec3| row.push(Vec2::new(corner.x, corner.y));
        if z == to && high.z <= border {
            rest.corners().iter().copied().for_each(push_row);
        } else {
            rest.cut(|corner| border - corner.z, push_row, rest_above);
            swap(&mut rest, &mut rest_above);
        }
        if row.count >= 3 && z >= rows.start {
            row_pieces([&mut row, &mut spare], z, grid, &mut visit);
        }
    }
}
/// Returns the bounds of a triangle.
fn extent([a, b, c]: [Vec3; 3]) -> Bounds {
    Bounds { low: a.min(b).min(c), high: a.max(b).max(c) }
}
/// Cuts one row of a triangle into cells and calls `visit` with each piece.
fn row_pieces(
    [mut row, mut rest_above]: [&mut Polygon<Vec2>; 2],
    z: i32,
    grid: &RasterGrid,
    visit: &mut impl FnMut(ColumnFill),
) {
    let Some((low, high)) = row.extent() else { return };
    let inverse = 1.0 / grid.cell;
    let first = ((low - grid.low.x) * inverse) as i32;
    let last = ((high - grid.low.x) * inverse) as i32;
    if last < 0 || first >= grid.columns[0] {
        return;
    }
    let (from, to) = grid.range(low, high, 0);
    for x in from..=to {
        let border = grid.border(x, 0);
        let (mut count, mut bottom, mut top) = (0, f32::INFINITY, f32::NEG_INFINITY);
        let add_corner = |corner: Vec2| {
            count += 1;
            (bottom, top) = (bottom.min(corner.y), top.max(corner.y));
        };
        if x == to && high <= border {
            row.corners().iter().copied().for_each(add_corner);
        } else {
            row.cut(|corner| border - corner.x, add_corner, rest_above);
            swap(&mut row, &mut rest_above);
        }
        if count >= 3
            && x >= 0
            && let Some((low, high)) = grid.voxels(bottom, top)
        {
            visit(ColumnFill { column: x as usize + z as usize * grid.columns[0] as usize, low, high });
        }
    }
}

impl RasterGrid {
    /// Returns the rows in which a triangle may have pieces.
    pub(crate) fn rows(&self, triangle: [Vec3; 3]) -> Range<i32> {
        let Bounds { low, high } = extent(triangle);
        let (from, to) = self.range(low.z, high.z, 2);
        from..to + 1
    }

    /// Returns the first and last cell between two coordinates (metres) along x (`axis` 0) or z (`axis` 2); from -1, so that
    /// geometry before the grid is cut off.
    fn range(&self, low: f32, high: f32, axis: usize) -> (i32, i32) {
        let last = self.columns[axis / 2] - 1;
        let inverse = 1.0 / self.cell;
        let at = |coordinate: f32| ((coordinate - self.low[axis]) * inverse) as i32;
        (at(low).clamp(-1, last), at(high).clamp(0, last))
    }

    /// Returns the coordinate of a cell's upper border along x (`axis` 0) or z (`axis` 2), metres.
    fn border(&self, cell: i32, axis: usize) -> f32 {
        self.low[axis] + cell as f32 * self.cell + self.cell
    }

    /// Converts a height range in metres to voxels; `None` outside the grid.
    fn voxels(&self, low: f32, high: f32) -> Option<(u16, u16)> {
        let (low, high) = (low - self.low.y, high - self.low.y);
        let tallest = self.high.y - self.low.y;
        if high < 0.0 || low > tallest {
            return None;
        }
        let inverse = 1.0 / self.cell_height;
        // Neither is negative, so truncation rounds down.
        let low = ((low.max(0.0) * inverse) as i32).clamp(0, i32::from(u16::MAX) - 1);
        let top = high.min(tallest) * inverse;
        let high = (top as i32 + i32::from(top > top as i32 as f32)).clamp(low + 1, i32::from(u16::MAX));
        Some((low as u16, high as u16))
    }
}

/// A convex polygon.
#[derive(Clone, Copy, Debug, Default)]
struct Polygon<Corner> {
    corners: [Corner; MAX_CORNERS],
    count: usize,
}

impl<Corner> Polygon<Corner>
where
    Corner: Copy + Add<Output = Corner> + Sub<Output = Corner> + Mul<f32, Output = Corner>,
{
    /// Adds a corner; nothing beyond [`MAX_CORNERS`].
    #[inline]
    fn push(&mut self, corner: Corner) {
        // A thirteenth corner could only repeat another one.
        if self.count < MAX_CORNERS {
            self.corners[self.count] = corner;
            self.count += 1;
        }
    }

    #[inline]
    fn corners(&self) -> &[Corner] {
        &self.corners[..self.count.min(MAX_CORNERS)]
    }

    /// Splits the polygon. `near_side` receives the corners with `room` to the cut, `far_side` the others; corners on the cut
    /// go to both.
    #[inline]
    fn cut(&self, room: impl Fn(Corner) -> f32, mut near_side: impl FnMut(Corner), far_side: &mut Self) {
        far_side.count = 0;
        let corners = self.corners();
        let Some(&last) = corners.last() else { return };
        let (mut before, mut room_before) = (last, room(last));
        for &corner in corners {
            let room = room(corner);
            if (room >= 0.0) != (room_before >= 0.0) {
                let crossing = before + (corner - before) * (room_before / (room_before - room));
                near_side(crossing);
                far_side.push(crossing);
                // A corner on the cut is the crossing itself.
                if room > 0.0 {
                    near_side(corner);
                } else if room < 0.0 {
                    far_side.push(corner);
                }
            } else {
                if room >= 0.0 {
                    near_side(corner);
                }
                if room <= 0.0 {
                    far_side.push(corner);
                }
            }
            (before, room_before) = (corner, room);
        }
    }
}

impl Polygon<Vec2> {
    /// Returns the smallest and largest x, metres; `None` without corners.
    fn extent(&self) -> Option<(f32, f32)> {
        let [first, rest @ ..] = self.corners() else { return None };
        Some(rest.iter().fold((first.x, first.x), |(low, high), at| (low.min(at.x), high.max(at.x))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grid() -> RasterGrid {
        RasterGrid { low: Vec3::ZERO, high: Vec3::splat(4.0), cell: 1.0, cell_height: 0.5, columns: [4, 4] }
    }

    fn touched(triangle: [Vec3; 3]) -> Vec<(usize, u16, u16)> {
        let mut found = Vec::new();
        pieces(triangle, &grid(), &(0..4), |piece| found.push((piece.column, piece.low, piece.high)));
        found
    }

    #[test]
    fn a_triangle_on_borders_of_cells_fills_only_the_cells_it_covers() {
        let corner = |x, z| Vec3::new(x, 1.0, z);
        assert_eq!(touched([corner(1.0, 1.0), corner(1.0, 2.0), corner(2.0, 1.0)])[0], (5, 2, 3));
        let inside: Vec<usize> =
            touched([corner(1.0, 1.0), corner(1.0, 3.0), corner(3.0, 1.0)]).iter().map(|piece| piece.0).collect();
        assert!([5, 6, 9].iter().all(|column| inside.contains(column)), "{inside:?}");
    }

    #[test]
    fn geometry_outside_the_grid_makes_no_spans() {
        let far = Vec3::splat(9.0);
        assert!(touched([far, far + Vec3::X, far + Vec3::Z]).is_empty());
        let across = touched([Vec3::new(-9.0, 1.0, 0.5), Vec3::new(9.0, 1.0, 0.4), Vec3::new(9.0, 1.0, 0.6)]);
        assert_eq!(across.iter().map(|piece| piece.0).collect::<Vec<_>>(), [0, 1, 2, 3]);
    }

    #[test]
    fn bands_of_rows_together_give_all_pieces() {
        let triangle = [Vec3::new(0.1, 0.3, 0.2), Vec3::new(3.7, 2.1, 1.4), Vec3::new(1.2, 3.9, 3.95)];
        let band = |rows: Range<i32>| {
            let mut found = Vec::new();
            pieces(triangle, &grid(), &rows, |piece| found.push((piece.column, piece.low, piece.high)));
            found
        };
        let all_rows = touched(triangle);
        assert!(all_rows.len() > 6 && band(4..4).is_empty());
        assert_eq!([band(0..1), band(1..3), band(3..4)].concat(), all_rows);
    }
}
