//! Mixing pixels: colours count by their alpha, optionally as light, at 8, 16 and 32 bits.
//!
//! What is invisible has no colour: a mixture's alpha is the mean of both, its colour the mean weighted by share and alpha
//! (premultiplied, Porter and Duff 1984). Rounding is to the nearest value and halves go to the even one, so nothing drifts
//! darker or brighter, not even half-way where every other sum is a half.

use std::sync::LazyLock;

use super::Unit;
use super::fade::Share;
use crate::anim::image_clip::Depth;
use crate::math::srgb::{light_of, srgb_of};

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

/// Bits of the share in whole-number mixing: an error of 255/2¹⁶, far below rounding.
const SHARE_BITS: i32 = 15;

impl Unit for [u8; 4] {
    type Style = PixelStyle;

    fn mix(b: &[Self], a: &[Self], share: Share, style: PixelStyle, out: &mut [Self]) {
        let straight = style.premultiplied || (opaque(a) && opaque(b));
        match share {
            Share::Even(w) if straight && !style.light => mix_whole(b, a, w, out),
            _ => mix_floats::<Self>(b, a, share, style, out),
        }
    }
}

impl Unit for [u16; 4] {
    type Style = PixelStyle;

    fn mix(b: &[Self], a: &[Self], share: Share, style: PixelStyle, out: &mut [Self]) {
        mix_floats::<Self>(b, a, share, style, out);
    }
}

impl Unit for [f32; 4] {
    type Style = PixelStyle;

    fn mix(b: &[Self], a: &[Self], share: Share, style: PixelStyle, out: &mut [Self]) {
        mix_floats::<Self>(b, a, share, style, out);
    }
}

fn opaque(pixels: &[[u8; 4]]) -> bool {
    pixels.iter().fold(255, |all, pixel| all & pixel[3]) == 255
}

/// All four channels alike, in whole numbers.
fn mix_whole(b: &[[u8; 4]], a: &[[u8; 4]], share: f32, out: &mut [[u8; 4]]) {
    let whole = (share * (1 << SHARE_BITS) as f32).round() as i32;
    if whole == 1 << SHARE_BITS {
        return out.copy_from_slice(a);
    }
    // Below 2¹⁵ the share fits 16 bits, which processors multiply eight at a time.
    let share = whole as i16;
    let channels = out.as_flattened_mut().iter_mut().zip(b.as_flattened().iter().zip(a.as_flattened()));
    channels.for_each(|(out, (&b, &a))| {
        let apart = i32::from(i16::from(a) - i16::from(b)) * i32::from(share);
        let sum = (i32::from(b) << SHARE_BITS) + apart;
        let half = (1 << (SHARE_BITS - 1)) - 1 + ((sum >> SHARE_BITS) & 1);
        *out = ((sum + half) >> SHARE_BITS) as u8;
    });
}

/// The nearest whole number, halves to even: beyond 2²³ floats have no fractions left, so adding 1.5·2²³ rounds.
fn nearest(value: f32) -> f32 {
    const WHOLE: f32 = 12_582_912.0;
    (value + WHOLE) - WHOLE
}

/// A pixel that can be turned to floats and back: as stored, or its colour as light 0…1 and its alpha as stored.
trait Stored: Copy {
    fn load(self) -> [f32; 4];
    fn load_light(self) -> [f32; 4];
    fn store(value: [f32; 4]) -> Self;
    fn store_light(value: [f32; 4]) -> Self;
}

fn mix_floats<P: Stored>(b: &[P], a: &[P], share: Share, style: PixelStyle, out: &mut [P]) {
    let pairs = out.iter_mut().zip(b.iter().zip(a)).enumerate();
    match (style.premultiplied, style.light) {
        (true, false) => pairs.for_each(|(i, (out, (b, a)))| *out = P::store(between(b.load(), a.load(), share.of(i)))),
        (false, false) => {
            pairs.for_each(|(i, (out, (b, a)))| *out = P::store(weighted(b.load(), a.load(), share.of(i))))
        }
        (true, true) => pairs.for_each(|(i, (out, (b, a)))| {
            let light = |pixel: P| multiplied(decoded(divided(pixel.load())));
            *out = P::store(multiplied(encoded(divided(between(light(*b), light(*a), share.of(i))))));
        }),
        (false, true) => pairs.for_each(|(i, (out, (b, a)))| {
            *out = P::store_light(weighted(b.load_light(), a.load_light(), share.of(i)));
        }),
    }
}

fn between(b: [f32; 4], a: [f32; 4], w: f32) -> [f32; 4] {
    std::array::from_fn(|i| b[i] + (a[i] - b[i]) * w)
}

