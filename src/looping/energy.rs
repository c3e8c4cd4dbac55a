//! Preserves the amplitude of motion where unlike cycles are mixed.
//!
//! The mean of two independent motions moves less than either: at weight ½ its amplitude is 1/√2. Following Grundland et
//! al. 2006 (contrast-preserving dissolve), every mixed frame is stretched about the source's mean m until its energy is
//!
//! ```text
//! Σ w|A − m|² + (1 − w)|B − m|²
//! ```
//!
//! If A equals B, nothing is stretched. Values never leave the range of their unit in the source.

use rayon::prelude::*;

use super::BuildError;
use super::CycleWindow;
use super::fade::FadeWeights;
use super::meter::chunked_sum;
use portamento_base::progress::Progress;

/// Maximum stretch: opposite motions cancel, and no factor could restore them. Tuned; no derivation recorded.
const MAX_GAIN: f64 = 2.0;

/// Mean and range of every coordinate in the source, and the stretch factor of every frame of the loop.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Energy<const N: usize> {
    mean: Vec<[f32; N]>,
    low: Vec<[f32; N]>,
    high: Vec<[f32; N]>,
    /// Stretch factor of each frame of the loop, at least 1.
    gains: Vec<f32>,
}

/// Coordinates of the source frame of A, of that of B, and of the frame mixed from them.
#[derive(Default)]
struct Frames<const N: usize> {
    a: Vec<[f32; N]>,
    b: Vec<[f32; N]>,
    mixed: Vec<[f32; N]>,
}

impl<const N: usize> Energy<N> {
    /// Measures the source within `window`. `read` writes the coordinates of a source frame to its buffer, `mixed` those of a loop
    /// frame. Returns `Err` if one of them does, or if `progress` is cancelled.
    pub(super) fn measure(
        window: CycleWindow,
        weights: &FadeWeights,
        mut read: impl FnMut(usize, &mut Vec<[f32; N]>) -> Result<(), BuildError>,
        mut mixed: impl FnMut(usize, &mut Vec<[f32; N]>) -> Result<(), BuildError>,
        progress: &Progress,
    ) -> Result<Self, BuildError> {
        let CycleWindow { start, length } = window;
        let mut energy = Self::measure_source(window, &mut read, progress)?;
        let mut frames = Frames::default();
        for k in 0..length {
            progress.step(length + k, 2 * length)?;
            read(start + k, &mut frames.a)?;
            read(start + length + k, &mut frames.b)?;
            mixed(k, &mut frames.mixed)?;
            let gain = energy.gain(k, weights, &frames);
            energy.gains.push(gain);
        }
        Ok(energy)
    }

    /// Measures mean and range over the 2X + 1 source frames of `window`; the stretch factors are still missing. Returns `Err` if
    /// `read` does, or if `progress` is cancelled.
    fn measure_source(
        window: CycleWindow,
        read: &mut impl FnMut(usize, &mut Vec<[f32; N]>) -> Result<(), BuildError>,
        progress: &Progress,
    ) -> Result<Self, BuildError> {
        let mut frame = Vec::new();
        let mut sums: Vec<[f64; N]> = Vec::new();
        let (mut low, mut high) = (Vec::new(), Vec::new());
        let count = 2 * window.length + 1;
        for index in 0..count {
            progress.step(index, 2 * count)?;
            read(window.start + index, &mut frame)?;
            if index == 0 {
                sums = vec![[0.0; N]; frame.len()];
                low.clone_from(&frame);
                high.clone_from(&frame);
            }
            // Each unit has a separate sum over the frames, so threads do not change the order of additions.
            let rows = sums.par_iter_mut().zip(&mut low).zip(&mut high).zip(&frame).with_min_len(4096);
            rows.for_each(|(((sum, low), high), value)| {
                for i in 0..N {
                    sum[i] += f64::from(value[i]);
                    low[i] = value[i].min(low[i]);
                    high[i] = value[i].max(high[i]);
                }
            });
        }
        let mean = sums.iter().map(|sum| sum.map(|sum| (sum / count as f64) as f32)).collect();
        Ok(Self { mean, low, high, gains: Vec::with_capacity(window.length) })
    }

    /// Returns the stretch factor of frame `k`, 1…[`MAX_GAIN`]; 1 if the mixed frame equals the mean.
    fn gain(&self, k: usize, weights: &FadeWeights, frames: &Frames<N>) -> f32 {
        let Frames { a, b, mixed } = frames;
        let energy = |value: &[f32; N], mean: &[f32; N]| -> f64 {
            value.iter().zip(mean).map(|(value, mean)| (f64::from(*value) - f64::from(*mean)).powi(2)).sum()
        };
        let [expected, actual] = chunked_sum(self.mean.len(), |range| {
            let mut buffer = vec![0.0; range.len()];
            let weights = weights.at(k, range.start, &mut buffer);
            let mut sums = [0.0; 2];
            for (offset, unit) in range.enumerate() {
                let (w, mean) = (f64::from(weights.at(offset)), &self.mean[unit]);
                sums[0] += w * energy(&a[unit], mean) + (1.0 - w) * energy(&b[unit], mean);
                sums[1] += energy(&mixed[unit], mean);
            }
            sums
        });
        // Never below 1: a mixture with more energy than expected is left as it is.
        if actual > 0.0 { (expected / actual).sqrt().clamp(1.0, MAX_GAIN) as f32 } else { 1.0 }
    }

    /// Returns the coordinates `value` of `unit` in frame `k`, stretched within the range of the source. Frames without a
    /// stretch factor stay.
    pub(super) fn stretch(&self, k: usize, unit: usize, value: [f32; N]) -> [f32; N] {
        let gain = self.gains.get(k).copied().unwrap_or(1.0);
        let (mean, low, high) = (&self.mean[unit], &self.low[unit], &self.high[unit]);
        // `value` + rest·(gain − 1), so that a gain of 1 changes no bit.
        std::array::from_fn(|i| (value[i] + (value[i] - mean[i]) * (gain - 1.0)).max(low[i]).min(high[i]))
    }
}
