//! Mixing pixels: colours count by their alpha, optionally as light, at 8, 16 and 32 bits.
//!
//! What is invisible has no colour: a mixture's alpha is the mean of both, its colour the mean weighted by share and alpha
//! (premultiplied, Porter and Duff 1984). So alpha only decides how much a colour counts, and mixing is one straight line for
//! every pixel. Rounding is to the nearest value and halves go to the even one, so nothing drifts darker or brighter, not even
//! half-way where every other sum is a half.

use std::iter::repeat;

use super::Unit;
use super::bytes::Bytes;
use super::channel::Channel;
use super::fade::Share;
use super::lit::{self, MANY};
use crate::math::lanes::{Loops, widest};
use crate::math::srgb::{light_of, srgb_of};
use crate::media::Depth;

/// How stored colours are read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PixelStyle {
    /// Colours are multiplied by alpha already.
    pub premultiplied: bool,
    /// sRGB numbers are turned to light for mixing and back.
    pub light: bool,
}

/// `pixel`, in numbers of `depth`, with its colours times its alpha.
pub(super) fn covering([r, g, b, alpha]: [f32; 4], depth: Depth) -> [f32; 4] {
    let full = match depth {
        Depth::U8 => 255.0,
        Depth::U16 => 65_535.0,
        Depth::F32 => 1.0,
    };
    let part = alpha / full;
    [r * part, g * part, b * part, alpha]
}

impl Unit for [u8; 4] {
    type Style = PixelStyle;

    fn mix(b: &[Self], a: &[Self], share: Share, style: PixelStyle, out: &mut [Self]) {
        let pair = Pair { b, a, share, style, out };
        match (style, share) {
            (PixelStyle { light: false, .. }, _) => widest(Bytes(pair)),
            (PixelStyle { premultiplied: false, .. }, Share::Even(share)) if b.len() >= MANY => {
                lit::mix_many(pair, share);
            }
            _ => widest(Floats(pair)),
        }
    }
}

impl Unit for [u16; 4] {
    type Style = PixelStyle;

    fn mix(b: &[Self], a: &[Self], share: Share, style: PixelStyle, out: &mut [Self]) {
        widest(Floats(Pair { b, a, share, style, out }));
    }
}

impl Unit for [f32; 4] {
    type Style = PixelStyle;

    fn mix(b: &[Self], a: &[Self], share: Share, style: PixelStyle, out: &mut [Self]) {
        widest(Floats(Pair { b, a, share, style, out }));
    }
}

/// Pixels mixed at a time: what is worked out for them in between stays in the nearest cache.
pub(super) const BLOCK: usize = 256;

/// Pixels to mix, and where the mixture goes; all as long as each other.
pub(super) struct Pair<'a, P> {
    pub(super) b: &'a [P],
    pub(super) a: &'a [P],
    pub(super) share: Share<'a>,
    pub(super) style: PixelStyle,
    pub(super) out: &'a mut [P],
}

impl<'a, P> Pair<'a, P> {
    /// Blocks of B and A, their shares and where their mixtures go. An iterator, since a big closure would not be inlined.
    #[inline(always)]
    pub(super) fn blocks(self) -> impl Iterator<Item = ([&'a [P]; 2], Share<'a>, &'a mut [P])> {
        let pairs = self.b.chunks(BLOCK).zip(self.a.chunks(BLOCK)).zip(self.out.chunks_mut(BLOCK));
        (0..)
            .step_by(BLOCK)
            .zip(pairs)
            .map(move |(first, ((b, a), out))| ([b, a], self.share.part(first, out.len()), out))
    }
}

/// How much A's colours count where its pixels count `share`: w·α(A) / (w·α(A) + (1 − w)·α(B)); as their shares say where
/// both are as clear.
#[inline(always)]
pub(super) fn part_of_colour(alpha_b: f32, alpha_a: f32, share: f32) -> f32 {
    /// An alpha too small to be told from 0 beside any other, so that nothing is divided by 0.
    const CLEAR: f32 = 1.0 / (1_u64 << 63) as f32;
    let (b, a) = ((alpha_b + CLEAR) * (1.0 - share), (alpha_a + CLEAR) * share);
    if alpha_a == alpha_b { share } else { a / (a + b) }
}

/// Mixes in floats.
pub(super) struct Floats<'a, P>(pub(super) Pair<'a, P>);

