//! Spans against the crate's own rasteriser, where the borders of cells are numbers that a float holds exactly: elsewhere the
//! crate's leaves false spans beside walls that stand on borders.

use glam::{Vec3, Vec3A};
use rerecast::{Aabb3d, AreaType, Heightfield, HeightfieldBuilder};

use super::*;

/// Boxes with corners on a grid, on a floor.
fn boxes(apart: f32) -> Level {
    let mut points = Vec::new();
    let mut faces = Vec::new();
    let mut quad = |corners: [Vec3; 4]| {
        let first = points.len() as u32;
        points.extend(corners);
        faces.extend([[first, first + 1, first + 2], [first, first + 2, first + 3]]);
    };
    let side = 40.0 * apart;
    quad([[0.0, 0.0], [0.0, side], [side, side], [side, 0.0]].map(|[x, z]| Vec3::new(x, 0.0, z)));
    for index in 0..60_u32 {
        let whole = |by: u32, of: u32| (index * by % of) as f32 * apart;
        let low = Vec3::new(whole(17, 36), 0.0, whole(23, 36));
        let high = low + Vec3::new(whole(5, 4) + apart, whole(7, 3) + 0.5, whole(3, 4) + apart);
        let [a, b, c, d] =
            [[low.x, low.z], [low.x, high.z], [high.x, high.z], [high.x, low.z]].map(|[x, z]| Vec3::new(x, low.y, z));
        let up = Vec3::Y * (high.y - low.y);
        quad([a + up, b + up, c + up, d + up]);
        for [from, to] in [[a, b], [b, c], [c, d], [d, a]] {
            quad([from, to, to + up, from + up]);
        }
    }
    Level::of_mesh("boxes", points, faces)
}

fn crates(level: &Level, settings: &VoxelSettings) -> Heightfield {
    let crate::math::Bounds { low: min, high: max } = level.bounds().unwrap();
    let (cell_size, cell_height) = (settings.cell as f32, settings.cell_height as f32);
    let mut field = HeightfieldBuilder { aabb: Aabb3d { min, max }, cell_size, cell_height }.build().unwrap();
    for triangle in &level.triangles {
        let corners = level.corners(triangle).unwrap().map(Vec3A::from);
        field.rasterize_triangle(corners, AreaType::DEFAULT_WALKABLE, 4).unwrap();
    }
    field
}

/// Bottom and top of every span, by column.
fn spans(field: &Heightfield) -> Vec<Vec<[u16; 2]>> {
    let column = |first: &Option<_>| {
        let start = first.map(|key| field.span(key));
        let each = std::iter::successors(start, |span| span.next.map(|key| field.span(key)));
        each.map(|span| [span.min, span.max]).collect()
    };
    field.spans.iter().map(column).collect()
}

#[test]
fn spans_on_exact_borders_are_those_of_the_crate() {
    for apart in [0.25, 0.5, 1.0, 0.3] {
        for (cell, cell_height) in [(0.25, 0.25), (0.25, 0.125), (0.5, 0.25), (0.125, 0.2)] {
            let settings = VoxelSettings { cell, cell_height, ..VoxelSettings::default() };
            let level = boxes(apart);
            let field = rasterise(&level, &settings, &Progress::new()).unwrap();
            let (ours, theirs) = (spans(&field), spans(&crates(&level, &settings)));
            let count: usize = ours.iter().map(Vec::len).sum();
            let wrong = ours.iter().zip(&theirs).filter(|(ours, theirs)| ours != theirs).count();
            println!("boxes every {apart} m in cells of {cell} m: {count} spans, {wrong} columns differ");
            assert!(ours.len() == theirs.len() && wrong == 0 && count >= 400, "{apart} {cell}");
        }
    }
}
