//! Import time of a GLB, compared with the `gltf` crate reading the same accessors without building a model.

use std::hint::black_box;
use std::path::Path;
use std::time::{Duration, Instant};

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use glam::{Affine3A, Quat, Vec3};
use portamento::anim::{Clip, Curve, Joint, JointTracks, Model, Skeleton};
use portamento::export::gltf::{from_model, to_glb_bytes};
use portamento::geometry::{Mesh, MeshInstance, Primitive, Skin};
use portamento::import::gltf::from_bytes;
use portamento::math::Transform;

#[allow(dead_code, reason = "the table reads what is kept here")]
#[path = "shared/measured.rs"]
mod measured;
#[path = "shared/sheet.rs"]
mod sheet;

const SIDE: usize = 257;
const JOINTS: usize = 64;
const KEYS: usize = 121;

/// Returns a skinned sheet of 66 049 vertices and a clip of 64 joints with 121 keys each.
fn glb() -> Vec<u8> {
    let joint = |i: usize| Joint {
        name: format!("joint {i}"),
        parent: i.checked_sub(1),
        rest: Transform::from_translation(Vec3::Y * 0.1),
        node: i,
        first_morph: 0,
        morph_count: 0,
    };
    let skeleton = Skeleton { joints: (0..JOINTS).map(joint).collect(), rest_morphs: Vec::new() };
    let count = SIDE * SIDE;
    let part = Primitive {
        influences: 4,
        joints: (0..count).flat_map(|i| [i % JOINTS, (i + 1) % JOINTS, 0, 0].map(|joint| joint as u16)).collect(),
        weights: [0.75, 0.25, 0.0, 0.0].repeat(count),
        ..sheet::sheet(SIDE)
    };
    let times: Vec<f32> = (0..KEYS).map(|key| key as f32 / 30.0).collect();
    let tracks = (0..JOINTS).map(|joint| JointTracks {
        translation: Some(Curve::linear(times.clone(), times.iter().map(|&time| Vec3::Y * time).collect())),
        rotation: Some(Curve::linear(
            times.clone(),
            times.iter().map(|&time| Quat::from_rotation_x(time + joint as f32)).collect(),
        )),
        ..JointTracks::default()
    });
    let clip = Clip { name: "wave".into(), duration: f64::from(times[KEYS - 1]), tracks: tracks.collect() };
    let model = Model {
        name: "sheet".into(),
        skeleton,
        meshes: vec![Mesh { name: "sheet".into(), primitives: vec![part], ..Mesh::default() }],
        skins: vec![Skin { joints: (0..JOINTS).collect(), inverse_bind: vec![Affine3A::IDENTITY; JOINTS] }],
        instances: vec![MeshInstance { joint: 0, mesh: 0, skin: Some(0) }],
        clips: vec![clip],
        ..Model::default()
    };
    to_glb_bytes(&from_model(&model, None)).expect("a small file")
}

/// The plain reader: parses, validates and reads every accessor into a list.
fn plain(bytes: &[u8]) -> usize {
    let gltf::Gltf { document, blob } = gltf::Gltf::from_slice(bytes).expect("a sound file");
    let data = |_: gltf::Buffer| blob.as_deref();
    let mut read = 0;
    for primitive in document.meshes().flat_map(|mesh| mesh.primitives().collect::<Vec<_>>()) {
        let reader = primitive.reader(data);
        read += reader.read_positions().map_or(0, |values| black_box(values.collect::<Vec<_>>()).len());
        read += reader.read_normals().map_or(0, |values| black_box(values.collect::<Vec<_>>()).len());
        read += reader.read_tex_coords(0).map_or(0, |values| black_box(values.into_f32().collect::<Vec<_>>()).len());
        read += reader.read_joints(0).map_or(0, |values| black_box(values.into_u16().collect::<Vec<_>>()).len());
        read += reader.read_weights(0).map_or(0, |values| black_box(values.into_f32().collect::<Vec<_>>()).len());
        read += reader.read_indices().map_or(0, |values| black_box(values.into_u32().collect::<Vec<_>>()).len());
    }
    for skin in document.skins() {
        read += skin
            .reader(data)
            .read_inverse_bind_matrices()
            .map_or(0, |values| black_box(values.collect::<Vec<_>>()).len());
    }
    for channel in document.animations().flat_map(|animation| animation.channels().collect::<Vec<_>>()) {
        let reader = channel.reader(data);
        read += reader.read_inputs().map_or(0, |values| black_box(values.collect::<Vec<_>>()).len());
        read += match reader.read_outputs() {
            Some(gltf::animation::util::ReadOutputs::Rotations(values)) => {
                black_box(values.into_f32().collect::<Vec<_>>()).len()
            }
            Some(gltf::animation::util::ReadOutputs::Translations(values)) => {
                black_box(values.collect::<Vec<_>>()).len()
            }
            Some(gltf::animation::util::ReadOutputs::Scales(values)) => black_box(values.collect::<Vec<_>>()).len(),
            _ => 0,
        };
    }
    read
}

fn fastest(mut run: impl FnMut()) -> Duration {
    (0..30)
        .map(|_| {
            let begun = Instant::now();
            run();
            begun.elapsed()
        })
        .min()
        .unwrap_or_default()
}

fn import(criterion: &mut Criterion) {
    let bytes = glb();
    let ours = || drop(black_box(from_bytes(Path::new("sheet.glb"), &bytes)));
    let (fast, slow) = (fastest(ours), fastest(|| _ = black_box(plain(&bytes))));
    measured::keep("import, 5 MB → ours", fast);
    measured::keep("import, 5 MB → gltf", slow);
    let rate = |time: Duration| bytes.len() as f64 / 1e6 / time.as_secs_f64();
    println!(
        "{:.1} MB: whole import {:.0} MB/s, plain gltf crate {:.0} MB/s, ratio {:.2}",
        bytes.len() as f64 / 1e6,
        rate(fast),
        rate(slow),
        rate(fast) / rate(slow)
    );
    let mut group = criterion.benchmark_group("import");
    group.throughput(Throughput::Bytes(bytes.len() as u64));
    group.bench_function("whole import", |bencher| bencher.iter(ours));
    group.bench_function("plain gltf crate", |bencher| bencher.iter(|| plain(&bytes)));
    group.finish();
}

criterion_group!(benches, import);
criterion_main!(benches);
