//! Seam blends of a large mesh and of full-HD images, compared with a plain lerp of the same buffers; and the loop
//! search with 600 frames of 5000 vertices.

use std::hint::black_box;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use criterion::{Criterion, criterion_group, criterion_main};
use glam::Vec3;
use portamento::math::easing::Easing;
use portamento::math::random::{spread, unit_of};
use portamento::math::simd::{SimdKernel, dispatch};
use portamento::math::srgb::{light_of, srgb_of};
use portamento::media::VertexClip;
use portamento::progress::Progress;
use portamento::systems::looping::finder::{self, Search};
use portamento::systems::looping::image::EvenLightTable;
use portamento::systems::looping::{Crossfade, Fade, FadeCurve, FadeWeights, Pair, PixelStyle, Settings, vertex};
use rayon::prelude::*;

#[path = "shared/shortest.rs"]
mod shortest;
use shortest::shortest;

#[allow(dead_code, reason = "the table reads what is kept here")]
#[path = "shared/measured.rs"]
mod measured;

const VERTICES: usize = 100_000;
/// Frames of the mesh loop; its source has 201 frames and takes 241 MB.
const LENGTH: usize = 100;
const PIXELS: usize = 1920 * 1080;
/// Number of image pairs used in turn: more than 2 × 8 × 8.3 MB, far more than the caches.
const IMAGES: usize = 8;
/// Number of separately timed strips per image, so that other processes rarely disturb one.
const STRIPS: usize = 8;
const STRIP: usize = PIXELS / STRIPS;
/// Pixels per unit of parallel work, as in image loops.
const PIECE: usize = 1024;

fn number(seed: usize) -> f32 {
    unit_of(spread(seed as u64)) as f32
}

/// A measured variant: blends frame `k`.
type Mixing<'a> = &'a (dyn Fn(usize) + Sync);

/// Returns the times of all `frames` with `threads` threads for each of `kinds`, run in turn. For each frame the
/// shortest of eight runs counts.
fn interleaved<const N: usize>(threads: usize, frames: &[usize], kinds: [Mixing; N]) -> [Duration; N] {
    let Ok(pool) = rayon::ThreadPoolBuilder::new().num_threads(threads).build() else { return [Duration::MAX; N] };
    let mut shortest = vec![[Duration::MAX; N]; frames.len()];
    let mut once = || {
        for (kind, mix) in kinds.iter().enumerate() {
            for (shortest, &frame) in shortest.iter_mut().zip(frames) {
                let start = Instant::now();
                mix(frame);
                shortest[kind] = shortest[kind].min(start.elapsed());
            }
        }
    };
    pool.install(|| (0..8).for_each(|_| once()));
    std::array::from_fn(|kind| shortest.iter().map(|frame| frame[kind]).sum())
}

/// Prints gigabytes per second of each of `rows`, and its speed relative to the first; stores single-threaded times.
/// A row is a name and the bytes moved: two sources, the result, and the paint if used.
fn print<const N: usize>(title: &str, frames: &[usize], rows: [(&str, usize); N], kinds: [Mixing; N]) {
    for threads in [1, 2] {
        println!("{title}, {threads} thread(s), beside the {}:", rows[0].0);
        let times = interleaved(threads, frames, kinds);
        let keep = |(time, (name, _)): (&Duration, &(&str, usize))| measured::keep(&format!("{title} → {name}"), *time);
        times.iter().zip(&rows).filter(|_| threads == 1).for_each(keep);
        let seconds = times.map(|time| time.as_secs_f64());
        let rate = |row: usize| rows[row].1 as f64 / seconds[row] / 1e9;
        for (row, (name, _)) in rows.iter().enumerate() {
            let (beside, faster) = (rate(row) / rate(0), seconds[0] / seconds[row]);
            let each = seconds[row] * 1e3 / frames.len() as f64;
            println!("  {name}: {:.1} GB/s, {beside:.2} of it; {each:.3} ms each, {faster:.2} by time", rate(row));
        }
    }
}

/// The naive version: one weight for the whole frame, on all threads.
fn plain(a: &[Vec3], b: &[Vec3], weight: f32, out: &mut [Vec3]) {
    let pieces = out.par_chunks_mut(2048).zip(a.par_chunks(2048)).zip(b.par_chunks(2048));
    pieces.for_each(|((out, a), b)| {
        out.iter_mut().zip(a.iter().zip(b)).for_each(|(out, (a, b))| *out = *b + (*a - *b) * weight);
    });
}

