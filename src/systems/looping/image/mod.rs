//! Loops of image sequences: the unit is a pixel. Two source frames are in memory for one frame of the loop.
//!
//! Pixels are mixed by one of three kernels: 8 bits as stored ([`u8_stored`]), 8 bits as linear light ([`u8_linear`]), and everything
//! else in floats ([`float`]).

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
use crate::media::image_clip::{FrameError, ImageClip, ImageInfo};
use crate::media::pixels::{Depth, Pixels};
use crate::progress::Progress;
pub use kernel::PixelStyle;
use kernel::{Channel, PixelMix};

/// Pixels per piece of parallel work: with their weights they stay in the nearest cache.
const CHUNK: usize = 1024;

/// Meters look at no more pixels of a frame than this, evenly spread: the numbers do not change by more.
const METERED: usize = 65_536;

/// Pixels of all frames together that meters keep, 64 MiB of floats; long sequences are looked at more thinly.
const METERED_IN_ALL: usize = 4 << 20;

/// An image loop: the untouched source and how its two cycles are mixed. Frames are computed when asked for.
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

/// Checks `settings` against `clip` and prepares the loop; every source frame of the two cycles is read at least once, so
/// that a damaged one is named now.
pub fn build(clip: &ImageClip, settings: &Settings, progress: &Progress) -> Result<ImageLoop, BuildError> {
    let info = clip.info;
    let window = super::window(settings, &clip.name, info.frames)?;
    let weights = FadeWeights::new(settings, info.pixels(), &clip.name)?;
    // Pixels that are linear already are mixed as they are stored.
    let linear_light = settings.linear_light && !info.linear;
    let style = PixelStyle { premultiplied: info.premultiplied, linear_light };
    let warnings = super::fade_warnings(&weights, info.pixels());
    let report = SeamReport::default();
    let mut built = ImageLoop { clip: clip.clone(), window, style, weights, energy: None, report, warnings };
    // Measured on the mixture without it, so before the loop has any.
    if settings.keep_energy {
        built.energy = Some(built.measure_energy(progress)?);
    }
    let thinned = built.thinned(progress)?;
    let Measured { report, mean_change } = built.measure_seam(&thinned)?;
    built.report = report;
    let whole = Source { name: &clip.name, frames: info.frames };
    let read = |frame: usize, out: &mut Vec<f32>| {
        match frame.checked_sub(window.start).and_then(|offset| thinned.source.get(offset)) {
            Some(known) => out.clone_from(known),
            None => *out = built.thin(&*clip.frame(frame)?, built.thinning()),
        }
        Ok(())
    };
    let closes = super::closing_warning(whole, window, mean_change, read)?;
    built.warnings.extend(closes);
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
        self.cycle_frame(index % self.window.length)
    }

    /// The frame shown at `time` seconds (any number; the loop repeats): image sequences hold each frame until the next.
    pub fn sample(&self, time: f64) -> Result<Arc<Pixels>, FrameError> {
        self.frame(super::frame_at(time, self.clip.info.fps, self.window.length).frame)
    }

    /// Frame `k` of 0 … X: also the closing one, which equals the first bit for bit and is dropped from the loop.
    pub(super) fn cycle_frame(&self, k: usize) -> Result<Arc<Pixels>, FrameError> {
        let length = self.window.length;
        if k == 0 || k >= length {
            return self.clip.frame(self.window.start + length);
        }
        let [a, b] = self.source_frames(k)?;
        Ok(self.mixture(k, &a, &b))
    }

    /// The frames of A and B at `k`.
    fn source_frames(&self, k: usize) -> Result<[Arc<Pixels>; 2], FrameError> {
        let CycleWindow { start, length } = self.window;
        Ok([self.clip.frame(start + k)?, self.clip.frame(start + length + k)?])
    }

    fn mixture(&self, k: usize, a: &Arc<Pixels>, b: &Arc<Pixels>) -> Arc<Pixels> {
        match (&**b, &**a) {
            // The ends are copies, so that they are equal bit for bit.
            _ if k == 0 => b.clone(),
            _ if k >= self.window.length => a.clone(),
            (Pixels::U8(b), Pixels::U8(a)) => Arc::new(Pixels::U8(self.mixed(k, Pair { outgoing: b, incoming: a }))),
            (Pixels::U16(b), Pixels::U16(a)) => Arc::new(Pixels::U16(self.mixed(k, Pair { outgoing: b, incoming: a }))),
            (Pixels::F32(b), Pixels::F32(a)) => Arc::new(Pixels::F32(self.mixed(k, Pair { outgoing: b, incoming: a }))),
            // A clip gives one depth only; a second one could not be mixed and stays what it is.
            _ => b.clone(),
        }
    }

    fn mixed<C: Channel + Send + Sync>(&self, k: usize, pair: Pair<[C; 4]>) -> Vec<[C; 4]>
    where
        [C; 4]: Crossfade<Style = PixelStyle>,
    {
        let mut out = vec![[C::ZERO; 4]; pair.outgoing.len()];
        out.par_chunks_mut(CHUNK).enumerate().for_each(|(piece, out)| {
            // Pieces of fixed size: the result must not depend on the number of threads.
            let first = piece * CHUNK;
            let part = pair.part(first, out.len());
            let mut buffer = [0.0; CHUNK];
            let weights = self.weights.at(k, first, &mut buffer[..out.len()]);
            Crossfade::crossfade(part, weights, self.style, out);
            if let Some(energy) = &self.energy {
                for (pixel, value) in (first..).zip(out) {
                    *value = energy.stretched(k, pixel, value.map(C::load)).map(C::store);
                }
            }
        });
        out
    }

    fn measure_energy(&self, progress: &Progress) -> Result<Energy<4>, BuildError> {
        let read = |frame: usize, out: &mut Vec<[f32; 4]>| -> Result<(), BuildError> {
            floats_of(&*self.clip.frame(frame)?, 1, out);
            Ok(())
        };
        let mixed = |k: usize, out: &mut Vec<[f32; 4]>| -> Result<(), BuildError> {
            floats_of(&*self.cycle_frame(k)?, 1, out);
            Ok(())
        };
        Energy::measure(self.window, &self.weights, read, mixed, progress)
    }

    fn measure_seam(&self, thinned: &Thinned) -> Result<Measured, BuildError> {
        let length = self.window.length;
        let Thinned { looped, source } = thinned;
        let copy = |frames: &[Vec<f32>], k: usize, out: &mut Vec<f32>| -> Result<(), BuildError> {
            out.clone_from(&frames[k]);
            Ok(())
        };
        let seam = meter::seam(length, |k, out| copy(looped, k, out))?;
        let dip = meter::dip(2 * length + 1, |k, out| copy(source, k, out), length, |k, out| copy(looped, k, out))?;
        let gap = looped[0].iter().zip(&looped[length]).map(|(a, b)| f64::from((a - b).abs())).fold(0.0, f64::max);
        let report = SeamReport { value_gap: gap, dip, ..seam.report };
        Ok(Measured { report, ..seam })
    }

    /// Every how many pixels the meters look at one.
    fn thinning(&self) -> usize {
        // 3X + 2 frames are kept: X + 1 of the loop and 2X + 1 of the source.
        let watched = METERED.min(METERED_IN_ALL / (3 * self.window.length + 2)).max(1);
        self.clip.info.pixels().div_ceil(watched).max(1)
    }

    /// Every `every`-th pixel of `frame`, as far as it is seen: what a clear pixel holds differs from frame to frame at random.
    fn thin(&self, frame: &Pixels, every: usize) -> Vec<f32> {
        let mut pixels = Vec::new();
        floats_of(frame, every, &mut pixels);
        if !self.clip.info.premultiplied {
            pixels.iter_mut().for_each(|pixel| *pixel = premultiplied(*pixel, frame.depth()));
        }
        pixels.as_flattened().to_vec()
    }

    /// The meters ask for the loop three times: a thinned copy of all its frames is small enough to keep.
    fn thinned(&self, progress: &Progress) -> Result<Thinned, BuildError> {
        let length = self.window.length;
        let every = self.thinning();
        let thin = |frame: Arc<Pixels>| self.thin(&frame, every);
        let thinned = |k: usize| -> Result<[Vec<f32>; 3], FrameError> {
            let [a, b] = self.source_frames(k)?;
            Ok([thin(self.mixture(k, &a, &b)), thin(a), thin(b)])
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
        Ok(Thinned { looped, source })
    }
}

