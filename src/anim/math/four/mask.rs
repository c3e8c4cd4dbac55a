//! Conditions per lane.

use super::{FOUR, Four, FourVectors};
use crate::math::lanes::Vectors;

/// A condition for each of four lanes.
#[derive(Clone, Copy, Debug)]
pub struct Mask<V: Vectors> {
    pub(super) vectors: V,
    pub(super) lanes: V::m64s,
}

impl<V: Vectors> Mask<V> {
    /// Creates a mask that is true in the lanes for which `condition` is true.
    #[inline(always)]
    pub fn from_fn(vectors: V, condition: impl Fn(usize) -> bool) -> Self {
        Four::splat(vectors, 0.0).is_below(Four::from_fn(vectors, |lane| if condition(lane) { 1.0 } else { 0.0 }))
    }

    /// Returns the logical and.
    #[inline(always)]
    pub fn and(self, other: Self) -> Self {
        Self { lanes: self.vectors.and_m64s(self.lanes, other.lanes), ..self }
    }

    /// Returns the condition of each lane.
    #[inline(always)]
    pub fn store(self) -> [bool; FOUR] {
        let lanes: [u64; FOUR] = pulp::cast(self.lanes);
        lanes.map(|lane| lane != 0)
    }

    /// True if the condition is true in all lanes.
    #[inline(always)]
    pub fn all(self) -> bool {
        let lanes: [u64; FOUR] = pulp::cast(self.lanes);
        lanes[0] & lanes[1] & lanes[2] & lanes[3] != 0
    }

    /// Returns `yes` in the lanes where the condition is true, else `no`.
    #[inline(always)]
    pub fn select(self, yes: Four<V>, no: Four<V>) -> Four<V> {
        Four { vectors: self.vectors, lanes: self.vectors.select_f64s(self.lanes, yes.lanes, no.lanes) }
    }

    /// Returns `yes` in the lanes where the condition is true, else `no`.
    #[inline(always)]
    pub fn select_vector(self, yes: FourVectors<V>, no: FourVectors<V>) -> FourVectors<V> {
        FourVectors { x: self.select(yes.x, no.x), y: self.select(yes.y, no.y), z: self.select(yes.z, no.z) }
    }
}
