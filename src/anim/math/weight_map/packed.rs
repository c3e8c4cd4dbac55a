//! Compact storage of painted weights in project files. Neighbouring units mostly have equal weights, so runs of
//! equal numbers are stored once, as base64 text. Every bit is preserved.
//!
//! A run is its length (7 bits per byte, lowest first, top bit set if more follow) and its number (f32,
//! little-endian).

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::{Deserialize, Serialize};

/// Maximum number of units read from a file, as many as the largest supported frame has pixels; more means damage.
const MAX_UNITS: usize = 1 << 27;

/// Weights as text, or as a list that scripts can write.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub(super) enum PackedWeights {
    /// Runs, encoded as base64.
    Runs(String),
    /// One number per unit.
    List(Vec<f32>),
}

impl PackedWeights {
    /// Packs `values` as runs.
    pub fn pack(values: &[f32]) -> Self {
        if values.is_empty() {
            return Self::List(Vec::new());
        }
        let mut bytes = Vec::new();
        for run in values.chunk_by(|a, b| a.to_bits() == b.to_bits()) {
            let mut length = run.len();
            while length > 0x7f {
                bytes.push(length as u8 | 0x80);
                length >>= 7;
            }
            bytes.push(length as u8);
            bytes.extend(run[0].to_le_bytes());
        }
        Self::Runs(STANDARD.encode(bytes))
    }

    /// Returns the memory that the weights of a text take, bytes; 0 for damaged text and for lists.
    pub fn unpacked_bytes(&self) -> u64 {
        let Self::Runs(text) = self else { return 0 };
        let mut count = 0_u64;
        let runs = STANDARD.decode(text).ok();
        let counted = runs.and_then(|bytes| each_run(&bytes, |length, _| count += length as u64));
        counted.map_or(0, |()| count.saturating_mul(size_of::<f32>() as u64))
    }

    /// Returns the weights; `None` if the text is damaged or claims too many units.
    pub fn values(self) -> Option<Vec<f32>> {
        match self {
            Self::List(values) => Some(values),
            Self::Runs(text) => STANDARD.decode(text).ok().and_then(|bytes| unpacked(&bytes)),
        }
    }
}

/// Returns the numbers of the runs in `bytes`; `None` if the bytes are damaged, or for more than [`MAX_UNITS`] numbers or more
/// than the memory can take.
fn unpacked(bytes: &[u8]) -> Option<Vec<f32>> {
    // Counted first, because a short text may claim any length.
    let mut count = 0;
    each_run(bytes, |length, _| count += length)?;
    let mut values = Vec::new();
    if count > MAX_UNITS {
        return None;
    }
    values.try_reserve_exact(count).ok()?;
    each_run(bytes, |length, number| values.resize(values.len() + length, number))?;
    Some(values)
}

/// Calls `take` with the length and number of every run; `None` if `bytes` are damaged.
fn each_run(mut bytes: &[u8], mut take: impl FnMut(usize, f32)) -> Option<()> {
    while !bytes.is_empty() {
        let (mut length, mut shift) = (0_usize, 0);
        loop {
            let (&byte, rest) = bytes.split_first()?;
            bytes = rest;
            length |= usize::from(byte & 0x7f) << shift;
            shift += 7;
            if byte & 0x80 == 0 {
                break;
            }
            if shift > 28 {
                return None;
            }
        }
        let (number, rest) = bytes.split_first_chunk::<4>()?;
        bytes = rest;
        take(length, f32::from_le_bytes(*number));
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_bit_is_preserved_and_uniform_surfaces_take_little_space() {
        let values: Vec<f32> = (0..5000).map(|i| if i % 1000 < 900 { 0.5 } else { 1.0 / (i as f32 + 1.0) }).collect();
        let packed = PackedWeights::pack(&values);
        let text = serde_json::to_string(&packed).unwrap();
        assert!(text.len() < 4000, "{}", text.len());
        let back = serde_json::from_str::<PackedWeights>(&text).unwrap().values().unwrap();
        assert!(back.iter().zip(&values).all(|(a, b)| a.to_bits() == b.to_bits()) && back.len() == 5000);
        assert_eq!(serde_json::from_str::<PackedWeights>("[0.5, 1]").unwrap().values().unwrap(), [0.5, 1.0]);
    }

    #[test]
    fn a_short_text_with_too_many_numbers_is_refused_before_allocation() {
        let run = |length: u32| {
            let mut bytes: Vec<u8> = (0..4).map(|part| (length >> (7 * part)) as u8 | 0x80).collect();
            bytes.extend([(length >> 28) as u8, 0, 0, 0x80, 0x3F]);
            bytes
        };
        assert_eq!(unpacked(&run(1 << 20)), Some(vec![1.0; 1 << 20]));
        assert_eq!(unpacked(&[run(1 << 27), run(1)].concat()), None);
    }

    #[test]
    fn damaged_text_gives_no_weights() {
        for text in ["!!", "gA==", "/////w8AAAA/", "AQAA"] {
            assert_eq!(PackedWeights::Runs(text.into()).values(), None, "{text}");
        }
    }
}
