//! Normalizes eight vectors at once.

use glam::Vec4;

use crate::math::lanes::{Eight, Vectors};
use crate::math::number::Number;

/// Returns the x, y and z of `turned` normalized; a vector of length 0 stays unchanged, and so does w.
#[inline(always)]
pub(super) fn unit<V: Vectors>(vectors: V, turned: &[Vec4; 8]) -> [Vec4; 8] {
    unit_rows(Eight::transposed(vectors, turned))
}

/// Returns eight vectors, given by component, with x, y and z normalized as in [`unit()`].
#[inline(always)]
pub(super) fn unit_rows<V: Vectors>([x, y, z, w]: [Eight<V>; 4]) -> [Vec4; 8] {
    let squared = x * x + y * y + z * z;
    let one = squared.like(1.0);
    let factor = one / squared.select_above(0.0, squared.sqrt(), one);
    Eight::rows([x * factor, y * factor, z * factor, w])
}
