//! Mixing 8-bit pixels in whole numbers, many channels per instruction: every channel of every pixel has a weight of 16 bits.
//!
//! Alpha changes nothing but the weights: a colour's is the part that [`part_of_colour`] gives it. The error of a weight moves
//! a channel by less than 255/2¹⁶ and what is cut off the sum by less than 1/2⁸, far below rounding.

use std::iter::repeat;

use super::fade::Share;
use super::pixel::{BLOCK, Pair, part_of_colour, whole};
use crate::math::lanes::Loops;

type Rgba = [u8; 4];

/// Mixes in whole numbers.
pub(super) struct Bytes<'a>(pub(super) Pair<'a, Rgba>);

impl Loops for Bytes<'_> {
    #[inline(always)]
    fn run(self) {
        let (premultiplied, mut weights) = (self.0.style.premultiplied, [[0; 4]; BLOCK]);
        for ([b, a], share, out) in self.0.blocks() {
            let weights = &mut weights[..out.len()];
            let alike = premultiplied || as_clear(b, a);
            match share {
                Share::Even(share) if alike => {
                    lerp_even(b, a, fixed(share), out);
                    continue;
                }
                Share::Each(shares) if alike => {
                    weights.iter_mut().zip(shares).for_each(|(all, &w)| *all = [fixed(w); 4]);
                }
                Share::Even(share) => weigh([b, a], repeat(share), weights),
                Share::Each(shares) => weigh([b, a], shares.iter().copied(), weights),
            }
            lerp(b, a, weights.as_flattened(), out);
        }
    }
}

/// Whether each pixel of B is as clear as that of A.
#[inline(always)]
fn as_clear(b: &[Rgba], a: &[Rgba]) -> bool {
    let pairs = b.iter().zip(a);
    // The first tells most blocks apart, and the others are compared faster all than one by one.
    b[0][3] == a[0][3]
        && pairs.fold(0, |all, (b, a)| all | (u32::from_le_bytes(*b) ^ u32::from_le_bytes(*a))) >> 24 == 0
}

#[inline(always)]
fn weigh([b, a]: [&[Rgba]; 2], shares: impl Iterator<Item = f32>, weights: &mut [[u16; 4]]) {
    for (weights, ((b, a), w)) in weights.iter_mut().zip(b.iter().zip(a).zip(shares)) {
        let part = fixed(part_of_colour(alpha(b), alpha(a), w));
        *weights = [part, part, part, fixed(w)];
    }
}

/// Seen as one number, alphas of many pixels are taken out at once; by way of `i32`, which processors turn to floats.
#[inline(always)]
fn alpha(pixel: &Rgba) -> f32 {
    (u32::from_le_bytes(*pixel) >> 24) as i32 as f32
}

/// The weight of a share in parts of 2¹⁶, never all, so that it fits: rounding makes up for that.
#[inline(always)]
fn fixed(share: f32) -> u16 {
    let weight = share * 65_536.0;
    whole(if weight < 65_535.0 { weight } else { 65_535.0 }) as u16
}

#[inline(always)]
fn lerp(b: &[Rgba], a: &[Rgba], weights: &[u16], out: &mut [Rgba]) {
    let pairs = b.as_flattened().iter().zip(a.as_flattened());
    let channels = out.as_flattened_mut().iter_mut().zip(pairs.zip(weights));
    channels.for_each(|(out, ((&b, &a), &weight))| *out = between(b, a, weight));
}

#[inline(always)]
fn lerp_even(b: &[Rgba], a: &[Rgba], weight: u16, out: &mut [Rgba]) {
    let pairs = b.as_flattened().iter().zip(a.as_flattened());
    out.as_flattened_mut().iter_mut().zip(pairs).for_each(|(out, (&b, &a))| *out = between(b, a, weight));
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