fn mesh(_: &mut Criterion) {
    let positions =
        (0..VERTICES * (2 * LENGTH + 1)).map(|i| Vec3::new(number(i), number(i + 7), number(i + 13))).collect();
    let clip =
        Arc::new(VertexClip { name: "noise".into(), fps: 30.0, vertices: VERTICES, positions, faces: Vec::new() });
    let timing: Vec<f32> = (0..VERTICES).map(number).collect();
    let painted = |curve| Fade { timing: timing.clone().into(), curve: FadeCurve::Named(curve), ..Fade::default() };
    let built =
        |fade| vertex::build(&clip, &Settings { length: LENGTH, fade, ..Settings::default() }, &Progress::new());
    let (Ok(even), Ok(smoothstep), Ok(cosine)) =
        (built(Fade::default()), built(painted(Easing::Smoothstep)), built(painted(Easing::RaisedCosine)))
    else {
        return;
    };
    let out = Mutex::new(vec![Vec3::ZERO; VERTICES]);
    let into = |run: &dyn Fn(&mut Vec<Vec3>)| run(&mut out.lock().unwrap_or_else(PoisonError::into_inner));
    let frames: Vec<usize> = (1..LENGTH).collect();
    let (even_bytes, painted_bytes) = (36 * VERTICES * frames.len(), 40 * VERTICES * frames.len());
    print(
        "mesh",
        &frames,
        [
            ("plain lerp", even_bytes),
            ("even fade", even_bytes),
            ("painted per vertex", painted_bytes),
            ("painted per vertex, raised cosine", painted_bytes),
        ],
        [
            &|k| into(&|out| plain(clip.frame(k), clip.frame(LENGTH + k), k as f32 / 100.0, out)),
            &|k| into(&|out| even.frame(k, out)),
            &|k| into(&|out| smoothstep.frame(k, out)),
            &|k| into(&|out| cosine.frame(k, out)),
        ],
    );
}

type Rgba<T> = [T; 4];

/// Image pairs, far larger than the caches, and the result buffers.
struct Pictures<T> {
    sources: Vec<Vec<Rgba<T>>>,
    out: Mutex<Vec<Rgba<T>>>,
}

impl<T: Copy + Default + Send + Sync> Pictures<T>
where
    Rgba<T>: Crossfade<Style = PixelStyle>,
{
    fn new(pixel: impl Fn(usize, usize) -> Rgba<T>) -> Self {
        let image = |seed: usize| (0..PIXELS).map(|i| pixel(seed, i)).collect();
        let out = Mutex::new(vec![[T::default(); 4]; PIXELS]);
        Self { sources: (0..2 * IMAGES).map(image).collect(), out }
    }

    /// Calls `run` with strip `k` of all images.
    fn with(&self, k: usize, run: impl Fn(&[Rgba<T>], &[Rgba<T>], &mut [Rgba<T>])) {
        let mut out = self.out.lock().unwrap_or_else(PoisonError::into_inner);
        let (image, strip) = (k / STRIPS, k % STRIPS * STRIP..(k % STRIPS + 1) * STRIP);
        run(&self.sources[image][strip.clone()], &self.sources[IMAGES + image][strip.clone()], &mut out[strip]);
    }

    /// Blends like image loops.
    fn mix(&self, fades: &FadeWeights, k: usize, style: PixelStyle) {
        self.with(k, |a, b, out| {
            let room = || vec![0.0; PIECE];
            out.par_chunks_mut(PIECE).enumerate().for_each_init(room, |buffer, (piece, out)| {
                let range = piece * PIECE..piece * PIECE + out.len();
                let first = k % STRIPS * STRIP + range.start;
                let weights = fades.at(k / STRIPS + 1, first, &mut buffer[..out.len()]);
                Crossfade::crossfade(Pair { outgoing: &b[range.clone()], incoming: &a[range] }, weights, style, out);
            });
        });
    }

    /// Applies `lerp` to every pixel on all threads: the cheapest possible blend.
    fn plain(&self, k: usize, lerp: impl Fn(Rgba<T>, Rgba<T>) -> Rgba<T> + Sync) {
        self.with(k, |a, b, out| {
            let pieces = out.par_chunks_mut(PIECE).zip(a.par_chunks(PIECE)).zip(b.par_chunks(PIECE));
            pieces.for_each(|((out, a), b)| dispatch(Plain { a, b, out, lerp: &lerp }));
        });
    }
}

