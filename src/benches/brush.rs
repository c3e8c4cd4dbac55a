//! The brush on a mesh of 100 000 vertices: dabs by straight and by surface distance, distances from a pole, and a
//! whole step of a stroke.

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use glam::Vec3;
use portamento::geometry::Adjacency;
use portamento::geometry::geodesic::{self, GeodesicSearch, SurfacePoint};
use portamento::geometry::shading::vertex_normals;
use portamento::geometry::triangle_bvh::{Faces, TriangleBvh};
use portamento::geometry::weight_paint::{self, Brush, BrushMode};
use portamento::math::WeightMap;
use portamento::systems::looping::{Crossfade, Fade, FadeWeights, Pair, Settings};

#[path = "shared/shortest.rs"]
mod shortest;
use shortest::shortest;

/// Frames of the painted loop.
const LENGTH: usize = 100;

/// Returns a wavy sheet of 100 000 vertices and its triangles.
fn sheet() -> (Vec<Vec3>, Vec<u32>) {
    const SIDE: u32 = 317;
    let point = |i: u32| Vec3::new((i % SIDE) as f32, (i % SIDE) as f32 * 0.1, (i / SIDE) as f32) / SIDE as f32;
    let square = |i: u32| [i, i + SIDE, i + 1, i + 1, i + SIDE, i + SIDE + 1];
    let corners = (0..SIDE * (SIDE - 1)).filter(|i| i % SIDE + 1 < SIDE);
    ((0..SIDE * SIDE).map(point).collect(), corners.flat_map(square).collect())
}

fn brush(criterion: &mut Criterion) {
    let (positions, indices) = sheet();
    let faces = Faces { positions: &positions, indices: &indices };
    let (mut tree, adjacency) = (TriangleBvh::build(faces), Adjacency::of_mesh(positions.len(), &indices));
    let mut weights = vec![0.5; positions.len()];
    let mut group = criterion.benchmark_group("brush of 100 000 vertices");
    group.bench_function("prepare", |bench| {
        bench.iter(|| (TriangleBvh::build(faces), Adjacency::of_mesh(positions.len(), &indices)));
    });
    group.bench_function("refit", |bench| bench.iter(|| tree.refit(black_box(faces))));
    let tree = TriangleBvh::build(faces);
    for radius in [0.05, 0.2] {
        let brush = Brush { radius, ..Brush::default() };
        for mode in [BrushMode::Add, BrushMode::Smooth] {
            group.bench_function(format!("dab {mode:?} of radius {radius}"), |bench| {
                bench.iter(|| {
                    let Some(hit) = tree.hit(faces, Vec3::new(0.5, 2.0, 0.5), Vec3::NEG_Y) else { return };
                    let at = Vec3::new(0.5, 2.0 - hit.distance, 0.5);
                    weight_paint::dab(&mut weights, &tree.points_near(faces, at, radius), &brush, mode, &adjacency);
                });
            });
            let mut search = GeodesicSearch::default();
            group.bench_function(format!("dab {mode:?} of radius {radius} over the surface"), |bench| {
                bench.iter(|| {
                    let Some(hit) = tree.hit(faces, Vec3::new(0.5, 2.0, 0.5), Vec3::NEG_Y) else { return };
                    let at = Vec3::new(0.5, 2.0 - hit.distance, 0.5);
                    let reached = search.around(faces, &adjacency, SurfacePoint { face: hit.face, at }, radius);
                    weight_paint::dab(&mut weights, &reached, &brush, mode, &adjacency);
                });
            });
        }
    }
    group.bench_function("outwards from one vertex", |bench| {
        bench.iter(|| geodesic::distances(&positions, &adjacency, &[50_000], f32::INFINITY));
    });
    group.finish();
    let radius = 0.1;
    let (brush, timing) = (Brush { radius, ..Brush::default() }, vec![0.5; positions.len()]);
    let (mut paint, mut tree, mut normals) = (WeightMap::from(timing), TriangleBvh::build(faces), Vec::new());
    let mut frame = vec![Vec3::ZERO; positions.len()];
    let mut step = || {
        // A stroke step as in the window: the brush on the moved surface, painting, and the displayed frame.
        tree.refit(faces);
        let Some(hit) = tree.hit(faces, Vec3::new(0.5, 2.0, 0.5), Vec3::NEG_Y) else { return };
        let at = Vec3::new(0.5, 2.0 - hit.distance, 0.5);
        let mut weights = paint.values().to_vec();
        weight_paint::dab(&mut weights, &tree.points_near(faces, at, radius), &brush, BrushMode::Add, &adjacency);
        paint = weights.into();
        let fade = Fade { timing: paint.clone(), ..Fade::default() };
        let settings = Settings { length: LENGTH, fade, ..Settings::default() };
        let Ok(fades) = FadeWeights::new(&settings, positions.len(), "sheet") else { return };
        let mut buffer = vec![0.0; positions.len()];
        let pair = Pair { outgoing: &positions, incoming: &positions };
        Crossfade::crossfade(pair, fades.at(LENGTH / 3, 0, &mut buffer), (), &mut frame);
        vertex_normals(&frame, &indices, &mut normals);
    };
    let time = shortest(50, &mut step).as_secs_f64() * 1e3;
    println!("one step of a stroke on {} vertices: {time:.2} ms of the 16.7 ms of a frame", positions.len());
}

criterion_group!(benches, brush);
criterion_main!(benches);
