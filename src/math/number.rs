//! One number, or four side by side: a formula written once serves one joint and four at a time, with the same bits.

use std::ops::{Add, Div, Mul, Neg, Sub};

use glam::Vec4;

/// What formulas of joints are written in.
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
    /// The same number everywhere.
    fn splat(number: f32) -> Self;

    /// The square root.
    fn sqrt(self) -> Self;

    /// This with its sign changed where `side` is negative.
    fn facing(self, side: Self) -> Self;

    /// `yes` where this is greater than `limit`, else `no`.
    fn above(self, limit: f32, yes: Self, no: Self) -> Self;
}

impl Number for f32 {
    #[inline(always)]
    fn splat(number: f32) -> Self {
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
    fn above(self, limit: f32, yes: Self, no: Self) -> Self {
        if self > limit { yes } else { no }
    }
}

impl Number for Vec4 {
    #[inline(always)]
    fn splat(number: f32) -> Self {
        Self::splat(number)
    }

    #[inline(always)]
    fn sqrt(self) -> Self {
        self.sqrt()
    }

    #[inline(always)]
    fn facing(self, side: Self) -> Self {
        Self::select(side.cmplt(Self::ZERO), -self, self)
    }

    #[inline(always)]
    fn above(self, limit: f32, yes: Self, no: Self) -> Self {
        Self::select(self.cmpgt(Self::splat(limit)), yes, no)
    }
}

/// The sum of the products.
#[inline(always)]
pub fn dot<N: Number>(a: [N; 4], b: [N; 4]) -> N {
    (a[0] * b[0] + a[1] * b[1]) + (a[2] * b[2] + a[3] * b[3])
}

/// Σ coefficient·xⁱ, the constant first; at least two.
#[inline(always)]
pub(super) fn polynomial<N: Number, const TERMS: usize>(coefficients: &[f32; TERMS], x: N) -> N {
    let mut sum = x * coefficients[TERMS - 1] + coefficients[TERMS - 2];
    for i in (0..TERMS - 2).rev() {
        sum = sum * x + coefficients[i];
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn four_side_by_side_have_the_bits_of_each_alone() {
        let four = [0.3, -1.7, 2e-13, 7.1];
        let formula = |x: f32| polynomial(&[1.0, -0.3, 0.01], x).above(0.5, (x * x).sqrt(), -x);
        let wide = polynomial(&[1.0, -0.3, 0.01], Vec4::from(four));
        let wide = wide.above(0.5, Number::sqrt(Vec4::from(four) * Vec4::from(four)), -Vec4::from(four));
        assert_eq!(wide.to_array(), four.map(formula));
        let wide = dot([Vec4::from(four); 4], [Vec4::splat(0.7), Vec4::from(four), Vec4::ONE, Vec4::NEG_X]);
        let each = |i: usize| dot([four[i]; 4], [0.7, four[i], 1.0, Vec4::NEG_X[i]]);
        assert_eq!(wide.to_array(), std::array::from_fn(each));
    }
}
