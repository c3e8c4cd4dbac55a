//! Shared parts of the pixel kernels: blocks of two frames, channels as floats, and the weights of colours and alphas.
//!
//! Invisible pixels have no colour. The alpha of a mixture is the weighted mean of both alphas, its colour the mean
//! weighted by weight and alpha (premultiplied, Porter and Duff 1984). Alpha therefore only changes the weight of a
//! colour, and each channel is mixed linearly. Rounding is to nearest, ties to even, so that nothing drifts darker or
//! brighter, even at weight ½ where every other sum is a tie.

use std::iter::{repeat, zip};

use crate::crossfade::Pair;
use crate::fade::Weights;

/// Interpretation of stored colours.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PixelStyle {
    /// True if colours are already multiplied by alpha.
    pub premultiplied: bool,
    /// True if sRGB values are converted to linear light for mixing and back.
    pub linear_light: bool,
}

/// A channel of a pixel, at 8, 16 or 32 bits.
pub trait Channel: Copy + PartialEq + Into<f32> {
    const ZERO: Self;

    #[inline(always)]
    fn load(self) -> f32 {
        self.into()
    }

    /// Converts to the nearest value that can be stored; `value` must be in the range of the channel.
    fn store(value: f32) -> Self;

    /// Returns the alpha of `pixel`, at least 0.
    #[inline(always)]
    fn alpha(pixel: &[Self; 4]) -> f32 {
        pixel[3].load().max(0.0)
    }

    /// Returns 0 if both pixels have the same alpha.
    #[inline(always)]
    fn alpha_difference(one: &[Self; 4], other: &[Self; 4]) -> u32 {
        u32::from(one[3] != other[3])
    }
}

impl Channel for u8 {
    const ZERO: Self = 0;

    #[inline(always)]
    fn store(value: f32) -> Self {
        round_to_even(value) as Self
    }

    // Reading a pixel as one number lets vectors extract many alphas at once. The conversion through `i32` is one that
    // processors have an instruction for.
    #[inline(always)]
    fn alpha(pixel: &[Self; 4]) -> f32 {
        (u32::from_le_bytes(*pixel) >> 24) as i32 as f32
    }

    #[inline(always)]
    fn alpha_difference(one: &[Self; 4], other: &[Self; 4]) -> u32 {
        (u32::from_le_bytes(*one) ^ u32::from_le_bytes(*other)) >> 24
    }
}

impl Channel for u16 {
    const ZERO: Self = 0;

    #[inline(always)]
    fn store(value: f32) -> Self {
        round_to_even(value) as Self
    }
}

impl Channel for f32 {
    const ZERO: Self = 0.0;

    #[inline(always)]
    fn store(value: f32) -> Self {
        value
    }
}

/// Returns `value`, 0 … 2²², rounded to the nearest whole number, ties to even: from 2²³ on, floats have no fractions.
#[inline(always)]
pub(super) fn round_to_even(value: f32) -> u32 {
    const NO_FRACTIONS: f32 = 8_388_608.0;
    (value + NO_FRACTIONS).to_bits() & 0x7f_ffff
}

/// Returns b + (a − b)·weight, so that equal values stay equal.
#[inline(always)]
pub(super) fn lerp(b: f32, a: f32, weight: f32) -> f32 {
    b + (a - b) * weight
}

/// Weights of the colours and of the alphas of some pixels.
pub(super) type ColourAndAlphaWeights<'a> = (&'a [f32], &'a [f32]);

/// Number of pixels mixed at a time: the intermediate values stay in the cache.
pub(super) const BLOCK: usize = 256;

/// Pixels to mix, their weights, and the output; all have the same length of at least one.
pub(super) struct PixelMix<'a, P> {
    pub(super) pair: Pair<'a, P>,
    pub(super) weights: Weights<'a>,
    pub(super) style: PixelStyle,
    pub(super) out: &'a mut [P],
}

impl<'a, P> PixelMix<'a, P> {
    /// Splits the pixels into pieces of at most [`BLOCK`]. Returns an iterator, since a large closure would not be
    /// inlined.
    #[inline(always)]
    pub(super) fn blocks(self) -> impl Iterator<Item = PixelMix<'a, P>> {
        let Self { pair, weights, style, out } = self;
        let pieces = zip(pair.outgoing.chunks(BLOCK), pair.incoming.chunks(BLOCK)).zip(out.chunks_mut(BLOCK));
        (0..).step_by(BLOCK).zip(pieces).map(move |(first, ((outgoing, incoming), out))| PixelMix {
            pair: Pair { outgoing, incoming },
            weights: weights.part(first, out.len()),
            style,
            out,
        })
    }
}

