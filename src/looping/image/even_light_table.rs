//! Mixing of 8-bit sRGB pixels in linear light with one weight for all pixels. A table of all pairs of values is computed
//! once per frame, so that one look-up replaces three look-ups and the arithmetic between them.
//!
//! Every entry equals the result of [`super::u8_linear`], bit for bit.

use std::iter::zip;

use super::float::mix_float;
use super::kernel::{PixelMix, PixelStyle, same_alpha};
use super::u8_linear::mix_values;
use crate::crossfade::Pair;
use crate::fade::Weights;

type Rgba = [u8; 4];

/// Minimum number of pixels of a frame for which computing the table is faster. Tuned; no derivation recorded.
pub const MIN_TABLE_PIXELS: usize = 1 << 17;

/// Table of all mixed pairs of values for one weight.
#[derive(Debug)]
pub struct EvenLightTable {
    weight: f32,
    /// Mixed values, indexed by 256 times the outgoing value plus the incoming value.
    mixed: Box<[u8]>,
}

/// Straight 8-bit pixels as light.
const STYLE: PixelStyle = PixelStyle { premultiplied: false, linear_light: true };

impl EvenLightTable {
    /// Computes the table for `weight`, 0…1, that of the incoming values.
    pub fn new(weight: f32) -> Self {
        let mut mixed = vec![0; 1 << 16].into_boxed_slice();
        zip(0..=255, mixed.chunks_mut(256)).for_each(|(b, row)| mix_values(b, weight, row));
        Self { weight, mixed }
    }

    /// Writes the mixture of `pair` to `out`; all have the same length.
    pub fn crossfade(&self, pair: Pair<Rgba>, out: &mut [Rgba]) {
        let mix = PixelMix { pair, weights: Weights::Even(self.weight), style: STYLE, out };
        for block in mix.blocks() {
            // If alphas differ, the weights of the colours differ from that of the pixel.
            if same_alpha(&block.pair) { self.look_up(block.pair, block.out) } else { mix_float(block) }
        }
    }

    /// Writes the mixture of pixels with equal alphas to `out` by the table. Alphas are looked up too: equal values are unchanged
    /// by it.
    fn look_up(&self, pair: Pair<Rgba>, out: &mut [Rgba]) {
        let Ok(table) = <&[u8; 1 << 16]>::try_from(&*self.mixed) else { return };
        for (out, (b, a)) in zip(out, zip(pair.outgoing, pair.incoming)) {
            let value = |channel: usize| table[usize::from(b[channel]) << 8 | usize::from(a[channel])];
            *out = [value(0), value(1), value(2), value(3)];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::kernel::BLOCK;
    use super::*;
    use crate::Crossfade;

    #[test]
    fn the_table_mixes_every_pair_and_alpha_as_the_kernel_does() {
        let alpha = |i: usize, other: usize| if i < 40 * BLOCK { 255 } else { (i * other) as u8 };
        let pixel = |i: usize, other: usize| [(i >> 8) as u8, i as u8, (i * other) as u8, alpha(i, other)];
        let outgoing: Vec<Rgba> = (0..1 << 16).map(|i| pixel(i, 31)).collect();
        let incoming: Vec<Rgba> = (0..1 << 16).map(|i| pixel(i * 257 % 65_536, 7)).collect();
        let pair = Pair { outgoing: &outgoing, incoming: &incoming };
        for weight in [0.004, 0.37, 0.5, 0.996] {
            let [mut looked_up, mut summed] = [(); 2].map(|()| vec![[0; 4]; outgoing.len()]);
            EvenLightTable::new(weight).crossfade(pair, &mut looked_up);
            Rgba::crossfade(pair, Weights::Even(weight), STYLE, &mut summed);
            assert_eq!(looked_up, summed, "{weight}");
        }
    }
}
