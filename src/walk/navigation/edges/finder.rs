//! Derives edges from ledges: from below, from above, across gaps, and the reasons why some cannot be crossed.

use glam::{DVec2, DVec3};

use super::opposite::{FarLine, LedgeBlocks, OppositePiece, OppositeRules, flat};
use super::pieces::Ledge;
use super::surface::{Surface, level_vector};
use super::{
    EDGE_MAX_SLOPE_DEGREES, Edge, EdgeKind, EdgePoint, EdgeProblem, GAP_MAX_RISE_M, GAP_MAX_WIDTH_M, GAP_MIN_WIDTH_M,
    LEDGE_DOWN_MAX_HEIGHT_M, LEDGE_UP_MAX_HEIGHT_M, OBSTACLE_MAX_DEPTH_M,
};
use crate::navigation::Ground;
use crate::navigation::voxels::VoxelSettings;

/// Distance below zero up to which both sides of a crest count as opposite, metres.
const CREST_DEPTH_M: f64 = 0.01;
/// Largest difference in height between both edges of an obstacle, metres.
const OBSTACLE_MAX_RISE_M: f64 = 0.5;
/// Height over both sides of a gap at which it must be free, metres.
const GAP_FREE_HEIGHT_M: f64 = 0.3;
/// Spacing of the checks for walkable ground along an edge, metres.
const CHECK_SPACING_M: f64 = 0.5;
/// Distance beyond the character's radius within which walkable ground must begin, voxels.
const GROUND_REACH_CELLS: f64 = 4.0;

/// Everything that edges are derived from.
pub(super) struct Finder<'a> {
    pub surface: &'a Surface<'a>,
    pub ground: &'a Ground,
    pub settings: &'a VoxelSettings,
    pub ledges: &'a [Ledge],
    pub blocks: LedgeBlocks<'a>,
    /// Width of each ledge, metres.
    pub widths: Vec<f64>,
}

