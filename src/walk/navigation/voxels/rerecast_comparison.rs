//! Spans compared with the `rerecast` crate's rasteriser, where cell borders are exact floats. Elsewhere the crate
//! leaves false spans next to walls on borders.

use glam::{Vec3, Vec3A};
use rerecast::{Aabb3d, AreaType, Heightfield, HeightfieldBuilder};

use super::*;

/// Returns boxes with corners on a grid of `apart` metres, on a floor.
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
        let on_grid = |by: u32, of: u32| (index * by % of) as f32 * apart;
        let low = Vec3::new(on_grid(17, 36), 0.0, on_grid(23, 36));
        let high = low + Vec3::new(on_grid(5, 4) + apart, on_grid(7, 3) + 0.5, on_grid(3, 4) + apart);
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

/// Returns the spans of `level` by the crate's rasteriser.
fn crate_field(level: &Level, settings: &VoxelSettings) -> Heightfield {
    let portamento_anim::math::Bounds { low: min, high: max } = level.bounds().unwrap();
    let (cell_size, cell_height) = (settings.cell as f32, settings.cell_height as f32);
    let mut field = HeightfieldBuilder { aabb: Aabb3d { min, max }, cell_size, cell_height }.build().unwrap();
    for triangle in &level.triangles {
        let corners = level.corners(triangle).unwrap().map(Vec3A::from);
        field.rasterize_triangle(corners, AreaType::DEFAULT_WALKABLE, 4).unwrap();
    }
    field
}

/// Returns bottom and top of every span, by column.
fn spans(field: &Heightfield) -> Vec<Vec<[u16; 2]>> {
    let column = |first: &Option<_>| {
        let start = first.map(|key| field.span(key));
        let each = std::iter::successors(start, |span| span.next.map(|key| field.span(key)));
        each.map(|span| [span.min, span.max]).collect()
    };
    field.spans.iter().map(column).collect()
}

fn own(solid: &SolidSpans) -> Vec<Vec<[u16; 2]>> {
    (0..solid.starts.len() - 1).map(|column| solid.heights[solid.range(column)].to_vec()).collect()
}

/// Compares the state of every span after each stage, and the radius flag and links of each floor.
#[test]
fn filters_floors_links_and_erosion_are_those_of_the_crate() {
    let settings = VoxelSettings { cell: 0.25, cell_height: 0.25, height: 1.0, ..VoxelSettings::default() };
    let (level, progress) = (boxes(0.5), Progress::new());
    for (climb, radius) in [(0.25, 0.25), (0.75, 0.5), (1.5, 0.75), (1.5, 2.0)] {
        let settings = VoxelSettings { climb, radius, ..settings.clone() };
        let voxels = Voxels::from_settings(&settings);
        let bands = spans::bands::over(&level, &grid::over(level.bounds().unwrap(), &settings));
        let mut solid = rasterise(&level, &settings, &progress).unwrap();
        let mut field = crate_field(&level, &settings);
        // The slope code of a merged span differs between both, so the crate continues with ours.
        let keys: Vec<_> = (0..field.spans.len()).flat_map(|column| column_keys(&field, column)).collect();
        keys.iter().zip(&solid.slopes).for_each(|(key, slope)| {
            field.allocated_spans[*key].area = AreaType(slope.0);
        });
        solid.keep_low_obstacles(voxels.climb, &bands);
        field.filter_low_hanging_walkable_obstacles(voxels.climb);
        filter(&mut solid, &voxels, &bands, &progress).unwrap();
        field.filter_ledge_spans(voxels.height, voxels.climb);
        field.filter_walkable_low_height_spans(voxels.height);
        let left: Vec<bool> = keys.iter().map(|key| field.span(*key).area.is_walkable()).collect();
        assert_eq!(solid.slopes.iter().map(|slope| slope.is_walkable()).collect::<Vec<_>>(), left);
        let floors = Floors::new(&solid, &voxels, &bands);
        let mut compact = field.into_compact(voxels.height, voxels.climb).unwrap();
        let wide = i32::from(compact.width);
        for column in 0..compact.cells.len() {
            assert_eq!(floors.range(column), compact.cells[column].index_range());
            let [x, z] = [column as i32 % wide, column as i32 / wide];
            for (floor, direction) in floors.range(column).flat_map(|floor| (0..4).map(move |step| (floor, step))) {
                let lead = compact.spans[floor].con(direction).map(|con| compact.con_indices(x, z, direction, con).2);
                let own = floors.links[floor][usize::from(direction)];
                assert_eq!(lead.map_or(crate::navigation::NONE, |to| to as u32), own);
            }
        }
        compact.erode_walkable_area(voxels.radius);
        let clear: Vec<bool> = compact.areas.iter().map(|area| area.is_walkable()).collect();
        let count = clear.iter().filter(|is_clear| **is_clear).count();
        println!("climb {climb} m, radius {radius} m: {} floors, {count} clear", compact.spans.len());
        assert!(count > 1000);
        assert_eq!(floors.clear, clear);
    }
}

fn column_keys(field: &Heightfield, column: usize) -> Vec<rerecast::SpanKey> {
    std::iter::successors(field.spans[column], |key| field.span(*key).next).collect()
}

#[test]
fn spans_on_exact_borders_are_those_of_the_crate() {
    for apart in [0.25, 0.5, 1.0, 0.3] {
        for (cell, cell_height) in [(0.25, 0.25), (0.25, 0.125), (0.5, 0.25), (0.125, 0.2)] {
            let settings = VoxelSettings { cell, cell_height, ..VoxelSettings::default() };
            let level = boxes(apart);
            let solid = rasterise(&level, &settings, &Progress::new()).unwrap();
            let (ours, theirs) = (own(&solid), spans(&crate_field(&level, &settings)));
            let count: usize = ours.iter().map(Vec::len).sum();
            let wrong = ours.iter().zip(&theirs).filter(|(ours, theirs)| ours != theirs).count();
            println!("boxes every {apart} m in cells of {cell} m: {count} spans, {wrong} columns differ");
            assert!(ours.len() == theirs.len() && wrong == 0 && count >= 400, "{apart} {cell}");
        }
    }
}
