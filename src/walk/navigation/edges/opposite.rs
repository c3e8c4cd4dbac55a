//! The line on the other side: the far edge of a thin obstacle, or of a gap.

use std::collections::{HashMap, HashSet};

use glam::{DVec2, DVec3};

use super::pieces::Ledge;

/// Edge of a block in the search for lines, metres.
const BLOCK_M: f64 = 4.0;
/// Pieces shorter than this are rounding at a corner, metres.
const PIECE_MIN_M: f64 = 0.01;
/// Smallest cosine between the heading and the front of the line on the other side.
const MIN_FACING: f64 = 0.8;

/// Ledges by block of ground.
pub(super) struct LedgeBlocks<'a> {
    ledges: &'a [Ledge],
    blocks: HashMap<[i64; 2], Vec<usize>>,
}

/// The lines that count as the other side.
#[derive(Clone, Copy, Debug)]
pub(super) struct OppositeRules {
    /// Heading from the line to the other side, unit.
    pub heading: DVec2,
    /// True if the front of the other line points along the heading, as at the far side of an obstacle.
    pub is_front_along: bool,
    /// Smallest and largest horizontal distance, metres.
    pub distances: [f64; 2],
    /// Largest difference in height, metres.
    pub max_rise: f64,
}

/// A part of a line with the same line on the other side.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct OppositePiece {
    /// Distances along the line at which the part starts and ends, metres.
    pub range: [f64; 2],
    /// The line on the other side; `None` if there is none.
    pub far: Option<FarLine>,
}

/// A line on the other side.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct FarLine {
    /// Index of the ledge.
    pub ledge: usize,
    /// Points opposite to both ends of the part.
    pub ends: [DVec3; 2],
    /// Distances of these points along the ledge, metres.
    pub positions: [f64; 2],
}

impl<'a> LedgeBlocks<'a> {
    /// Sorts `ledges` into blocks.
    pub fn new(ledges: &'a [Ledge]) -> Self {
        let mut blocks: HashMap<[i64; 2], Vec<usize>> = HashMap::new();
        for (index, ledge) in ledges.iter().enumerate() {
            let [from, to] = ledge.line.ends.map(flat);
            let count = (from.distance(to) / BLOCK_M).ceil().max(1.0) as usize;
            let at: HashSet<[i64; 2]> =
                (0..=count).map(|step| block(from.lerp(to, step as f64 / count as f64))).collect();
            at.into_iter().for_each(|block| blocks.entry(block).or_default().push(index));
        }
        Self { ledges, blocks }
    }

    /// Returns the parts of ledge `index` with the nearest line on the other side. Together they cover the ledge.
    pub fn pieces(&self, index: usize, rules: OppositeRules) -> Vec<OppositePiece> {
        let line = &self.ledges[index].line;
        let length = line.length();
        let found: Vec<Shadow> = self
            .near(index, rules)
            .into_iter()
            .filter(|other| *other != index)
            .filter_map(|other| self.shadow(index, other, rules))
            .collect();
        let mut cuts: Vec<f64> = found.iter().flat_map(|shadow| shadow.range).chain([0.0, length]).collect();
        cuts.sort_by(f64::total_cmp);
        cuts.dedup_by(|next, last| *next - *last < PIECE_MIN_M);
        // The last cut may have been joined with one just before it.
        cuts.last_mut().into_iter().for_each(|last| *last = length);
        let mut pieces: Vec<OppositePiece> = Vec::new();
        for range in cuts.windows(2).map(|range| [range[0], range[1]]) {
            let middle = 0.5 * (range[0] + range[1]);
            let nearest = found
                .iter()
                .filter(|shadow| shadow.range[0] <= middle && middle <= shadow.range[1])
                .min_by(|a, b| a.distance(middle).total_cmp(&b.distance(middle)).then(a.ledge.cmp(&b.ledge)));
            let far = nearest.map(|shadow| self.far(shadow, range));
            match pieces.last_mut() {
                Some(last) if last.far.map(|far| far.ledge) == far.map(|far| far.ledge) => {
                    last.range[1] = range[1];
                    let joined = last.range;
                    last.far = nearest.map(|shadow| self.far(shadow, joined));
                }
                _ => pieces.push(OppositePiece { range, far }),
            }
        }
        pieces
    }