impl Pictures<u8> {
    /// Blends linear light with a single weight, as in loops of large images; the table is built with the first strip
    /// of an image.
    fn mix_light(&self, fades: &FadeWeights, k: usize, table: &Mutex<EvenLightTable>) {
        let mut table = table.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(weight) = fades.even(k / STRIPS + 1).filter(|_| k.is_multiple_of(STRIPS)) {
            *table = EvenLightTable::new(weight);
        }
        self.with(k, |a, b, out| {
            let pieces = out.par_chunks_mut(PIECE).zip(a.par_chunks(PIECE)).zip(b.par_chunks(PIECE));
            pieces.for_each(|((out, a), b)| table.crossfade(Pair { outgoing: b, incoming: a }, out));
        });
    }

    /// Reads both images and the paint, and writes one image with almost no arithmetic.
    fn moved(&self, k: usize, painting: &[f32]) {
        self.with(k, |a, b, out| {
            let painting = painting[k % STRIPS * STRIP..].par_chunks(PIECE);
            let pieces = out.par_chunks_mut(PIECE).zip(a.par_chunks(PIECE)).zip(b.par_chunks(PIECE)).zip(painting);
            pieces.for_each(|(((out, a), b), painting)| dispatch(Moved { a, b, painting, out }));
        });
    }
}

struct Moved<'a> {
    a: &'a [Rgba<u8>],
    b: &'a [Rgba<u8>],
    painting: &'a [f32],
    out: &'a mut [Rgba<u8>],
}

impl SimdKernel for Moved<'_> {
    #[inline(always)]
    fn run(self) {
        let pixels = self.a.iter().zip(self.b).zip(self.painting);
        self.out.iter_mut().zip(pixels).for_each(|(out, ((&a, &b), painting))| {
            *out = (u32::from_ne_bytes(a) ^ u32::from_ne_bytes(b) ^ painting.to_bits()).to_ne_bytes();
        });
    }
}

/// The naive loop with the same vector types.
struct Plain<'a, P, F> {
    a: &'a [P],
    b: &'a [P],
    out: &'a mut [P],
    lerp: F,
}

impl<P: Copy, F: Fn(P, P) -> P> SimdKernel for Plain<'_, P, F> {
    #[inline(always)]
    fn run(self) {
        self.out.iter_mut().zip(self.a.iter().zip(self.b)).for_each(|(out, (&a, &b))| *out = (self.lerp)(a, b));
    }
}

/// Applies `lerp` to every channel.
fn each<T: Copy>(lerp: impl Fn(T, T) -> T) -> impl Fn(Rgba<T>, Rgba<T>) -> Rgba<T> {
    move |a, b| [lerp(a[0], b[0]), lerp(a[1], b[1]), lerp(a[2], b[2]), lerp(a[3], b[3])]
}

/// Tables for the cheapest linear-light blend; too coarse to be exact in dark colours.
struct Coarse {
    light: [f32; 256],
    numbers: [u8; 4096],
}

impl Coarse {
    fn new() -> Self {
        let number = |i: usize| (srgb_of(i as f32 / 4095.0) * 255.0).round() as u8;
        Self { light: std::array::from_fn(|i| light_of(i as f32 / 255.0)), numbers: std::array::from_fn(number) }
    }

    fn lerp(&self, weight: f32) -> impl Fn(u8, u8) -> u8 {
        move |a, b| {
            let (a, b) = (self.light[usize::from(a)], self.light[usize::from(b)]);
            self.numbers[((b + (a - b) * weight) * 4095.0) as usize & 4095]
        }
    }
}

