//! Loops of image sequences: the unit is a pixel. Each frame of the loop needs two source frames in memory.
//!
//! Pixels are mixed by one of several kernels: 8 bits as stored ([`u8_stored`]), 8 bits in linear light ([`u8_linear`]),
//! and everything else in floats ([`float`]). Large 8-bit frames with one weight use a table of all pairs of values
//! ([`even_light_table`]).

mod even_light_table;
mod float;
mod kernel;
mod u8_linear;
mod u8_stored;

use std::sync::Arc;

use rayon::prelude::*;

use super::crossfade::{Crossfade, Pair};
use super::energy::Energy;
use super::fade::{FadeWeights, Weights};
use super::meter::{self, Measured, SeamReport};
use super::{BuildError, CycleWindow, Settings, Source, Warning};
pub use even_light_table::EvenLightTable;
pub use kernel::PixelStyle;
use kernel::{Channel, PixelMix};
use portamento_anim::media::image_clip::{FrameError, ImageClip, ImageInfo};
use portamento_anim::media::pixels::{Depth, Pixels};
use portamento_base::progress::Progress;

/// Number of pixels per parallel task: with their weights they stay in the cache.
const CHUNK: usize = 1024;

/// Maximum number of pixels per frame that meters read, evenly distributed. More pixels hardly change the results.
const MAX_METERED_PIXELS_PER_FRAME: usize = 65_536;

/// Maximum number of pixels of all frames together that meters store, 64 MiB of floats. Long sequences are sampled more
/// sparsely.
const MAX_METERED_PIXELS_TOTAL: usize = 4 << 20;

/// An image loop: the unchanged source and the weights of its two cycles. Frames are computed on demand.
#[derive(Clone, Debug, PartialEq)]
pub struct ImageLoop {
    clip: ImageClip,
    window: CycleWindow,
    style: PixelStyle,
    weights: FadeWeights,
    energy: Option<Energy<4>>,
    report: SeamReport,
    warnings: Vec<Warning>,
}

/// Validates `settings` against `clip` and prepares the loop. Reads every source frame of the two cycles, so that damaged
/// frames are reported here.
///
/// Returns `Err` if
/// - the window or the weights are invalid ([`super::window`], [`FadeWeights::new`]);
/// - a frame cannot be read;
/// - `progress` is cancelled.
pub fn build(clip: &ImageClip, settings: &Settings, progress: &Progress) -> Result<ImageLoop, BuildError> {
    let info = clip.info;
    let window = super::window(settings, &clip.name, info.frames)?;
    let weights = FadeWeights::new(settings, info.pixels(), &clip.name)?;
    // Linear pixels are mixed as they are stored.
    let linear_light = settings.linear_light && !info.linear;
    let style = PixelStyle { premultiplied: info.premultiplied, linear_light };
    let warnings = super::fade_warnings(&weights, info.pixels());
    let report = SeamReport::default();
    let mut built = ImageLoop { clip: clip.clone(), window, style, weights, energy: None, report, warnings };
    // Measured on the mixture without energy correction, so before it is set.
    if settings.keep_energy {
        built.energy = Some(built.measure_energy(progress)?);
    }
    let sampled = built.sample_frames(progress)?;
    let Measured { report, mean_change } = built.measure_seam(&sampled)?;
    built.report = report;
    let source_of_clip = Source { name: &clip.name, frames: info.frames };
    let read = |frame: usize, out: &mut Vec<f32>| {
        match frame.checked_sub(window.start).and_then(|offset| sampled.source.get(offset)) {
            Some(known) => out.clone_from(known),
            None => *out = built.sample_pixels(&*clip.frame(frame)?, built.pixel_stride()),
        }
        Ok(())
    };
    let closes = super::closing_warning(source_of_clip, window, mean_change, read)?;
    built.warnings.extend(closes);
    progress.step(1, 1)?;
    Ok(built)
}

impl ImageLoop {
    /// Returns size, depth and frame rate; `frames` is that of the loop.
    pub fn info(&self) -> ImageInfo {
        ImageInfo { frames: self.window.length, ..self.clip.info }
    }