impl<C: Channel> Loops for Floats<'_, [C; 4]> {
    #[inline(always)]
    fn run(self) {
        let (style, mut weights) = (self.0.style, [[0.0; 4]; BLOCK]);
        for ([b, a], share, out) in self.0.blocks() {
            let weights = &mut weights[..out.len()];
            let alike = style.premultiplied || as_clear(b, a);
            match share {
                Share::Even(share) if alike && !style.light => {
                    lerp_even(b, a, share, out);
                    continue;
                }
                Share::Even(share) if alike => weights.fill([share; 4]),
                Share::Each(shares) if alike => weights.iter_mut().zip(shares).for_each(|(all, &w)| *all = [w; 4]),
                Share::Even(share) => weigh([b, a], repeat(share), weights),
                Share::Each(shares) => weigh([b, a], shares.iter().copied(), weights),
            }
            match (style.light, style.premultiplied) {
                (false, _) => lerp(b, a, weights, out),
                (true, false) => C::lerp_light(b, a, weights, out),
                (true, true) => lerp_multiplied_light(b, a, weights, out),
            }
        }
    }
}

/// Whether each pixel of B is as clear as that of A.
#[inline(always)]
fn as_clear<C: Channel>(b: &[[C; 4]], a: &[[C; 4]]) -> bool {
    b[0][3] == a[0][3] && b.iter().zip(a).fold(0, |apart, (b, a)| apart | u32::from(b[3] != a[3])) == 0
}

#[inline(always)]
fn weigh<C: Channel>([b, a]: [&[[C; 4]]; 2], shares: impl Iterator<Item = f32>, weights: &mut [[f32; 4]]) {
    for (weights, ((b, a), w)) in weights.iter_mut().zip(b.iter().zip(a).zip(shares)) {
        let part = part_of_colour(b[3].load().max(0.0), a[3].load().max(0.0), w);
        *weights = [part, part, part, w];
    }
}

/// b + (a − b)·part, so that equal colours stay.
#[inline(always)]
pub(super) fn between(b: f32, a: f32, part: f32) -> f32 {
    b + (a - b) * part
}

#[inline(always)]
fn lerp<C: Channel>(b: &[[C; 4]], a: &[[C; 4]], weights: &[[f32; 4]], out: &mut [[C; 4]]) {
    let pairs = b.as_flattened().iter().zip(a.as_flattened()).zip(weights.as_flattened());
    let channels = out.as_flattened_mut().iter_mut().zip(pairs);
    channels.for_each(|(out, ((b, a), &part))| *out = C::store(between(b.load(), a.load(), part)));
}

#[inline(always)]
fn lerp_even<C: Channel>(b: &[[C; 4]], a: &[[C; 4]], share: f32, out: &mut [[C; 4]]) {
    let pairs = b.as_flattened().iter().zip(a.as_flattened());
    let channels = out.as_flattened_mut().iter_mut().zip(pairs);
    channels.for_each(|(out, (b, a))| *out = C::store(between(b.load(), a.load(), share)));
}

#[inline(always)]
fn lerp_multiplied_light<C: Channel>(b: &[[C; 4]], a: &[[C; 4]], weights: &[[f32; 4]], out: &mut [[C; 4]]) {
    let lit = |pixel: &[C; 4]| multiplied(decoded(divided(pixel.map(C::load))));
    for ((out, weights), (b, a)) in out.iter_mut().zip(weights).zip(b.iter().zip(a)) {
        let (b, a) = (lit(b), lit(a));
        let mixed = std::array::from_fn(|i| between(b[i], a[i], weights[i]));
        *out = multiplied(encoded(divided(mixed))).map(C::store);
    }
}

fn multiplied([r, g, b, alpha]: [f32; 4]) -> [f32; 4] {
    [r * alpha, g * alpha, b * alpha, alpha]
}

fn divided([r, g, b, alpha]: [f32; 4]) -> [f32; 4] {
    if alpha > 0.0 { [r / alpha, g / alpha, b / alpha, alpha] } else { [r, g, b, alpha] }
}

