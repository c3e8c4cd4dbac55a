//! Painted weights: one number per unit, shared between clones, packed in project files.

mod packed;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use serde::{Deserialize, Serialize};

use packed::PackedWeights;
use portamento_base::budget;

/// Painted weights, one number per unit (vertex, joint or pixel), or none if nothing is painted. Clones share the
/// numbers, so undo costs no memory.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(from = "PackedWeights", into = "PackedWeights")]
pub struct WeightMap {
    values: Arc<Values>,
    damaged: bool,
}

/// Weights, with the bytes that they take of the memory for unpacked weights. The bytes are returned when the value is dropped.
#[derive(Debug, Default)]
struct Values {
    numbers: Vec<f32>,
    unpacked_bytes: u64,
}

/// Bytes of all weights unpacked from text. A short text may claim any length, so together they stay within the memory
/// limit.
static UNPACKED_BYTES: AtomicU64 = AtomicU64::new(0);

/// Takes `bytes` of the memory for unpacked weights; false if it does not suffice.
fn take_unpacked(bytes: u64) -> bool {
    let more = |taken: u64| taken.checked_add(bytes).filter(|&taken| taken <= budget::limit());
    UNPACKED_BYTES.fetch_update(Ordering::Relaxed, Ordering::Relaxed, more).is_ok()
}

impl Drop for Values {
    fn drop(&mut self) {
        UNPACKED_BYTES.fetch_sub(self.unpacked_bytes, Ordering::Relaxed);
    }
}

impl WeightMap {
    /// Returns the weights; empty if nothing is painted.
    pub fn values(&self) -> &[f32] {
        &self.values.numbers
    }

    /// True if both share the same memory.
    pub fn is_shared_with(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.values, &other.values)
    }

    /// True if nothing is painted.
    pub fn is_empty(&self) -> bool {
        self.values.numbers.is_empty()
    }

    /// True if it was read from damaged text or exceeded the memory limit, and is therefore empty.
    pub fn is_damaged(&self) -> bool {
        self.damaged
    }
}

/// Compares pointers first, because otherwise millions of numbers would be compared every frame.
impl PartialEq for WeightMap {
    fn eq(&self, other: &Self) -> bool {
        self.damaged == other.damaged && (Arc::ptr_eq(&self.values, &other.values) || self.values() == other.values())
    }
}

impl From<Vec<f32>> for WeightMap {
    fn from(values: Vec<f32>) -> Self {
        Self { values: Arc::new(Values { numbers: values, unpacked_bytes: 0 }), damaged: false }
    }
}

impl From<PackedWeights> for WeightMap {
    /// Unpacks the weights. Damaged text and weights beyond the memory limit give an empty map for which
    /// [`WeightMap::is_damaged`] is true.
    fn from(packed: PackedWeights) -> Self {
        let bytes = packed.unpacked_bytes();
        let damaged = Self { damaged: true, ..Self::default() };
        if !take_unpacked(bytes) {
            return damaged;
        }
        // Returns the bytes if the text is damaged.
        let mut values = Values { numbers: Vec::new(), unpacked_bytes: bytes };
        let Some(numbers) = packed.values() else { return damaged };
        values.numbers = numbers;
        Self { values: Arc::new(values), damaged: false }
    }
}

impl From<WeightMap> for PackedWeights {
    fn from(paint: WeightMap) -> Self {
        Self::pack(paint.values())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Text of a map of `count` equal numbers.
    fn packed(count: usize) -> String {
        serde_json::to_string(&WeightMap::from(vec![0.5; count])).unwrap()
    }

    #[test]
    fn unpacked_weights_are_counted_until_they_are_dropped() {
        // Other tests of this process unpack maps of a few kilobytes.
        const COUNT: usize = 1 << 22;
        let text = packed(COUNT);
        assert!(text.len() < 40, "{text}");
        let before = UNPACKED_BYTES.load(Ordering::Relaxed);
        let maps: Vec<WeightMap> = (0..4).map(|_| serde_json::from_str(&text).unwrap()).collect();
        let clone = maps[0].clone();
        assert!(maps.iter().all(|map| map.values().len() == COUNT && !map.is_damaged()));
        let taken = UNPACKED_BYTES.load(Ordering::Relaxed).abs_diff(before);
        assert!(taken.abs_diff(16 * COUNT as u64) < COUNT as u64, "{taken}");
        drop((maps, clone));
        assert!(UNPACKED_BYTES.load(Ordering::Relaxed).abs_diff(before) < COUNT as u64);
        assert!(!take_unpacked(budget::limit() + 1) && !take_unpacked(u64::MAX));
        let short: WeightMap = serde_json::from_str("\"gA==\"").unwrap();
        assert!(short.is_damaged() && short.is_empty());
    }
}