impl Finder<'_> {
    /// Returns the edges of one ledge in all ways in which it can be met.
    pub fn edges(&self, ledge: usize) -> Vec<Edge> {
        let mut edges: Vec<Edge> = self.up(ledge).into_iter().chain(self.down(ledge)).chain(self.gaps(ledge)).collect();
        edges.iter_mut().for_each(|edge| edge.problem = self.problem(edge));
        edges
    }

    /// Returns the ledge as met from below.
    fn up(&self, ledge: usize) -> Vec<Edge> {
        let front = self.ledges[ledge].line.front;
        if self.ledges[ledge].heights.is_none() {
            return Vec::new();
        }
        let rules = OppositeRules {
            heading: -front,
            is_front_along: true,
            distances: [-CREST_DEPTH_M, OBSTACLE_MAX_DEPTH_M],
            max_rise: OBSTACLE_MAX_RISE_M,
        };
        let pieces = self.blocks.pieces(ledge, rules);
        pieces.into_iter().map(|piece| self.edge(EdgeKind::LedgeUp, ledge, -front, piece)).collect()
    }

    /// Returns the ledge as met from above.
    fn down(&self, ledge: usize) -> Option<Edge> {
        let line = &self.ledges[ledge].line;
        let piece = OppositePiece { range: [0.0, line.length()], far: None };
        Some(self.edge(EdgeKind::LedgeDown, ledge, line.front, piece))
    }

    /// Returns the gaps in front of the ledge.
    fn gaps(&self, ledge: usize) -> Vec<Edge> {
        let front = self.ledges[ledge].line.front;
        let rules = OppositeRules {
            heading: front,
            is_front_along: false,
            distances: [GAP_MIN_WIDTH_M, GAP_MAX_WIDTH_M],
            max_rise: GAP_MAX_RISE_M,
        };
        let is_gap = |piece: &OppositePiece| piece.far.is_some_and(|far| self.is_gap(ledge, piece, &far));
        let pieces = self.blocks.pieces(ledge, rules).into_iter().filter(is_gap);
        pieces.map(|piece| self.edge(EdgeKind::Gap, ledge, front, piece)).collect()
    }

    /// True if both sides fall further than a step, and nothing stands between them.
    fn is_gap(&self, ledge: usize, piece: &OppositePiece, far: &FarLine) -> bool {
        let middle = |ends: [f64; 2]| 0.5 * (ends[0] + ends[1]);
        let (near, other) = (&self.ledges[ledge], &self.ledges[far.ledge]);
        let falls = |ledge: &Ledge, at: f64| ledge.height(at).is_none_or(|height| height > self.settings.climb);
        let from = near.line.at(middle(piece.range)) + DVec3::Y * GAP_FREE_HEIGHT_M;
        let across = other.line.at(middle(far.positions)) + DVec3::Y * GAP_FREE_HEIGHT_M - from;
        let is_free = across
            .try_normalize()
            .is_none_or(|direction| self.surface.free(from, direction, across.length()) >= across.length());
        falls(near, middle(piece.range)) && falls(other, middle(far.positions)) && is_free
    }

    /// Returns the part of a ledge with its values.
    fn edge(&self, kind: EdgeKind, ledge: usize, heading: DVec2, piece: OppositePiece) -> Edge {
        let Ledge { line, foot, above, behind, .. } = &self.ledges[ledge];
        let ends = piece.range.map(|t| line.at(t));
        let heights_at = |ledge: usize, [from, to]: [f64; 2]| {
            let ledge = &self.ledges[ledge];
            Some([ledge.height(from)?, ledge.height(to)?])
        };
        let far_heights = |far: FarLine| heights_at(far.ledge, far.positions);
        let rise = (ends[1].y - ends[0].y).abs();
        Edge {
            kind,
            line: ends,
            heading,
            heights: heights_at(ledge, piece.range),
            foot: *foot,
            far: piece.far.map(|far| far.ends),
            far_heights: piece.far.filter(|_| kind == EdgeKind::LedgeUp).and_then(far_heights),
            slope: rise.atan2(flat(ends[0]).distance(flat(ends[1]))).to_degrees(),
            room_above: *above,
            room_behind: *behind,
            width: self.widths[ledge],
            problem: None,
        }
    }

    /// Returns the first reason why an edge cannot be crossed.
    fn problem(&self, edge: &Edge) -> Option<EdgeProblem> {
        let VoxelSettings { radius, height: needed, .. } = *self.settings;
        let heights = edge.heights.filter(|_| edge.kind != EdgeKind::Gap);
        let lowest = heights.map_or(0.0, |[from, to]| from.min(to));
        let limit = if edge.kind == EdgeKind::LedgeUp { LEDGE_UP_MAX_HEIGHT_M } else { LEDGE_DOWN_MAX_HEIGHT_M };
        if edge.width < 2.0 * radius {
            Some(EdgeProblem::TooShort { width: edge.width, needed: 2.0 * radius })
        } else if edge.slope > EDGE_MAX_SLOPE_DEGREES {
            Some(EdgeProblem::TooSteep { slope: edge.slope, limit: EDGE_MAX_SLOPE_DEGREES })
        } else if edge.room_above < needed {
            Some(EdgeProblem::NoHeadRoom { room: edge.room_above, needed })
        } else if lowest > limit {
            Some(EdgeProblem::TooHigh { height: lowest, limit })
        } else {
            self.missing_ground(edge)
        }
    }

    /// Returns the side of an edge on which nobody can stand at any point of it.
    fn missing_ground(&self, edge: &Edge) -> Option<EdgeProblem> {
        let count = (edge.length() / CHECK_SPACING_M).ceil().max(2.0) as usize;
        let points = || (0..count).map(|step| edge.at((step as f64 + 0.5) / count as f64));
        if !points().any(|point| self.approach(edge, &point)) {
            return Some(EdgeProblem::NoApproach);
        }
        (!points().any(|point| self.landing(edge, &point))).then_some(EdgeProblem::NoLanding)
    }

    /// True if a character can stand in front of an edge.
    fn approach(&self, edge: &Edge, point: &EdgePoint) -> bool {
        match (edge.kind, point.height) {
            (EdgeKind::LedgeUp, Some(height)) => {
                let foot = point.near - level_vector(edge.heading) * edge.foot - DVec3::Y * height;
                self.is_ground(foot, -edge.heading)
            }
            _ => self.is_ground(point.near, -edge.heading),
        }
    }

    /// True if a character can stand on the other side of an edge.
    fn landing(&self, edge: &Edge, point: &EdgePoint) -> bool {
        let heading = edge.heading;
        match edge.kind {
            EdgeKind::LedgeUp => {
                let behind = point.far.zip(point.far_height).map(|(far, height)| far - DVec3::Y * height);
                self.is_ground(point.near, heading) || behind.is_some_and(|foot| self.is_ground(foot, heading))
            }
            EdgeKind::LedgeDown => {
                let foot = |height: f64| point.near + level_vector(heading) * edge.foot - DVec3::Y * height;
                point.height.is_some_and(|height| self.is_ground(foot(height), heading))
            }
            EdgeKind::Gap => point.far.is_some_and(|far| self.is_ground(far, heading)),
        }
    }

    /// True if walkable ground begins near `from` in the direction `heading`, without a drop or a wall before it.
    fn is_ground(&self, from: DVec3, heading: DVec2) -> bool {
        let VoxelSettings { cell, radius, .. } = *self.settings;
        let climb = self.settings.climb.max(self.settings.cell_height);
        let (mut height, step) = (from.y, 0.5 * cell);
        let steps = ((radius + GROUND_REACH_CELLS * cell) / step).ceil() as usize;
        for index in 1..=steps {
            let over = (from + level_vector(heading) * (step * index as f64)).with_y(height + climb);
            let Some(hit) = self.surface.cast(over, DVec3::NEG_Y).filter(|hit| hit.distance <= 2.0 * climb) else {
                return false;
            };
            height = over.y - hit.distance;
            if self.ground.cell_at(over.with_y(height), climb).is_some() {
                return true;
            }
        }
        false
    }
}
