//! 8-bit sRGB numbers as light and back, by tables; the way back gives the nearest number exactly.

use crate::math::srgb::light_of;

/// Light below this is black: it is less than half of the first number's.
const LEAST: f32 = 1.0 / 8192.0;

/// Bits of a float that are left out of a place in the table: places are 1/128 … 1/256 of their light apart, steps between
/// 8-bit numbers at least 1/112, so that at most one step lies within a place.
const REST: u32 = 16;

/// Places from [`LEAST`] to 1: 2¹³ is 13 powers of two of 128 places.
const PLACES: usize = 13 * 128 + 1;

/// The tables.
pub(super) struct Light {
    /// Of every number.
    light: [f32; 256],
    /// Half-way between each number and the next: where rounding changes.
    steps: [f32; 256],
    /// The number at the beginning of every place.
    numbers: [u8; PLACES],
}

impl Light {
    pub(super) fn new() -> Self {
        let half_way = |i: usize| if i < 255 { light_of((i as f32 + 0.5) / 255.0) } else { f32::INFINITY };
        let steps: [f32; 256] = std::array::from_fn(half_way);
        let begin = |place: usize| f32::from_bits(LEAST.to_bits() + ((place as u32) << REST));
        Self {
            light: std::array::from_fn(|i| light_of(i as f32 / 255.0)),
            steps,
            numbers: std::array::from_fn(|place| steps.partition_point(|&step| step <= begin(place)) as u8),
        }
    }

    /// Light 0…1 of `number`.
    pub(super) fn of(&self, number: u8) -> f32 {
        self.light[usize::from(number)]
    }

    /// The number nearest to `light`.
    pub(super) fn number(&self, light: f32) -> u8 {
        let place = (light.clamp(LEAST, 1.0).to_bits() - LEAST.to_bits()) >> REST;
        let number = self.numbers[place as usize];
        number + u8::from(self.steps[usize::from(number)] <= light)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_come_back_and_change_exactly_half_way() {
        let light = Light::new();
        for number in 0..=255u8 {
            assert_eq!(light.number(light.of(number)), number);
        }
        for number in 0..255u8 {
            let step = light.steps[usize::from(number)];
            assert_eq!((light.number(step.next_down()), light.number(step)), (number, number + 1));
        }
        assert_eq!((light.number(-1.0), light.number(0.0), light.number(2.0)), (0, 0, 255));
    }

    #[test]
    fn every_place_is_read_as_searching_would() {
        let light = Light::new();
        for i in 0..=100_000u32 {
            let value = (f64::from(i) / 100_000.0).powi(3) as f32;
            let searched = light.steps.partition_point(|&step| step <= value);
            assert_eq!(usize::from(light.number(value)), searched, "{value}");
        }
    }
}
