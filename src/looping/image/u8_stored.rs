//! Mixing of 8-bit pixels as stored, in integers, many channels per instruction. Each channel of each pixel has a weight
//! of 16 bits.
//!
//! The error of a weight changes a channel by less than 255/2¹⁶, and the truncation of the sum by less than 1/2⁸: both
//! far below rounding.

use std::iter::zip;

use super::kernel::{BLOCK, BlockWeights, PixelMix, round_to_even};
use crate::crossfade::Pair;
use portamento_anim::math::simd::{SimdKernel, dispatch};

type Rgba = [u8; 4];

/// Mixes in integers; linear light is not supported.
pub(super) fn mix_u8(mix: PixelMix<Rgba>) {
    dispatch(MixU8(mix));
}

/// The kernel of [`mix_u8`].
struct MixU8<'a>(PixelMix<'a, Rgba>);

/// Weights of a block. A pixel is two 16-bit numbers, each a low and a high channel, so that vectors need no shuffles.
/// Red and blue are low and always have the same weight; green and alpha are high.
type ChannelWeights = [Rgba; BLOCK];

impl SimdKernel for MixU8<'_> {
    #[inline(always)]
    fn run(self) {
        let (mut low, mut high): (ChannelWeights, ChannelWeights) = ([[0; 4]; BLOCK], [[0; 4]; BLOCK]);
        for block in self.0.blocks() {
            match block.block_weights() {
                BlockWeights::Uniform(weight) => {
                    mix_evenly(block.pair, to_fixed(weight) as u16, block.out);
                }
                BlockWeights::PerPixel(weights) => {
                    zip(&mut low, weights).for_each(|(low, &weight)| *low = duplicate(to_fixed(weight)));
                    mix_halves(block.pair, [&low, &low], block.out);
                }
                BlockWeights::ColourAndAlpha => {
                    block.weigh_colour_and_alpha(zip(&mut low, &mut high), |(low, high), colour, alpha| {
                        let colour = to_fixed(colour);
                        (*low, *high) = (duplicate(colour), (colour | to_fixed(alpha) << 16).to_le_bytes());
                    });
                    mix_halves(block.pair, [&low, &high], block.out);
                }
            }
        }
    }
}

/// Returns one weight for both numbers of a pixel.
#[inline(always)]
fn duplicate(weight: u32) -> Rgba {
    (weight | weight << 16).to_le_bytes()
}

/// Returns the weight in units of 2⁻¹⁶, at most 65535 so that it fits 16 bits; rounding compensates for that.
#[inline(always)]
fn to_fixed(weight: f32) -> u32 {
    let parts = weight * 65_536.0;
    round_to_even(if parts < 65_535.0 { parts } else { 65_535.0 })
}

/// Returns both 16-bit numbers of every pixel.
#[inline(always)]
fn halves(pixels: &[Rgba]) -> impl Iterator<Item = u16> {
    pixels.as_flattened().as_chunks().0.iter().map(|half| u16::from_le_bytes(*half))
}

/// Mixes `pair` into `out`, with one weight per pixel and channel. A half is two channels in 16 bits: `low` are the weights of the
/// low channels, and `high` those of the high ones.
#[inline(always)]
fn mix_halves(pair: Pair<Rgba>, [low, high]: [&ChannelWeights; 2], out: &mut [Rgba]) {
    let pairs = zip(halves(pair.outgoing), halves(pair.incoming));
    let weights = zip(halves(low), halves(high));
    zip(out.as_flattened_mut().as_chunks_mut().0, pairs.zip(weights)).for_each(|(out, ((b, a), (low, high)))| {
        *out = lerp_half(b, a, [low, high]);
    });
}

/// Mixes `pair` into `out`, with one `weight` for all channels.
#[inline(always)]
fn mix_evenly(pair: Pair<Rgba>, weight: u16, out: &mut [Rgba]) {
    let pairs = zip(halves(pair.outgoing), halves(pair.incoming));
    zip(out.as_flattened_mut().as_chunks_mut().0, pairs).for_each(|(out, (b, a))| *out = lerp_half(b, a, [weight; 2]));
}

/// Mixes the low and the high byte of `b` and `a`, each with its own weight. The result is little-endian.
#[inline(always)]
fn lerp_half(b: u16, a: u16, [low, high]: [u16; 2]) -> [u8; 2] {
    let (low, high) = (lerp_u8(b as u8, a as u8, low), lerp_u8((b >> 8) as u8, (a >> 8) as u8, high));
    (u16::from(low) | u16::from(high) << 8).to_le_bytes()
}

/// Returns b + (a − b)·weight with 8 bits of fraction, truncated, then rounded with ties to even.
///
/// All arithmetic is in 16 bits, which vectors multiply fastest: the difference times the two bytes of the weight, of the
/// lower one only the carry. Negative differences and their products wrap, but no sum with `b` leaves 0 … 2¹⁶.
#[inline(always)]
fn lerp_u8(b: u8, a: u8, weight: u16) -> u8 {
    let (b, a, high, low) = (u16::from(b), u16::from(a), weight >> 8, weight & 255);
    let (difference, base) = (a.wrapping_sub(b), b << 8);
    let carried = (difference.wrapping_mul(low).wrapping_add(base) >> 8).wrapping_sub(b);
    let sum = difference.wrapping_mul(high).wrapping_add(base).wrapping_add(carried);
    ((sum + 127 + ((sum >> 8) & 1)) >> 8) as u8
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pair_and_weight_gives_the_sum_cut_to_a_256th_and_rounded_to_even() {
        for (b, a) in (0..=255u8).flat_map(|b| (0..=255u8).step_by(3).map(move |a| (b, a))) {
            let mut weights = (0..=u16::MAX).step_by(37).chain([255, 256, 32_767, 32_768, u16::MAX]);
            let wrong = weights.find(|&weight| {
                let (part, rest) = (u32::from(weight), 65_536 - u32::from(weight));
                let sum = (u32::from(b) * rest + u32::from(a) * part) >> 8;
                let (down, fraction) = (sum >> 8, sum & 255);
                let up = fraction > 128 || fraction == 128 && down % 2 == 1;
                u32::from(lerp_u8(b, a, weight)) != down + u32::from(up)
            });
            assert_eq!(wrong, None, "{b} {a}");
        }
    }
}
