//! Solid spans of all columns, and what takes them out of what can be walked on: Recast's filters (Mikko Mononen, *Recast
//! Navigation*, `RecastFilter`). Each span is told alone, so that bands of columns are worked on side by side.

use std::ops::Range;

use rayon::prelude::*;

use super::bands::{Band, split};
use super::grid::Voxels;
use super::slope::SlopeCode;

/// Above the highest span of a column: no ceiling.
pub(super) const SKY: u16 = u16::MAX;

/// Steps to the columns straight beside, in Recast's order: −x, +z, +x, −z.
pub(super) const NEIGHBOURS: [[i32; 2]; 4] = [[-1, 0], [0, 1], [1, 0], [0, -1]];

/// Every solid span of a level.
#[derive(Clone, Debug, Default)]
pub struct SolidSpans {
    /// Columns along x and along z.
    pub columns: [u32; 2],
    /// Where the spans of each column (x fastest, then z) begin; one entry more than there are columns.
    pub starts: Vec<u32>,
    /// Bottom and top of every span, voxels above the lowest corner; each column bottom up.
    pub heights: Vec<[u16; 2]>,
    /// How steep the top of every span is.
    pub slopes: Vec<SlopeCode>,
}

/// A part of all spans, to be written apart from the others.
#[derive(Debug)]
pub(super) struct SpansMut<'a> {
    /// How many spans come before.
    pub first: u32,
    /// Where the spans of each column end.
    pub ends: &'a mut [u32],
    pub heights: &'a mut [[u16; 2]],
    pub slopes: &'a mut [SlopeCode],
}

impl SolidSpans {
    /// The indices of a column's spans.
    pub(super) fn range(&self, column: usize) -> Range<usize> {
        self.starts[column] as usize..self.starts[column + 1] as usize
    }

    /// The column beside another; `None` beyond the border.
    pub(super) fn neighbour(&self, column: usize, direction: usize) -> Option<usize> {
        neighbour(self.columns, column, direction)
    }

    /// Where the room above a span of a column that ends before `end` ends.
    pub(super) fn ceiling(&self, span: usize, end: usize) -> u16 {
        if span + 1 < end { self.heights[span + 1][0] } else { SKY }
    }

    /// Makes spans walkable that are not but lie no higher than the climb above one that is: curbs and the edges of stairs.
    pub(super) fn keep_low_obstacles(&mut self, climb: u16, bands: &[Band]) {
        let (starts, heights) = (&self.starts, &self.heights);
        let parts = split(&mut self.slopes, starts, bands).into_par_iter().zip(bands);
        parts.for_each(|(slopes, band)| {
            let first = starts[band.columns.start] as usize;
            for column in band.columns.clone() {
                let range = starts[column] as usize..starts[column + 1] as usize;
                // What is below was made walkable by this very rule does not count.
                let mut below: Option<(u16, SlopeCode, bool)> = None;
                for span in range {
                    let (top, was_walkable) = (heights[span][1], slopes[span - first].is_walkable());
                    if let Some((below, slope, true)) = below
                        && !was_walkable
                        && i32::from(top) - i32::from(below) <= i32::from(climb)
                    {
                        slopes[span - first] = slope;
                    }
                    below = Some((top, slopes[span - first], was_walkable));
                }
            }
        });
    }

    /// Takes out spans at a drop or a step higher than the climb.
    pub(super) fn drop_ledges(&mut self, voxels: &Voxels, bands: &[Band]) {
        self.drop_where(bands, |spans, column, span| spans.is_ledge(column, span, voxels));
    }

    /// Takes out spans without the room to stand above them.
    pub(super) fn drop_low_rooms(&mut self, voxels: &Voxels, bands: &[Band]) {
        let is_low = |spans: &Self, column: usize, span: usize| {
            let room = i32::from(spans.ceiling(span, spans.range(column).end)) - i32::from(spans.heights[span][1]);
            room < i32::from(voxels.height)
        };
        self.drop_where(bands, is_low);
    }

    /// Takes out the walkable spans for which `is` holds; it does not look at slopes.
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

    /// Whether one could step off a span further down than the climb, or the ground around it is steeper than the climb.
    fn is_ledge(&self, column: usize, span: usize, voxels: &Voxels) -> bool {
        let (height, climb) = (i32::from(voxels.height), i32::from(voxels.climb));
        let (floor, ceiling) =
            (i32::from(self.heights[span][1]), i32::from(self.ceiling(span, self.range(column).end)));
        let (mut lowest, mut highest) = (floor, floor);
        for direction in 0..4 {
            let Some(beside) = self.neighbour(column, direction) else { return true };
            let range = self.range(beside);
            let under = if range.is_empty() { SKY } else { self.heights[range.start][0] };
            // Nothing to stand on before the lowest span.
            if ceiling.min(i32::from(under)) - floor >= height {
                return true;
            }
            for other in range.clone() {
                let (there, above) = (i32::from(self.heights[other][1]), i32::from(self.ceiling(other, range.end)));
                // One cannot go between rooms that hardly overlap.
                if ceiling.min(above) - floor.max(there) < height {
                    continue;
                }
                if there - floor < -climb {
                    return true;
                }
                if there - floor <= climb {
                    (lowest, highest) = (lowest.min(there), highest.max(there));
                }
            }
        }
        highest - lowest > climb
    }
}

/// The column beside another; `None` beyond the border.
pub(super) fn neighbour(columns: [u32; 2], column: usize, direction: usize) -> Option<usize> {
    let (wide, [dx, dz]) = (columns[0] as usize, NEIGHBOURS[direction]);
    let x = (column % wide).checked_add_signed(dx as isize).filter(|x| *x < wide)?;
    let z = (column / wide).checked_add_signed(dz as isize).filter(|z| *z < columns[1] as usize)?;
    Some(x + z * wide)
}