    /// Returns the ledges in the blocks around the reach of a ledge, ascending.
    fn near(&self, index: usize, rules: OppositeRules) -> Vec<usize> {
        let ends = self.ledges[index].line.ends.map(flat);
        let beyond = ends.map(|end| end + rules.heading * rules.distances[1]);
        let corners = ends.into_iter().chain(beyond);
        let (low, high) =
            corners.fold((DVec2::INFINITY, DVec2::NEG_INFINITY), |(low, high), at| (low.min(at), high.max(at)));
        // A line may pass a corner of a block between two of its samples.
        let ([x0, z0], [x1, z1]) = (block(low - BLOCK_M), block(high + BLOCK_M));
        let blocks = (x0..=x1).flat_map(|x| (z0..=z1).map(move |z| [x, z]));
        let mut near: Vec<usize> = blocks.filter_map(|block| self.blocks.get(&block)).flatten().copied().collect();
        near.sort_unstable();
        near.dedup();
        near
    }

    /// Returns the part of ledge `index` that has `other` on its other side.
    fn shadow(&self, index: usize, other: usize, rules: OppositeRules) -> Option<Shadow> {
        let (line, far) = (&self.ledges[index].line, &self.ledges[other].line);
        let facing = far.front.dot(rules.heading) * if rules.is_front_along { 1.0 } else { -1.0 };
        if facing < MIN_FACING {
            return None;
        }
        let (start, length) = (flat(line.ends[0]), line.length());
        let along = (flat(line.ends[1]) - start).normalize_or_zero();
        let flat_length = flat(line.ends[1]).distance(start);
        // Positions along the line are lengths in space.
        let stretch = length / flat_length.max(f64::MIN_POSITIVE);
        let project = |end: DVec3| {
            let offset = flat(end) - start;
            [offset.dot(along) * stretch, offset.dot(rules.heading)]
        };
        let [mut a, mut b] = far.ends.map(project);
        let mut positions = [0.0, far.length()];
        if a[0] > b[0] {
            (a, b) = (b, a);
            positions.reverse();
        }
        let mut shadow = Shadow { ledge: other, range: [a[0].max(0.0), b[0].min(length)], ends: [a, b], positions };
        shadow.limit(rules.distances);
        let middle = 0.5 * (shadow.range[0] + shadow.range[1]);
        let rise = far.at(shadow.position(middle)).y - line.at(middle).y;
        (shadow.range[1] - shadow.range[0] >= PIECE_MIN_M && rise.abs() <= rules.max_rise).then_some(shadow)
    }

    /// Returns the line opposite to a part of a ledge.
    fn far(&self, shadow: &Shadow, range: [f64; 2]) -> FarLine {
        let positions = range.map(|t| shadow.position(t));
        let line = &self.ledges[shadow.ledge].line;
        FarLine { ledge: shadow.ledge, ends: positions.map(|at| line.at(at)), positions }
    }
}

/// A ledge as seen from a line across it.
struct Shadow {
    ledge: usize,
    /// Part of the line that has the ledge opposite, metres.
    range: [f64; 2],
    /// Both ends of the ledge as the distance along the line and the distance from it, metres.
    ends: [[f64; 2]; 2],
    /// Distances of these ends along the ledge, metres.
    positions: [f64; 2],
}

impl Shadow {
    /// Returns the share of the ledge at `t` metres along the line.
    fn share(&self, t: f64) -> f64 {
        ((t - self.ends[0][0]) / (self.ends[1][0] - self.ends[0][0])).clamp(0.0, 1.0)
    }

    /// Returns the distance from the line to the ledge at `t` metres along the line.
    fn distance(&self, t: f64) -> f64 {
        self.ends[0][1] + (self.ends[1][1] - self.ends[0][1]) * self.share(t)
    }

    /// Limits the range to distances between the lowest and highest, metres.
    fn limit(&mut self, [lowest, highest]: [f64; 2]) {
        let [from, to] = self.range;
        let [near, far] = self.range.map(|t| self.distance(t));
        for limit in [lowest, highest] {
            let is_outside = |distance: f64| if limit == lowest { distance < lowest } else { distance > highest };
            let crossing = from + (to - from) * (limit - near) / (far - near);
            match (is_outside(near), is_outside(far)) {
                (true, true) => self.range[1] = self.range[0],
                (true, false) => self.range[0] = self.range[0].max(crossing),
                (false, true) => self.range[1] = self.range[1].min(crossing),
                (false, false) => (),
            }
        }
    }

    /// Returns the distance along the ledge opposite to `t` metres along the line.
    fn position(&self, t: f64) -> f64 {
        self.positions[0] + (self.positions[1] - self.positions[0]) * self.share(t)
    }
}

/// Returns the horizontal part of a point, metres.
pub(super) fn flat(point: DVec3) -> DVec2 {
    DVec2::new(point.x, point.z)
}

/// Returns the block of a point.
fn block(at: DVec2) -> [i64; 2] {
    [(at.x / BLOCK_M).floor() as i64, (at.y / BLOCK_M).floor() as i64]
}
