//! Mixing 8-bit pixels in whole numbers, many channels per instruction: every channel of every pixel has a weight of 16 bits.
//!
//! Alpha changes nothing but the weights: a colour's is the part that [`part_of_colour`] gives it. The error of a weight moves
//! a channel by less than 255/2¹⁶ and what is cut off the sum by less than 1/2⁸, far below rounding.

use super::channel::whole;
use super::fade::Share;
use super::pixel::{BLOCK, Pair, part_of_colour};
use crate::math::lanes::Loops;

type Rgba = [u8; 4];

/// Mixes in whole numbers.
pub(super) struct Bytes<'a>(pub(super) Pair<'a, Rgba>);

/// Weights of a block. A pixel is two numbers of 16 bits, each a low and a high channel, so that vectors leave all in its
/// place: red and blue are low and always weigh alike, green and alpha are high.
struct Weights {
    low: [Rgba; BLOCK],
    high: [Rgba; BLOCK],
}

impl Loops for Bytes<'_> {
    #[inline(always)]
    fn run(self) {
        let premultiplied = self.0.style.premultiplied;
        let mut weights = Weights { low: [[0; 4]; BLOCK], high: [[0; 4]; BLOCK] };
        for ([b, a], share, out) in self.0.blocks() {
            match share {
                Share::Even(share) if premultiplied || as_clear(b, a) => {
                    let weight = fixed(share) as u16;
                    lerp([b, a], halves(b).map(|_| [weight; 2]), out);
                    continue;
                }
                Share::Each(shares) if premultiplied || as_clear(b, a) => {
                    weights.low.iter_mut().zip(shares).for_each(|(low, &w)| *low = twice(fixed(w)));
                    lerp([b, a], halves(&weights.low).map(|weight| [weight; 2]), out);
                    continue;
                }
                Share::Even(share) => weigh([b, a], b.iter().map(|_| share), &mut weights),
                Share::Each(shares) => weigh([b, a], shares.iter().copied(), &mut weights),
            }
            lerp([b, a], halves(&weights.low).zip(halves(&weights.high)).map(|(low, high)| [low, high]), out);
        }
    }
}

/// Whether each pixel of B is as clear as that of A.
#[inline(always)]
pub(super) fn as_clear(b: &[Rgba], a: &[Rgba]) -> bool {
    let pairs = b.iter().zip(a);
    // The first tells most blocks apart, and the others are compared faster all than one by one.
    b[0][3] == a[0][3]
        && pairs.fold(0, |all, (b, a)| all | (u32::from_le_bytes(*b) ^ u32::from_le_bytes(*a))) >> 24 == 0
}

#[inline(always)]
fn weigh([b, a]: [&[Rgba]; 2], shares: impl Iterator<Item = f32>, weights: &mut Weights) {
    let pixels = b.iter().zip(a).zip(shares);
    weights.low.iter_mut().zip(&mut weights.high).zip(pixels).for_each(|((low, high), ((b, a), w))| {
        let part = fixed(part_of_colour(alpha(b), alpha(a), w));
        (*low, *high) = (twice(part), (part | fixed(w) << 16).to_le_bytes());
    });
}

#[inline(always)]
fn twice(weight: u32) -> Rgba {
    (weight | weight << 16).to_le_bytes()
}

/// Seen as one number, alphas of many pixels are taken out at once; by way of `i32`, which processors turn to floats.
#[inline(always)]
pub(super) fn alpha(pixel: &Rgba) -> f32 {
    (u32::from_le_bytes(*pixel) >> 24) as i32 as f32
}

/// The weight of a share in parts of 2¹⁶, never all, so that it fits 16 bits: rounding makes up for that.
#[inline(always)]
fn fixed(share: f32) -> u32 {
    let weight = share * 65_536.0;
    whole(if weight < 65_535.0 { weight } else { 65_535.0 })
}

/// Both numbers of every pixel.
#[inline(always)]
fn halves(pixels: &[Rgba]) -> impl Iterator<Item = u16> {
    pixels.as_flattened().as_chunks().0.iter().map(|half| u16::from_le_bytes(*half))
}

/// Mixes the low and the high channel of every half with their `weights`.
#[inline(always)]
fn lerp([b, a]: [&[Rgba]; 2], weights: impl Iterator<Item = [u16; 2]>, out: &mut [Rgba]) {
    let pairs = halves(b).zip(halves(a)).zip(weights);
    out.as_flattened_mut().as_chunks_mut().0.iter_mut().zip(pairs).for_each(|(out, ((b, a), [low, high]))| {
        let (low, high) = (between(b as u8, a as u8, low), between((b >> 8) as u8, (a >> 8) as u8, high));
        *out = (u16::from(low) | u16::from(high) << 8).to_le_bytes();
    });
}

/// b + (a − b)·weight with 8 bits of fraction, the rest cut off; halves go to the even number.
///
/// All is done in 16 bits, which is what vectors multiply fastest: the difference times the two bytes of the weight, of the
/// lower the part that is carried. Differences below 0 wrap, and so do their products, but no sum with `b` leaves 0 … 2¹⁶.
#[inline(always)]
fn between(b: u8, a: u8, weight: u16) -> u8 {
    let (b, a, high, low) = (u16::from(b), u16::from(a), weight >> 8, weight & 255);
    let (apart, whole) = (a.wrapping_sub(b), b << 8);
    let carried = (apart.wrapping_mul(low).wrapping_add(whole) >> 8).wrapping_sub(b);
    let sum = apart.wrapping_mul(high).wrapping_add(whole).wrapping_add(carried);
    ((sum + 127 + ((sum >> 8) & 1)) >> 8) as u8
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pair_and_weight_gives_the_sum_cut_to_a_256th_and_rounded_to_even() {
        for (b, a) in (0..=255u8).flat_map(|b| (0..=255u8).step_by(3).map(move |a| (b, a))) {
            let mut weights = (0..=u16::MAX).step_by(37).chain([255, 256, 32_767, 32_768, u16::MAX]);
            let wrong = weights.find(|&weight| {
                let (share, rest) = (u32::from(weight), 65_536 - u32::from(weight));
                let sum = (u32::from(b) * rest + u32::from(a) * share) >> 8;
                let (down, part) = (sum >> 8, sum & 255);
                let up = part > 128 || part == 128 && down % 2 == 1;
                u32::from(between(b, a, weight)) != down + u32::from(up)
            });
            assert_eq!(wrong, None, "{b} {a}");
        }
    }
}
