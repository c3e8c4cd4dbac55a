//! 8-bit sRGB numbers as light and back, by tables; the way back gives the nearest number exactly.

use crate::math::srgb::light_of;

/// Light below this is black: it is less than half of the first number's.
const LEAST: f32 = 1.0 / 8192.0;

/// Bits of a float that are left out of a place in the table: places are 1/128 … 1/256 of their light apart, steps between
/// 8-bit numbers at least 1/112, so that at most one step lies within a place.
const REST: u32 = 16;

/// Places from [`LEAST`] to 1 and on to 8, so that any 11 bits are a place.
const PLACES: usize = 1 << 11;

/// The tables.
pub(super) struct Light {
    /// Of every number, as the bits of a float.
    light: [u32; 256],
    /// Of every place, times 2¹⁶, the number at its beginning, and what is left to 1 when its step is reached: with the rest
    /// of the float added, the whole part is the number.
    places: [u32; PLACES],
}

impl Light {
    pub(super) fn new() -> Self {
        let steps = steps();
        let begin = |place: usize| LEAST.to_bits() + ((place as u32) << REST);
        let entry = |place: usize| {
            let number = steps.partition_point(|&step| step.to_bits() <= begin(place));
            let step = (steps[number].to_bits() - begin(place)).min(1 << REST);
            ((number as u32) << REST) + (1 << REST) - step
        };
        Self {
            light: std::array::from_fn(|i| light_of(i as f32 / 255.0).to_bits()),
            places: std::array::from_fn(entry),
        }
    }

    /// Light 0…1 of `number`.
    #[inline(always)]
    pub(super) fn of(&self, number: u8) -> f32 {
        f32::from_bits(self.light[usize::from(number)])
    }

    /// Where `light` is found in the table: its place, and beneath it what is left.
    #[inline(always)]
    pub(super) fn place(light: f32) -> u32 {
        let light = if light > LEAST { light } else { LEAST };
        (if light < 1.0 { light } else { 1.0 }).to_bits() - LEAST.to_bits()
    }

    /// What the table says about a place.
    #[inline(always)]
    pub(super) fn begin(&self, place: u32) -> u32 {
        self.places[(place >> REST) as usize % PLACES]
    }

    /// The number at a place, where the table says `begin`.
    #[inline(always)]
    pub(super) fn number_at(begin: u32, place: u32) -> u8 {
        ((begin + (place & ((1 << REST) - 1))) >> REST) as u8
    }
}

/// Half-way between each number and the next, where rounding changes.
fn steps() -> [f32; 256] {
    std::array::from_fn(|i| if i < 255 { light_of((i as f32 + 0.5) / 255.0) } else { f32::INFINITY })
}

#[cfg(test)]
mod tests {
    use super::*;

    impl Light {
        /// The number nearest to `light`.
        fn number(&self, light: f32) -> u8 {
            let place = Self::place(light);
            Self::number_at(self.begin(place), place)
        }
    }

    #[test]
    fn numbers_come_back_and_change_exactly_half_way() {
        let (light, steps) = (Light::new(), steps());
        for number in 0..=255u8 {
            assert_eq!(light.number(light.of(number)), number);
        }
        for number in 0..255u8 {
            let step = steps[usize::from(number)];
            assert_eq!((light.number(step.next_down()), light.number(step)), (number, number + 1));
        }
        assert_eq!((light.number(-1.0), light.number(0.0), light.number(2.0)), (0, 0, 255));
    }

    #[test]
    fn every_place_is_read_as_searching_would() {
        let (light, steps) = (Light::new(), steps());
        for i in 0..=100_000u32 {
            let value = (f64::from(i) / 100_000.0).powi(3) as f32;
            let searched = steps.partition_point(|&step| step <= value);
            assert_eq!(usize::from(light.number(value)), searched, "{value}");
        }
    }
}
