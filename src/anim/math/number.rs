//! Numeric trait for single numbers and SIMD lanes: a formula written once serves one joint or several, with the same
//! bits.

use std::ops::{Add, Div, Mul, Neg, Sub};

/// A number, or several in SIMD lanes.
pub trait Number:
    Copy
    + Add<Output = Self>
    + Add<f32, Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Mul<f32, Output = Self>
    + Div<Output = Self>
    + Neg<Output = Self>
{
    /// Returns `number` in every lane.
    fn like(self, number: f32) -> Self;

    /// Returns the square root.
    fn sqrt(self) -> Self;

    /// Returns this number with its sign changed where `side` is negative.
    fn facing(self, side: Self) -> Self;

    /// Returns `yes` where this is greater than `limit`, else `no`.
    fn select_above(self, limit: f32, yes: Self, no: Self) -> Self;
}

impl Number for f32 {
    #[inline(always)]
    fn like(self, number: f32) -> Self {
        number
    }

    #[inline(always)]
    fn sqrt(self) -> Self {
        self.sqrt()
    }

    #[inline(always)]
    fn facing(self, side: Self) -> Self {
        if side < 0.0 { -self } else { self }
    }

    #[inline(always)]
    fn select_above(self, limit: f32, yes: Self, no: Self) -> Self {
        if self > limit { yes } else { no }
    }
}

/// Returns the dot product.
#[inline(always)]
pub fn dot<N: Number>(a: [N; 4], b: [N; 4]) -> N {
    (a[0] * b[0] + a[1] * b[1]) + (a[2] * b[2] + a[3] * b[3])
}

/// Evaluates Σ coefficient·xⁱ, constant first; needs at least two coefficients.
#[inline(always)]
pub(super) fn polynomial<N: Number, const TERMS: usize>(coefficients: &[f32; TERMS], x: N) -> N {
    let mut sum = x * coefficients[TERMS - 1] + coefficients[TERMS - 2];
    for i in (0..TERMS - 2).rev() {
        sum = sum * x + coefficients[i];
    }
    sum
}
