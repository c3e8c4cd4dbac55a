//! Painted weights: one number per unit, shared when cloned, packed in project files.

mod packed;

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use packed::PackedWeights;

/// One painted number per unit (vertex, joint or pixel), or none where nothing is painted. Cloning shares it, so that undo
/// costs nothing.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(from = "PackedWeights", into = "PackedWeights")]
pub struct WeightMap {
    values: Arc<[f32]>,
    damaged: bool,
}

impl WeightMap {
    /// The numbers; empty where nothing is painted.
    pub fn values(&self) -> &[f32] {
        &self.values
    }

    /// Whether both are the same numbers in memory, held once.
    pub(crate) fn is_shared_with(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.values, &other.values)
    }

    /// Whether nothing is painted.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// Whether it was read from damaged text, and so is empty.
    pub fn is_damaged(&self) -> bool {
        self.damaged
    }
}

impl Default for WeightMap {
    fn default() -> Self {
        Self { values: Arc::new([]), damaged: false }
    }
}

/// Compared by what they share first: millions of numbers are compared in every frame otherwise.
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
        Self::of(paint.values())
    }
}
