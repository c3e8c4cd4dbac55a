//! A loop of 300 full-HD PNG files, exported as PNG files: the time of each part and the core usage. With the
//! argument `memory`: the peak memory of a loop of 1000 files of 2K.

use std::hint::black_box;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use portamento::export::FileSet;
use portamento::export::image_sequence::{Numbered, Still, sequence};
use portamento::export::images::ImageFrames;
use portamento::export::point_cache::ClosingKey;
use portamento::import::images;
use portamento::media::image_clip::{CACHE_BYTES, MemoryFrames};
use portamento::media::{Channels, Depth, ImageInfo};
use portamento::media::{ImageClip, Pixels};
use portamento::progress::Progress;
use portamento::systems::looping::{ImageLoop, Settings, image};
use rayon::prelude::*;

/// Number of source frames; the loop has half as many, minus one.
const FRAMES: usize = 301;
const INFO: ImageInfo = ImageInfo {
    width: 1920,
    height: 1080,
    depth: Depth::U8,
    channels: Channels::Rgba,
    premultiplied: false,
    linear: false,
    frames: FRAMES,
    fps: 24.0,
};

/// Returns drifting waves with some grain and soft borders, as hard to compress as smoke.
fn picture(frame: usize) -> Arc<Pixels> {
    let pixel = |i: usize| {
        let (x, y, t) = ((i % 1920) as f32, (i / 1920) as f32, frame as f32);
        let wave = (x * 0.011 + t * 0.2).sin() + (y * 0.017 - t * 0.13).sin();
        let grain = ((i * 7919 + frame * 104_729) >> 3) % 5;
        let grey = (128.0 + wave * 50.0) as u8 + grain as u8;
        [grey, grey / 2, 200 - grey / 2, (y.min(1080.0 - y) * 2.0).min(255.0) as u8]
    };
    Arc::new(Pixels::U8((0..INFO.pixels()).map(pixel).collect()))
}

fn written(info: ImageInfo, folder: &Path, frame: &(dyn Fn(usize) -> Arc<Pixels> + Sync)) -> bool {
    let frame = |k: usize| Ok(frame(k));
    let frames = ImageFrames { name: "smoke", info, frame: &frame };
    let write = |files: &mut FileSet| {
        sequence(
            files,
            &frames,
            ClosingKey::Without,
            Still::Png,
            Numbered { folder, stem: "smoke", first: 0 },
            &Progress::new(),
        )
        .map(|_| ())
    };
    FileSet::write_now(write).is_ok()
}

/// Returns the CPU seconds of all threads so far; the system's resolution is 0.01 s.
fn worked() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let after_name = stat.rsplit(") ").next().unwrap_or_default();
    after_name.split(' ').skip(11).take(2).filter_map(|hundredths| hundredths.parse::<f64>().ok()).sum::<f64>() / 100.0
}

/// Runs and prints one part; returns its wall-clock and CPU seconds.
fn timed(what: &str, run: impl FnOnce() -> bool) -> [f64; 2] {
    let (start, before) = (Instant::now(), worked());
    let outcome = if run() { "" } else { ", FAILED" };
    let (wall, work) = (start.elapsed().as_secs_f64(), worked() - before);
    println!("  {what}: {wall:.2} s, {work:.2} s of work, {:.2} cores busy{outcome}", work / wall);
    [wall, work]
}

/// Returns the peak memory of this process, MiB.
fn most_memory() -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap_or_default();
    line.trim().trim_end_matches(" kB").parse::<f64>().unwrap_or(f64::NAN) / 1024.0
}

fn main() {
    let Ok(folder) = tempfile::tempdir() else { return };
    let folders = ["source", "target"].map(|name| folder.path().join(name));
    if folders.iter().any(|folder| std::fs::create_dir(folder).is_err()) {
        return;
    }
    let [source, target] = folders;
    match std::env::args().any(|argument| argument == "memory") {
        true => memory(&source, &target),
        false => speed(&source, &target),
    }
}

fn opened(source: &Path) -> Option<ImageClip> {
    images::read(source, 24.0, CACHE_BYTES, &Progress::new()).ok().map(|read| read.clip)
}

fn looped(clip: &ImageClip, length: usize, linear_light: bool) -> Option<ImageLoop> {
    image::build(clip, &Settings { length, linear_light, ..Settings::default() }, &Progress::new()).ok()
}

fn speed(source: &Path, target: &Path) {
    println!("{FRAMES} files of 1920 × 1080, {} threads", rayon::current_num_threads());
    timed("painting and writing them", || written(INFO, source, &picture));
    let length = (FRAMES - 1) / 2;
    let info = ImageInfo { frames: length, ..INFO };
    println!("each part alone:");
    let read = timed("reading all", || {
        opened(source).is_some_and(|clip| (0..FRAMES).into_par_iter().all(|k| clip.frame(k).is_ok()))
    });
    let memory = MemoryFrames::new(INFO, (0..9).map(|k| Pixels::clone(&picture(k))).collect());
    let clip = ImageClip::new("smoke", Arc::new(memory), CACHE_BYTES);
    let mix = |linear_light: bool| {
        let built = looped(&clip, 4, linear_light);
        let what = if linear_light { "mixing as linear light" } else { "mixing as stored" };
        timed(what, || built.is_some_and(|built| (0..length).all(|k| black_box(built.frame(1 + k % 3)).is_ok())))
    };
    let [mixed, mixed_linear] = [false, true].map(mix);
    let pictures: Vec<Arc<Pixels>> = (0..4).map(picture).collect();
    let packed = timed("writing", || written(info, target, &|k| pictures[k % 4].clone()));
    for (what, [_, work]) in [("as stored", mixed), ("as linear light", mixed_linear)] {
        println!("  mixing {what} is {:.1} % of the work", 100.0 * work / (read[1] + work + packed[1]));
    }
    println!("the whole:");
    let Some(clip) = opened(source) else { return };
    let mut built = None;
    timed("building, with the seam measured on every frame", || {
        built = looped(&clip, length, false);
        built.is_some()
    });
    let Some(built) = built else { return };
    let total = timed("reading, mixing and writing", || {
        written(info, target, &|k| built.frame(k).unwrap_or_else(|_| pictures[0].clone()))
    });
    let part = |i: usize| (read[i] + packed[i]) / total[i];
    println!("  reading and writing alone take {:.2} of its time and {:.2} of its work", part(0), part(1));
}

/// Measures memory with single-colour frames, which are quick to encode but equally large in memory.
fn memory(source: &Path, target: &Path) {
    let info = ImageInfo { width: 2048, frames: 1000, ..INFO };
    let plain = |frame: usize| Arc::new(Pixels::U8(vec![[(frame * 7 % 251) as u8, 3, 9, 255]; info.pixels()]));
    timed("writing 1000 files of 2048 × 1080", || written(info, source, &plain));
    let (Some(clip), length) = (opened(source), (info.frames - 1) / 2) else { return };
    let mut built = None;
    timed("building a loop of them", || {
        built = looped(&clip, length, false);
        built.is_some()
    });
    let Some(built) = built else { return };
    let info = ImageInfo { frames: length, ..info };
    timed("reading, mixing and writing it", || written(info, target, &|k| built.frame(k).unwrap_or_else(|_| plain(0))));
    println!("  at most {:.0} MiB of memory, {:.0} MiB are allowed", most_memory(), 1024.0);
}
