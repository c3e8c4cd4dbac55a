//! Loops of image sequences: the unit is a pixel. Two source frames are in memory for one frame of the loop.

use std::sync::Arc;

use rayon::prelude::*;

use super::coordinates::{Coordinates, coordinates_of};
use super::energy::{Energy, Window};
use super::fade::Fades;
use super::meter::{self, SeamReport};
use super::pixel::{PixelStyle, covering};
use super::{BuildError, Settings, Unit, Warning};
use crate::media::image_clip::FrameError;
use crate::media::{ImageClip, ImageInfo, Pixels};
use crate::progress::Progress;

/// Pixels per piece of parallel work: with their shares they stay in the nearest cache.
const CHUNK: usize = 1024;

/// The same where all pixels fade alike: what is worked out for their one share then pays.
const EVEN_CHUNK: usize = 1 << 17;

/// Meters look at no more pixels of a frame than this, evenly spread: the numbers do not change by more.
const METERED: usize = 65_536;

/// Pixels of all frames together that meters keep, 64 MiB of floats; long sequences are looked at more thinly.
const METERED_IN_ALL: usize = 4 << 20;

/// An image loop: the untouched source and how its two cycles are mixed. Frames are computed when asked for.
#[derive(Clone, Debug, PartialEq)]
pub struct ImageLoop {
    clip: ImageClip,
    window: Window,
    style: PixelStyle,
    fades: Fades,
    energy: Option<Energy<4>>,
    report: SeamReport,
    warnings: Vec<Warning>,
}

/// Checks `settings` against `clip` and prepares the loop; every source frame of the two cycles is read at least once, so
/// that a damaged one is named now.
pub fn build(clip: &ImageClip, settings: &Settings, progress: &Progress) -> Result<ImageLoop, BuildError> {
    let info = clip.info;
    let window = super::window(settings, &clip.name, info.frames)?;
    let fades = Fades::new(settings, info.pixels(), &clip.name)?;
    let style = PixelStyle { premultiplied: info.premultiplied, light: settings.linear_light && !info.linear };
    let warnings = super::fade_warnings(&fades, info.pixels());
    let report = SeamReport::default();
    let mut built = ImageLoop { clip: clip.clone(), window, style, fades, energy: None, report, warnings };
    if settings.keep_energy {
        built.energy = Some(built.measured_energy(progress)?);
    }
    built.report = built.measured(progress)?;
    progress.step(1, 1)?;
    Ok(built)
}

impl ImageLoop {
    /// Size, depth and rate; `frames` is the loop's.
    pub fn info(&self) -> ImageInfo {
        ImageInfo { frames: self.window.length, ..self.clip.info }
    }

    /// The seam in numbers, measured on at most 65 536 pixels of each frame.
    pub fn report(&self) -> &SeamReport {
        &self.report
    }

    /// What the user should know.
    pub fn warnings(&self) -> &[Warning] {
        &self.warnings
    }

    /// Frame `index` (any number, modulo X). Errors when a source frame can no longer be read.
    pub fn frame(&self, index: usize) -> Result<Arc<Pixels>, FrameError> {
        self.undropped(index % self.window.length)
    }

    /// The frame shown at `time` seconds (any number; the loop repeats): image sequences hold each frame until the next.
    pub fn sample(&self, time: f64) -> Result<Arc<Pixels>, FrameError> {
        self.frame(super::place(time, self.clip.info.fps, self.window.length).0)
    }

    /// Frame `k` of 0 … X: also the last one, which equals the first bit for bit and is dropped from the loop.
    pub fn undropped(&self, k: usize) -> Result<Arc<Pixels>, FrameError> {
        let length = self.window.length;
        if k == 0 || k >= length {
            return self.clip.frame(self.window.start + length);
        }
        let [a, b] = self.sources(k)?;
        Ok(self.between(k, &a, &b))
    }

    /// The frames of A and B at `k`.
    fn sources(&self, k: usize) -> Result<[Arc<Pixels>; 2], FrameError> {
        let Window { start, length } = self.window;
        Ok([self.clip.frame(start + k)?, self.clip.frame(start + length + k)?])
    }

