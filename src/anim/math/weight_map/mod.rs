//! Painted weights: one number per unit, shared between clones, packed in project files.

mod packed;

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use packed::PackedWeights;

/// Painted weights, one number per unit (vertex, joint or pixel), or none if nothing is painted. Clones share the
/// numbers, so undo costs no memory.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(from = "PackedWeights", into = "PackedWeights")]
pub struct WeightMap {
    values: Arc<[f32]>,
    damaged: bool,
}

impl WeightMap {
    /// Returns the weights; empty if nothing is painted.
    pub fn values(&self) -> &[f32] {
        &self.values
    }

    /// True if both share the same memory.
    pub fn is_shared_with(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.values, &other.values)
    }

    /// True if nothing is painted.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// True if it was read from damaged text, and is therefore empty.
    pub fn is_damaged(&self) -> bool {
        self.damaged
    }
}

impl Default for WeightMap {
    fn default() -> Self {
        Self { values: Arc::new([]), damaged: false }
    }
}

/// Compares pointers first, because otherwise millions of numbers would be compared every frame.
impl PartialEq for WeightMap {
    fn eq(&self, other: &Self) -> bool {
        self.damaged == other.damaged && (Arc::ptr_eq(&self.values, &other.values) || self.values == other.values)
    }
}

impl From<Vec<f32>> for WeightMap {
    fn from(values: Vec<f32>) -> Self {
        Self { values: values.into(), damaged: false }
    }
}

impl From<PackedWeights> for WeightMap {
    fn from(packed: PackedWeights) -> Self {
        packed.values().map_or(Self { damaged: true, ..Self::default() }, Self::from)
    }
}

impl From<WeightMap> for PackedWeights {
    fn from(paint: WeightMap) -> Self {
        Self::pack(paint.values())
    }
}