/// The mean of two straight colours, each counting by share times alpha; b + (a − b)·part, so that equal colours stay.
fn weighted(b: [f32; 4], a: [f32; 4], w: f32) -> [f32; 4] {
    let alpha = b[3] + (a[3] - b[3]) * w;
    let part = if alpha > 0.0 { w * a[3] / alpha } else { w };
    [b[0] + (a[0] - b[0]) * part, b[1] + (a[1] - b[1]) * part, b[2] + (a[2] - b[2]) * part, alpha]
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

/// Light of every 8-bit sRGB number.
static LIGHT: LazyLock<[f32; 256]> = LazyLock::new(|| std::array::from_fn(|i| light_of(i as f32 / 255.0)));

/// Light half-way between each 8-bit sRGB number and the next: where rounding changes.
static STEPS: LazyLock<[f32; 256]> =
    LazyLock::new(|| std::array::from_fn(|i| if i < 255 { light_of((i as f32 + 0.5) / 255.0) } else { f32::INFINITY }));

/// The 8-bit number for the light (i/1023)²: one below or at the one sought for light up to the next entry.
static GUESS: LazyLock<[u8; 1024]> = LazyLock::new(|| {
    std::array::from_fn(|i| {
        let light = (i as f32 / 1023.0).powi(2);
        STEPS.partition_point(|&step| step <= light).min(255) as u8
    })
});

fn srgb_byte(light: f32) -> u8 {
    let root = light.clamp(0.0, 1.0).sqrt() * 1023.0;
    let mut byte = usize::from(GUESS[root as usize]);
    // The guess is rounded towards darkness: a step or two up find the exact one.
    while STEPS[byte] <= light {
        byte += 1;
    }
    byte as u8
}

impl Stored for [u8; 4] {
    fn load(self) -> [f32; 4] {
        self.map(f32::from)
    }

    fn load_light(self) -> [f32; 4] {
        let light = |channel: u8| LIGHT[usize::from(channel)];
        [light(self[0]), light(self[1]), light(self[2]), f32::from(self[3])]
    }

    fn store(value: [f32; 4]) -> Self {
        value.map(|channel| nearest(channel) as u8)
    }

    fn store_light(value: [f32; 4]) -> Self {
        [srgb_byte(value[0]), srgb_byte(value[1]), srgb_byte(value[2]), nearest(value[3]) as u8]
    }
}

impl Stored for [u16; 4] {
    fn load(self) -> [f32; 4] {
        self.map(f32::from)
    }

    fn load_light(self) -> [f32; 4] {
        let light = |channel: u16| light_of(f32::from(channel) / 65_535.0);
        [light(self[0]), light(self[1]), light(self[2]), f32::from(self[3])]
    }

    fn store(value: [f32; 4]) -> Self {
        value.map(|channel| nearest(channel) as u16)
    }

    fn store_light(value: [f32; 4]) -> Self {
        let colour = |light: f32| srgb_of(light) * 65_535.0;
        Self::store([colour(value[0]), colour(value[1]), colour(value[2]), value[3]])
    }
}

impl Stored for [f32; 4] {
    fn load(self) -> [f32; 4] {
        self
    }

    fn load_light(self) -> [f32; 4] {
        decoded(self)
    }

    fn store(value: [f32; 4]) -> Self {
        value
    }

    fn store_light(value: [f32; 4]) -> Self {
        encoded(value)
    }
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

    #[test]
    fn whole_numbers_and_floats_agree_to_the_last_step() {
        for (a, b) in (0..=255u8).flat_map(|a| (0..=255u8).step_by(5).map(move |b| (a, b))) {
            for w in [0.004, 0.3, 0.996] {
                let (mut whole, mut float) = ([[0; 4]], [[0; 4]]);
                <[u8; 4]>::mix(&[[b, b, b, 255]], &[[a, a, a, 255]], Share::Even(w), STYLES[0], &mut whole);
                <[u8; 4]>::mix(&[[b, b, b, 255]], &[[a, a, a, 255]], Share::Each(&[w]), STYLES[0], &mut float);
                assert!(whole[0][0].abs_diff(float[0][0]) <= 1);
            }
        }
    }

    #[test]
    fn half_light_is_the_known_middle_grey() {
        assert_eq!(mixed([0u8, 0, 0, 255], [255, 255, 255, 255], 0.5, STYLES[1]), [188, 188, 188, 255]);
        assert_eq!(mixed([0u8, 0, 0, 255], [255, 255, 255, 255], 0.5, STYLES[0]), [128, 128, 128, 255]);
        for byte in 0..=255u8 {
            assert_eq!(srgb_byte(LIGHT[usize::from(byte)]), byte);
        }
    }
}
