//! How long a level takes to become spans, beside the rasteriser of the crate, and to become ground, in the same run.

use std::hint::black_box;
use std::time::{Duration, Instant};

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use glam::{Vec3, Vec3A};
use portamento::anim::Level;
use portamento::progress::Progress;
use portamento::systems::pathing::voxel::{VoxelSettings, rasterise, voxelise};
use rerecast::{Aabb3d, AreaType, Heightfield, HeightfieldBuilder};

/// Metres of the level along x and z.
const SIZE: u32 = 128;

/// Hills with corners every metre.
fn hills() -> Level {
    let height = |x: f32, z: f32| 4.0 * (0.11 * x).sin() + 3.0 * (0.17 * z + 0.05 * x).sin() + 0.7 * (0.9 * x).cos();
    let at = |i: u32, j: u32| Vec3::new(i as f32, height(i as f32, j as f32), j as f32);
    let points = (0..=SIZE).flat_map(|j| (0..=SIZE).map(move |i| at(i, j))).collect();
    let quads = (0..SIZE).flat_map(|j| (0..SIZE).map(move |i| j * (SIZE + 1) + i));
    let faces = quads.flat_map(|a| [[a, a + SIZE + 1, a + 1], [a + 1, a + SIZE + 1, a + SIZE + 2]]);
    Level::of_mesh("hills", points, faces)
}

fn settings() -> VoxelSettings {
    VoxelSettings { cell: 0.3, cell_height: 0.2, radius: 0.6, height: 2.0, climb: 0.8, ..VoxelSettings::default() }
}

/// The same spans by the crate's own rasteriser, which tells walkable by Recast's rule.
fn theirs(level: &Level) -> Heightfield {
    let (min, max) = level.bounds().expect("faces");
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

fn ours(level: &Level) -> Heightfield {
    rasterise(level, &settings(), &Progress::new()).expect("a level")
}

/// The shortest of many runs, which other work on the machine disturbs least.
fn shortest<T>(mut run: impl FnMut() -> T) -> Duration {
    let timed = |_| {
        let start = Instant::now();
        black_box(run());
        start.elapsed()
    };
    (0..40).map(timed).min().unwrap_or_default()
}

fn voxels(criterion: &mut Criterion) {
    let level = hills();
    let (mine, crates) = (shortest(|| ours(&level)), shortest(|| theirs(&level)));
    let whole = shortest(|| voxelise(&level, &settings(), &Progress::new()));
    let spans = ours(&level).allocated_spans.len();
    let ratio = mine.as_secs_f64() / crates.as_secs_f64();
    println!("{spans} spans: rasterise {mine:?}, the crate's {crates:?}, ratio {ratio:.2}; to ground {whole:?}");
    let mut group = criterion.benchmark_group("pathing_voxels");
    group.sample_size(20).throughput(Throughput::Elements(spans as u64));
    group.bench_function("rasterise", |bench| bench.iter(|| ours(&level)));
    group.bench_function("rasterise by the crate", |bench| bench.iter(|| theirs(&level)));
    group.bench_function("to ground", |bench| bench.iter(|| voxelise(&level, &settings(), &Progress::new())));
    group.finish();
}

criterion_group!(benches, voxels);
criterion_main!(benches);