    fn between(&self, k: usize, a: &Arc<Pixels>, b: &Arc<Pixels>) -> Arc<Pixels> {
        match (&**b, &**a) {
            // The ends are copies, so that they are equal bit for bit.
            _ if k == 0 => b.clone(),
            _ if k >= self.window.length => a.clone(),
            (Pixels::U8(b), Pixels::U8(a)) => Arc::new(Pixels::U8(self.mixed(k, b, a))),
            (Pixels::U16(b), Pixels::U16(a)) => Arc::new(Pixels::U16(self.mixed(k, b, a))),
            (Pixels::F32(b), Pixels::F32(a)) => Arc::new(Pixels::F32(self.mixed(k, b, a))),
            // A clip gives one depth only; a second one could not be mixed and stays what it is.
            _ => b.clone(),
        }
    }

    fn mixed<P: Coordinates + Unit<Style = PixelStyle>>(&self, k: usize, b: &[P], a: &[P]) -> Vec<P> {
        let mut out = vec![P::NOTHING; b.len()];
        self.mix_into(k, b, a, &mut out);
        out
    }

    fn mix_into<P: Coordinates + Unit<Style = PixelStyle>>(&self, k: usize, b: &[P], a: &[P], out: &mut [P]) {
        let chunk = if self.fades.is_even() { EVEN_CHUNK } else { CHUNK };
        out.par_chunks_mut(chunk).enumerate().for_each(|(piece, out)| {
            let first = piece * chunk;
            let range = first..first + out.len();
            let mut buffer = [0.0; CHUNK];
            let share = self.fades.share(k, first, &mut buffer[..out.len().min(CHUNK)]);
            P::mix(&b[range.clone()], &a[range], share, self.style, out);
            if let Some(energy) = &self.energy {
                for (pixel, value) in (first..).zip(out) {
                    *value = P::from_coordinates(energy.stretched(k, pixel, value.coordinates()));
                }
            }
        });
    }

    fn measured_energy(&self, progress: &Progress) -> Result<Energy<4>, BuildError> {
        let read = |frame: usize, out: &mut Vec<[f32; 4]>| -> Result<(), BuildError> {
            coordinates_of(&*self.clip.frame(frame)?, 1, out);
            Ok(())
        };
        let mixed = |k: usize, out: &mut Vec<[f32; 4]>| -> Result<(), BuildError> {
            coordinates_of(&*self.undropped(k)?, 1, out);
            Ok(())
        };
        Energy::measure(self.window, &self.fades, read, mixed, progress)
    }

    fn measured(&self, progress: &Progress) -> Result<SeamReport, BuildError> {
        let length = self.window.length;
        let watched = METERED.min(METERED_IN_ALL / (3 * length + 2)).max(1);
        let every = self.clip.info.pixels().div_ceil(watched).max(1);
        // The loop is asked for three times by the meters: a thinned copy of all its frames is small enough to keep.
        let thin = |frame: Arc<Pixels>| {
            let mut pixels = Vec::new();
            coordinates_of(&frame, every, &mut pixels);
            // Colours count as far as they are seen: what a clear pixel holds differs from frame to frame at random.
            if !self.clip.info.premultiplied {
                pixels.iter_mut().for_each(|pixel| *pixel = covering(*pixel, frame.depth()));
            }
            pixels.as_flattened().to_vec()
        };
        let thinned = |k: usize| -> Result<[Vec<f32>; 3], FrameError> {
            let [a, b] = self.sources(k)?;
            Ok([thin(self.between(k, &a, &b)), thin(a), thin(b)])
        };
        let mut looped = Vec::with_capacity(length + 1);
        let mut source = vec![Vec::new(); 2 * length + 1];
        let at_once = self.clip.info.at_once();
        for first in (0..=length).step_by(at_once) {
            progress.step(first, length + 1)?;
            let some: Vec<_> = (first..(first + at_once).min(length + 1)).into_par_iter().map(thinned).collect();
            for (k, frames) in (first..).zip(some) {
                let [mixed, a, b] = frames?;
                looped.push(mixed);
                (source[k], source[length + k]) = (a, b);
            }
        }
        let copy = |frames: &[Vec<f32>], k: usize, out: &mut Vec<f32>| -> Result<(), BuildError> {
            out.clone_from(&frames[k]);
            Ok(())
        };
        let seam = meter::seam(length, |k, out| copy(&looped, k, out))?;
        let dip = meter::dip(2 * length + 1, |k, out| copy(&source, k, out), length, |k, out| copy(&looped, k, out))?;
        let gap = looped[0].iter().zip(&looped[length]).map(|(a, b)| f64::from((a - b).abs())).fold(0.0, f64::max);
        Ok(SeamReport { value_gap: gap, dip, ..seam })
    }
}