fn decoded([r, g, b, alpha]: [f32; 4]) -> [f32; 4] {
    [light_of(r), light_of(g), light_of(b), alpha]
}

fn encoded([r, g, b, alpha]: [f32; 4]) -> [f32; 4] {
    [srgb_of(r), srgb_of(g), srgb_of(b), alpha]
}

#[cfg(test)]
mod tests {
    use super::*;

    const STYLES: [PixelStyle; 4] = [
        PixelStyle { premultiplied: false, light: false },
        PixelStyle { premultiplied: false, light: true },
        PixelStyle { premultiplied: true, light: false },
        PixelStyle { premultiplied: true, light: true },
    ];

    trait Tested: Unit<Style = PixelStyle> + Default + PartialEq + std::fmt::Debug {}

    impl<U: Unit<Style = PixelStyle> + Default + PartialEq + std::fmt::Debug> Tested for U {}

    /// With one share for all and with a share of its own.
    fn both<U: Tested>(b: U, a: U, w: f32, style: PixelStyle) -> [U; 2] {
        [Share::Even(w), Share::Each(&[w])].map(|share| {
            let mut out = [U::default()];
            U::mix(&[b], &[a], share, style, &mut out);
            out[0]
        })
    }

    fn mixed<U: Tested>(b: U, a: U, w: f32, style: PixelStyle) -> U {
        let [even, each] = both(b, a, w, style);
        assert_eq!(even, each);
        even
    }

    fn stays(value: u8, alpha: u8, w: f32) {
        for style in STYLES {
            let premultiplied = (u16::from(value) * u16::from(alpha) / 255) as u8;
            let colour = if style.premultiplied { premultiplied } else { value };
            let pixel = [colour, 255 - value.max(255 - alpha), colour, alpha];
            assert_eq!(both(pixel, pixel, w, style), [pixel; 2], "{style:?} {w}");
            let deep = pixel.map(|channel| u16::from(channel) * 257 - u16::from(channel > 9));
            assert_eq!(both(deep, deep, w, style), [deep; 2], "{style:?} {w}");
        }
    }

    #[test]
    fn equal_pixels_stay_equal_at_every_value_share_and_style() {
        for value in 0..=255u8 {
            for alpha in [0, 1, 128, 255] {
                [0.01, 1.0 / 3.0, 0.5, 0.999].into_iter().for_each(|w| stays(value, alpha, w));
            }
        }
    }

    #[test]
    fn what_is_transparent_never_tints() {
        for light in [false, true] {
            let style = PixelStyle { premultiplied: false, light };
            assert_eq!(mixed([200u8, 100, 50, 255], [0, 255, 0, 0], 0.5, style), [200, 100, 50, 128]);
            assert_eq!(mixed([60_000u16, 5, 9, 65_535], [0, 65_535, 0, 0], 0.25, style), [60_000, 5, 9, 49_151]);
            let float = mixed([0.5, 0.25, 3.0, 1.0], [9.0, 9.0, 9.0, 0.0], 0.75, style);
            assert!(
                [0.5, 0.25, 3.0, 0.25].iter().zip(float).all(|(a, b): (&f32, f32)| (a - b).abs() < 1e-6),
                "{float:?}"
            );
        }
    }

    /// What should come out, not yet rounded, 0…255.
    fn exact(b: u8, a: u8, w: f32, light: bool) -> f64 {
        if !light {
            return f64::from(b) + (f64::from(a) - f64::from(b)) * f64::from(w);
        }
        let [b, a] = [b, a].map(|byte| light_of(f32::from(byte) / 255.0));
        f64::from(srgb_of(b + (a - b) * w)) * 255.0
    }

    #[test]
    fn rounding_has_no_drift() {
        for (style, w) in STYLES.into_iter().flat_map(|style| [0.1, 0.37, 0.5, 0.8].map(|w| (style, w))) {
            let mut sums = [0.0; 2];
            for (b, a) in (0..=255u8).flat_map(|b| (0..=255u8).map(move |a| (b, a))) {
                let expected = exact(b, a, w, style.light);
                for (sum, out) in sums.iter_mut().zip(both([b, b, b, 255], [a, a, a, 255], w, style)) {
                    let error = f64::from(out[0]) - expected;
                    assert!(error.abs() <= 0.51, "{style:?} {b} {a} {w}");
                    *sum += error;
                }
            }
            assert!(sums.iter().all(|sum| (sum / 65_536.0).abs() <= 0.05), "{style:?} {w}: {sums:?}");
        }
    }

