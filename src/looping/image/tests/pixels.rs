//! Rounding, weighing by alpha, and agreement of the kernels.

use super::super::float::mix_float;
use super::super::kernel::{BLOCK, PixelMix};
use crate::{Crossfade, Pair, PixelStyle, Weights};
use portamento_anim::math::srgb::{light_of, srgb_of};

const STYLES: [PixelStyle; 4] = [
    PixelStyle { premultiplied: false, linear_light: false },
    PixelStyle { premultiplied: false, linear_light: true },
    PixelStyle { premultiplied: true, linear_light: false },
    PixelStyle { premultiplied: true, linear_light: true },
];

trait Tested: Crossfade<Style = PixelStyle> + Default + PartialEq + std::fmt::Debug {}

impl<U: Crossfade<Style = PixelStyle> + Default + PartialEq + std::fmt::Debug> Tested for U {}

/// Returns the mixtures with one weight for all pixels and with one weight per pixel.
fn both<U: Tested>(b: U, a: U, w: f32, style: PixelStyle) -> [U; 2] {
    [Weights::Even(w), Weights::PerUnit(&[w])].map(|weights| {
        let mut out = [U::default()];
        U::crossfade(Pair { outgoing: &[b], incoming: &[a] }, weights, style, &mut out);
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
fn equal_pixels_stay_equal_at_every_value_weight_and_style() {
    for value in 0..=255u8 {
        for alpha in [0, 1, 128, 255] {
            [0.01, 1.0 / 3.0, 0.5, 0.999].into_iter().for_each(|w| stays(value, alpha, w));
        }
    }
}

#[test]
fn transparent_pixels_never_tint() {
    for light in [false, true] {
        let style = PixelStyle { premultiplied: false, linear_light: light };
        assert_eq!(mixed([200u8, 100, 50, 255], [0, 255, 0, 0], 0.5, style), [200, 100, 50, 128]);
        assert_eq!(mixed([60_000u16, 5, 9, 65_535], [0, 65_535, 0, 0], 0.25, style), [60_000, 5, 9, 49_151]);
        let float = mixed([0.5, 0.25, 3.0, 1.0], [9.0, 9.0, 9.0, 0.0], 0.75, style);
        assert!([0.5, 0.25, 3.0, 0.25].iter().zip(float).all(|(a, b): (&f32, f32)| (a - b).abs() < 1e-6), "{float:?}");
    }
}

/// Returns the exact result before rounding, 0…255.
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
            let expected = exact(b, a, w, style.linear_light);
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

fn in_floats(pair: Pair<[u8; 4]>, w: f32, out: &mut [[u8; 4]]) {
    mix_float(PixelMix { pair, weights: Weights::Even(w), style: STYLES[0], out });
}

#[test]
fn integers_and_floats_agree_to_one_step() {
    for (a, b) in (0..=255u8).flat_map(|a| (0..=255u8).step_by(5).map(move |b| (a, b))) {
        for w in [0.004, 0.3, 0.996] {
            let (mut integer, mut float) = ([[0; 4]], [[0; 4]]);
            let pair = Pair { outgoing: &[[b, b, b, 255]], incoming: &[[a, a, a, 255]] };
            Crossfade::crossfade(pair, Weights::Even(w), STYLES[0], &mut integer);
            in_floats(pair, w, &mut float);
            assert!(integer[0][0].abs_diff(float[0][0]) <= 1);
        }
    }
}

#[test]
fn integers_weight_colours_by_alpha_as_floats_do() {
    for (beta, alpha) in (0..=255u8).step_by(3).flat_map(|beta| (0..=255u8).step_by(5).map(move |alpha| (beta, alpha)))
    {
        for w in [0.0, 0.004, 0.3, 0.5, 1.0] {
            let (b, a) = ([[9, 200, 255, beta]], [[250, 0, 255, alpha]]);
            let (mut integer, mut float) = ([[0; 4]], [[0; 4]]);
            let pair = Pair { outgoing: &b, incoming: &a };
            Crossfade::crossfade(pair, Weights::PerUnit(&[w]), STYLES[0], &mut integer);
            in_floats(pair, w, &mut float);
            assert!((0..4).all(|i| integer[0][i].abs_diff(float[0][i]) <= 1), "{b:?} {a:?} {w}");
            assert!(w > 0.0 || integer == b, "none of A");
            assert!(w < 1.0 || integer == a, "nothing but A");
        }
    }
}

#[test]
fn many_pixels_are_mixed_as_each_would_be_separately() {
    let pixels = |seed: usize| -> Vec<[u8; 4]> {
        let alpha = |i: usize| if i < 300 { 255 } else { (i * 31 % 256) as u8 };
        (0..2 * BLOCK + 77).map(|i| [(i * seed) as u8, (i * 7) as u8, seed as u8, alpha(i + seed)]).collect()
    };
    let (b, a) = (pixels(5), pixels(90));
    let weights: Vec<f32> = (0..b.len()).map(|i| (i % 101) as f32 / 100.0).collect();
    for style in STYLES {
        for weights in [Weights::Even(0.37), Weights::PerUnit(&weights)] {
            let mut many = vec![[0; 4]; b.len()];
            Crossfade::crossfade(Pair { outgoing: &b, incoming: &a }, weights, style, &mut many);
            for (i, many) in many.iter().enumerate() {
                assert_eq!(*many, mixed(b[i], a[i], weights.at(i), style), "{style:?} {i}");
            }
        }
    }
}

#[test]
fn half_light_is_the_known_middle_grey() {
    assert_eq!(mixed([0u8, 0, 0, 255], [255, 255, 255, 255], 0.5, STYLES[1]), [188, 188, 188, 255]);
    assert_eq!(mixed([0u8, 0, 0, 255], [255, 255, 255, 255], 0.5, STYLES[0]), [128, 128, 128, 255]);
}
