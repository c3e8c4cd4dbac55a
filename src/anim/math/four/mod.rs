//! Four `f64` per register, and vectors, rotations and matrices of them.
//!
//! Every formula follows glam's of the same name in the same order, so each lane has the same bits as a single
//! computation.

mod mask;
mod matrices;
mod rotations;
mod vectors;

use std::ops::{Add, Div, Mul, Neg, Sub};

use super::lanes::{Vectors, by_lane};

pub use mask::Mask;
pub use matrices::FourMatrices;
pub use rotations::FourRotations;
pub use vectors::FourVectors;

/// Number of lanes of a [`Four`].
pub const FOUR: usize = 4;

/// Four `f64` in a register.
#[derive(Clone, Copy, Debug)]
pub struct Four<V: Vectors> {
    vectors: V,
    lanes: V::f64s,
}

impl<V: Vectors> Four<V> {
    /// Creates lanes from four numbers.
    #[inline(always)]
    pub fn new(vectors: V, numbers: [f64; FOUR]) -> Self {
        Self { vectors, lanes: pulp::cast(numbers) }
    }

    /// Creates lanes from a function of the lane index.
    #[inline(always)]
    pub fn from_fn(vectors: V, number: impl Fn(usize) -> f64) -> Self {
        Self::new(vectors, [number(0), number(1), number(2), number(3)])
    }

    /// Sets all lanes to the same number.
    #[inline(always)]
    pub fn splat(vectors: V, number: f64) -> Self {
        Self { vectors, lanes: vectors.splat_f64s(number) }
    }

    /// Returns `number` in every lane.
    #[inline(always)]
    pub fn like(self, number: f64) -> Self {
        Self::splat(self.vectors, number)
    }

    /// Returns the numbers of the lanes.
    #[inline(always)]
    pub fn store(self) -> [f64; FOUR] {
        pulp::cast(self.lanes)
    }

    /// Returns the square root.
    #[inline(always)]
    pub fn sqrt(self) -> Self {
        Self { lanes: self.vectors.sqrt_f64s(self.lanes), ..self }
    }

    /// Returns the reciprocal.
    #[inline(always)]
    pub fn recip(self) -> Self {
        self.like(1.0) / self
    }

    /// Returns the absolute value.
    #[inline(always)]
    pub fn abs(self) -> Self {
        Self { lanes: self.vectors.abs_f64s(self.lanes), ..self }
    }

    /// Returns the greater number; neither may be NaN.
    #[inline(always)]
    pub fn max(self, other: Self) -> Self {
        Self { lanes: self.vectors.max_f64s(self.lanes, other.lanes), ..self }
    }

    /// Returns the smaller number; neither may be NaN.
    #[inline(always)]
    pub fn min(self, other: Self) -> Self {
        Self { lanes: self.vectors.min_f64s(self.lanes, other.lanes), ..self }
    }

    /// Returns where this is smaller than `other`; false for NaN.
    #[inline(always)]
    pub fn is_below(self, other: Self) -> Mask<V> {
        Mask { vectors: self.vectors, lanes: self.vectors.less_than_f64s(self.lanes, other.lanes) }
    }

    /// Returns where this is `other` or smaller; false for NaN.
    #[inline(always)]
    pub fn is_at_most(self, other: Self) -> Mask<V> {
        Mask { vectors: self.vectors, lanes: self.vectors.less_than_or_equal_f64s(self.lanes, other.lanes) }
    }
}

by_lane!(Four, f64, splat_f64s, xor_f64s, Add add add_f64s, Sub sub sub_f64s, Mul mul mul_f64s, Div div div_f64s);

#[cfg(test)]
mod tests;
