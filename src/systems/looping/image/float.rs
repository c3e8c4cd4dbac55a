//! Mixing pixels in floats: 16 and 32 bits, linear light, and everything else that [`super::u8_stored`] does not do.

use std::iter::zip;

use super::kernel::{BLOCK, Channel, PixelMix, lerp};
use super::u8_linear::mix_u8_linear;
use crate::math::simd::{SimdKernel, dispatch};
use crate::math::srgb::{light_of, srgb_of};
use crate::systems::looping::crossfade::Pair;

/// Mixes in floats.
pub(super) fn mix_float<C: LinearLight>(mix: PixelMix<[C; 4]>) {
    dispatch(MixFloat(mix));
}

/// Channels whose straight pixels can be mixed as linear light.
pub(super) trait LinearLight: Channel {
    /// Mixes pixels with the weights of their channels, 0…1: colours as light, alphas as they are stored.
    fn mix_linear(pair: Pair<[Self; 4]>, weights: &[[f32; 4]], out: &mut [[Self; 4]]);
}

impl LinearLight for u8 {
    #[inline(always)]
    fn mix_linear(pair: Pair<[Self; 4]>, weights: &[[f32; 4]], out: &mut [[Self; 4]]) {
        mix_u8_linear(pair, weights, out);
    }
}

impl LinearLight for u16 {
    #[inline(always)]
    fn mix_linear(pair: Pair<[Self; 4]>, weights: &[[f32; 4]], out: &mut [[Self; 4]]) {
        mix_straight_linear(65_535.0, pair, weights, out);
    }
}

impl LinearLight for f32 {
    #[inline(always)]
    fn mix_linear(pair: Pair<[Self; 4]>, weights: &[[f32; 4]], out: &mut [[Self; 4]]) {
        mix_straight_linear(1.0, pair, weights, out);
    }
}

struct MixFloat<'a, P>(PixelMix<'a, P>);

impl<C: LinearLight> SimdKernel for MixFloat<'_, [C; 4]> {
    #[inline(always)]
    fn run(self) {
        let (style, mut weights) = (self.0.style, [[0.0; 4]; BLOCK]);
        for block in self.0.blocks() {
            let weights = &mut weights[..block.out.len()];
            block.weigh(weights.iter_mut(), |slot, colour, alpha| *slot = [colour, colour, colour, alpha]);
            match (style.linear_light, style.premultiplied) {
                (false, _) => mix_stored(block.pair, weights, block.out),
                (true, false) => C::mix_linear(block.pair, weights, block.out),
                (true, true) => mix_premultiplied_linear(block.pair, weights, block.out),
            }
        }
    }
}

#[inline(always)]
fn mix_stored<C: Channel>(pair: Pair<[C; 4]>, weights: &[[f32; 4]], out: &mut [[C; 4]]) {
    let channels = zip(pair.outgoing.as_flattened(), pair.incoming.as_flattened()).zip(weights.as_flattened());
    zip(out.as_flattened_mut(), channels)
        .for_each(|(out, ((b, a), &weight))| *out = C::store(lerp(b.load(), a.load(), weight)));
}

/// Straight pixels where 1 is stored as `full`.
#[inline(always)]
fn mix_straight_linear<C: Channel>(full: f32, pair: Pair<[C; 4]>, weights: &[[f32; 4]], out: &mut [[C; 4]]) {
    let light = |channel: C| light_of(channel.load() / full);
    for ((out, weights), (b, a)) in out.iter_mut().zip(weights).zip(zip(pair.outgoing, pair.incoming)) {
        let colour = |i: usize| C::store(srgb_of(lerp(light(b[i]), light(a[i]), weights[i])) * full);
        *out = [colour(0), colour(1), colour(2), C::store(lerp(b[3].load(), a[3].load(), weights[3]))];
    }
}

#[inline(always)]
fn mix_premultiplied_linear<C: Channel>(pair: Pair<[C; 4]>, weights: &[[f32; 4]], out: &mut [[C; 4]]) {
    let light = |pixel: &[C; 4]| premultiplied(decoded(straight(pixel.map(C::load))));
    for ((out, weights), (b, a)) in out.iter_mut().zip(weights).zip(zip(pair.outgoing, pair.incoming)) {
        let (b, a) = (light(b), light(a));
        let mixed = std::array::from_fn(|i| lerp(b[i], a[i], weights[i]));
        *out = premultiplied(encoded(straight(mixed))).map(C::store);
    }
}

fn premultiplied([r, g, b, alpha]: [f32; 4]) -> [f32; 4] {
    [r * alpha, g * alpha, b * alpha, alpha]
}

fn straight([r, g, b, alpha]: [f32; 4]) -> [f32; 4] {
    // A clear pixel may hold any colour; it has no alpha to be divided by.
    if alpha > 0.0 { [r / alpha, g / alpha, b / alpha, alpha] } else { [r, g, b, alpha] }
}

fn decoded([r, g, b, alpha]: [f32; 4]) -> [f32; 4] {
    [light_of(r), light_of(g), light_of(b), alpha]
}

fn encoded([r, g, b, alpha]: [f32; 4]) -> [f32; 4] {
    [srgb_of(r), srgb_of(g), srgb_of(b), alpha]
}
