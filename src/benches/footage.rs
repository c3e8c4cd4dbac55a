//! A loop of 300 full-HD PNG files, written as PNG files again: how long each part takes alone, and how busy the cores are.

use std::hint::black_box;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use portamento::anim::image_clip::{CACHE_BYTES, Depth, ImageInfo, MemoryFrames};
use portamento::anim::{ImageClip, Pixels};
use portamento::export::images::{Frames, Still, sequence};
use portamento::export::point_cache::ClosingKey;
use portamento::import::images;
use portamento::progress::Progress;
use portamento::systems::looping::{Settings, image};
use rayon::prelude::*;

/// Source frames; the loop has half as many, less one.
const FRAMES: usize = 301;
const INFO: ImageInfo = ImageInfo {
    width: 1920,
    height: 1080,
    depth: Depth::U8,
    premultiplied: false,
    linear: false,
    frames: FRAMES,
    fps: 24.0,
};

/// Drifting waves with a little grain, soft at the border: as hard to pack as smoke.
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

fn written(frames: usize, folder: &Path, frame: &(dyn Fn(usize) -> Arc<Pixels> + Sync)) -> bool {
    let frame = |k: usize| Ok(frame(k));
    let frames = Frames { name: "smoke", info: ImageInfo { frames, ..INFO }, frame: &frame };
    sequence(&frames, ClosingKey::Without, Still::Png, folder, "smoke", &Progress::new()).is_ok()
}

/// Seconds of work of all threads of this program so far; the system counts hundredths.
fn worked() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let after_name = stat.rsplit(") ").next().unwrap_or_default();
    after_name.split(' ').skip(11).take(2).filter_map(|it| it.parse::<f64>().ok()).sum::<f64>() / 100.0
}

/// Runs and prints one part; gives its seconds of work.
fn timed(what: &str, run: impl FnOnce() -> bool) -> f64 {
    let (start, before) = (Instant::now(), worked());
    let outcome = if run() { "" } else { ", FAILED" };
    let (wall, work) = (start.elapsed().as_secs_f64(), worked() - before);
    println!("  {what}: {wall:.2} s, {work:.2} s of work, {:.2} cores busy{outcome}", work / wall);
    work
}

fn main() {
    let Ok(folder) = tempfile::tempdir() else { return };
    let [source, target] = ["source", "target"].map(|name| folder.path().join(name));
    if std::fs::create_dir(&source).and_then(|()| std::fs::create_dir(&target)).is_err() {
        return;
    }
    println!("{FRAMES} files of 1920 × 1080, {} threads", rayon::current_num_threads());
    timed("painting and writing them", || written(FRAMES, &source, &picture));
    let open = || images::read(&source, 24.0, CACHE_BYTES, &Progress::new());
    let length = (FRAMES - 1) / 2;
    let settings = |length| Settings { length, ..Settings::default() };
    println!("each part alone:");
    let read =
        timed("reading all", || open().is_ok_and(|it| (0..FRAMES).into_par_iter().all(|k| it.clip.frame(k).is_ok())));
    let memory = MemoryFrames::new(INFO, (0..9).map(|k| Pixels::clone(&picture(k))).collect());
    let built = image::build(&ImageClip::new("smoke", Arc::new(memory), CACHE_BYTES), &settings(4), &Progress::new());
    let mixed = timed("mixing", || built.is_ok_and(|it| (0..length).all(|k| black_box(it.frame(1 + k % 3)).is_ok())));
    let pictures: Vec<Arc<Pixels>> = (0..4).map(picture).collect();
    let packed = timed("writing", || written(length, &target, &|k| pictures[k % 4].clone()));
    println!("  mixing is {:.1} % of reading, mixing and writing", 100.0 * mixed / (read + mixed + packed));
    println!("the whole:");
    let Ok(opened) = open() else { return };
    let mut built = None;
    timed("building, with the seam measured on every frame", || {
        built = image::build(&opened.clip, &settings(length), &Progress::new()).ok();
        built.is_some()
    });
    let Some(built) = built else { return };
    timed("reading, mixing and writing", || {
        written(length, &target, &|k| built.frame(k).unwrap_or_else(|_| pictures[0].clone()))
    });
}