/// Weights of the incoming pixels of a block, 0…1.
#[derive(Clone, Copy, Debug)]
pub(super) enum BlockWeights<'a> {
    /// One weight for all colours and alphas.
    Uniform(f32),
    /// One weight per pixel, for its colours and its alpha.
    PerPixel(&'a [f32]),
    /// Different weights for the colours and the alpha of a pixel: see [`PixelMix::weigh_colour_and_alpha`].
    ColourAndAlpha,
}

impl<'a, C: Channel> PixelMix<'a, [C; 4]> {
    /// Returns the weights of a block. Most blocks are completely opaque or transparent and need no division.
    #[inline(always)]
    pub(super) fn block_weights(&self) -> BlockWeights<'a> {
        match self.weights {
            _ if !self.style.premultiplied && !same_alpha(&self.pair) => BlockWeights::ColourAndAlpha,
            Weights::Even(weight) => BlockWeights::Uniform(weight),
            Weights::PerUnit(weights) => BlockWeights::PerPixel(weights),
        }
    }

    /// Calls `put` for every pixel with its slot, the weight of the incoming colour and the weight of the incoming alpha,
    /// 0…1.
    #[inline(always)]
    pub(super) fn weigh<S>(&self, slots: impl Iterator<Item = S>, put: impl Fn(S, f32, f32)) {
        match self.block_weights() {
            BlockWeights::Uniform(weight) => slots.take(self.out.len()).for_each(|slot| put(slot, weight, weight)),
            BlockWeights::PerPixel(weights) => slots.zip(weights).for_each(|(slot, &weight)| put(slot, weight, weight)),
            BlockWeights::ColourAndAlpha => self.weigh_colour_and_alpha(slots, put),
        }
    }

    /// Implements [`PixelMix::weigh`] for pixels whose alphas differ.
    #[inline(always)]
    pub(super) fn weigh_colour_and_alpha<S>(&self, slots: impl Iterator<Item = S>, put: impl Fn(S, f32, f32)) {
        match self.weights {
            Weights::Even(weight) => self.weigh_each(repeat(weight), slots, put),
            Weights::PerUnit(weights) => self.weigh_each(weights.iter().copied(), slots, put),
        }
    }

    /// Implements [`PixelMix::weigh_colour_and_alpha`] with one of `weights` per pixel. The alpha gets the weight itself, the colours
    /// get its [`colour_weight`].
    #[inline(always)]
    fn weigh_each<S>(
        &self,
        weights: impl Iterator<Item = f32>,
        slots: impl Iterator<Item = S>,
        put: impl Fn(S, f32, f32),
    ) {
        let pixels = zip(self.pair.outgoing, self.pair.incoming).zip(weights);
        slots.zip(pixels).for_each(|(slot, ((b, a), weight))| {
            put(slot, colour_weight(C::alpha(b), C::alpha(a), weight), weight);
        });
    }
}

/// True if each pixel has the same alpha in both frames.
#[inline(always)]
pub(super) fn same_alpha<C: Channel>(pair: &Pair<[C; 4]>) -> bool {
    let (b, a) = (pair.outgoing, pair.incoming);
    // The first pixel decides for most blocks. For the rest, comparing all at once is faster than stopping early.
    C::alpha_difference(&b[0], &a[0]) == 0
        && zip(b, a).fold(0, |differences, (b, a)| differences | C::alpha_difference(b, a)) == 0
}

/// Returns the weight of A's colours for a pixel weight w; w itself if both alphas are equal.
///
/// ```text
/// w·α(A) / (w·α(A) + (1 − w)·α(B))
/// ```
#[inline(always)]
fn colour_weight(alpha_b: f32, alpha_a: f32, weight: f32) -> f32 {
    /// Negligible alpha that prevents a division by 0.
    const MIN_ALPHA: f32 = 1.0 / (1_u64 << 63) as f32;
    let (b, a) = ((alpha_b + MIN_ALPHA) * (1.0 - weight), (alpha_a + MIN_ALPHA) * weight);
    if alpha_a == alpha_b { weight } else { a / (a + b) }
}
