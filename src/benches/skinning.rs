//! Time to pose a character: vertices, compared with a plain loop with 4×4 matrices, and joints.

use std::hint::black_box;
use std::time::Duration;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use glam::{Affine3A, Mat4, Quat, Vec3};
use portamento::anim::skinning::{MeshTransform, SkinMatrix, deform};
use portamento::anim::{Clip, Curve, Interpolation, Joint, JointTracks, Pose, Skeleton};
use portamento::geometry::Primitive;
use portamento::geometry::triangle_bvh::{Faces, TriangleBvh};
use portamento::math::Transform;

#[path = "shared/shortest.rs"]
mod shortest;
use shortest::shortest;

const VERTICES: usize = 20_000;
const JOINTS: usize = 64;

fn noise(i: usize, prime: usize) -> f32 {
    ((i * prime) % 1009) as f32 / 1009.0
}

/// Returns a mesh with four influences per vertex; weights sum to 1, and a third of them are 0.
fn surface() -> Primitive {
    let point = |i: usize| Vec3::new(noise(i, 7) - 0.5, noise(i, 31) * 1.8, noise(i, 101) - 0.5);
    let weights = (0..VERTICES).flat_map(|i| {
        let raw: [f32; 4] =
            std::array::from_fn(|k| (noise(4 * i + k, 37) - 0.33).max(0.0) + if k == 0 { 0.1 } else { 0.0 });
        let sum: f32 = raw.iter().sum();
        raw.map(|weight| weight / sum)
    });
    Primitive {
        positions: (0..VERTICES).map(point).collect(),
        normals: (0..VERTICES).map(|i| (point(i + 3) - Vec3::Y).normalize()).collect(),
        indices: (0..VERTICES as u32).flat_map(|i| [i, (i + 1) % VERTICES as u32, (i + 2) % VERTICES as u32]).collect(),
        influences: 4,
        joints: (0..4 * VERTICES).map(|i| (i * 13 % JOINTS) as u16).collect(),
        weights: weights.collect(),
        ..Primitive::default()
    }
}

fn palette() -> Vec<Affine3A> {
    let turn = |i: usize| Quat::from_rotation_x(i as f32 * 0.1) * Quat::from_rotation_y(i as f32 * 0.3);
    (0..JOINTS).map(|i| Affine3A::from_rotation_translation(turn(i), Vec3::new(0.0, noise(i, 7), 0.0))).collect()
}

/// The naive version.
fn plainly(part: &Primitive, palette: &[Mat4], positions: &mut [Vec3], normals: &mut [Vec3]) {
    for vertex in 0..part.positions.len() {
        let mut matrix = Mat4::ZERO;
        for entry in vertex * 4..vertex * 4 + 4 {
            matrix += palette[usize::from(part.joints[entry])] * part.weights[entry];
        }
        positions[vertex] = matrix.transform_point3(part.positions[vertex]);
        normals[vertex] = matrix.transform_vector3(part.normals[vertex]).normalize();
    }
}

fn skinning(criterion: &mut Criterion) {
    let (part, palette) = (surface(), palette());
    let matrices: Vec<Mat4> = palette.iter().map(|&place| place.into()).collect();
    let palette: Vec<SkinMatrix> = palette.into_iter().map(SkinMatrix::from).collect();
    let (mut positions, mut normals) = (vec![Vec3::ZERO; VERTICES], vec![Vec3::ZERO; VERTICES]);
    let mut skin = || deform(black_box(&part), MeshTransform::Skinned(&palette), &[], &mut positions, &mut normals);
    let one = rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("a thread");
    let all = shortest(500, &mut skin);
    let ours = one.install(|| shortest(500, &mut skin));
    let (mut positions, mut normals) = (vec![Vec3::ZERO; VERTICES], vec![Vec3::ZERO; VERTICES]);
    let mut plain = || plainly(black_box(&part), &matrices, &mut positions, &mut normals);
    let plainly = shortest(500, &mut plain);
    let per_vertex = |time: Duration| time.as_secs_f64() * 1e9 / VERTICES as f64;
    println!(
        "skinning, ns per vertex: {:.2} on one thread, {:.2} on all; plain 4×4 matrices {:.2}, ratio {:.2}",
        per_vertex(ours),
        per_vertex(all),
        per_vertex(plainly),
        plainly.as_secs_f64() / ours.as_secs_f64()
    );
    let mut group = criterion.benchmark_group("skinning");
    group.throughput(Throughput::Elements(VERTICES as u64));
    group.bench_function("one thread", |bench| one.install(|| bench.iter(&mut skin)));
    group.bench_function("all threads", |bench| bench.iter(&mut skin));
    group.bench_function("plain 4×4 matrices", |bench| bench.iter(&mut plain));
    group.finish();
}

/// Returns joints in four chains, each rotating in every frame of two seconds.
fn dance() -> (Skeleton, Clip) {
    let joint = |i: usize| Joint {
        name: format!("joint {i}"),
        parent: (i > 0).then(|| if i % 16 == 1 { 0 } else { i - 1 }),
        rest: Transform::IDENTITY,
        node: i,
        first_morph: 0,
        morph_count: 0,
    };
    let turns = |i: usize| Curve {
        interpolation: Interpolation::Linear,
        times: (0..61).map(|frame| frame as f32 / 30.0).collect(),
        values: (0..61).map(|frame| Quat::from_rotation_x(noise(i + frame, 37))).collect(),
    };
    let tracks = (0..JOINTS).map(|i| JointTracks { rotation: Some(turns(i)), ..JointTracks::default() }).collect();
    let skeleton = Skeleton { joints: (0..JOINTS).map(joint).collect(), rest_morphs: Vec::new() };
    (skeleton, Clip { name: "dance".into(), duration: 2.0, tracks })
}

fn posing(criterion: &mut Criterion) {
    let (skeleton, clip) = dance();
    let (mut pose, mut world) = (Pose::rest(&skeleton), Vec::new());
    let mut time = 0.0;
    let mut group = criterion.benchmark_group("posing");
    group.throughput(Throughput::Elements(JOINTS as u64));
    group.bench_function("sample", |bench| {
        bench.iter(|| {
            time = (time + 1.0 / 60.0) % 2.0;
            clip.sample(&skeleton, black_box(time), &mut pose);
        })
    });
    group.bench_function("sample at random times", |bench| {
        bench.iter(|| {
            // Golden-ratio steps, never near the previous time.
            time = (time + 1.236_067_977_5) % 2.0;
            clip.sample(&skeleton, black_box(time), &mut pose);
        })
    });
    group.bench_function("world", |bench| bench.iter(|| black_box(&pose).world_from_joints(&skeleton, &mut world)));
    group.finish();
}

fn picking(criterion: &mut Criterion) {
    let part = surface();
    let faces = Faces { positions: &part.positions, indices: &part.indices };
    let mut tree = TriangleBvh::build(faces);
    let mut group = criterion.benchmark_group("picking");
    group.bench_function("build", |bench| bench.iter(|| TriangleBvh::build(black_box(faces))));
    group.bench_function("refit", |bench| bench.iter(|| tree.refit(black_box(faces))));
    group.bench_function("hit", |bench| {
        bench.iter(|| tree.hit(faces, black_box(Vec3::new(0.1, 1.0, 5.0)), Vec3::new(0.01, -0.02, -1.0)))
    });
    group.finish();
}

criterion_group!(benches, skinning, posing, picking);
criterion_main!(benches);
