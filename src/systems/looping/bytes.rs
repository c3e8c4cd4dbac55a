//! Mixing 8-bit pixels in whole numbers, eight channels per instruction: every channel of every pixel has a weight of 16 bits.
//!
//! Alpha changes nothing but the weights: a colour's is the part that [`part_of_colour`] gives it. The error of a weight moves
//! a channel by less than 255/2¹⁶ and the two products by less than 1/2⁷ together, far below rounding.

use super::fade::Share;
use super::pixel::{BLOCK, by_blocks, part_of_colour, whole};

/// Writes the mixture of `b` and `a` to `out`; all as long as each other.
pub(super) fn mix(b: &[[u8; 4]], a: &[[u8; 4]], share: Share, premultiplied: bool, out: &mut [[u8; 4]]) {
    let (mut parts, mut weights) = ([0.0; BLOCK], [[0; 4]; BLOCK]);
    let even = [share.common().map_or(0, fixed); 4 * BLOCK];
    by_blocks(b, a, share, out, |[b, a], shares, out| {
        let alike = premultiplied || opaque(a, b);
        if alike && share.common().is_some() {
            return lerp(b, a, &even, out);
        }
        let parts = if alike { shares } else { parts_of([b, a], shares, &mut parts) };
        let pairs = weights.iter_mut().zip(parts.iter().zip(shares));
        pairs.for_each(|(weights, (&part, &w))| {
            let part = fixed(part);
            *weights = [part, part, part, fixed(w)];
        });
        lerp(b, a, weights.as_flattened(), out);
    });
}

fn opaque(b: &[[u8; 4]], a: &[[u8; 4]]) -> bool {
    let pairs = b.iter().zip(a);
    pairs.fold(u32::MAX, |all, (b, a)| all & u32::from_le_bytes(*b) & u32::from_le_bytes(*a)) >> 24 == 255
}

fn parts_of<'a>([b, a]: [&[[u8; 4]]; 2], shares: &[f32], parts: &'a mut [f32]) -> &'a [f32] {
    // Seen as one number, alphas of many pixels are taken out at once; by way of `i32`, which processors turn to floats.
    let alpha = |pixel: &[u8; 4]| (u32::from_le_bytes(*pixel) >> 24) as i32 as f32;
    let parts = &mut parts[..shares.len()];
    for (part, ((b, a), &w)) in parts.iter_mut().zip(b.iter().zip(a).zip(shares)) {
        *part = part_of_colour(alpha(b), alpha(a), w);
    }
    parts
}

/// The weight of a share in parts of 2¹⁶, never none and never all, so that it fits: rounding makes up for that.
fn fixed(share: f32) -> u16 {
    let weight = share * 65_536.0;
    let weight = if weight > 1.0 { weight } else { 1.0 };
    whole(if weight < 65_535.0 { weight } else { 65_535.0 }) as u16
}

/// Sums have 8 bits of fraction; halves go to the even number.
fn lerp(b: &[[u8; 4]], a: &[[u8; 4]], weights: &[u16], out: &mut [[u8; 4]]) {
    let weighted = |value: u8, weight: u16| ((u32::from(u16::from(value) << 8) * u32::from(weight)) >> 16) as u16;
    let (b, a, out) = (b.as_flattened(), a.as_flattened(), out.as_flattened_mut());
    out.iter_mut().zip(b.iter().zip(a).zip(weights)).for_each(|(out, ((&b, &a), &weight))| {
        // The wrapped negative is 2¹⁶ − weight.
        let sum = weighted(a, weight) + weighted(b, weight.wrapping_neg());
        *out = ((sum + 127 + ((sum >> 8) & 1)) >> 8) as u8;
    });
}
