//! Seam blends of a large mesh and of full-HD images beside a plain lerp of the same buffers in the same run, and the loop
//! finder at 600 frames of 5 000 vertices.

use std::hint::black_box;
use std::sync::Arc;
use std::time::{Duration, Instant};

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use glam::Vec3;
use portamento::anim::VertexClip;
use portamento::anim::bvh::{Bvh, Faces};
use portamento::progress::Progress;
use portamento::systems::looping::finder::{self, Search};
use portamento::systems::looping::paint::{self, Brush, Neighbours, Stroke};
use portamento::systems::looping::{Fade, Fades, PixelStyle, Settings, Unit, vertex};
use rayon::prelude::*;

const VERTICES: usize = 100_000;
/// Frames of the mesh loop; its source has 201 and takes 241 MB.
const LENGTH: usize = 100;
const PIXELS: usize = 1920 * 1080;
/// Image pairs gone through in turn: 2 × 16 × 8.3 MB, far more than the caches hold.
const IMAGES: usize = 16;

fn number(seed: usize) -> f32 {
    let mixed = (seed as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (mixed >> 40) as f32 / (1u64 << 24) as f32
}

/// The shortest of `runs`, which other work on the machine disturbs least.
fn shortest(runs: usize, mut run: impl FnMut()) -> Duration {
    let timed = |_| {
        let start = Instant::now();
        run();
        start.elapsed()
    };
    (0..runs).map(timed).min().unwrap_or_default()
}

fn rate(bytes: usize, time: Duration) -> f64 {
    bytes as f64 / time.as_secs_f64() / 1e9
}

/// What one writes first: one weight for the whole frame, all threads, nothing else.
fn plain(a: &[Vec3], b: &[Vec3], weight: f32, out: &mut [Vec3]) {
    let pieces = out.par_chunks_mut(2048).zip(a.par_chunks(2048)).zip(b.par_chunks(2048));
    pieces.for_each(|((out, a), b)| {
        out.iter_mut().zip(a.iter().zip(b)).for_each(|(out, (a, b))| *out = *b + (*a - *b) * weight);
    });
}

/// A wavy sheet of 100 000 vertices and its triangles.
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
    let (mut tree, neighbours) = (Bvh::build(faces), Neighbours::of_mesh(positions.len(), &indices));
    let mut weights = vec![0.5; positions.len()];
    let mut group = criterion.benchmark_group("looping/brush of 100 000 vertices");
    group.bench_function("prepare", |bench| {
        bench.iter(|| (Bvh::build(faces), Neighbours::of_mesh(positions.len(), &indices)));
    });
    group.bench_function("refit", |bench| bench.iter(|| tree.refit(black_box(faces))));
    let tree = Bvh::build(faces);
    for radius in [0.05, 0.2] {
        let brush = Brush { radius, ..Brush::default() };
        for stroke in [Stroke::Add, Stroke::Smooth] {
            group.bench_function(format!("dab {stroke:?} of radius {radius}"), |bench| {
                bench.iter(|| {
                    let Some(hit) = tree.hit(faces, Vec3::new(0.5, 2.0, 0.5), Vec3::NEG_Y) else { return };
                    let at = Vec3::new(0.5, 2.0 - hit.distance, 0.5);
                    paint::dab(&mut weights, &tree.points_near(faces, at, radius), &brush, stroke, &neighbours);
                });
            });
        }
    }
    group.finish();
}

fn mesh(criterion: &mut Criterion) {
    let positions =
        (0..VERTICES * (2 * LENGTH + 1)).map(|i| Vec3::new(number(i), number(i + 7), number(i + 13))).collect();
    let clip =
        Arc::new(VertexClip { name: "noise".into(), fps: 30.0, vertices: VERTICES, positions, faces: Vec::new() });
    let timing: Vec<f32> = (0..VERTICES).map(number).collect();
    let painted = Fade { timing: timing.into(), ..Fade::default() };
    let built =
        |fade| vertex::build(&clip, &Settings { length: LENGTH, fade, ..Settings::default() }, &Progress::new());
    let (Ok(even), Ok(each)) = (built(Fade::default()), built(painted)) else { return };
    let mut out = vec![Vec3::ZERO; VERTICES];
    let bytes = 3 * 12 * VERTICES * (LENGTH - 1);
    let lerp = shortest(7, || {
        (1..LENGTH).for_each(|k| plain(clip.frame(k), clip.frame(LENGTH + k), k as f32 / 100.0, black_box(&mut out)))
    });
    let ours = shortest(7, || (1..LENGTH).for_each(|k| even.frame(k, black_box(&mut out))));
    let own = shortest(7, || (1..LENGTH).for_each(|k| each.frame(k, black_box(&mut out))));
    let [lerp, ours, own] = [lerp, ours, own].map(|time| rate(bytes, time));
    println!(
        "mesh, {VERTICES} vertices × {LENGTH} frames: plain lerp {lerp:.1} GB/s, even fade {ours:.1} ({:.2}), painted {own:.1} ({:.2})",
        ours / lerp,
        own / lerp
    );
    let mut group = criterion.benchmark_group("looping/mesh");
    group.sample_size(20).throughput(Throughput::Bytes(3 * 12 * VERTICES as u64));
    let mut k = 0;
    for (name, built) in [("even", &even), ("painted", &each)] {
        group.bench_function(name, |bench| {
            bench.iter(|| {
                k = k % (LENGTH - 1) + 1;
                built.frame(k, black_box(&mut out));
            });
        });
    }
    group.finish();
}

