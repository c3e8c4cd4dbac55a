//! Image loops: depth, streaming, and the number of reads and cached frames.

mod laws;
mod pixels;

use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use super::*;
use crate::tests::noise;
use crate::{Fade, finder};
use portamento_anim::media::image_clip::{FrameSource, MemoryFrames};
use portamento_test_support::image_info as info;

fn grey(frames: usize, side: u32, seed: u64) -> ImageClip {
    let pixels = |row: &Vec<f32>| Pixels::U8(row.iter().map(|v| [(128.0 + v * 200.0) as u8, 90, 20, 255]).collect());
    let frames = noise(frames, (side * side) as usize, seed).iter().map(pixels).collect();
    ImageClip::new("smoke", Arc::new(MemoryFrames::new(info(side, side, 0), frames)), 1 << 20)
}

fn constant(pixels: Pixels, frames: usize) -> ImageClip {
    let info = ImageInfo { depth: pixels.depth(), ..info(4, 2, 0) };
    ImageClip::new("still", Arc::new(MemoryFrames::new(info, vec![pixels; frames])), 1 << 20)
}

#[test]
fn a_constant_image_loops_to_itself_at_every_depth() {
    let u8s = Pixels::U8((0..8).map(|i| [i * 31, 255 - i, 7, i * 36]).collect());
    let u16s = Pixels::U16((0..8).map(|i| [i * 8191, 65_535 - i, 7, i * 9000]).collect());
    let floats = Pixels::F32((0..8).map(|i| [i as f32 * 0.37, 4.0, -0.5, i as f32 / 7.0]).collect());
    for (pixels, keep_energy) in [(u8s, false), (u16s, true), (floats, false)] {
        for linear_light in [false, true] {
            let timing: Vec<f32> = (0..8).map(|i| i as f32 / 7.0).collect();
            let fade = Fade { timing: timing.into(), ..Fade::default() };
            let settings = Settings { length: 7, fade, linear_light, keep_energy, ..Settings::default() };
            let built = build(&constant(pixels.clone(), 15), &settings, &Progress::new()).unwrap();
            for k in 0..7 {
                match (&*built.frame(k).unwrap(), &pixels) {
                    (Pixels::F32(out), Pixels::F32(expected)) => {
                        let pairs = out.as_flattened().iter().zip(expected.as_flattened());
                        assert!(pairs.into_iter().all(|(a, b)| (a - b).abs() < 1e-5));
                    }
                    (out, expected) => assert_eq!(out, expected),
                }
            }
            assert!(built.report().ratio.unwrap() <= 1.2, "{:?}", built.report());
        }
    }
}

#[test]
fn a_constant_premultiplied_image_loops_to_itself_at_any_alpha() {
    let pixel = |i: i32| [0.1, 0.25, 0.7, 1.0].map(|part| part * (i + 1) as f32 / 8.0);
    let info = ImageInfo { depth: Depth::F32, premultiplied: true, ..info(4, 2, 0) };
    let frames = vec![Pixels::F32((0..8).map(pixel).collect()); 15];
    let clip = ImageClip::new("still", Arc::new(MemoryFrames::new(info, frames)), 1 << 20);
    let settings = Settings { length: 7, linear_light: true, ..Settings::default() };
    let built = build(&clip, &settings, &Progress::new()).unwrap();
    for k in 0..7 {
        let Pixels::F32(out) = &*built.frame(k).unwrap() else { panic!("other pixels") };
        for (i, out) in out.iter().enumerate() {
            let off = out.iter().zip(pixel(i as i32)).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
            assert!(off < 1e-5, "frame {k}: {out:?} for {:?}", pixel(i as i32));
        }
    }
}

#[test]
fn a_loop_of_images_closes_and_keeps_its_contrast_when_asked() {
    let clip = grey(81, 24, 5);
    let dip = |keep_energy| {
        let settings = Settings { start: 0, length: 40, keep_energy, ..Settings::default() };
        let built = build(&clip, &settings, &Progress::new()).unwrap();
        assert_eq!(built.cycle_frame(0).unwrap(), built.cycle_frame(40).unwrap());
        assert_eq!(built.cycle_frame(0).unwrap(), clip.frame(40).unwrap());
        assert_eq!(built.report().value_gap, 0.0);
        assert_eq!(built.info().frames, 40);
        built.report().dip.unwrap()
    };
    let (plain, lively) = (dip(false), dip(true));
    assert!(plain < 0.78 && lively >= 0.95, "{plain} {lively}");
}

#[test]
fn a_frame_is_shown_until_the_next_and_time_wraps() {
    let built = build(&grey(21, 4, 1), &Settings { length: 10, ..Settings::default() }, &Progress::new()).unwrap();
    assert_eq!(built.sample(3.9 / 24.0).unwrap(), built.frame(3).unwrap());
    assert_eq!(built.sample(14.0 / 24.0).unwrap(), built.frame(4).unwrap());
}

