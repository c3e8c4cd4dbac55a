use std::path::Path;

use glam::Vec3;

use super::*;

/// Settings of the reference.
fn recast() -> VoxelSettings {
    VoxelSettings { cell: 0.3, cell_height: 0.2, radius: 0.6, height: 2.0, climb: 0.8, ..VoxelSettings::default() }
}

/// A floor of `size` m on which `height` gives the ground, with corners every `step` m.
fn terrain(size: f32, step: f32, height: impl Fn(f32, f32) -> f32) -> Level {
    let count = (size / step).round() as u32;
    let at = |i: u32, j: u32| {
        let (x, z) = (i as f32 * step, j as f32 * step);
        Vec3::new(x, height(x, z), z)
    };
    let points = (0..=count).flat_map(|j| (0..=count).map(move |i| at(i, j))).collect();
    let quads = (0..count).flat_map(|j| (0..count).map(move |i| j * (count + 1) + i));
    let corners = quads.flat_map(|a| {
        let (b, c, d) = (a + 1, a + count + 1, a + count + 2);
        [[a, c, b], [b, c, d]]
    });
    Level::of_mesh("terrain", points, corners)
}

fn corpus(file: &str) -> Option<std::path::PathBuf> {
    let path = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../shared/corpus/levels")).join(file);
    if !path.exists() {
        println!("skipped: corpus absent ({file})");
    }
    path.exists().then_some(path)
}

fn level_of(file: &str) -> Option<Level> {
    let path = corpus(&format!("{file}.obj"))?;
    Some(crate::import::level::read(&path, 1.0, crate::import::level::UpAxis::Y).unwrap())
}

/// One line per span: x, z, low, high, walkable.
fn lines(field: &Heightfield) -> Vec<[u32; 5]> {
    let width = u32::from(field.width);
    let mut lines = Vec::new();
    for (column, &first) in (0_u32..).zip(&field.spans) {
        let mut next = first;
        while let Some(key) = next {
            let span = field.span(key);
            let walkable = u32::from(span.area.is_walkable());
            lines.push([column % width, column / width, span.min.into(), span.max.into(), walkable]);
            next = span.next;
        }
    }
    lines
}

fn reference(file: &str) -> Vec<[u32; 5]> {
    let path = corpus(&format!("reference/{file}.txt.gz")).unwrap();
    let output = std::process::Command::new("gzip").arg("-dc").arg(path).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let line = |line: &str| -> [u32; 5] {
        let numbers: Vec<u32> = line.split(' ').map(|word| word.parse().unwrap()).collect();
        numbers.try_into().unwrap()
    };
    text.lines().map(line).collect()
}

#[test]
fn spans_are_those_of_recast_one_by_one() {
    // Walkable after compaction and erosion, as counted with Recast itself.
    let eroded = [("nav_test", 45_117), ("dungeon", 17_500), ("undulating", 97_773)];
    for file in ["nav_test", "dungeon", "undulating", "boxes_on_0.3m_grid", "boxes_on_0.5m_grid"] {
        let Some(level) = level_of(file) else { return };
        let settings = recast();
        let grid = grid::over(checks::level(&level, &settings).unwrap(), &settings);
        let voxels = Voxels::of(&settings);
        let mut field = fill::field(&level, &settings, &grid, &Progress::new()).unwrap();
        let wrong = |field: &Heightfield, stage: &str| {
            let (ours, theirs) = (lines(field), reference(&format!("{file}.{stage}")));
            assert_eq!(ours.len(), theirs.len(), "{file} {stage}");
            ours.iter().zip(&theirs).filter(|(ours, theirs)| ours != theirs).count()
        };
        assert_eq!(wrong(&field, "raw"), 0, "{file} raw");
        field.filter_low_hanging_walkable_obstacles(voxels.climb);
        field.filter_ledge_spans(voxels.height, voxels.climb);
        field.filter_walkable_low_height_spans(voxels.height);
        assert_eq!(wrong(&field, "filtered"), 0, "{file} filtered");
        let map = voxelise(&level, &settings, &Progress::new()).unwrap();
        println!("{file}: {} spans, {} cells", map.spans.len(), map.ground.cells.len());
        if let Some((_, count)) = eroded.iter().find(|(name, _)| *name == file) {
            assert_eq!(map.ground.cells.len(), *count, "{file} eroded");
        }
    }
}
