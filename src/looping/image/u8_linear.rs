//! Mixing of 8-bit sRGB pixels in linear light by tables; converting back gives the nearest value exactly.
//!
//! Tables are read value by value, and the arithmetic in between processes many values at a time. Each stage processes a
//! batch of pixels and stores its results for the next stage.

use std::iter::zip;
use std::sync::LazyLock;

use super::kernel::{Channel, ColourAndAlphaWeights, lerp, round_to_even};
use crate::crossfade::Pair;
use portamento_anim::math::srgb::light_of;

type Rgba<T> = [T; 4];

/// Light up to which a colour is black: less than half of the light of value 1.
const DARKEST: f32 = 1.0 / 8192.0;

/// Bits of a float that are left out of a table index. Entries are 1/128 … 1/256 of their light apart, and steps between
/// 8-bit values at least 1/112, so that at most one step is within an entry.
const FRACTION_BITS: u32 = 16;

/// Number of entries from [`DARKEST`] to 1 and on to 8, so that any 11 bits are an index.
const ENTRIES: usize = 1 << 11;

/// Number of pixels at a time: the intermediate values stay in the cache.
const BATCH: usize = 64;

static TABLES: LazyLock<SrgbTables> = LazyLock::new(SrgbTables::new);

/// Three channels of a batch, one after the other.
type Planes = [[u32; BATCH]; 3];

/// Mixes pixels with the weights of their colours and alphas, 0…1: colours in linear light, alphas as stored.
#[inline(always)]
pub(super) fn mix_u8_linear(pair: Pair<Rgba<u8>>, weights: ColourAndAlphaWeights, out: &mut [Rgba<u8>]) {
    let tables = &*TABLES;
    let [mut light_b, mut light_a, mut entries]: [Planes; 3] = [[[0; BATCH]; 3]; 3];
    let pieces = zip(pair.outgoing.chunks(BATCH), pair.incoming.chunks(BATCH));
    let weights = zip(weights.0.chunks(BATCH), weights.1.chunks(BATCH));
    for (out, ((b, a), (colours, alphas))) in out.chunks_mut(BATCH).zip(pieces.zip(weights)) {
        decode(b, tables, &mut light_b);
        decode(a, tables, &mut light_a);
        // The outgoing light is not needed any more: keys take its place.
        for ((b, a), entries) in zip(zip(&mut light_b, &light_a), &mut entries) {
            zip(&mut *b, zip(a, colours)).for_each(|(b, (&a, &weight))| {
                *b = SrgbTables::key(lerp(f32::from_bits(*b), f32::from_bits(a), weight));
            });
            zip(entries, &*b).take(out.len()).for_each(|(entry, &key)| *entry = tables.entry(key));
        }
        encode(&entries, &light_b, out);
        zip(out, zip(zip(b, a), alphas)).for_each(|(out, ((b, a), &weight))| {
            let alpha = round_to_even(lerp(u8::alpha(b), u8::alpha(a), weight)) << 24;
            *out = (u32::from_le_bytes(*out) | alpha).to_le_bytes();
        });
    }
}

/// Writes the mixtures of `b` with the incoming values 0, 1, 2 …, one for each entry of `out`. `weight` is that of the incoming
/// value.
pub(super) fn mix_values(b: u8, weight: f32, out: &mut [u8]) {
    let tables = &*TABLES;
    let light = tables.light_of(b);
    let nearest = |a: u8| {
        let key = SrgbTables::key(lerp(light, tables.light_of(a), weight));
        SrgbTables::value_at(tables.entry(key), key) as u8
    };
    zip(out, 0..=255).for_each(|(out, a)| *out = nearest(a));
}

/// Writes the light of the colours as bits, which processors store faster than floats.
#[inline(always)]
fn decode(pixels: &[Rgba<u8>], tables: &SrgbTables, [red, green, blue]: &mut Planes) {
    let bits = |value: &u8| tables.light_of(*value).to_bits();
    let channels = zip(red, zip(green, blue));
    zip(channels, pixels).for_each(|((red, (green, blue)), [r, g, b, _])| {
        (*red, *green, *blue) = (bits(r), bits(g), bits(b));
    });
}

