//! A path that crosses obstacles and gaps: the legs between its crossings.

use std::sync::Arc;

use glam::DVec3;

use crate::crossing::{CrossingKind, Fitted};
use crate::locomotion::{GroundHeight, WalkError, WalkPath};

/// Length of the straight run to a crossing and away from it, metres: about half a step of a run.
const STRAIGHT_M: f64 = 0.8;
/// Largest difference of the ground along that run, metres.
const STRAIGHT_MAX_RISE_M: f64 = 0.3;
/// Length below which a leg is left out, metres.
const LEG_MIN_M: f64 = 0.05;
/// Largest distance between a point of the path and the end of a crossing there, metres: the diagonal of a wide voxel.
const ENDS_MAX_GAP_M: f64 = 1.0;

/// A crossing on a path.
#[derive(Clone, Debug, PartialEq)]
pub struct PathCrossing {
    /// Index of the path's point where it starts; it lands at the next point.
    pub point: usize,
    /// Name of the clip.
    pub name: String,
    /// The clip, fitted to its obstacle.
    pub fitted: Arc<Fitted>,
}

impl PathCrossing {
    /// Returns the kind of crossing.
    pub fn kind(&self) -> CrossingKind {
        self.fitted.report.kind
    }

    /// Returns its direction, a horizontal unit vector.
    fn ahead(&self) -> DVec3 {
        DVec3::new(self.fitted.heading.sin(), 0.0, self.fitted.heading.cos())
    }
}

impl WalkPath {
    /// Returns `Err` if a crossing is not between two points of the path, they are not in order, or one starts or lands more
    /// than a metre away from its point.
    pub(crate) fn check_crossings(&self, crossings: &[PathCrossing]) -> Result<(), WalkError> {
        let is_near = |point: DVec3, end: DVec3| point.distance(end) <= ENDS_MAX_GAP_M;
        let fits = |crossing: &PathCrossing| {
            let ends = self.points.get(crossing.point).zip(self.points.get(crossing.point + 1));
            ends.is_some_and(|(from, to)| {
                is_near(*from, crossing.fitted.start) && is_near(*to, crossing.fitted.landing)
            })
        };
        let in_order = crossings.windows(2).all(|pair| pair[0].point < pair[1].point);
        match crossings.iter().find(|crossing| !in_order || !fits(crossing)) {
            Some(crossing) => Err(WalkError::OffCrossing { clip: crossing.name.clone() }),
            None => Ok(()),
        }
    }

    /// Returns the paths before, between and after `crossings`, one more than there are crossings; `None` for one that is shorter
    /// than 5 cm. They lead straight to and away from a crossing where `ground` is even, or everywhere without `ground`.
    pub fn legs(&self, crossings: &[PathCrossing], ground: Option<GroundHeight>) -> Vec<Option<WalkPath>> {
        let leg = |index: usize| {
            let before = index.checked_sub(1).map(|before| &crossings[before]);
            let after = crossings.get(index);
            let from = before.map_or(0, |crossing| crossing.point + 1);
            let to = after.map_or(self.points.len() - 1, |crossing| crossing.point);
            let mut leg =
                Self { points: self.points[from..=to].to_vec(), speed_limits: self.speed_limits[from..=to].to_vec() };
            if let Some(crossing) = after {
                leg.end_straight(crossing.fitted.start, -crossing.ahead(), ground);
            }
            if let Some(crossing) = before {
                leg.reverse();
                leg.end_straight(crossing.fitted.landing, crossing.ahead(), ground);
                leg.reverse();
            }
            let length: f64 = leg.points.windows(2).map(|ends| (ends[1] - ends[0]).with_y(0.0).length()).sum();
            (length >= LEG_MIN_M).then_some(leg)
        };
        (0..=crossings.len()).map(leg).collect()
    }

    fn reverse(&mut self) {
        self.points.reverse();
        self.speed_limits.reverse();
    }

    /// Moves the last point to `end`, and lets the path arrive there straight from the side of `back` (horizontal, unit) if the
    /// path is long enough and the ground there is even.
    fn end_straight(&mut self, end: DVec3, back: DVec3, ground: Option<GroundHeight>) {
        let last = self.points.len() - 1;
        self.points[last] = end;
        let limit = self.speed_limits[last];
        let is_far = |point: &DVec3| (*point - end).with_y(0.0).length() > STRAIGHT_M;
        let Some(kept) = self.points.iter().rposition(is_far) else { return };
        let at = end + back * STRAIGHT_M;
        let height = ground.map_or(Some(end.y), |ground| ground(at));
        if let Some(height) = height.filter(|height| (height - end.y).abs() <= STRAIGHT_MAX_RISE_M) {
            self.points.truncate(kept + 1);
            self.speed_limits.truncate(kept + 1);
            self.points.extend([at.with_y(height), end]);
            self.speed_limits.extend([limit; 2]);
        }
    }
}
