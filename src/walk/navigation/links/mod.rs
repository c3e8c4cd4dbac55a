//! Links between walkable areas: the positions along the edges of a level at which a clip can cross.

mod choice;
mod room;
#[cfg(test)]
pub(crate) mod tests;

use std::ops::RangeInclusive;

use glam::{DVec2, DVec3};

pub use self::choice::cheapest;
use self::room::{Corridor, Room};
use super::SearchError;
use super::edges::{Edge, EdgeKind, EdgePoint};
use super::voxels::VoxelMap;
use crate::crossing::{ClipRange, CrossingKind, Obstacle};
use portamento_anim::parallel_map::parallel_map;
use portamento_base::progress::Progress;

/// Largest distance between links along an edge, metres.
pub const LINK_SPACING_M: f64 = 0.5;
/// Largest excess of a height over the range of a clip, metres: the ground is measured at the middle of voxels.
const HEIGHT_TOLERANCE_M: f64 = 0.05;
/// Largest number of clips.
const MAX_CLIPS: usize = 100;
/// Height over the higher edge from which the way across must be free, metres.
const CLEARANCE_MIN_HEIGHT_M: f64 = 0.3;

/// Numbers that the positions along one edge read, about.
const NUMBERS_PER_EDGE: usize = 1 << 11;

/// A crossing from one cell of the ground to another.
#[derive(Clone, Debug, PartialEq)]
pub struct Link {
    /// Index of the clip in the list of ranges.
    pub clip: usize,
    /// Index of the edge.
    pub edge: usize,
    /// The obstacle, with the start and the end of the crossing.
    pub obstacle: Obstacle,
    /// Cell that contains the start.
    pub from: u32,
    /// Cell that contains the landing.
    pub to: u32,
    /// Duration of the crossing, seconds.
    pub seconds: f64,
}

/// Returns every crossing of `edges` that one of `clips` can do, at most [`LINK_SPACING_M`] apart along each edge.
/// `map` must be the voxels of the level that has the edges.
///
/// Returns `Err` if:
/// - there are more than 100 clips;
/// - a height, distance, rise, run-up or landing room of a clip is outside its limits, or the ends of a range are in the
///   wrong order;
/// - `progress` was cancelled.
pub fn links(
    edges: &[Edge],
    clips: &[ClipRange],
    map: &VoxelMap,
    progress: &Progress,
) -> Result<Vec<Link>, SearchError> {
    check(clips)?;
    let of_edge = |index: usize| {
        let edge = &edges[index];
        let usable = edge.problem.is_none();
        let clips = clips.iter().enumerate().filter(|(_, clip)| usable && edge_kind(clip.kind) == edge.kind);
        let fit = |(clip, range): (usize, &ClipRange)| EdgeFit { map, edge, index, clip, range }.links();
        clips.flat_map(fit).collect::<Vec<Link>>()
    };
    let found = parallel_map(edges.len(), NUMBERS_PER_EDGE, progress, of_edge)?;
    progress.finish()?;
    Ok(found.into_iter().flatten().collect())
}

/// Returns a number that the links of `edges` and `clips` do not exceed.
pub fn largest_count(edges: &[Edge], clips: &[ClipRange]) -> usize {
    let of_kind = |kind: EdgeKind| clips.iter().filter(|clip| edge_kind(clip.kind) == kind).count();
    let positions = |edge: &Edge| (edge.length() / LINK_SPACING_M).ceil() as usize + 1;
    edges.iter().map(|edge| positions(edge) * of_kind(edge.kind)).sum()
}

/// Returns `Err` for the first value of a clip that is not usable.
fn check(clips: &[ClipRange]) -> Result<(), SearchError> {
    if clips.len() > MAX_CLIPS {
        return Err(SearchError::TooManyCrossings { count: clips.len(), most: MAX_CLIPS });
    }
    for (index, clip) in clips.iter().enumerate() {
        let ends = |range: &RangeInclusive<f64>| [*range.start(), *range.end()];
        let values = [
            ("height", ends(&clip.height), [-20.0, 20.0]),
            ("distance", ends(&clip.distance), [0.0, 20.0]),
            ("rise", ends(&clip.rise), [-20.0, 20.0]),
            ("run_up", ends(&clip.run_up), [0.0, 20.0]),
            ("landing_room", [clip.landing_room; 2], [0.0, 20.0]),
            ("seconds", [clip.seconds; 2], [0.05, 60.0]),
        ];
        for (name, [from, to], [low, high]) in values {
            // Written so that NaN is refused too.
            let is_usable = low <= from && from <= to && to <= high;
            if !is_usable {
                return Err(SearchError::BadCrossing { clip: index + 1, name, low, high });
            }
        }
    }
    Ok(())
}