    /// Returns the measurements of the seam, made on at most 65 536 pixels of each frame.
    pub fn report(&self) -> &SeamReport {
        &self.report
    }

    /// Returns the warnings for the user.
    pub fn warnings(&self) -> &[Warning] {
        &self.warnings
    }

    /// Returns frame `index` (any number, modulo X), or `Err` if a source frame can no longer be read.
    pub fn frame(&self, index: usize) -> Result<Arc<Pixels>, FrameError> {
        self.cycle_frame(index % self.window.length)
    }

    /// Returns the frame shown at `time` seconds: images stay until the next frame. Any time is valid; the loop repeats.
    pub fn sample(&self, time: f64) -> Result<Arc<Pixels>, FrameError> {
        self.frame(super::frame_at(time, self.clip.info.fps, self.window.length).frame)
    }

    /// Returns frame `k` of 0 … X. Frame X equals the first one bit for bit and is dropped from the loop. Returns `Err` if a
    /// source frame cannot be read.
    pub(super) fn cycle_frame(&self, k: usize) -> Result<Arc<Pixels>, FrameError> {
        let length = self.window.length;
        if k == 0 || k >= length {
            return self.clip.frame(self.window.start + length);
        }
        let [a, b] = self.source_frames(k)?;
        Ok(self.mixture(k, &a, &b))
    }

    /// Returns the frames of A and B at `k`. Returns `Err` if one cannot be read.
    fn source_frames(&self, k: usize) -> Result<[Arc<Pixels>; 2], FrameError> {
        let CycleWindow { start, length } = self.window;
        Ok([self.clip.frame(start + k)?, self.clip.frame(start + length + k)?])
    }

    /// Returns frame `k` of 0 … X, mixed from the source frames `a` and `b`. It is `b` itself at 0, `a` itself at X, and `b` if
    /// their depths differ.
    fn mixture(&self, k: usize, a: &Arc<Pixels>, b: &Arc<Pixels>) -> Arc<Pixels> {
        match (&**b, &**a) {
            // The ends are copies, so that they are equal bit for bit.
            _ if k == 0 => b.clone(),
            _ if k >= self.window.length => a.clone(),
            (Pixels::U8(b), Pixels::U8(a)) => {
                Arc::new(Pixels::U8(self.mix_u8_pixels(k, Pair { outgoing: b, incoming: a })))
            }
            (Pixels::U16(b), Pixels::U16(a)) => {
                Arc::new(Pixels::U16(self.mix_pixels(k, Pair { outgoing: b, incoming: a })))
            }
            (Pixels::F32(b), Pixels::F32(a)) => {
                Arc::new(Pixels::F32(self.mix_pixels(k, Pair { outgoing: b, incoming: a })))
            }
            // A clip has one depth only; frames of different depths could not be mixed.
            _ => b.clone(),
        }
    }

    /// Mixes the pixels of frame `k` with 8 bits. Large frames of one weight in linear light use [`EvenLightTable`].
    fn mix_u8_pixels(&self, k: usize, pair: Pair<[u8; 4]>) -> Vec<[u8; 4]> {
        let is_light = self.style.linear_light && !self.style.premultiplied;
        let weight =
            self.weights.even(k).filter(|_| is_light && pair.outgoing.len() >= even_light_table::MIN_TABLE_PIXELS);
        match weight.map(EvenLightTable::new) {
            Some(table) => self.mix_chunks(k, pair, |pair, _, out| table.crossfade(pair, out)),
            None => self.mix_pixels(k, pair),
        }
    }

    /// Mixes the pixels of frame `k` by the kernel of their depth.
    fn mix_pixels<C: Channel + Send + Sync>(&self, k: usize, pair: Pair<[C; 4]>) -> Vec<[C; 4]>
    where
        [C; 4]: Crossfade<Style = PixelStyle>,
    {
        self.mix_chunks(k, pair, |pair, weights, out| Crossfade::crossfade(pair, weights, self.style, out))
    }

