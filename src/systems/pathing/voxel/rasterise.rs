//! Triangles to spans, exactly as Recast does it.
//!
//! After Mikko Mononen, *Recast Navigation*, `RecastRasterization`: a triangle is cut into rows of cells, each row into
//! cells, and the heights of what is left in a cell make a span. The order of the floating-point operations is Recast's, so
//! that spans are equal bit for bit; pieces that rounding leaves empty are dropped, which the crate's own version does not
//! do on borders of cells.

use glam::Vec3;
use rerecast::{AreaType, Heightfield, Span, SpanKey};

/// Corners of a triangle after four cuts, with room for those that rounding adds.
const MOST_CORNERS: usize = 12;

/// The part of the world that is cut into cells.
#[derive(Clone, Copy, Debug)]
pub(super) struct Grid {
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

/// What a triangle fills of one column, voxels above the lowest corner.
#[derive(Clone, Copy, Debug)]
pub(super) struct Piece {
    pub column: usize,
    pub low: u16,
    pub high: u16,
}

/// Gives `visit` one piece for each column that `triangle` touches.
pub(super) fn pieces(triangle: [Vec3; 3], grid: &Grid, mut visit: impl FnMut(Piece)) {
    let low = triangle[0].min(triangle[1]).min(triangle[2]);
    let high = triangle[0].max(triangle[1]).max(triangle[2]);
    if !(grid.low.cmple(high).all() && grid.high.cmpge(low).all()) {
        return;
    }
    let (from, to) = grid.range(low.z, high.z, 2);
    let (mut rest, mut above, mut row) = (Polygon::of(triangle), Polygon::default(), Polygon::default());
    for z in from..=to {
        rest.cut(2, grid.border(z, 2), &mut row, &mut above);
        std::mem::swap(&mut rest, &mut above);
        if row.count >= 3 && z >= 0 {
            row_pieces(&mut row, z, grid, &mut visit);
        }
    }
}

fn row_pieces(row: &mut Polygon, z: i32, grid: &Grid, visit: &mut impl FnMut(Piece)) {
    let (low, high) = row.extent(0);
    let inverse = 1.0 / grid.cell;
    let first = ((low - grid.low.x) * inverse) as i32;
    let last = ((high - grid.low.x) * inverse) as i32;
    if last < 0 || first >= grid.columns[0] {
        return;
    }
    let (from, to) = grid.range(low, high, 0);
    let (mut cell, mut above) = (Polygon::default(), Polygon::default());
    for x in from..=to {
        row.cut(0, grid.border(x, 0), &mut cell, &mut above);
        std::mem::swap(row, &mut above);
        if cell.count < 3 || x < 0 {
            continue;
        }
        if let Some((low, high)) = grid.voxels(cell.extent(1)) {
            visit(Piece { column: x as usize + z as usize * grid.columns[0] as usize, low, high });
        }
    }
}

/// The span added last to each column. Levels are mostly listed from the ground up, so the next one lies above it.
pub(super) type Latest = Vec<Option<SpanKey>>;

/// Adds a piece to its column: pieces that touch become one span. Where both tops are within `climb` voxels the larger area is
/// kept, else that of the higher top; a lower piece still makes a higher one walkable that was not, as in Recast.
pub(super) fn insert(field: &mut Heightfield, latest: &mut Latest, piece: Piece, area: AreaType, climb: u16) {
    let mut span = Span { min: piece.low, max: piece.high, area, next: None };
    let mut below = latest[piece.column].filter(|&key| field.allocated_spans[key].max < span.min);
    let mut next = below.map_or(field.spans[piece.column], |key| field.allocated_spans[key].next);
    while let Some(key) = next {
        let other = field.allocated_spans[key].clone();
        if other.min > span.max {
            break;
        }
        next = other.next;
        if other.max < span.min {
            below = Some(key);
            continue;
        }
        span.area = merged_area(&span, &other, climb);
        span.min = span.min.min(other.min);
        span.max = span.max.max(other.max);
        field.allocated_spans.remove(key);
    }
    span.next = next;
    let key = field.allocated_spans.insert(span);
    latest[piece.column] = Some(key);
    match below {
        Some(below) => field.allocated_spans[below].next = Some(key),
        None => field.spans[piece.column] = Some(key),
    }
}

fn merged_area(new: &Span, old: &Span, climb: u16) -> AreaType {
    if new.max.abs_diff(old.max) <= climb {
        new.area.0.max(old.area.0).into()
    } else if new.max > old.max || !old.area.is_walkable() {
        new.area
    } else {
        old.area
    }
}

impl Grid {
    /// The cells between two coordinates of an axis; from -1, so that what lies before the grid is cut off.
    fn range(&self, low: f32, high: f32, axis: usize) -> (i32, i32) {
        let last = self.columns[axis / 2] - 1;
        let inverse = 1.0 / self.cell;
        let at = |coordinate: f32| ((coordinate - self.low[axis]) * inverse) as i32;
        (at(low).clamp(-1, last), at(high).clamp(0, last))
    }

    /// Where a cell ends.
    fn border(&self, cell: i32, axis: usize) -> f32 {
        self.low[axis] + cell as f32 * self.cell + self.cell
    }

