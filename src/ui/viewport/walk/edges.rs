//! The edges of a level in the view: ribbons along them, and the words about the one under the pointer.

use egui::Color32;
use glam::{DVec3, Vec3};

use crate::i18n::{localized, tr, tr_with};
use crate::theme;
use crate::units::Unit;
use crate::viewport::look::linear;
use portamento_base::message::Tell;
use portamento_base::progress::Progress;
use portamento_render::LevelOverlay;
use portamento_takes::evaluate::LevelGround;
use portamento_walk::navigation::edges::{Edge, EdgeKind};

/// Width of a ribbon, metres.
const WIDTH_M: f64 = 0.08;
/// Height of ribbons over the faces they cover, metres.
const LIFT_M: f64 = 0.02;
/// Largest distance between the pointer on the level and an edge, metres.
const REACH_M: f64 = 0.3;

/// Returns the colour of edges that can be crossed, or cannot.
pub fn color(is_usable: bool) -> Color32 {
    if is_usable { theme::category(2) } else { theme::category(5) }
}

/// Returns ribbons along all edges, usable ones on top. Finds the edges if they are not known yet.
pub fn ribbons(ground: &LevelGround) -> LevelOverlay {
    let mut overlay = LevelOverlay::default();
    // Without a cancel the edges are always found.
    let edges = ground.edges(&Progress::new()).unwrap_or_default();
    for is_usable in [false, true] {
        let lift = if is_usable { 2.0 * LIFT_M } else { LIFT_M };
        for edge in edges.iter().filter(|edge| edge.problem.is_none() == is_usable) {
            add_ribbon(&mut overlay, edge, lift, linear(color(is_usable)));
        }
    }
    overlay
}

/// Adds a strip that looks up and a strip that looks to the lower side.
fn add_ribbon(overlay: &mut LevelOverlay, edge: &Edge, lift: f64, color: [f32; 4]) {
    let heading = DVec3::new(edge.heading.x, 0.0, edge.heading.y);
    let front = if edge.kind == EdgeKind::LedgeUp { -heading } else { heading };
    let strip = |from: DVec3, to: DVec3, outward: DVec3| {
        let [a, b] = edge.line;
        let corners = [a + from, b + from, b + to, a + to].map(|corner| corner.as_vec3());
        let normal = (corners[1] - corners[0]).cross(corners[2] - corners[0]);
        // Counter-clockwise seen from outside.
        if normal.dot(outward.as_vec3()) > 0.0 { corners } else { [corners[3], corners[2], corners[1], corners[0]] }
    };
    let up = DVec3::Y * lift;
    let strips: [[Vec3; 4]; 2] = [
        strip(up - front * WIDTH_M, up + front * lift, DVec3::Y),
        strip(up + front * lift, front * lift - DVec3::Y * WIDTH_M, front),
    ];
    strips.into_iter().for_each(|corners| overlay.add_quad(corners, color));
}

/// Returns the words about the edge nearest to a point on the level, metres; `None` if none is near or known. An edge that
/// can be crossed comes before one that cannot.
pub fn words(ground: &LevelGround, at: DVec3) -> Option<String> {
    let distance = |edge: &Edge| {
        let along = edge.line[1] - edge.line[0];
        let share = ((at - edge.line[0]).dot(along) / along.length_squared()).clamp(0.0, 1.0);
        (edge.line[0] + along * share).distance(at)
    };
    let near =
        ground.known_edges()?.iter().map(|edge| (distance(edge), edge)).filter(|(distance, _)| *distance < REACH_M);
    let order = |(distance, edge): &(f64, &Edge)| (edge.problem.is_some(), *distance);
    let (_, edge) = near.min_by(|a, b| {
        let (a, b) = (order(a), order(b));
        a.0.cmp(&b.0).then(a.1.total_cmp(&b.1))
    })?;
    let size = size_words(edge);
    Some(edge.problem.map_or_else(|| size.clone(), |problem| format!("{size}: {}", localized(&problem.message()))))
}