type Rgba = [u8; 4];

/// Bytes mixed with one weight of eight bits, all threads: the cheapest loop that gives a picture.
fn plain_bytes(a: &[Rgba], b: &[Rgba], weight: u16, out: &mut [Rgba]) {
    let pieces = out.par_chunks_mut(4096).zip(a.par_chunks(4096)).zip(b.par_chunks(4096));
    pieces.for_each(|((out, a), b)| {
        let channels = out.as_flattened_mut().iter_mut().zip(a.as_flattened().iter().zip(b.as_flattened()));
        channels.for_each(|(out, (&a, &b))| {
            *out = ((u16::from(a) * weight + u16::from(b) * (256 - weight) + 128) >> 8) as u8;
        });
    });
}

fn mixed(fades: &Fades, k: usize, a: &[Rgba], b: &[Rgba], style: PixelStyle, out: &mut [Rgba]) {
    out.par_chunks_mut(4096).enumerate().for_each(|(piece, out)| {
        let range = piece * 4096..piece * 4096 + out.len();
        let mut buffer = [0.0; 4096];
        let share = fades.share(k, range.start, &mut buffer[..out.len()]);
        Unit::mix(&b[range.clone()], &a[range], share, style, out);
    });
}

fn images(criterion: &mut Criterion) {
    let image = |seed: usize, alpha: fn(usize) -> u8| -> Vec<Rgba> {
        (0..PIXELS).map(|i| [(number(i + seed) * 255.0) as u8, (i % 251) as u8, seed as u8, alpha(i)]).collect()
    };
    let set = |alpha: fn(usize) -> u8| (0..2 * IMAGES).map(|seed| image(seed, alpha)).collect::<Vec<_>>();
    let (opaque, sheer) = (set(|_| 255), set(|i| (i % 256) as u8));
    let fades = |fade| Fades::new(&Settings { length: IMAGES + 1, fade, ..Settings::default() }, PIXELS, "noise");
    let painted = Fade { timing: (0..PIXELS).map(number).collect::<Vec<_>>().into(), ..Fade::default() };
    let (Ok(even), Ok(each)) = (fades(Fade::default()), fades(painted)) else { return };
    let mut out = vec![[0; 4]; PIXELS];
    let bytes = 3 * 4 * PIXELS * IMAGES;
    let (light, stored) = (PixelStyle { light: true, ..PixelStyle::default() }, PixelStyle::default());
    let lerp = shortest(5, || {
        (0..IMAGES).for_each(|k| plain_bytes(&opaque[k], &opaque[IMAGES + k], 8 * k as u16 + 8, black_box(&mut out)))
    });
    let lerp = rate(bytes, lerp);
    println!("1920 × 1080 RGBA, 8 bits: plain lerp {lerp:.1} GB/s");
    let mut group = criterion.benchmark_group("looping/full-hd");
    group.sample_size(20).throughput(Throughput::Bytes(3 * 4 * PIXELS as u64));
    let kinds = [
        ("opaque", &opaque, &even, stored),
        ("with alpha", &sheer, &even, stored),
        ("opaque, painted", &opaque, &each, stored),
        ("opaque, as light", &opaque, &even, light),
    ];
    for (name, set, fades, style) in kinds {
        let time = shortest(5, || {
            (0..IMAGES).for_each(|k| mixed(fades, k + 1, &set[k], &set[IMAGES + k], style, black_box(&mut out)))
        });
        println!("  {name}: {:.1} GB/s, {:.2} of the plain lerp", rate(bytes, time), rate(bytes, time) / lerp);
        let mut k = 0;
        group.bench_function(name, |bench| {
            bench.iter(|| {
                k = (k + 1) % IMAGES;
                mixed(fades, k + 1, &set[k], &set[IMAGES + k], style, black_box(&mut out));
            });
        });
    }
    group.finish();
}

fn find(criterion: &mut Criterion) {
    let frames: Vec<Vec<f32>> =
        (0..600).map(|frame| (0..15_000).map(|i| number(frame * 15_000 + i)).collect()).collect();
    let search = || finder::find(black_box(&frames), &Search::default(), &Progress::new());
    println!("finder, 600 frames × 5000 vertices: {:?}", shortest(3, || drop(black_box(search()))));
    let mut group = criterion.benchmark_group("looping/finder");
    group.sample_size(10);
    group.bench_function("600 × 5000", |bench| bench.iter(search));
    group.finish();
}

criterion_group!(benches, brush, mesh, images, find);
criterion_main!(benches);
