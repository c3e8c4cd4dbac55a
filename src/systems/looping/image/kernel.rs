//! What the pixel kernels share: blocks of two frames, channels as floats, and how much each frame's colours count.
//!
//! What is invisible has no colour: a mixture's alpha is the mean of both, its colour the mean weighted by weight and alpha
//! (premultiplied, Porter and Duff 1984). So alpha only decides how much a colour counts, and mixing is one straight line for
//! every channel. Rounding is to the nearest value and halves go to the even one, so nothing drifts darker or brighter, not even
//! half-way where every other sum is a half.

use std::iter::{repeat, zip};

use crate::systems::looping::crossfade::Pair;
use crate::systems::looping::fade::Weights;

/// How stored colours are read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PixelStyle {
    /// Colours are multiplied by alpha already.
    pub premultiplied: bool,
    /// sRGB values are turned to linear light for mixing and back.
    pub linear_light: bool,
}

/// One of the four numbers of a pixel, at 8, 16 or 32 bits.
pub(in crate::systems::looping) trait Channel: Copy + PartialEq + Into<f32> {
    const ZERO: Self;

    #[inline(always)]
    fn load(self) -> f32 {
        self.into()
    }

    /// The nearest value that can be stored; `value` lies within the range of the channel.
    fn store(value: f32) -> Self;

    /// The alpha of `pixel`, at least 0.
    #[inline(always)]
    fn alpha(pixel: &[Self; 4]) -> f32 {
        pixel[3].load().max(0.0)
    }

    /// 0 where both pixels have the same alpha.
    #[inline(always)]
    fn alpha_difference(one: &[Self; 4], other: &[Self; 4]) -> u32 {
        u32::from(one[3] != other[3])
    }
}

impl Channel for u8 {
    const ZERO: Self = 0;

    #[inline(always)]
    fn store(value: f32) -> Self {
        rounded(value) as Self
    }

    // A pixel read as one number lets vectors take out the alphas of many at once; by way of `i32`, which processors turn to
    // floats.
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
        rounded(value) as Self
    }
}

impl Channel for f32 {
    const ZERO: Self = 0.0;

    #[inline(always)]
    fn store(value: f32) -> Self {
        value
    }
}

/// `value`, 0 … 2²², as the nearest whole number, halves to the even one: beyond 2²³ floats have no fractions left.
#[inline(always)]
pub(super) fn rounded(value: f32) -> u32 {
    const NO_FRACTIONS: f32 = 8_388_608.0;
    (value + NO_FRACTIONS).to_bits() & 0x7f_ffff
}

/// b + (a − b)·weight, so that equal values stay.
#[inline(always)]
pub(super) fn lerp(b: f32, a: f32, weight: f32) -> f32 {
    b + (a - b) * weight
}

/// Weights of the colours and of the alphas of some pixels.
pub(super) type Listed<'a> = (&'a [f32], &'a [f32]);

/// Pixels mixed at a time: what is worked out for them in between stays in the nearest cache.
pub(super) const BLOCK: usize = 256;

/// Pixels to mix, their weights, and where the mixture goes; all as long as each other and at least one.
pub(super) struct PixelMix<'a, P> {
    pub(super) pair: Pair<'a, P>,
    pub(super) weights: Weights<'a>,
    pub(super) style: PixelStyle,
    pub(super) out: &'a mut [P],
}

impl<'a, P> PixelMix<'a, P> {
    /// The same in pieces of at most [`BLOCK`] pixels. An iterator, since a big closure would not be inlined.
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

/// How much the incoming pixels of a block count, 0…1.
#[derive(Clone, Copy, Debug)]
pub(super) enum BlockWeights<'a> {
    /// All of them, colours and alphas.
    Even(f32),
    /// Each, its colours as its alpha.
    Alike(&'a [f32]),
    /// The colours of each other than its alpha: see [`PixelMix::weigh_apart`].
    Apart,
}

impl<'a, C: Channel> PixelMix<'a, [C; 4]> {
    /// How the pixels of a block count. Most blocks are opaque or clear throughout: no division for those.
    #[inline(always)]
    pub(super) fn block_weights(&self) -> BlockWeights<'a> {
        match self.weights {
            _ if !self.style.premultiplied && !same_alpha(&self.pair) => BlockWeights::Apart,
            Weights::Even(weight) => BlockWeights::Even(weight),
            Weights::PerUnit(weights) => BlockWeights::Alike(weights),
        }
    }

    /// Gives `put` for every pixel its slot, how much the incoming colour counts, and how much the incoming alpha, 0…1.
    #[inline(always)]
    pub(super) fn weigh<S>(&self, slots: impl Iterator<Item = S>, put: impl Fn(S, f32, f32)) {
        match self.block_weights() {
            BlockWeights::Even(weight) => slots.take(self.out.len()).for_each(|slot| put(slot, weight, weight)),
            BlockWeights::Alike(weights) => slots.zip(weights).for_each(|(slot, &weight)| put(slot, weight, weight)),
            BlockWeights::Apart => self.weigh_apart(slots, put),
        }
    }

    /// The same where alphas differ.
    #[inline(always)]
    pub(super) fn weigh_apart<S>(&self, slots: impl Iterator<Item = S>, put: impl Fn(S, f32, f32)) {
        match self.weights {
            Weights::Even(weight) => self.weigh_each(repeat(weight), slots, put),
            Weights::PerUnit(weights) => self.weigh_each(weights.iter().copied(), slots, put),
        }
    }

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

/// Whether each pixel is as clear in both frames.
#[inline(always)]
pub(super) fn same_alpha<C: Channel>(pair: &Pair<[C; 4]>) -> bool {
    let (b, a) = (pair.outgoing, pair.incoming);
    // The first pixel tells most blocks apart, and comparing the others all at once is faster than stopping at one.
    C::alpha_difference(&b[0], &a[0]) == 0
        && zip(b, a).fold(0, |differences, (b, a)| differences | C::alpha_difference(b, a)) == 0
}

/// How much A's colours count where its pixels count `weight`: w·α(A) / (w·α(A) + (1 − w)·α(B)); the weight itself where both
/// are as clear.
#[inline(always)]
fn colour_weight(alpha_b: f32, alpha_a: f32, weight: f32) -> f32 {
    /// An alpha too small to be told from 0 beside any other, so that nothing is divided by 0.
    const CLEAR: f32 = 1.0 / (1_u64 << 63) as f32;
    let (b, a) = ((alpha_b + CLEAR) * (1.0 - weight), (alpha_a + CLEAR) * weight);
    if alpha_a == alpha_b { weight } else { a / (a + b) }
}
