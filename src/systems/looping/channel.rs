//! A number of a pixel at 8, 16 and 32 bits: turned to a float and back.

use super::light::Light;
use crate::math::srgb::{light_of, srgb_of};

/// A channel that can be turned to a float and back: as stored, or as light 0…1.
pub(super) trait Channel: Copy + PartialEq {
    fn load(self) -> f32;
    fn load_light(self, tables: &Light) -> f32;
    fn store(value: f32) -> Self;
    fn store_light(value: f32, tables: &Light) -> Self;
}

impl Channel for u8 {
    #[inline(always)]
    fn load(self) -> f32 {
        f32::from(self)
    }

    #[inline(always)]
    fn load_light(self, tables: &Light) -> f32 {
        tables.of(self)
    }

    #[inline(always)]
    fn store(value: f32) -> Self {
        whole(value) as Self
    }

    #[inline(always)]
    fn store_light(value: f32, tables: &Light) -> Self {
        tables.number(value)
    }
}

impl Channel for u16 {
    #[inline(always)]
    fn load(self) -> f32 {
        f32::from(self)
    }

    fn load_light(self, _: &Light) -> f32 {
        light_of(f32::from(self) / 65_535.0)
    }

    #[inline(always)]
    fn store(value: f32) -> Self {
        whole(value) as Self
    }

    fn store_light(value: f32, _: &Light) -> Self {
        Self::store(srgb_of(value) * 65_535.0)
    }
}

impl Channel for f32 {
    #[inline(always)]
    fn load(self) -> f32 {
        self
    }

    fn load_light(self, _: &Light) -> f32 {
        light_of(self)
    }

    #[inline(always)]
    fn store(value: f32) -> Self {
        value
    }

    fn store_light(value: f32, _: &Light) -> Self {
        srgb_of(value)
    }
}

/// `value`, 0 … 2²², as the nearest whole number, halves to the even one: beyond 2²³ floats have no fractions left.
#[inline(always)]
pub(super) fn whole(value: f32) -> u32 {
    const WHOLE: f32 = 8_388_608.0;
    (value + WHOLE).to_bits() & 0x7f_ffff
}
