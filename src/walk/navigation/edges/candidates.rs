//! Candidate lines: edges of the mesh at which walkable faces end, and crests of faces too thin to stand on.

use std::collections::HashMap;

use glam::{DVec2, DVec3};
use rayon::prelude::*;

use super::surface::Surface;

/// Grid on which corners are the same point, metres.
const WELD_M: f64 = 1e-3;
/// Largest distance between lines that count as one, metres.
const COLLINEAR_MAX_M: f64 = 2e-3;
/// Edge of a block in the search for collinear lines, metres.
const BLOCK_M: f64 = 2.0;
/// Steepest line of a crest, as rise per metre of length: 60°.
const CREST_MAX_RISE: f64 = 0.87;

/// A line at which ground may fall.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Line {
    /// Both ends, metres.
    pub ends: [DVec3; 2],
    /// Unit horizontal direction away from the upper ground.
    pub front: DVec2,
}

impl Line {
    /// Returns the point at `t` metres from the first end.
    pub fn at(&self, t: f64) -> DVec3 {
        self.ends[0] + (self.ends[1] - self.ends[0]).normalize_or_zero() * t
    }

    /// Returns the length in metres.
    pub fn length(&self) -> f64 {
        self.ends[0].distance(self.ends[1])
    }
}

/// A face at an edge of the welded mesh. Small, as a level has three for each face.
struct Side {
    edge: [u32; 2],
    face: u32,
    /// Number of the first corner of the edge within the face.
    corner: u32,
}

/// The corners of a side.
#[derive(Clone, Copy)]
struct SideCorners {
    ends: [DVec3; 2],
    /// The third corner of the face.
    apex: DVec3,
}

/// Returns the candidate lines of a level, collinear ones merged.
pub(super) fn lines(surface: &Surface) -> Vec<Line> {
    let sides = sides(surface);
    let mut lines = Vec::new();
    for group in sides.chunk_by(|a, b| a.edge == b.edge) {
        let walkable = group.iter().filter(|side| surface.is_walkable(side.face as usize));
        let walkable: Vec<SideCorners> = walkable.filter_map(|side| corners(surface, side)).collect();
        let fronts: Vec<DVec2> = walkable.iter().filter_map(front).collect();
        match (fronts.first(), walkable.is_empty()) {
            (Some(&front), _) if fronts.iter().all(|other| other.dot(front) > 0.0) => {
                lines.push(Line { ends: walkable[0].ends, front });
            }
            (_, true) if group.iter().all(|side| corners(surface, side).is_some_and(|side| is_below(&side))) => {
                let Some(SideCorners { ends, .. }) = corners(surface, &group[0]) else { continue };
                let along = DVec2::new(ends[1].x - ends[0].x, ends[1].z - ends[0].z).normalize_or_zero();
                lines.extend([along.perp(), -along.perp()].map(|front| Line { ends, front }));
            }
            _ => (),
        }
    }
    merged(lines)
}

/// Returns every side of every face, sorted by edge.
fn sides(surface: &Surface) -> Vec<Side> {
    let level = surface.level;
    let mut ids: HashMap<[i64; 3], u32> = HashMap::new();
    let weld = |point: &glam::Vec3| {
        let next = ids.len() as u32;
        *ids.entry((point.as_dvec3() / WELD_M).round().to_array().map(|part| part as i64)).or_insert(next)
    };
    let welded: Vec<u32> = level.points.iter().map(weld).collect();
    let mut sides = Vec::with_capacity(3 * level.triangles.len());
    for (face, triangle) in level.triangles.iter().enumerate() {
        if level.corners(triangle).is_none() {
            continue;
        }
        for corner in 0..3 {
            let ends = [corner, (corner + 1) % 3].map(|corner| welded[triangle.corners[corner] as usize]);
            if ends[0] != ends[1] {
                let edge = [ends[0].min(ends[1]), ends[0].max(ends[1])];
                sides.push(Side { edge, face: face as u32, corner: corner as u32 });
            }
        }
    }
    sides.par_sort_unstable_by_key(|side| (side.edge, side.face));
    sides
}

