//! An edge that can be crossed.

use glam::{DVec2, DVec3};

use super::EdgeProblem;
use super::opposite::flat;
use crate::crossing::EdgeLine;

/// The ways in which an edge can be met.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum EdgeKind {
    /// From below: the top edge of a wall, crate or terrace.
    LedgeUp,
    /// From above: the edge of ground that falls.
    LedgeDown,
    /// From one side of a gap to the other.
    Gap,
}

/// An edge that can be crossed in one direction. The values are even or linear along it. Metres, Y up.
#[derive(Clone, Debug, PartialEq)]
pub struct Edge {
    /// How it is met.
    pub kind: EdgeKind,
    /// The edge itself.
    pub line: EdgeLine,
    /// Horizontal direction of the crossing, at a right angle to the line, unit (x and z).
    pub heading: DVec2,
    /// Height over the lower ground at both ends: in front of a ledge up, below a ledge down, in a gap. `None` without
    /// ground below.
    pub heights: Option<[f64; 2]>,
    /// Horizontal distance from the line to the lower ground, more than zero at a leaning wall.
    pub foot: f64,
    /// The edge on the other side, opposite to both ends: of a thin obstacle or a gap.
    pub far: Option<EdgeLine>,
    /// Height of the far edge over the ground behind it, at both ends. `None` for a gap, or without ground there.
    pub far_heights: Option<[f64; 2]>,
    /// Slope along the line, degrees.
    pub slope: f64,
    /// Free height above the line, at most 5 m.
    pub room_above: f64,
    /// Free distance behind the line at half a metre of height, at most 5 m.
    pub room_behind: f64,
    /// Length of the edge with the edges that continue it at nearly the same height and heading, as far as 2 m.
    pub width: f64,
    /// Reason why it cannot be crossed; `None` if it can.
    pub problem: Option<EdgeProblem>,
}

impl Edge {
    /// Returns the length of the line, metres.
    pub fn length(&self) -> f64 {
        self.line[0].distance(self.line[1])
    }

    /// Returns the horizontal distances from both ends to the far edge, metres; `None` without a far edge.
    pub fn distances(&self) -> Option<[f64; 2]> {
        self.far.map(|far| [0, 1].map(|end| (flat(far[end]) - flat(self.line[end])).dot(self.heading).max(0.0)))
    }

    /// Returns the values at `share` (0…1) along the edge.
    pub fn at(&self, share: f64) -> EdgePoint {
        let mix = |values: [f64; 2]| values[0] + (values[1] - values[0]) * share;
        EdgePoint {
            near: self.line[0].lerp(self.line[1], share),
            height: self.heights.map(mix),
            far: self.far.map(|far| far[0].lerp(far[1], share)),
            far_height: self.far_heights.map(mix),
        }
    }
}

/// The values of an [`Edge`] at one point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EdgePoint {
    /// Point on the line.
    pub near: DVec3,
    /// Height over the lower ground, metres.
    pub height: Option<f64>,
    /// Point on the far edge.
    pub far: Option<DVec3>,
    /// Height of the far edge over the ground behind it, metres.
    pub far_height: Option<f64>,
}