/// Some pixels of the X + 1 frames of a loop and of the 2X + 1 source frames it is made from.
struct Thinned {
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

/// Every `every`-th pixel of `frame` as numbers in its own scale.
fn floats_of(frame: &Pixels, every: usize, out: &mut Vec<[f32; 4]>) {
    out.clear();
    match frame {
        Pixels::U8(pixels) => out.extend(pixels.iter().step_by(every).map(|pixel| pixel.map(f32::from))),
        Pixels::U16(pixels) => out.extend(pixels.iter().step_by(every).map(|pixel| pixel.map(f32::from))),
        Pixels::F32(pixels) => out.extend(pixels.iter().step_by(every)),
    }
}

/// A straight pixel, in numbers of `depth`, with its colours times its alpha.
fn premultiplied([r, g, b, alpha]: [f32; 4], depth: Depth) -> [f32; 4] {
    let full = match depth {
        Depth::U8 => 255.0,
        Depth::U16 => 65_535.0,
        Depth::F32 => 1.0,
    };
    let part = alpha / full;
    [r * part, g * part, b * part, alpha]
}

/// What [`super::finder`] compares: every frame as colours times alpha on a grid of about `side` × `side` cells.
pub fn features(clip: &ImageClip, side: usize, progress: &Progress) -> Result<Vec<Vec<f32>>, BuildError> {
    let (width, height) = (clip.info.width as usize, clip.info.height as usize);
    let (across, down) = (width.div_ceil(side.max(1)).max(1), height.div_ceil(side.max(1)).max(1));
    let mut frames = Vec::with_capacity(clip.info.frames);
    let mut row = Vec::new();
    for frame in 0..clip.info.frames {
        progress.step(frame, clip.info.frames)?;
        floats_of(&*clip.frame(frame)?, 1, &mut row);
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