fn images(_: &mut Criterion) {
    let byte = |alpha: fn(usize) -> u8| {
        move |seed: usize, i: usize| [(number(i + seed) * 255.0) as u8, (i % 251) as u8, seed as u8, alpha(i + seed)]
    };
    let fades = |fade| FadeWeights::new(&Settings { length: IMAGES + 1, fade, ..Settings::default() }, PIXELS, "noise");
    let timing: Vec<f32> = (0..PIXELS).map(number).collect();
    let painted = Fade { timing: timing.clone().into(), ..Fade::default() };
    let (Ok(even), Ok(painted)) = (fades(Fade::default()), fades(painted)) else { return };
    let (light, stored) = (PixelStyle { linear_light: true, ..PixelStyle::default() }, PixelStyle::default());
    let multiplied = PixelStyle { premultiplied: true, ..stored };
    let frames: Vec<usize> = (0..IMAGES * STRIPS).collect();
    let bytes = |depth: usize| 3 * 4 * depth * PIXELS * IMAGES;
    let painted_bytes = |depth: usize| bytes(depth) + 4 * PIXELS * IMAGES;
    let weight = |k: usize| k / STRIPS + 1;
    {
        let (opaque, sheer) = (Pictures::new(byte(|_| 255)), Pictures::new(byte(|i| (i % 256) as u8)));
        // Each row is transparent, soft border, opaque, soft border, transparent, with a different offset per image.
        let figure = Pictures::new(byte(|i| (2000 - 5 * (i % 1920).abs_diff(960) as i32).clamp(0, 255) as u8));
        let table = Mutex::new(EvenLightTable::new(0.5));
        let lerp = |k: usize| {
            let weight = 8 * weight(k) as u16;
            each(move |a: u8, b: u8| ((u16::from(a) * weight + u16::from(b) * (256 - weight) + 128) >> 8) as u8)
        };
        print(
            "pixels of 8 bits",
            &frames,
            [
                ("plain lerp", bytes(1)),
                ("moving the bytes", bytes(1)),
                ("moving the bytes and the painting", painted_bytes(1)),
                ("opaque", bytes(1)),
                ("a figure with soft borders", bytes(1)),
                ("other alphas everywhere", bytes(1)),
                ("opaque, painted", painted_bytes(1)),
                ("other alphas everywhere, painted", painted_bytes(1)),
                ("opaque, as light", bytes(1)),
                ("a figure with soft borders, as light", bytes(1)),
                ("other alphas everywhere, as light", bytes(1)),
            ],
            [
                &|k| opaque.plain(k, lerp(k)),
                &|k| opaque.plain(k, each(|a: u8, b: u8| a ^ b)),
                &|k| opaque.moved(k, &timing),
                &|k| opaque.mix(&even, k, stored),
                &|k| figure.mix(&even, k, stored),
                &|k| sheer.mix(&even, k, stored),
                &|k| opaque.mix(&painted, k, stored),
                &|k| sheer.mix(&painted, k, stored),
                &|k| opaque.mix_light(&even, k, &table),
                &|k| figure.mix_light(&even, k, &table),
                &|k| sheer.mix_light(&even, k, &table),
            ],
        );
        let coarse = Coarse::new();
        print(
            "pixels of 8 bits as light",
            &frames,
            [
                ("plain lerp by coarse tables", bytes(1)),
                ("opaque", bytes(1)),
                ("with alpha", bytes(1)),
                ("opaque, painted", painted_bytes(1)),
            ],
            [
                &|k| opaque.plain(k, each(coarse.lerp(weight(k) as f32 / 20.0))),
                &|k| opaque.mix_light(&even, k, &table),
                &|k| sheer.mix_light(&even, k, &table),
                &|k| opaque.mix(&painted, k, light),
            ],
        );
    }
    {
        let deep = Pictures::new(|seed, i| byte(|i| (i % 256) as u8)(seed, i).map(|channel| u16::from(channel) * 257));
        let lerp = |k: usize| {
            let weight = 2048 * weight(k) as u32;
            each(move |a: u16, b: u16| {
                ((u32::from(a) * weight + u32::from(b) * (65_536 - weight) + 32_768) >> 16) as u16
            })
        };
        print(
            "pixels of 16 bits",
            &frames,
            [("plain lerp", bytes(2)), ("with alpha", bytes(2)), ("with alpha, painted", painted_bytes(2))],
            [&|k| deep.plain(k, lerp(k)), &|k| deep.mix(&even, k, stored), &|k| deep.mix(&painted, k, stored)],
        );
    }
    let float = Pictures::new(|seed, i| byte(|i| (i % 256) as u8)(seed, i).map(|channel| f32::from(channel) / 255.0));
    let lerp = |k: usize| {
        let weight = weight(k) as f32 / 20.0;
        each(move |a: f32, b: f32| b + (a - b) * weight)
    };
    print(
        "pixels of floats",
        &frames,
        [("plain lerp", bytes(4)), ("premultiplied, as EXR", bytes(4)), ("premultiplied, painted", painted_bytes(4))],
        [&|k| float.plain(k, lerp(k)), &|k| float.mix(&even, k, multiplied), &|k| float.mix(&painted, k, multiplied)],
    );
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

criterion_group!(benches, mesh, images, find);
criterion_main!(benches);