    /// Mixes the pixels of frame `k` chunk by chunk with `mix`, and stretches the result if the energy is to be kept.
    fn mix_chunks<C: Channel + Send + Sync>(
        &self,
        k: usize,
        pair: Pair<[C; 4]>,
        mix: impl Fn(Pair<[C; 4]>, Weights, &mut [[C; 4]]) + Sync,
    ) -> Vec<[C; 4]> {
        let mut out = vec![[C::ZERO; 4]; pair.outgoing.len()];
        let new_buffer = || vec![0.0; CHUNK];
        out.par_chunks_mut(CHUNK).enumerate().for_each_init(new_buffer, |buffer, (piece, out)| {
            // Pieces of fixed size: the result must not depend on the number of threads.
            let first = piece * CHUNK;
            let part = pair.part(first, out.len());
            let weights = self.weights.at(k, first, &mut buffer[..out.len()]);
            mix(part, weights, out);
            if let Some(energy) = &self.energy {
                for (pixel, value) in (first..).zip(out) {
                    *value = energy.stretch(k, pixel, value.map(C::load)).map(C::store);
                }
            }
        });
        out
    }

    /// Measures the stretch of every frame, without changing the loop. Reads every source frame several times. Returns `Err` if a
    /// source frame cannot be read, or if `progress` is cancelled.
    fn measure_energy(&self, progress: &Progress) -> Result<Energy<4>, BuildError> {
        let read = |frame: usize, out: &mut Vec<[f32; 4]>| -> Result<(), BuildError> {
            to_floats(&*self.clip.frame(frame)?, 1, out);
            Ok(())
        };
        let mixed = |k: usize, out: &mut Vec<[f32; 4]>| -> Result<(), BuildError> {
            to_floats(&*self.cycle_frame(k)?, 1, out);
            Ok(())
        };
        Energy::measure(self.window, &self.weights, read, mixed, progress)
    }

    /// Measures the seam on sampled pixels. Gaps are in the scale of the images' depth: 0…255, 0…65 535 or 0…1.
    fn measure_seam(&self, sampled: &SampledFrames) -> Result<Measured, BuildError> {
        let length = self.window.length;
        let SampledFrames { looped, source } = sampled;
        let copy = |frames: &[Vec<f32>], k: usize, out: &mut Vec<f32>| -> Result<(), BuildError> {
            out.clone_from(&frames[k]);
            Ok(())
        };
        let seam = meter::seam(length, |k, out| copy(looped, k, out))?;
        let [dip, source_dip] =
            meter::dips(2 * length + 1, |k, out| copy(source, k, out), length, |k, out| copy(looped, k, out))?;
        let gap = looped[0].iter().zip(&looped[length]).map(|(a, b)| f64::from((a - b).abs())).fold(0.0, f64::max);
        let report = SeamReport { value_gap: gap, dip, source_dip, ..seam.report };
        Ok(Measured { report, ..seam })
    }

    /// Returns the stride k, at least 1: the meters read every k-th pixel of a frame.
    fn pixel_stride(&self) -> usize {
        // 3X + 2 frames are stored: X + 1 of the loop and 2X + 1 of the source.
        let watched = MAX_METERED_PIXELS_PER_FRAME.min(MAX_METERED_PIXELS_TOTAL / (3 * self.window.length + 2)).max(1);
        self.clip.info.pixels().div_ceil(watched).max(1)
    }

    /// Returns red, green, blue and alpha of every `every`-th pixel of `frame` in the scale of its depth: 0…255, 0…65 535 or 0…1.
    /// Colours are premultiplied, since transparent pixels may contain random colours.
    fn sample_pixels(&self, frame: &Pixels, every: usize) -> Vec<f32> {
        let mut pixels = Vec::new();
        to_floats(frame, every, &mut pixels);
        if !self.clip.info.premultiplied {
            pixels.iter_mut().for_each(|pixel| *pixel = premultiply(*pixel, frame.depth()));
        }
        pixels.as_flattened().to_vec()
    }