#[test]
fn a_planted_loop_is_found_in_images_too() {
    let rows = noise(60, 64, 9);
    let row = |frame: usize| if frame > 30 && frame <= 45 { &rows[frame - 15] } else { &rows[frame] };
    let pixels = |frame: usize| Pixels::U8(row(frame).iter().map(|v| [(128.0 + v * 200.0) as u8; 4]).collect());
    let frames = (0..60).map(pixels).collect();
    let clip = ImageClip::new("smoke", Arc::new(MemoryFrames::new(info(8, 8, 0), frames)), 1 << 20);
    let features = features(&clip, 8, &Progress::new()).unwrap();
    let found = finder::find(&features, &finder::Search::default(), &Progress::new()).unwrap();
    assert!(
        found.candidates[0].length == 15 && found.candidates[0].start.abs_diff(16) <= 1,
        "{:?}",
        found.candidates[0]
    );
}

/// 2K frames computed on demand.
struct Endless;

impl FrameSource for Endless {
    fn info(&self) -> ImageInfo {
        ImageInfo { depth: Depth::U8, ..info(2048, 1080, 1000) }
    }

    fn read(&self, index: usize) -> Result<Pixels, FrameError> {
        Ok(Pixels::U8(vec![[(index * 7 % 256) as u8, 3, 9, 255]; 2048 * 1080]))
    }
}

#[test]
#[ignore = "takes a minute; measures the memory of its whole process, so run it alone"]
fn a_thousand_frames_of_2k_stream_within_a_gigabyte() {
    let clip = ImageClip::new("smoke", Arc::new(Endless), portamento_anim::media::image_clip::CACHE_BYTES);
    let settings = Settings { length: 499, keep_energy: true, ..Settings::default() };
    let built = build(&clip, &settings, &Progress::new()).unwrap();
    (0..499).for_each(|k| drop(built.frame(k).unwrap()));
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap().trim().trim_end_matches(" kB");
    println!("most memory used: {peak} kB");
    assert!(peak.parse::<u64>().unwrap() <= 1 << 20);
}

#[test]
fn a_long_sequence_at_2k_stays_within_its_cache() {
    let limit = 64 << 20;
    let clip = ImageClip::new("smoke", Arc::new(Endless), limit);
    let window = CycleWindow { start: 900, length: 20 };
    let settings = Settings { start: window.start, length: window.length, ..Settings::default() };
    let built = build(&clip, &settings, &Progress::new()).unwrap();
    for k in 0..window.length {
        assert_eq!(built.frame(k).unwrap().len(), 2048 * 1080);
        assert!(clip.cached_bytes() <= limit);
    }
}

/// Frames computed on demand, with a count of reads.
struct Counted(ImageInfo, AtomicUsize);

impl FrameSource for Counted {
    fn info(&self) -> ImageInfo {
        self.0
    }

    fn read(&self, index: usize) -> Result<Pixels, FrameError> {
        self.1.fetch_add(1, Relaxed);
        Ok(Pixels::U8(vec![[(index * 7 % 251) as u8, 3, 5, 255]; self.0.pixels()]))
    }
}

#[test]
fn a_long_sequence_is_read_once_during_playback_and_never_stored() {
    let source = Arc::new(Counted(info(16, 9, 1001), 0.into()));
    let cache = 4 * source.0.frame_bytes();
    let clip = ImageClip::new("smoke", source.clone(), cache);
    let reads = || source.1.swap(0, Relaxed);
    let settings = Settings { length: 500, ..Settings::default() };
    let built = build(&clip, &settings, &Progress::new()).unwrap();
    assert!(reads() <= 1002 && clip.cached_bytes() <= cache);
    (0..500).for_each(|k| assert!(built.frame(k).is_ok() && clip.cached_bytes() <= cache));
    // The first frame is still cached after building; each other one mixes two.
    assert_eq!(reads(), 2 * 499);
}

/// Frames of which one cannot be read.
struct Torn;

impl FrameSource for Torn {
    fn info(&self) -> ImageInfo {
        info(4, 2, 9)
    }

    fn read(&self, index: usize) -> Result<Pixels, FrameError> {
        match index {
            5 => Err(FrameError { frame: 5, file: "5.png".into(), reason: "is torn".into() }),
            _ => Ok(Pixels::U8(vec![[7; 4]; 8])),
        }
    }
}

#[test]
fn an_unreadable_frame_foreign_paint_and_cancellation_are_reported() {
    let torn = ImageClip::new("smoke", Arc::new(Torn), 1 << 20);
    let settings = Settings { length: 4, ..Settings::default() };
    assert!(matches!(build(&torn, &settings, &Progress::new()), Err(BuildError::Frame(_))));
    let clip = grey(9, 4, 1);
    let fade = Fade { timing: vec![0.5; 15].into(), ..Fade::default() };
    let painted = build(&clip, &Settings { fade, ..settings.clone() }, &Progress::new());
    assert!(matches!(painted, Err(BuildError::OtherUnits { painted: 15, units: 16, .. })));
    let progress = Progress::new();
    progress.cancel();
    assert!(matches!(build(&clip, &settings, &progress), Err(BuildError::Cancelled(_))));
}

#[test]
fn a_sequence_of_twice_the_length_is_one_frame_too_short() {
    let built = |frames| build(&grey(frames, 4, 1), &Settings { length: 8, ..Settings::default() }, &Progress::new());
    assert_eq!(built(17).unwrap().info().frames, 8);
    let sentence = built(16).unwrap_err().to_string();
    assert!(sentence.contains("17 source frames") && sentence.contains("has 16"), "{sentence}");
}
