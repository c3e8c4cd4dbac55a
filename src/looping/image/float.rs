//! Mixing of pixels in floats: 16 and 32 bits, linear light, and all other cases that [`super::u8_stored`] does not
//! cover.

use std::iter::zip;

use super::kernel::{BLOCK, BlockWeights, Channel, ColourAndAlphaWeights, PixelMix, lerp};
use super::u8_linear::mix_u8_linear;
use crate::crossfade::Pair;
use portamento_anim::math::simd::{SimdKernel, dispatch};
use portamento_anim::math::srgb::{light_of, srgb_of};

/// Mixes in floats.
pub(super) fn mix_float<C: LinearLight>(mix: PixelMix<[C; 4]>) {
    dispatch(MixFloat(mix));
}

/// Channels whose straight pixels can be mixed in linear light.
pub(super) trait LinearLight: Channel {
    /// Mixes pixels with the weights of their colours and alphas, 0…1: colours in linear light, alphas as stored.
    fn mix_linear(pair: Pair<[Self; 4]>, weights: ColourAndAlphaWeights, out: &mut [[Self; 4]]);
}

impl LinearLight for u8 {
    #[inline(always)]
    fn mix_linear(pair: Pair<[Self; 4]>, weights: ColourAndAlphaWeights, out: &mut [[Self; 4]]) {
        mix_u8_linear(pair, weights, out);
    }
}

impl LinearLight for u16 {
    #[inline(always)]
    fn mix_linear(pair: Pair<[Self; 4]>, weights: ColourAndAlphaWeights, out: &mut [[Self; 4]]) {
        mix_straight_linear(65_535.0, pair, weights, out);
    }
}

impl LinearLight for f32 {
    #[inline(always)]
    fn mix_linear(pair: Pair<[Self; 4]>, weights: ColourAndAlphaWeights, out: &mut [[Self; 4]]) {
        mix_straight_linear(1.0, pair, weights, out);
    }
}

/// The kernel of [`mix_float`].
struct MixFloat<'a, P>(PixelMix<'a, P>);

impl<C: LinearLight> SimdKernel for MixFloat<'_, [C; 4]> {
    #[inline(always)]
    fn run(self) {
        let (style, mut channels) = (self.0.style, [[0.0; 4]; BLOCK]);
        let [mut colours, mut alphas] = [[0.0; BLOCK]; 2];
        for block in self.0.blocks() {
            if !style.linear_light {
                if let BlockWeights::Uniform(weight) = block.block_weights() {
                    mix_evenly(block.pair, weight, block.out);
                    continue;
                }
                block.weigh(channels.iter_mut(), |slot, colour, alpha| *slot = [colour, colour, colour, alpha]);
                mix_stored(block.pair, &channels, block.out);
                continue;
            }
            block.weigh(zip(&mut colours, &mut alphas), |slot, colour, alpha| (*slot.0, *slot.1) = (colour, alpha));
            let listed = (&colours[..block.out.len()], &alphas[..block.out.len()]);
            if style.premultiplied {
                mix_premultiplied_linear(block.pair, listed, block.out);
            } else {
                C::mix_linear(block.pair, listed, block.out);
            }
        }
    }
}

/// Mixes all channels as stored with one weight, that of the incoming pixels.
#[inline(always)]
fn mix_evenly<C: Channel>(pair: Pair<[C; 4]>, weight: f32, out: &mut [[C; 4]]) {
    let channels = zip(pair.outgoing.as_flattened(), pair.incoming.as_flattened());
    zip(out.as_flattened_mut(), channels).for_each(|(out, (b, a))| *out = mix_channel(*b, *a, weight));
}

/// Mixes all channels as stored with a weight for each.
#[inline(always)]
fn mix_stored<C: Channel>(pair: Pair<[C; 4]>, weights: &[[f32; 4]], out: &mut [[C; 4]]) {
    let channels = zip(pair.outgoing.as_flattened(), pair.incoming.as_flattened()).zip(weights.as_flattened());
    zip(out.as_flattened_mut(), channels).for_each(|(out, ((b, a), &weight))| *out = mix_channel(*b, *a, weight));
}

/// Returns the mixture of two channels as stored. `weight` is that of `a`.
#[inline(always)]
fn mix_channel<C: Channel>(b: C, a: C, weight: f32) -> C {
    C::store(lerp(b.load(), a.load(), weight))
}

/// Mixes straight pixels in linear light; the value 1 is stored as `full`.
#[inline(always)]
fn mix_straight_linear<C: Channel>(full: f32, pair: Pair<[C; 4]>, weights: ColourAndAlphaWeights, out: &mut [[C; 4]]) {
    let light = |channel: C| light_of(channel.load() / full);
    let pixels = zip(pair.outgoing, pair.incoming).zip(zip(weights.0, weights.1));
    for (out, ((b, a), (&weight, &alpha))) in zip(out, pixels) {
        let colour = |i: usize| C::store(srgb_of(lerp(light(b[i]), light(a[i]), weight)) * full);
        *out = [colour(0), colour(1), colour(2), mix_channel(b[3], a[3], alpha)];
    }
}

/// Mixes premultiplied pixels in linear light: straightened, decoded and premultiplied again. The weight of the colours also
/// mixes alpha.
#[inline(always)]
fn mix_premultiplied_linear<C: Channel>(pair: Pair<[C; 4]>, weights: ColourAndAlphaWeights, out: &mut [[C; 4]]) {
    let light = |pixel: &[C; 4]| premultiply(decode_light(unpremultiply(pixel.map(C::load))));
    for ((out, &weight), (b, a)) in zip(zip(out, weights.0), zip(pair.outgoing, pair.incoming)) {
        let (b, a) = (light(b), light(a));
        let mixed = std::array::from_fn(|i| lerp(b[i], a[i], weight));
        *out = premultiply(encode_srgb(unpremultiply(mixed))).map(C::store);
    }
}

/// Returns a straight pixel with its colours multiplied by its alpha, 0…1.
fn premultiply([r, g, b, alpha]: [f32; 4]) -> [f32; 4] {
    [r * alpha, g * alpha, b * alpha, alpha]
}

/// Returns a premultiplied pixel with straight colours. The colour of a transparent pixel stays.
fn unpremultiply([r, g, b, alpha]: [f32; 4]) -> [f32; 4] {
    // A transparent pixel may contain any colour; its alpha is 0 and cannot be a divisor.
    if alpha > 0.0 { [r / alpha, g / alpha, b / alpha, alpha] } else { [r, g, b, alpha] }
}

/// Returns an sRGB pixel with its colours as linear light.
fn decode_light([r, g, b, alpha]: [f32; 4]) -> [f32; 4] {
    [light_of(r), light_of(g), light_of(b), alpha]
}

/// Returns a pixel of linear light with its colours as sRGB.
fn encode_srgb([r, g, b, alpha]: [f32; 4]) -> [f32; 4] {
    [srgb_of(r), srgb_of(g), srgb_of(b), alpha]
}
