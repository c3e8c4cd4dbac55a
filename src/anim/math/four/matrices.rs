//! Four matrices in SIMD lanes.

use std::ops::Mul;

use glam::DMat3;

use super::{FOUR, FourVectors};
use crate::math::lanes::Vectors;

/// Four matrices.
#[derive(Clone, Copy, Debug)]
pub struct FourMatrices<V: Vectors> {
    /// First column.
    pub x_axis: FourVectors<V>,
    /// Second column.
    pub y_axis: FourVectors<V>,
    /// Third column.
    pub z_axis: FourVectors<V>,
}

impl<V: Vectors> FourMatrices<V> {
    /// Creates the matrices from one per lane.
    #[inline(always)]
    pub fn load(vectors: V, from: [&DMat3; FOUR]) -> Self {
        Self {
            x_axis: FourVectors::from_fn(vectors, |lane| from[lane].x_axis),
            y_axis: FourVectors::from_fn(vectors, |lane| from[lane].y_axis),
            z_axis: FourVectors::from_fn(vectors, |lane| from[lane].z_axis),
        }
    }

    /// Returns the matrix of each lane.
    #[inline(always)]
    pub fn store(self) -> [DMat3; FOUR] {
        let [x, y, z] = [self.x_axis.store(), self.y_axis.store(), self.z_axis.store()];
        std::array::from_fn(|lane| DMat3::from_cols(x[lane], y[lane], z[lane]))
    }
}

impl<V: Vectors> Mul<FourVectors<V>> for FourMatrices<V> {
    type Output = FourVectors<V>;

    #[inline(always)]
    fn mul(self, vector: FourVectors<V>) -> FourVectors<V> {
        self.x_axis * vector.x + self.y_axis * vector.y + self.z_axis * vector.z
    }
}

impl<V: Vectors> Mul for FourMatrices<V> {
    type Output = Self;

    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        Self { x_axis: self * other.x_axis, y_axis: self * other.y_axis, z_axis: self * other.z_axis }
    }
}
