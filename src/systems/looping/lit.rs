//! Mixing 8-bit pixels as light. Tables are read number by number, and what lies in between is done many numbers at a time:
//! every step goes over some pixels and leaves its numbers for the next. Where one share holds for very many pixels, the
//! mixture of every pair of numbers is worked out once and looked up.

use std::iter::zip;
use std::sync::LazyLock;

use super::bytes::{alpha, as_clear};
use super::channel::whole;
use super::light::Light;
use super::pixel::{BLOCK, Floats, Pair, between};
use crate::math::lanes::{Loops, widest};

type Rgba<T> = [T; 4];

static LIGHT: LazyLock<Light> = LazyLock::new(Light::new);

/// Pixels at a time: what is left in between stays in the nearest cache.
const SOME: usize = 64;

/// Mixes pixels with the weights of their channels.
#[inline(always)]
pub(super) fn lerp(b: &[Rgba<u8>], a: &[Rgba<u8>], weights: &[Rgba<f32>], out: &mut [Rgba<u8>]) {
    let tables = &*LIGHT;
    let (mut lights, mut places, mut numbers, mut alphas) =
        ([[[0; 4]; SOME]; 2], [[0; 4]; SOME], [[0; 4]; SOME], [0; SOME]);
    let pieces = b.chunks(SOME).zip(a.chunks(SOME)).zip(weights.chunks(SOME));
    for (out, ((b, a), weights)) in out.chunks_mut(SOME).zip(pieces) {
        let [light_b, light_a] = &mut lights;
        decode(b, tables, light_b);
        decode(a, tables, light_a);
        let lit = light_b.as_flattened().iter().zip(light_a.as_flattened()).zip(weights.as_flattened());
        let mixed = places.as_flattened_mut().iter_mut().zip(lit);
        mixed.for_each(|(place, ((&b, &a), &weight))| {
            *place = Light::place(between(f32::from_bits(b), f32::from_bits(a), weight));
        });
        mix_alphas(b, a, weights, &mut alphas);
        let pixels = zip(zip(&mut numbers, &places), &alphas[..out.len()]);
        pixels.for_each(|((numbers, places), alpha)| {
            *numbers = [tables.begin(places[0]), tables.begin(places[1]), tables.begin(places[2]), *alpha];
        });
        let read = zip(numbers.as_flattened(), places.as_flattened());
        zip(out.as_flattened_mut(), read).for_each(|(out, (&number, &place))| *out = Light::number_at(number, place));
    }
}

/// From so many pixels on, [`Pairs`] are worth their time.
pub(super) const MANY: usize = 1 << 16;

/// Mixes very many pixels with one share. Never inlined: a stack with room for [`Pairs`] would slow every other mixture down.
#[inline(never)]
pub(super) fn mix_many(pair: Pair<Rgba<u8>>, share: f32) {
    widest(Even { pair, share });
}

struct Even<'a> {
    pair: Pair<'a, Rgba<u8>>,
    share: f32,
}

impl Loops for Even<'_> {
    #[inline(always)]
    fn run(self) {
        let (style, mut pairs) = (self.pair.style, None);
        for ([b, a], share, out) in self.pair.blocks() {
            if !as_clear(b, a) {
                Floats(Pair { b, a, share, style, out }).run();
                continue;
            }
            if pairs.is_none() {
                pairs = Some(Pairs::new(self.share));
            }
            if let Some(pairs) = &pairs {
                pairs.read(b, a, out);
            }
        }
    }
}

/// Of every number of B and, within, every one of A: their mixture with one share.
struct Pairs([u8; 1 << 16]);

/// Pixels whose colours hold all numbers.
const ROW: usize = 256_usize.div_ceil(3);

impl Pairs {
    #[inline(always)]
    fn new(share: f32) -> Self {
        let every: [Rgba<u8>; ROW] = std::array::from_fn(|i| [0, 1, 2, 255].map(|c| (3 * i + c).min(255) as u8));
        let (mut pairs, mut mixed) = ([0; 1 << 16], [[0; 4]; ROW]);
        for (b, row) in (0..=255).zip(pairs.chunks_mut(256)) {
            lerp(&[[b; 4]; ROW], &every, &[[share; 4]; ROW], &mut mixed);
            let (colours, last) = row.as_chunks_mut();
            zip(colours, &mixed).for_each(|(colour, [r, g, b, _])| *colour = [*r, *g, *b]);
            last.copy_from_slice(&mixed[ROW - 1][..1]);
        }
        Self(pairs)
    }

    /// Mixes pixels that are as clear as each other: equal alphas stay, as all equal numbers do.
    #[inline(always)]
    fn read(&self, b: &[Rgba<u8>], a: &[Rgba<u8>], out: &mut [Rgba<u8>]) {
        let mut places = [0; 4 * BLOCK];
        let both = zip(b.as_flattened(), a.as_flattened());
        zip(&mut places, both).for_each(|(place, (&b, &a))| *place = u16::from(b) << 8 | u16::from(a));
        zip(out.as_flattened_mut(), &places).for_each(|(out, &place)| *out = self.0[usize::from(place)]);
    }
}

/// Light of the colours as bits, which processors put away faster than floats.
#[inline(always)]
fn decode(pixels: &[Rgba<u8>], tables: &Light, lights: &mut [Rgba<u32>]) {
    let bits = |number: &u8| tables.of(*number).to_bits();
    for (lights, [r, g, b, _]) in zip(lights, pixels) {
        (lights[0], lights[1], lights[2]) = (bits(r), bits(g), bits(b));
    }
}

/// Mixed alphas, times 2¹⁶ as the numbers are.
#[inline(always)]
fn mix_alphas(b: &[Rgba<u8>], a: &[Rgba<u8>], weights: &[Rgba<f32>], alphas: &mut [u32]) {
    let pairs = zip(zip(b, a), weights);
    zip(alphas, pairs).for_each(|(out, ((b, a), w))| *out = whole(between(alpha(b), alpha(a), w[3])) << 16);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::systems::looping::{PixelStyle, Share, Unit};

    #[test]
    fn very_many_pixels_are_mixed_as_few_are() {
        let style = PixelStyle { light: true, ..PixelStyle::default() };
        let every = |i: usize| [(i >> 8) as u8, i as u8];
        // Equal alphas, but for some pixels near the end.
        let pixel =
            |i: usize, side: usize| [every(i)[side], every(i)[1 - side], 7, (i / 99 + side * (i / 65_000)) as u8];
        let [b, a]: [Vec<_>; 2] = [0, 1].map(|side| (0..MANY + 300).map(|i| pixel(i, side)).collect());
        for w in [0.0, 0.004, 0.37, 0.5, 1.0] {
            let (mut many, mut few) = (vec![[0; 4]; b.len()], vec![[0; 4]; b.len()]);
            Unit::mix(&b, &a, Share::Even(w), style, &mut many);
            for ((b, a), few) in b.chunks(1000).zip(a.chunks(1000)).zip(few.chunks_mut(1000)) {
                Unit::mix(b, a, Share::Even(w), style, few);
            }
            assert!(many == few, "{w}");
            assert!(w > 0.0 || many == b, "none of A");
        }
    }
}