/// Returns the corners of a side, metres.
fn corners(surface: &Surface, side: &Side) -> Option<SideCorners> {
    let points = surface.level.corners(surface.level.triangles.get(side.face as usize)?)?;
    let [a, b, c] = [0, 1, 2].map(|step| points[(side.corner as usize + step) % 3].as_dvec3());
    Some(SideCorners { ends: [a, b], apex: c })
}

/// Returns the horizontal direction across the edge, away from the face; `None` for an upright edge.
fn front(side: &SideCorners) -> Option<DVec2> {
    let flat = |point: DVec3| DVec2::new(point.x, point.z);
    let [a, b] = side.ends.map(flat);
    let across = (b - a).try_normalize()?.perp();
    Some(if across.dot(flat(side.apex) - a) > 0.0 { -across } else { across })
}

/// True if a face hangs below its edge, and the edge is not upright.
fn is_below(side: &SideCorners) -> bool {
    let along = side.ends[1] - side.ends[0];
    let share = (side.apex - side.ends[0]).dot(along) / along.length_squared();
    let foot = side.ends[0] + along * share;
    along.y.abs() <= CREST_MAX_RISE * along.length() && side.apex.y < foot.y - WELD_M
}

/// Joins collinear lines that touch or overlap.
fn merged(lines: Vec<Line>) -> Vec<Line> {
    let mut blocks: HashMap<[i64; 2], Vec<usize>> = HashMap::new();
    for (index, line) in lines.iter().enumerate() {
        blocks_of(line).for_each(|block| blocks.entry(block).or_default().push(index));
    }
    let mut is_joined = vec![false; lines.len()];
    let mut result = Vec::new();
    for first in 0..lines.len() {
        if std::mem::replace(&mut is_joined[first], true) {
            continue;
        }
        let mut line = lines[first];
        // Each added piece may bring the line to further ones.
        let mut open = vec![first];
        while let Some(index) = open.pop() {
            for &other in blocks_of(&lines[index]).filter_map(|block| blocks.get(&block)).flatten() {
                if is_joined[other] {
                    continue;
                }
                if let Some(longer) = joined(&line, &lines[other]) {
                    line = longer;
                    is_joined[other] = true;
                    open.push(other);
                }
            }
        }
        result.push(line);
    }
    result
}

/// Returns the blocks that a line passes, and those around its ends.
fn blocks_of(line: &Line) -> impl Iterator<Item = [i64; 2]> + use<> {
    let count = (line.length() / (0.5 * BLOCK_M)).ceil().max(1.0) as usize;
    let ends = line.ends;
    let along = (ends[1] - ends[0]).normalize_or_zero() * COLLINEAR_MAX_M;
    let [from, to] = [ends[0] - along, ends[1] + along];
    let mut last = None;
    (0..=count).filter_map(move |step| {
        let at = from.lerp(to, step as f64 / count as f64) / BLOCK_M;
        let block = [at.x.floor() as i64, at.z.floor() as i64];
        (last.replace(block) != Some(block)).then_some(block)
    })
}

/// Returns the union of two lines; `None` if they are not collinear or do not touch.
fn joined(line: &Line, other: &Line) -> Option<Line> {
    // The longer line has the more exact direction.
    let base = if line.length() >= other.length() { line } else { other };
    let along = (base.ends[1] - base.ends[0]).try_normalize()?;
    let mut range = [f64::INFINITY, f64::NEG_INFINITY];
    let mut shares = [[0.0; 2]; 2];
    for (piece, shares) in [line, other].into_iter().zip(&mut shares) {
        for (end, share) in piece.ends.into_iter().zip(shares.iter_mut()) {
            let offset = end - base.ends[0];
            *share = offset.dot(along);
            if (offset - along * *share).length() > COLLINEAR_MAX_M {
                return None;
            }
            range = [range[0].min(*share), range[1].max(*share)];
        }
        shares.sort_by(f64::total_cmp);
    }
    let [a, b] = shares;
    let touches = a[0] <= b[1] + COLLINEAR_MAX_M && b[0] <= a[1] + COLLINEAR_MAX_M;
    let end = |share: f64| base.ends[0] + along * share;
    (touches && line.front.dot(other.front) > 0.9).then(|| Line { ends: range.map(end), front: base.front })
}
