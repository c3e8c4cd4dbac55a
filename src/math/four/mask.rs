//! Conditions that hold in some of four lanes.

use super::{FOUR, Four, FourVectors};
use crate::math::lanes::Vectors;

/// Which of four lanes a condition holds in.
#[derive(Clone, Copy, Debug)]
pub struct Mask<V: Vectors> {
    pub(super) vectors: V,
    pub(super) lanes: V::m64s,
}

impl<V: Vectors> Mask<V> {
    /// Where `holds` does, by the index of the lane.
    #[inline(always)]
    pub fn from_fn(vectors: V, holds: impl Fn(usize) -> bool) -> Self {
        Four::splat(vectors, 0.0).is_below(Four::from_fn(vectors, |lane| if holds(lane) { 1.0 } else { 0.0 }))
    }

    /// Where both hold.
    #[inline(always)]
    pub fn and(self, other: Self) -> Self {
        Self { lanes: self.vectors.and_m64s(self.lanes, other.lanes), ..self }
    }

    /// Lane for lane.
    #[inline(always)]
    pub fn store(self) -> [bool; FOUR] {
        let lanes: [u64; FOUR] = pulp::cast(self.lanes);
        lanes.map(|lane| lane != 0)
    }

    /// Whether it holds everywhere.
    #[inline(always)]
    pub fn all(self) -> bool {
        let lanes: [u64; FOUR] = pulp::cast(self.lanes);
        lanes[0] & lanes[1] & lanes[2] & lanes[3] != 0
    }

    /// `yes` where it holds, else `no`.
    #[inline(always)]
    pub fn select(self, yes: Four<V>, no: Four<V>) -> Four<V> {
        Four { vectors: self.vectors, lanes: self.vectors.select_f64s(self.lanes, yes.lanes, no.lanes) }
    }

    /// `yes` where it holds, else `no`.
    #[inline(always)]
    pub fn select_vector(self, yes: FourVectors<V>, no: FourVectors<V>) -> FourVectors<V> {
        FourVectors { x: self.select(yes.x, no.x), y: self.select(yes.y, no.y), z: self.select(yes.z, no.z) }
    }
}