/// Returns kind and size of an edge.
fn size_words(edge: &Edge) -> String {
    let metres = |values: [f64; 2]| Unit::Metres.text(0.5 * (values[0] + values[1]), 2);
    match (edge.kind, edge.heights.map(metres), edge.distances().map(metres)) {
        (EdgeKind::Gap, _, Some(width)) => tr_with("level.edge_gap", &[("width", width)]),
        (EdgeKind::LedgeUp, Some(height), Some(depth)) => {
            tr_with("level.edge_thin", &[("height", height), ("depth", depth)])
        }
        (EdgeKind::LedgeUp, Some(height), None) => tr_with("level.edge_up", &[("height", height)]),
        (_, Some(height), _) => tr_with("level.edge_down", &[("height", height)]),
        _ => tr("level.edge_bottomless"),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::i18n;
    use portamento_anim::geometry::{Level, UpAxis};
    use portamento_takes::document::{Asset, Loaded};
    use portamento_takes::evaluate::Scenery;
    use portamento_walk::navigation::voxels::VoxelSettings;

    /// Returns a floor of 12 m with a wall of 4 m along z at x = 0, and a post of 0.3 m at x = 4. Both are 1 m high.
    fn wall_and_post() -> LevelGround {
        let (mut points, mut faces) = (Vec::new(), Vec::new());
        let boxes: [[[f32; 3]; 2]; 3] = [
            [[-6.0, -1.0, -6.0], [6.0, 0.0, 6.0]],
            [[0.0, -0.5, -2.0], [0.4, 1.0, 2.0]],
            [[4.0, -0.5, 0.0], [4.3, 1.0, 0.3]],
        ];
        for [low, high] in boxes {
            let first = points.len() as u32;
            let corner = |i: usize| {
                Vec3::from_array([0, 1, 2].map(|axis| if i >> axis & 1 == 1 { high[axis] } else { low[axis] }))
            };
            points.extend((0..8).map(corner));
            let quads = [[0, 1, 3, 2], [4, 6, 7, 5], [0, 2, 6, 4], [1, 5, 7, 3], [0, 4, 5, 1], [2, 3, 7, 6]];
            let halves = quads.iter().flat_map(|[a, b, c, d]| [[*a, *c, *b], [*a, *d, *c]]);
            faces.extend(halves.map(|face: [u32; 3]| face.map(|corner| first + corner)));
        }
        let level = Level::of_mesh("yard", points, faces);
        let file = Asset::new(Loaded { level: Some(Arc::new(level)), ..Loaded::default() });
        let scenery = Scenery { file, up: UpAxis::Y, metres_per_unit: 1.0 };
        LevelGround::voxelised(scenery, &[], &VoxelSettings::default(), &Progress::new()).unwrap()
    }

    #[test]
    fn the_edge_under_the_pointer_is_described_with_the_reason_why_it_cannot_be_used() {
        i18n::use_language("en");
        let ground = wall_and_post();
        let at_wall = DVec3::new(0.0, 0.95, 0.0);
        assert_eq!(words(&ground, at_wall), None, "edges are found when they are drawn");
        let overlay = ribbons(&ground);
        let edges = ground.known_edges().unwrap();
        assert_eq!(overlay.colors.len(), 4 * edges.len());
        let reaches = |point: Vec3| overlay.corners.iter().any(|corner| corner.distance(point) < 0.1);
        assert!(reaches(Vec3::new(0.0, 1.0, -2.0)) && reaches(Vec3::new(4.3, 1.0, 0.3)) && !reaches(Vec3::ZERO));
        let wall = words(&ground, at_wall).unwrap();
        assert!(wall.starts_with("Obstacle, 1.00 m high, 0.40 m thick"), "{wall}");
        let post = words(&ground, DVec3::new(4.0, 0.95, 0.15)).unwrap();
        assert!(post.contains(": The edge is only 0.30 m wide"), "{post}");
        assert_eq!(words(&ground, DVec3::new(2.0, 0.0, 0.0)), None);
    }
}
