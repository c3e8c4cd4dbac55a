//! A number of a pixel at 8, 16 and 32 bits: turned to a float and back, as stored or as light.

use super::lit;
use super::pixel::between;
use crate::math::srgb::{light_of, srgb_of};

/// A channel that can be turned to a float and back, and pixels of it that can be mixed as light.
pub(super) trait Channel: Copy + PartialEq + Into<f32> {
    #[inline(always)]
    fn load(self) -> f32 {
        self.into()
    }

    fn store(value: f32) -> Self;

    /// Mixes pixels with the weights of their channels: colours as light, alphas as they are stored.
    fn lerp_light(b: &[[Self; 4]], a: &[[Self; 4]], weights: &[[f32; 4]], out: &mut [[Self; 4]]);
}

impl Channel for u8 {
    #[inline(always)]
    fn store(value: f32) -> Self {
        whole(value) as Self
    }

    #[inline(always)]
    fn lerp_light(b: &[[Self; 4]], a: &[[Self; 4]], weights: &[[f32; 4]], out: &mut [[Self; 4]]) {
        lit::lerp(b, a, weights, out);
    }
}

impl Channel for u16 {
    #[inline(always)]
    fn store(value: f32) -> Self {
        whole(value) as Self
    }

    #[inline(always)]
    fn lerp_light(b: &[[Self; 4]], a: &[[Self; 4]], weights: &[[f32; 4]], out: &mut [[Self; 4]]) {
        lerp_scaled(65_535.0, [b, a], weights, out);
    }
}

impl Channel for f32 {
    #[inline(always)]
    fn store(value: f32) -> Self {
        value
    }

    #[inline(always)]
    fn lerp_light(b: &[[Self; 4]], a: &[[Self; 4]], weights: &[[f32; 4]], out: &mut [[Self; 4]]) {
        lerp_scaled(1.0, [b, a], weights, out);
    }
}

/// `value`, 0 … 2²², as the nearest whole number, halves to the even one: beyond 2²³ floats have no fractions left.
#[inline(always)]
pub(super) fn whole(value: f32) -> u32 {
    const WHOLE: f32 = 8_388_608.0;
    (value + WHOLE).to_bits() & 0x7f_ffff
}

/// Where 1 is stored as `full`.
fn lerp_scaled<C: Channel>(full: f32, [b, a]: [&[[C; 4]]; 2], weights: &[[f32; 4]], out: &mut [[C; 4]]) {
    let light = |channel: C| light_of(channel.load() / full);
    for ((out, weights), (b, a)) in out.iter_mut().zip(weights).zip(b.iter().zip(a)) {
        let colour = |i: usize| C::store(srgb_of(between(light(b[i]), light(a[i]), weights[i])) * full);
        *out = [colour(0), colour(1), colour(2), C::store(between(b[3].load(), a[3].load(), weights[3]))];
    }
}