    #[test]
    fn halves_go_to_the_even_neighbour() {
        for style in [STYLES[0], STYLES[2]] {
            for low in 0..255u8 {
                let (even, opaque) = (low + low % 2, |value: u8| [value, value, value, 255]);
                assert_eq!(mixed(opaque(low), opaque(low + 1), 0.5, style), opaque(even));
                assert_eq!(mixed(opaque(low + 1), opaque(low), 0.5, style), opaque(even));
                let (deep, next) = (u16::from(low) * 256, u16::from(low) * 256 + 1);
                assert_eq!(mixed([deep, deep, deep, 65_535], [next, next, next, 65_535], 0.5, style)[0], deep);
            }
        }
    }

    fn in_floats([b, a]: [&[[u8; 4]]; 2], w: f32, out: &mut [[u8; 4]]) {
        Floats(Pair { b, a, share: Share::Even(w), style: STYLES[0], out }).run();
    }

    #[test]
    fn whole_numbers_and_floats_agree_to_the_last_step() {
        for (a, b) in (0..=255u8).flat_map(|a| (0..=255u8).step_by(5).map(move |b| (a, b))) {
            for w in [0.004, 0.3, 0.996] {
                let (mut whole, mut float) = ([[0; 4]], [[0; 4]]);
                <[u8; 4]>::mix(&[[b, b, b, 255]], &[[a, a, a, 255]], Share::Even(w), STYLES[0], &mut whole);
                in_floats([&[[b, b, b, 255]], &[[a, a, a, 255]]], w, &mut float);
                assert!(whole[0][0].abs_diff(float[0][0]) <= 1);
            }
        }
    }

    #[test]
    fn whole_numbers_weigh_colours_by_alpha_as_floats_do() {
        for (beta, alpha) in (0..=255u8).step_by(3).flat_map(|beta| (0..=255u8).step_by(5).map(move |it| (beta, it))) {
            for w in [0.0, 0.004, 0.3, 0.5, 1.0] {
                let (b, a) = ([[9, 200, 255, beta]], [[250, 0, 255, alpha]]);
                let (mut whole, mut float) = ([[0; 4]], [[0; 4]]);
                <[u8; 4]>::mix(&b, &a, Share::Each(&[w]), STYLES[0], &mut whole);
                in_floats([&b, &a], w, &mut float);
                assert!((0..4).all(|i| whole[0][i].abs_diff(float[0][i]) <= 1), "{b:?} {a:?} {w}");
                assert!(w > 0.0 || whole == b, "none of A");
                assert!(w < 1.0 || whole == a, "nothing but A");
            }
        }
    }

    #[test]
    fn many_pixels_are_mixed_as_each_would_be_alone() {
        let pixels = |seed: usize| -> Vec<[u8; 4]> {
            let alpha = |i: usize| if i < 300 { 255 } else { (i * 31 % 256) as u8 };
            (0..2 * BLOCK + 77).map(|i| [(i * seed) as u8, (i * 7) as u8, seed as u8, alpha(i + seed)]).collect()
        };
        let (b, a) = (pixels(5), pixels(90));
        let shares: Vec<f32> = (0..b.len()).map(|i| (i % 101) as f32 / 100.0).collect();
        for style in STYLES {
            for share in [Share::Even(0.37), Share::Each(&shares)] {
                let mut many = vec![[0; 4]; b.len()];
                Unit::mix(&b, &a, share, style, &mut many);
                for (i, many) in many.iter().enumerate() {
                    assert_eq!(*many, mixed(b[i], a[i], share.of(i), style), "{style:?} {i}");
                }
            }
        }
    }

    #[test]
    fn half_light_is_the_known_middle_grey() {
        assert_eq!(mixed([0u8, 0, 0, 255], [255, 255, 255, 255], 0.5, STYLES[1]), [188, 188, 188, 255]);
        assert_eq!(mixed([0u8, 0, 0, 255], [255, 255, 255, 255], 0.5, STYLES[0]), [128, 128, 128, 255]);
    }
}