/// Returns the edges that are crossed in this way.
fn edge_kind(kind: CrossingKind) -> EdgeKind {
    match kind {
        CrossingKind::Vault | CrossingKind::Mantle | CrossingKind::HopUp => EdgeKind::LedgeUp,
        CrossingKind::JumpAcross => EdgeKind::Gap,
        CrossingKind::DropDown => EdgeKind::LedgeDown,
    }
}

/// An edge and a clip that may cross it.
struct EdgeFit<'a> {
    map: &'a VoxelMap,
    edge: &'a Edge,
    index: usize,
    clip: usize,
    range: &'a ClipRange,
}

impl EdgeFit<'_> {
    /// Returns the links along the edge. They stay away from its ends by the character's radius.
    fn links(&self) -> Vec<Link> {
        let (length, radius) = (self.edge.length(), self.map.settings.radius);
        let margin = radius.min(0.5 * length);
        let count = ((length - 2.0 * margin) / LINK_SPACING_M).ceil() as usize;
        let share = |step: usize| (margin + (length - 2.0 * margin) * step as f64 / count.max(1) as f64) / length;
        (0..=count).filter_map(|step| self.link(self.edge.at(share(step)))).collect()
    }

    /// Returns the link at a point of the edge; `None` if the clip does not fit there.
    fn link(&self, point: EdgePoint) -> Option<Link> {
        let (edge, range) = (self.edge, self.range);
        let far =
            if matches!(range.kind, CrossingKind::Vault | CrossingKind::JumpAcross) { Some(point.far?) } else { None };
        let distance = far.map(|far| flat(far - point.near).dot(edge.heading));
        if distance.is_some_and(|distance| !range.distance.contains(&distance)) {
            return None;
        }
        let [front, behind] = self.feet(&point, far)?;
        let (start, from) = self.start(point.near, front)?;
        let landing = Room::find(self.map, behind, edge.heading, range.landing_room)?;
        if landing.length < range.landing_room {
            return None;
        }
        let (landing_at, to) = landing.at(range.landing_room)?;
        let height = point.near.y - start.y;
        let is_fit = is_near(&range.height, height) && is_near(&range.rise, landing_at.y - start.y);
        let corridor = Corridor { from: point.near, to: far.unwrap_or(point.near), heading: edge.heading };
        if !is_fit || !corridor.is_free(self.map, CLEARANCE_MIN_HEIGHT_M) {
            return None;
        }
        Some(Link {
            clip: self.clip,
            edge: self.index,
            obstacle: Obstacle {
                kind: range.kind,
                near: edge.line,
                far: edge.far.filter(|_| far.is_some()),
                start,
                landing: landing_at,
            },
            from,
            to,
            seconds: range.seconds,
        })
    }

    /// Returns the points below the near edge on the side of the start, and below the last edge on the other side, on the
    /// ground.
    fn feet(&self, point: &EdgePoint, far: Option<DVec3>) -> Option<[DVec3; 2]> {
        let down = |at: DVec3, height: f64| at - DVec3::Y * height;
        let aside = DVec3::new(self.edge.heading.x, 0.0, self.edge.heading.y) * self.edge.foot;
        Some(match self.range.kind {
            CrossingKind::Vault => [down(point.near - aside, point.height?), down(far?, point.far_height?)],
            CrossingKind::Mantle | CrossingKind::HopUp => [down(point.near - aside, point.height?), point.near],
            CrossingKind::JumpAcross => [point.near, far?],
            CrossingKind::DropDown => [point.near, down(point.near + aside, point.height?)],
        })
    }

    /// Returns the start on the ground and its cell: in the middle of the run-ups that the clip allows, or as near to it as there is
    /// room.
    fn start(&self, near: DVec3, front: DVec3) -> Option<(DVec3, u32)> {
        let [low, high] = [*self.range.run_up.start(), *self.range.run_up.end()];
        let room = Room::find(self.map, front, -self.edge.heading, high)?;
        let offset = flat(near - front).dot(self.edge.heading);
        let [first, last] = [room.first + offset, room.length + offset];
        let allowed = [low.max(first), high.min(last)];
        let run_up = (0.5 * (low + high)).clamp(allowed[0], allowed[1].max(allowed[0]));
        if allowed[0] <= allowed[1] { room.at(run_up - offset) } else { None }
    }
}

/// True if a height is in a range of a clip, within the accuracy of the ground.
fn is_near(range: &RangeInclusive<f64>, height: f64) -> bool {
    (range.start() - HEIGHT_TOLERANCE_M..=range.end() + HEIGHT_TOLERANCE_M).contains(&height)
}

/// Returns the horizontal part of a vector.
fn flat(vector: DVec3) -> DVec2 {
    DVec2::new(vector.x, vector.z)
}
