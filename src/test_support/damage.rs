//! Files with something wrong with them.

use portamento_anim::math::random::SplitMix64;

/// A number below `count`.
pub fn random_below(random: &mut SplitMix64, count: usize) -> usize {
    (random.bits() % count.max(1) as u64) as usize
}

/// The bytes with one to four things wrong with them.
pub fn damaged(seed: &[u8], random: &mut SplitMix64) -> Vec<u8> {
    let mut bytes = seed.to_vec();
    for _ in 0..=random_below(random, 4) {
        let at = random_below(random, bytes.len());
        let end = (at + 1 + random_below(random, 16)).min(bytes.len());
        match random_below(random, 9) {
            0 => bytes.truncate(at),
            1 => bytes.extend_from_within(at..end),
            2 => drop(bytes.drain(at..end)),
            3 => number(&mut bytes, at, random),
            4 => word(&mut bytes, at, random),
            5 => {
                let piece = bytes[at..end].to_vec();
                let to = random_below(random, bytes.len());
                bytes.splice(to..to, piece);
            }
            _ => bytes.get_mut(at).into_iter().for_each(|byte| *byte ^= 1 << random_below(random, 8)),
        }
    }
    bytes
}

/// Four bytes become a number that lies about a size.
pub fn number(bytes: &mut [u8], at: usize, random: &mut SplitMix64) {
    let sizes = [0, 1, 3, 255, 65_535, 0x7FFF_FFFF, u32::MAX, bytes.len() as u32];
    let size = sizes[random_below(random, sizes.len())];
    let four = if random_below(random, 2) == 0 { size.to_le_bytes() } else { size.to_be_bytes() };
    bytes.get_mut(at..at + 4).into_iter().for_each(|place| place.copy_from_slice(&four));
}

/// The digits at or after `at` become what a number must not be.
fn word(bytes: &mut Vec<u8>, at: usize, random: &mut SplitMix64) {
    let sizes =
        ["-1", "0", "1e999", "nan", "99999999999999999999", "4000000000", "0.5", "", "\"a\"", "null", "[]", "-inf"];
    let Some(begin) = bytes[at..].iter().position(u8::is_ascii_digit).map(|place| at + place) else { return };
    let end = bytes[begin..].iter().position(|byte| !byte.is_ascii_digit()).map_or(bytes.len(), |place| begin + place);
    bytes.splice(begin..end, sizes[random_below(random, sizes.len())].bytes());
}