    /// Heights, metres, as voxels; `None` outside the grid.
    fn voxels(&self, (low, high): (f32, f32)) -> Option<(u16, u16)> {
        let (low, high) = (low - self.low.y, high - self.low.y);
        let tallest = self.high.y - self.low.y;
        if high < 0.0 || low > tallest {
            return None;
        }
        let inverse = 1.0 / self.cell_height;
        let low = ((low.max(0.0) * inverse).floor() as i32).clamp(0, i32::from(u16::MAX) - 1);
        let high = ((high.min(tallest) * inverse).ceil() as i32).clamp(low + 1, i32::from(u16::MAX));
        Some((low as u16, high as u16))
    }
}

/// A convex polygon.
#[derive(Clone, Copy, Debug, Default)]
struct Polygon {
    corners: [Vec3; MOST_CORNERS],
    count: usize,
}

impl Polygon {
    fn of(triangle: [Vec3; 3]) -> Self {
        let mut polygon = Self::default();
        triangle.into_iter().for_each(|corner| polygon.push(corner));
        polygon
    }

    fn push(&mut self, corner: Vec3) {
        // A thirteenth corner could only repeat another one.
        if self.count < MOST_CORNERS {
            self.corners[self.count] = corner;
            self.count += 1;
        }
    }

    /// Lowest and highest coordinate.
    fn extent(&self, axis: usize) -> (f32, f32) {
        let first = self.corners[0][axis];
        let rest = self.corners[1..self.count].iter().map(|corner| corner[axis]);
        rest.fold((first, first), |(low, high), at| (low.min(at), high.max(at)))
    }

    /// Cuts at a coordinate of an axis into the parts `below` and `above`; corners on the cut go to both.
    fn cut(&self, axis: usize, at: f32, below: &mut Self, above: &mut Self) {
        below.count = 0;
        above.count = 0;
        let Some(last) = self.count.checked_sub(1) else { return };
        let (mut before, mut room_before) = (self.corners[last], at - self.corners[last][axis]);
        for &corner in &self.corners[..self.count] {
            let room = at - corner[axis];
            if (room >= 0.0) != (room_before >= 0.0) {
                let crossing = before + (corner - before) * (room_before / (room_before - room));
                below.push(crossing);
                above.push(crossing);
                // A corner on the cut is the crossing itself.
                if room > 0.0 {
                    below.push(corner);
                } else if room < 0.0 {
                    above.push(corner);
                }
            } else {
                if room >= 0.0 {
                    below.push(corner);
                }
                if room <= 0.0 {
                    above.push(corner);
                }
            }
            (before, room_before) = (corner, room);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rerecast::{Aabb3d, HeightfieldBuilder};

    fn grid() -> Grid {
        Grid { low: Vec3::ZERO, high: Vec3::splat(4.0), cell: 1.0, cell_height: 0.5, columns: [4, 4] }
    }

    fn touched(triangle: [Vec3; 3]) -> Vec<(usize, u16, u16)> {
        let mut found = Vec::new();
        pieces(triangle, &grid(), |piece| found.push((piece.column, piece.low, piece.high)));
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
    fn what_lies_outside_the_grid_leaves_nothing() {
        let far = Vec3::splat(9.0);
        assert!(touched([far, far + Vec3::X, far + Vec3::Z]).is_empty());
        let across = touched([Vec3::new(-9.0, 1.0, 0.5), Vec3::new(9.0, 1.0, 0.4), Vec3::new(9.0, 1.0, 0.6)]);
        assert_eq!(across.iter().map(|piece| piece.0).collect::<Vec<_>>(), [0, 1, 2, 3]);
    }

    /// The spans of one column after these pieces (low, high, area) were added in order.
    fn column(pieces: &[(u16, u16, u8)]) -> Vec<(u16, u16, u8)> {
        let aabb = Aabb3d { min: Vec3::ZERO, max: Vec3::ONE };
        let mut field = HeightfieldBuilder { aabb, cell_size: 1.0, cell_height: 1.0 }.build().unwrap();
        let mut latest = vec![None];
        for &(low, high, area) in pieces {
            insert(&mut field, &mut latest, Piece { column: 0, low, high }, area.into(), 1);
        }
        let mut found = Vec::new();
        let mut next = field.spans[0];
        while let Some(key) = next {
            let span = &field.allocated_spans[key];
            found.push((span.min, span.max, span.area.0));
            next = span.next;
        }
        assert_eq!(field.allocated_spans.len(), found.len());
        found
    }

    #[test]
    fn pieces_that_touch_become_one_span_and_others_stay_in_order() {
        let pieces = [(20, 22, 3), (0, 2, 1), (8, 9, 9), (2, 4, 2), (30, 31, 4), (21, 40, 0)];
        assert_eq!(column(&pieces), [(0, 4, 2), (8, 9, 9), (20, 40, 0)]);
    }

    #[test]
    fn spans_are_the_same_in_whatever_order_their_pieces_come() {
        let mut seed = 7_u32;
        let mut random = |below: u32| {
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (seed >> 8) % below
        };
        for _ in 0..300 {
            let low: Vec<u16> = (0..40).map(|_| random(400) as u16).collect();
            let pieces: Vec<(u16, u16, u8)> = low.into_iter().map(|low| (low, low + 1 + random(6) as u16, 5)).collect();
            let filled = |at: u16| pieces.iter().any(|&(low, high, _)| (low..high).contains(&at));
            let found = column(&pieces);
            assert!(found.windows(2).all(|pair| pair[0].1 < pair[1].0), "{found:?}");
            assert!((0..500).all(|at| filled(at) == found.iter().any(|&(low, high, _)| (low..high).contains(&at))));
            let mut sorted = pieces.clone();
            sorted.sort_unstable();
            assert_eq!(column(&sorted), found);
        }
    }
}
