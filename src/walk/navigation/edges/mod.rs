//! Edges of a level that a character can cross: ledges to climb or to drop from, thin obstacles, and gaps.
//!
//! The lines come from the triangles. A candidate is a side of a walkable face without a walkable neighbour, or the
//! crest of faces too thin to stand on. Collinear candidates are merged, cut where other faces cross them, and probed
//! with rays: a piece is an edge if the ground falls in front of it and the point is not inside a solid. Two edges that
//! face each other bound a gap; two that face apart bound a thin obstacle. Ladders and poles are not found.

mod candidates;
mod edge;
mod finder;
mod opposite;
mod pieces;
mod problem;
mod profile;
mod surface;
mod widths;
#[cfg(test)]
pub(crate) mod tests;

use self::finder::Finder;
use self::opposite::LedgeBlocks;
use self::pieces::Ledge;
use self::surface::Surface;
use self::widths::widths;
use super::voxels::VoxelMap;
use portamento_anim::geometry::Level;
use portamento_anim::parallel_map::parallel_map;
use portamento_base::progress::{Cancelled, Progress};

pub use edge::{Edge, EdgeKind, EdgePoint};
pub use problem::EdgeProblem;

/// Smallest height of an edge, metres. Lower ones are stairs and kerbs.
pub const EDGE_MIN_HEIGHT_M: f64 = 0.25;
/// Largest height of an edge that can be climbed, metres.
pub const LEDGE_UP_MAX_HEIGHT_M: f64 = 3.0;
/// Largest height of an edge to drop from, metres.
pub const LEDGE_DOWN_MAX_HEIGHT_M: f64 = 6.0;
/// Largest thickness of an obstacle, metres. Thicker ones are ground to climb onto.
pub const OBSTACLE_MAX_DEPTH_M: f64 = 3.0;
/// Smallest width of a gap, metres. A step covers a narrower one.
pub const GAP_MIN_WIDTH_M: f64 = 0.3;
/// Largest width of a gap, metres.
pub const GAP_MAX_WIDTH_M: f64 = 6.0;
/// Largest difference in height between both sides of a gap, metres.
pub const GAP_MAX_RISE_M: f64 = 1.5;
/// Largest slope along an edge, degrees.
pub const EDGE_MAX_SLOPE_DEGREES: f64 = 30.0;

/// Numbers that the rays of one line read, about.
const NUMBERS_PER_LINE: usize = 1 << 12;

/// Returns the edges of a level. `map` must be the voxels of the same level.
///
/// Returns `Err` if `progress` was cancelled.
pub fn edges(level: &Level, map: &VoxelMap, progress: &Progress) -> Result<Vec<Edge>, Cancelled> {
    let surface = Surface::new(level, map.settings.slope_limit);
    progress.step(10, 100)?;
    let lines = candidates::lines(&surface);
    progress.step(20, 100)?;
    let of_line = |index: usize| pieces::ledges(&surface, &lines[index]);
    let ledges = parallel_map(lines.len(), NUMBERS_PER_LINE, &progress.share(0.6), of_line)?;
    let ledges: Vec<Ledge> = ledges.into_iter().flatten().collect();
    let finder = Finder {
        surface: &surface,
        ground: &map.ground,
        settings: &map.settings,
        blocks: LedgeBlocks::new(&ledges),
        widths: widths(&ledges),
        ledges: &ledges,
    };
    let edges = parallel_map(ledges.len(), NUMBERS_PER_LINE, &progress.share(0.2), |ledge| finder.edges(ledge))?;
    progress.finish()?;
    Ok(edges.into_iter().flatten().collect())
}
