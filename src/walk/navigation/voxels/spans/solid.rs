//! Solid spans of all columns, and the filters that remove spans from the walkable ones: Recast's filters (Mikko
//! Mononen, *Recast Navigation*, `RecastFilter`). Each span is decided independently, so bands of columns are
//! processed in parallel.

use std::ops::Range;

use rayon::prelude::*;

use super::bands::{Band, split};
use crate::navigation::voxels::grid::Voxels;
use crate::navigation::voxels::surface::slope::SlopeCode;

/// Ceiling above the highest span of a column.
pub(super) const SKY: u16 = u16::MAX;

/// Steps to the four straight neighbours, in Recast's order: −x, +z, +x, −z.
pub(super) const NEIGHBOURS: [[i32; 2]; 4] = [[-1, 0], [0, 1], [1, 0], [0, -1]];

/// All solid spans of a level.
#[derive(Clone, Debug, Default)]
pub struct SolidSpans {
    /// Number of columns along x and z.
    pub columns: [u32; 2],
    /// Index of each column's first span (x fastest, then z), with one final entry.
    pub starts: Vec<u32>,
    /// Bottom and top of every span, voxels above the lowest corner; each column bottom up.
    pub heights: Vec<[u16; 2]>,
    /// Slope of every span's top.
    pub slopes: Vec<SlopeCode>,
}

/// Mutable slices of one band's spans.
#[derive(Debug)]
pub(super) struct SpansMut<'a> {
    /// Number of spans before this part.
    pub first: u32,
    /// Index after each column's last span.
    pub ends: &'a mut [u32],
    pub heights: &'a mut [[u16; 2]],
    pub slopes: &'a mut [SlopeCode],
}

impl SolidSpans {
    /// Returns the indices of a column's spans.
    pub(crate) fn range(&self, column: usize) -> Range<usize> {
        self.starts[column] as usize..self.starts[column + 1] as usize
    }

    /// Returns the neighbouring column in a direction; `None` beyond the border.
    pub(crate) fn neighbour(&self, column: usize, direction: usize) -> Option<usize> {
        neighbour(self.columns, column, direction)
    }

    /// Returns the height of the ceiling above a span, voxels; `end` is the index after the column's last span.
    pub(crate) fn ceiling(&self, span: usize, end: usize) -> u16 {
        if span + 1 < end { self.heights[span + 1][0] } else { SKY }
    }

    /// Makes steep spans walkable that rise no more than `climb` (voxels) above the walkable span below them in the
    /// same column: curbs and the edges of stairs. A span that this rule made walkable does not count as walkable for
    /// the next one. `bands` are the columns that are processed in parallel.
    pub(crate) fn keep_low_obstacles(&mut self, climb: u16, bands: &[Band]) {
        let (starts, heights) = (&self.starts, &self.heights);
        let parts = split(&mut self.slopes, starts, bands).into_par_iter().zip(bands);
        parts.for_each(|(slopes, band)| {
            let first = starts[band.columns.start] as usize;
            for column in band.columns.clone() {
                let range = starts[column] as usize..starts[column + 1] as usize;
                // A span below that this rule made walkable does not count.
                let mut previous: Option<(u16, SlopeCode, bool)> = None;
                for span in range {
                    let (top, was_walkable) = (heights[span][1], slopes[span - first].is_walkable());
                    if let Some((previous, slope, true)) = previous
                        && !was_walkable
                        && i32::from(top) - i32::from(previous) <= i32::from(climb)
                    {
                        slopes[span - first] = slope;
                    }
                    previous = Some((top, slopes[span - first], was_walkable));
                }
            }
        });
    }

    /// Makes spans at a drop or step higher than the climb unwalkable.
    pub(crate) fn drop_ledges(&mut self, voxels: &Voxels, bands: &[Band]) {
        self.drop_where(bands, |spans, column, span| spans.is_ledge(column, span, voxels));
    }

    /// Makes spans without enough head room unwalkable.
    pub(crate) fn drop_low_rooms(&mut self, voxels: &Voxels, bands: &[Band]) {
        let is_low = |spans: &Self, column: usize, span: usize| {
            let room = i32::from(spans.ceiling(span, spans.range(column).end)) - i32::from(spans.heights[span][1]);
            room < i32::from(voxels.height)
        };
        self.drop_where(bands, is_low);
    }

    /// Makes the walkable spans unwalkable for which `is` (column, span) is true; `is` must not look at slopes.
    fn drop_where(&mut self, bands: &[Band], is: impl Fn(&Self, usize, usize) -> bool + Sync) {
        let mut slopes = std::mem::take(&mut self.slopes);
        let parts = split(&mut slopes, &self.starts, bands).into_par_iter().zip(bands);
        parts.for_each(|(slopes, band)| {
            let first = self.starts[band.columns.start] as usize;
            for column in band.columns.clone() {
                for span in self.range(column) {
                    let slope = &mut slopes[span - first];
                    if slope.is_walkable() && is(self, column, span) {
                        *slope = SlopeCode::OVER_LIMIT;
                    }
                }
            }
        });
        self.slopes = slopes;
    }

    /// True if the ground ends beside the span, if a neighbour is lower by more than the climb, or if the heights around the
    /// span within the climb differ by more than it.
    fn is_ledge(&self, column: usize, span: usize, voxels: &Voxels) -> bool {
        let (height, climb) = (i32::from(voxels.height), i32::from(voxels.climb));
        let (floor, ceiling) =
            (i32::from(self.heights[span][1]), i32::from(self.ceiling(span, self.range(column).end)));
        let (mut lowest, mut highest) = (floor, floor);
        for direction in 0..4 {
            let Some(neighbour_column) = self.neighbour(column, direction) else { return true };
            let range = self.range(neighbour_column);
            let lowest_bottom = if range.is_empty() { SKY } else { self.heights[range.start][0] };
            // No ground before the neighbour's lowest span.
            if ceiling.min(i32::from(lowest_bottom)) - floor >= height {
                return true;
            }
            for other in range.clone() {
                let (other_floor, other_ceiling) =
                    (i32::from(self.heights[other][1]), i32::from(self.ceiling(other, range.end)));
                // Rooms that hardly overlap are not connected.
                if ceiling.min(other_ceiling) - floor.max(other_floor) < height {
                    continue;
                }
                if other_floor - floor < -climb {
                    return true;
                }
                if other_floor - floor <= climb {
                    (lowest, highest) = (lowest.min(other_floor), highest.max(other_floor));
                }
            }
        }
        highest - lowest > climb
    }
}

/// Returns the neighbouring column in a direction, an index into [`NEIGHBOURS`]; `None` beyond the border. `columns` are the
/// numbers along x and z.
pub(crate) fn neighbour(columns: [u32; 2], column: usize, direction: usize) -> Option<usize> {
    let (wide, [dx, dz]) = (columns[0] as usize, NEIGHBOURS[direction]);
    let x = (column % wide).checked_add_signed(dx as isize).filter(|x| *x < wide)?;
    let z = (column / wide).checked_add_signed(dz as isize).filter(|z| *z < columns[1] as usize)?;
    Some(x + z * wide)
}