/// Writes pixels with the values at `keys`, whose table entries are `entries`; alpha is 0.
#[inline(always)]
fn encode(entries: &Planes, keys: &Planes, out: &mut [Rgba<u8>]) {
    let value = |channel: usize, pixel: usize| SrgbTables::value_at(entries[channel][pixel], keys[channel][pixel]);
    for (pixel, out) in out.iter_mut().enumerate().take(BATCH) {
        *out = (value(0, pixel) | value(1, pixel) << 8 | value(2, pixel) << 16).to_le_bytes();
    }
}

/// Tables from 8-bit sRGB to linear light and back.
struct SrgbTables {
    /// Light of every value, as the bits of a float.
    light: [u32; 256],
    /// Per entry, times 2¹⁶: the value at its beginning, plus the remainder to 1 when its step is reached. After adding
    /// the remaining bits of the float, the integer part is the value.
    entries: [u32; ENTRIES],
}

impl SrgbTables {
    /// Computes both tables. [`TABLES`] does so once.
    fn new() -> Self {
        let steps = steps();
        let begin = |index: usize| DARKEST.to_bits() + ((index as u32) << FRACTION_BITS);
        let entry = |index: usize| {
            let value = steps.partition_point(|&step| step.to_bits() <= begin(index));
            let step = (steps[value].to_bits() - begin(index)).min(1 << FRACTION_BITS);
            ((value as u32) << FRACTION_BITS) + (1 << FRACTION_BITS) - step
        };
        Self {
            light: std::array::from_fn(|i| light_of(i as f32 / 255.0).to_bits()),
            entries: std::array::from_fn(entry),
        }
    }

    /// Returns the light 0…1 of `value`.
    #[inline(always)]
    fn light_of(&self, value: u8) -> f32 {
        f32::from_bits(self.light[usize::from(value)])
    }

    /// Returns the key of `light`: its table index, followed by the fraction bits.
    #[inline(always)]
    fn key(light: f32) -> u32 {
        let light = if light > DARKEST { light } else { DARKEST };
        (if light < 1.0 { light } else { 1.0 }).to_bits() - DARKEST.to_bits()
    }

    /// Returns the table entry of `key`.
    #[inline(always)]
    fn entry(&self, key: u32) -> u32 {
        self.entries[(key >> FRACTION_BITS) as usize % ENTRIES]
    }

    /// Returns the value at `key`, whose entry is `entry`.
    #[inline(always)]
    fn value_at(entry: u32, key: u32) -> u32 {
        (entry + (key & ((1 << FRACTION_BITS) - 1))) >> FRACTION_BITS
    }
}

/// Returns the light midway between each value and the next, where rounding changes.
fn steps() -> [f32; 256] {
    std::array::from_fn(|i| if i < 255 { light_of((i as f32 + 0.5) / 255.0) } else { f32::INFINITY })
}

#[cfg(test)]
mod tests {
    use super::*;

    impl SrgbTables {
        /// Returns the value nearest to `light`.
        fn nearest(&self, light: f32) -> u8 {
            let key = Self::key(light);
            Self::value_at(self.entry(key), key) as u8
        }
    }

    #[test]
    fn values_convert_back_and_change_exactly_midway() {
        let (tables, steps) = (SrgbTables::new(), steps());
        for value in 0..=255u8 {
            assert_eq!(tables.nearest(tables.light_of(value)), value);
        }
        for value in 0..255u8 {
            let step = steps[usize::from(value)];
            assert_eq!((tables.nearest(step.next_down()), tables.nearest(step)), (value, value + 1));
        }
        assert_eq!((tables.nearest(-1.0), tables.nearest(0.0), tables.nearest(2.0)), (0, 0, 255));
    }

    #[test]
    fn every_entry_gives_the_result_of_a_search() {
        let (tables, steps) = (SrgbTables::new(), steps());
        for i in 0..=100_000u32 {
            let light = (f64::from(i) / 100_000.0).powi(3) as f32;
            let searched = steps.partition_point(|&step| step <= light);
            assert_eq!(usize::from(tables.nearest(light)), searched, "{light}");
        }
    }
}