/// What [`super::finder`] compares: every frame as colours times alpha on a grid of about `side` × `side` pixels.
pub fn features(clip: &ImageClip, side: usize, progress: &Progress) -> Result<Vec<Vec<f32>>, BuildError> {
    let (width, height) = (clip.info.width as usize, clip.info.height as usize);
    let (across, down) = (width.div_ceil(side.max(1)).max(1), height.div_ceil(side.max(1)).max(1));
    let mut frames = Vec::with_capacity(clip.info.frames);
    let mut row = Vec::new();
    for frame in 0..clip.info.frames {
        progress.step(frame, clip.info.frames)?;
        coordinates_of(&*clip.frame(frame)?, 1, &mut row);
        let cell = |x: usize, y: usize| {
            let inside =
                (y..(y + down).min(height)).flat_map(|y| (x..(x + across).min(width)).map(move |x| y * width + x));
            inside.fold([0.0f32; 3], |sum, at| {
                let alpha = if clip.info.premultiplied { 1.0 } else { row[at][3] };
                std::array::from_fn(|i| sum[i] + row[at][i] * alpha)
            })
        };
        let cells = (0..height).step_by(down).flat_map(|y| (0..width).step_by(across).map(move |x| (x, y)));
        frames.push(cells.flat_map(|(x, y)| cell(x, y)).collect());
    }
    Ok(frames)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::media::Depth;
    use crate::media::image_clip::{FrameSource, MemoryFrames, tests::info};
    use crate::systems::looping::tests::noise;
    use crate::systems::looping::{Fade, finder};
    use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

    fn grey(frames: usize, side: u32, seed: u64) -> ImageClip {
        let pixels =
            |row: &Vec<f32>| Pixels::U8(row.iter().map(|v| [(128.0 + v * 200.0) as u8, 90, 20, 255]).collect());
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
                assert!(built.report().ratio <= 1.2, "{:?}", built.report());
            }
        }
    }

    #[test]
    fn a_loop_of_images_closes_and_keeps_its_contrast_when_asked() {
        let clip = grey(81, 24, 5);
        let of = |keep_energy| {
            let settings = Settings { start: 0, length: 40, keep_energy, ..Settings::default() };
            let built = build(&clip, &settings, &Progress::new()).unwrap();
            assert_eq!(built.undropped(0).unwrap(), built.undropped(40).unwrap());
            assert_eq!(built.undropped(0).unwrap(), clip.frame(40).unwrap());
            assert_eq!(built.report().value_gap, 0.0);
            assert_eq!(built.info().frames, 40);
            built.report().dip
        };
        let (plain, lively) = (of(false), of(true));
        assert!(plain < 0.78 && lively >= 0.95, "{plain} {lively}");
    }

    #[test]
    fn time_holds_a_frame_until_the_next_and_wraps() {
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

    /// 2K frames made on demand.
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
        let clip = ImageClip::new("smoke", Arc::new(Endless), crate::media::image_clip::CACHE_BYTES);
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
        let window = Window { start: 900, length: 20 };
        let settings = Settings { start: window.start, length: window.length, ..Settings::default() };
        let built = build(&clip, &settings, &Progress::new()).unwrap();
        for k in 0..window.length {
            assert_eq!(built.frame(k).unwrap().len(), 2048 * 1080);
            assert!(clip.cached_bytes() <= limit);
        }
    }

    /// Frames made when asked for, and how often that was.
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
    fn a_long_sequence_is_read_once_as_it_plays_and_never_held() {
        let source = Arc::new(Counted(info(16, 9, 1001), 0.into()));
        let cache = 4 * source.0.frame_bytes();
        let clip = ImageClip::new("smoke", source.clone(), cache);
        let reads = || source.1.swap(0, Relaxed);
        let settings = Settings { length: 500, ..Settings::default() };
        let built = build(&clip, &settings, &Progress::new()).unwrap();
        assert!(reads() <= 1002 && clip.cached_bytes() <= cache);
        (0..500).for_each(|k| assert!(built.frame(k).is_ok() && clip.cached_bytes() <= cache));
        // The first frame is still there from building; every other one mixes two.
        assert_eq!(reads(), 2 * 499);
    }

    #[test]
    fn a_sequence_of_twice_the_length_lacks_one_frame() {
        let built =
            |frames| build(&grey(frames, 4, 1), &Settings { length: 8, ..Settings::default() }, &Progress::new());
        assert_eq!(built(17).unwrap().info().frames, 8);
        let sentence = built(16).unwrap_err().to_string();
        assert!(sentence.contains("17 source frames") && sentence.contains("has 16"), "{sentence}");
    }
}