    /// Returns a sampled copy of all frames: the meters read the loop three times, and the copy is small enough to store. Returns
    /// `Err` if a source frame cannot be read, or if `progress` is cancelled.
    fn sample_frames(&self, progress: &Progress) -> Result<SampledFrames, BuildError> {
        let length = self.window.length;
        let every = self.pixel_stride();
        let sample_pixels = |frame: Arc<Pixels>| self.sample_pixels(&frame, every);
        let sampled = |k: usize| -> Result<[Vec<f32>; 3], FrameError> {
            let [a, b] = self.source_frames(k)?;
            Ok([sample_pixels(self.mixture(k, &a, &b)), sample_pixels(a), sample_pixels(b)])
        };
        let mut looped = Vec::with_capacity(length + 1);
        let mut source = vec![Vec::new(); 2 * length + 1];
        let at_once = self.clip.info.parallel_frames();
        for first in (0..=length).step_by(at_once) {
            progress.step(first, length + 1)?;
            let some: Vec<_> = (first..(first + at_once).min(length + 1)).into_par_iter().map(sampled).collect();
            for (k, frames) in (first..).zip(some) {
                let [mixed, a, b] = frames?;
                looped.push(mixed);
                (source[k], source[length + k]) = (a, b);
            }
        }
        Ok(SampledFrames { looped, source })
    }
}

/// Sampled pixels of the X + 1 frames of a loop and of its 2X + 1 source frames.
struct SampledFrames {
    looped: Vec<Vec<f32>>,
    source: Vec<Vec<f32>>,
}

impl Crossfade for [u8; 4] {
    type Style = PixelStyle;

    fn crossfade(pair: Pair<Self>, weights: Weights, style: PixelStyle, out: &mut [Self]) {
        let mix = PixelMix { pair, weights, style, out };
        if style.linear_light { float::mix_float(mix) } else { u8_stored::mix_u8(mix) }
    }
}

impl Crossfade for [u16; 4] {
    type Style = PixelStyle;

    fn crossfade(pair: Pair<Self>, weights: Weights, style: PixelStyle, out: &mut [Self]) {
        float::mix_float(PixelMix { pair, weights, style, out });
    }
}

impl Crossfade for [f32; 4] {
    type Style = PixelStyle;

    fn crossfade(pair: Pair<Self>, weights: Weights, style: PixelStyle, out: &mut [Self]) {
        float::mix_float(PixelMix { pair, weights, style, out });
    }
}

/// Writes every `every`-th pixel of `frame` to `out` as floats in the scale of its depth.
fn to_floats(frame: &Pixels, every: usize, out: &mut Vec<[f32; 4]>) {
    out.clear();
    match frame {
        Pixels::U8(pixels) => out.extend(pixels.iter().step_by(every).map(|pixel| pixel.map(f32::from))),
        Pixels::U16(pixels) => out.extend(pixels.iter().step_by(every).map(|pixel| pixel.map(f32::from))),
        Pixels::F32(pixels) => out.extend(pixels.iter().step_by(every)),
    }
}

/// Returns a straight pixel, in the scale of `depth`, with its colours multiplied by its alpha as a share of full alpha.
fn premultiply([r, g, b, alpha]: [f32; 4], depth: Depth) -> [f32; 4] {
    let full = match depth {
        Depth::U8 => 255.0,
        Depth::U16 => 65_535.0,
        Depth::F32 => 1.0,
    };
    let part = alpha / full;
    [r * part, g * part, b * part, alpha]
}

/// Returns the features for [`super::finder`]: for every frame, the sums of the premultiplied red, green and blue of each cell of
/// a grid of at most `side` × `side` cells. Returns `Err` if a frame cannot be read, or if `progress` is cancelled.
pub fn features(clip: &ImageClip, side: usize, progress: &Progress) -> Result<Vec<Vec<f32>>, BuildError> {
    let (width, height) = (clip.info.width as usize, clip.info.height as usize);
    let (across, down) = (width.div_ceil(side.max(1)).max(1), height.div_ceil(side.max(1)).max(1));
    let mut frames = Vec::with_capacity(clip.info.frames);
    let mut row = Vec::new();
    for frame in 0..clip.info.frames {
        progress.step(frame, clip.info.frames)?;
        to_floats(&*clip.frame(frame)?, 1, &mut row);
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
mod tests;
