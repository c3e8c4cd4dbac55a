//! Voxelisation of a level and computation of the walkable area, compared with the rasteriser of the crate; and time
//! and memory for a terrain of half a kilometre.

use std::hint::black_box;
use std::time::{Duration, Instant};

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use glam::{Vec3, Vec3A};
use portamento::geometry::Level;
use portamento::math::Bounds;
use portamento::progress::Progress;
use portamento::systems::navigation::voxels::{Floors, SolidSpans, VoxelSettings, floors, rasterise, voxelise};
use rerecast::{Aabb3d, AreaType, CompactHeightfield, Heightfield, HeightfieldBuilder};

#[allow(dead_code, reason = "the table reads what is kept here")]
#[path = "shared/measured.rs"]
mod measured;
use portamento_test_support as support;

/// Returns hills with a vertex every metre, `size` metres along x and z.
fn hills(size: u32) -> Level {
    let height = |x: f32, z: f32| 4.0 * (0.11 * x).sin() + 3.0 * (0.17 * z + 0.05 * x).sin() + 0.7 * (0.9 * x).cos();
    let at = |i: u32, j: u32| Vec3::new(i as f32, height(i as f32, j as f32), j as f32);
    let points = (0..=size).flat_map(|j| (0..=size).map(move |i| at(i, j))).collect();
    let quads = (0..size).flat_map(|j| (0..size).map(move |i| j * (size + 1) + i));
    let faces = quads.flat_map(|a| [[a, a + size + 1, a + 1], [a + 1, a + size + 1, a + size + 2]]);
    Level::of_mesh("hills", points, faces)
}

fn settings() -> VoxelSettings {
    VoxelSettings { cell: 0.3, cell_height: 0.2, radius: 0.6, height: 2.0, climb: 0.8, ..VoxelSettings::default() }
}

/// Returns a level as read by the program; `None` if the file is missing.
fn nav_test() -> Option<Level> {
    let file = support::corpus("levels/nav_test.obj")?;
    let level = portamento::import::import(&file).ok()?.level?;
    Some(Level::clone(&level))
}

/// Computes the same spans with the crate's rasteriser, which marks walkable spans by Recast's rule.
fn theirs(level: &Level) -> Heightfield {
    let Bounds { low: min, high: max } = level.bounds().expect("faces");
    let builder = HeightfieldBuilder { aabb: Aabb3d { min, max }, cell_size: 0.3, cell_height: 0.2 };
    let mut field = builder.build().expect("a small level");
    let steepest = 45_f32.to_radians().cos();
    for triangle in &level.triangles {
        let [a, b, c] = level.corners(triangle).expect("corners").map(Vec3A::from);
        let up = (b - a).cross(c - a).normalize().y;
        let area = if up > steepest { AreaType::DEFAULT_WALKABLE } else { AreaType::NOT_WALKABLE };
        field.rasterize_triangle([a, b, c], area, 4).expect("inside");
    }
    field
}

fn ours(level: &Level) -> SolidSpans {
    rasterise(level, &settings(), &Progress::new()).expect("a level")
}

fn our_floors(level: &Level) -> Floors {
    floors(level, &settings(), &Progress::new()).expect("a level")
}

/// Runs Recast's stages of the crate from spans to eroded areas.
fn to_floors(mut field: Heightfield) -> CompactHeightfield {
    field.filter_low_hanging_walkable_obstacles(4);
    field.filter_ledge_spans(10, 4);
    field.filter_walkable_low_height_spans(10);
    let mut floors = field.into_compact(10, 4).expect("few floors");
    floors.erode_walkable_area(2);
    floors
}

/// Returns the shortest of many runs, which is least disturbed by other processes.
fn shortest<T>(mut run: impl FnMut() -> T) -> Duration {
    let timed = |_| {
        let start = Instant::now();
        black_box(run());
        start.elapsed()
    };
    (0..40).map(timed).min().unwrap_or_default()
}

/// Returns the peak memory since the last call, MB; `None` if the system does not report it.
fn peak() -> Option<f64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM"))?;
    std::fs::write("/proc/self/clear_refs", "5").ok()?;
    Some(line.split_whitespace().nth(1)?.parse::<f64>().ok()? / 1024.0)
}

fn timed<T>(run: impl FnOnce() -> T) -> (T, Duration, f64) {
    peak();
    let start = Instant::now();
    let result = run();
    (result, start.elapsed(), peak().unwrap_or(f64::NAN))
}

/// Must run first, because memory freed by other measurements would count.
fn large() {
    let level = hills(512);
    let triangles = level.triangles.len();
    let mut shortest = Duration::MAX;
    for _ in 0..3 {
        let (result, time, most) = timed(|| our_floors(&level));
        println!(
            "{triangles} triangles, {} floors: to eroded floors {time:.1?}, at most {most:.0} MB",
            result.links.len()
        );
        drop(result);
        shortest = shortest.min(time);
        let (map, time, most) = timed(|| voxelise(&level, &settings(), &Progress::new()).expect("a level"));
        let (spans, cells) = (map.spans.len(), map.ground.cells.len());
        println!("{spans} spans, {cells} cells: to ground {time:.1?}, at most {most:.0} MB");
    }
    measured::keep("large → to eroded floors", shortest);
}

fn stages() {
    let Some(level) = nav_test() else { return };
    let (mine, crates) = (shortest(|| our_floors(&level)), shortest(|| to_floors(theirs(&level))));
    let ratio = mine.as_secs_f64() / crates.as_secs_f64();
    measured::keep("floors of nav_test → ours", mine);
    measured::keep("floors of nav_test → rerecast", crates);
    println!("nav_test to eroded floors {mine:?}, by the crate alone {crates:?}, ratio {ratio:.2}");
}

fn voxels(criterion: &mut Criterion) {
    large();
    stages();
    let level = hills(128);
    let (mine, crates) = (shortest(|| ours(&level)), shortest(|| theirs(&level)));
    let total = shortest(|| voxelise(&level, &settings(), &Progress::new()));
    let spans = ours(&level).heights.len();
    let ratio = mine.as_secs_f64() / crates.as_secs_f64();
    measured::keep("spans → ours", mine);
    measured::keep("spans → rerecast", crates);
    println!("{spans} spans: rasterise {mine:?}, the crate's {crates:?}, ratio {ratio:.2}; to ground {total:?}");
    let mut group = criterion.benchmark_group("navigation_voxels");
    group.sample_size(20).throughput(Throughput::Elements(spans as u64));
    group.bench_function("rasterise", |bench| bench.iter(|| ours(&level)));
    group.bench_function("rasterise by the crate", |bench| bench.iter(|| theirs(&level)));
    group.bench_function("to ground", |bench| bench.iter(|| voxelise(&level, &settings(), &Progress::new())));
    group.finish();
}

criterion_group!(benches, voxels);
criterion_main!(benches);
