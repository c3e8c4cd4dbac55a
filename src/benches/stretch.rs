//! Time of stretching a path, compared with distributing the same correction evenly.

use std::hint::black_box;
use std::time::{Duration, Instant};

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use glam::DVec3;
use portamento::systems::stretch::LengthMeasure;
use portamento::systems::stretch::formula::{displacement, lengths, uniform};

const FRAMES: usize = 10_000;

/// Returns a path with turns, hops and pauses at 30 fps.
fn path() -> (Vec<DVec3>, Vec<f64>) {
    let times: Vec<f64> = (0..FRAMES).map(|i| i as f64 / 30.0).collect();
    let moving = |i: usize| (i - i % 40 + (i % 40).min(25)) as f64 / 30.0;
    let point = |t: f64| DVec3::new((0.7 * t).sin() * 3.0, (5.0 * t).sin().max(0.0), 1.4 * t);
    ((0..FRAMES).map(|i| point(moving(i))).collect(), times)
}

/// Distributes the correction evenly in a plain loop, as tools without this method do.
fn evenly(path: &[DVec3], target: DVec3) -> Vec<DVec3> {
    let last = path.len() - 1;
    let missing = (target - path[last]) / last as f64;
    path.iter().enumerate().map(|(i, &point)| point + missing * i as f64).collect()
}

fn stretched(path: &[DVec3], times: &[f64], target: DVec3) -> Vec<DVec3> {
    displacement(path, &lengths(path, times, LengthMeasure::Full, 0.1), target)
}

/// Returns the shortest of many runs, which is least disturbed by other processes.
fn shortest(mut run: impl FnMut() -> Vec<DVec3>) -> Duration {
    let timed = |_| {
        let start = Instant::now();
        black_box(run());
        start.elapsed()
    };
    (0..500).map(timed).min().unwrap_or_default()
}

fn stretch(criterion: &mut Criterion) {
    let (path, times) = path();
    let target = DVec3::new(30.0, 2.0, 700.0);
    let ours = shortest(|| stretched(black_box(&path), &times, target));
    let plain = shortest(|| evenly(black_box(&path), target));
    let ratio = ours.as_secs_f64() / plain.as_secs_f64();
    println!("stretch of {FRAMES} frames: {ours:?}, evenly spread: {plain:?}, ratio {ratio:.2}");
    let mut group = criterion.benchmark_group("stretch");
    group.throughput(Throughput::Elements(FRAMES as u64));
    group.bench_function("displacement", |bench| bench.iter(|| stretched(black_box(&path), &times, target)));
    group.bench_function("uniform", |bench| bench.iter(|| uniform(black_box(&path), &times, target)));
    group.bench_function("plain evenly spread", |bench| bench.iter(|| evenly(black_box(&path), target)));
    group.finish();
}

criterion_group!(benches, stretch);
criterion_main!(benches);
