//! The blended skin matrix of one vertex.

use glam::{Vec3, Vec4};

use super::skin_matrix::SkinMatrix;
use crate::math::lanes::{Eight, Vectors};

/// The weighted sum of matrices, and the sum of the weights.
pub(super) struct MixedMatrix<V: Vectors> {
    x_y: Eight<V>,
    z_translation: Eight<V>,
    weight: Eight<V>,
}

impl<V: Vectors> MixedMatrix<V> {
    /// Returns an empty sum.
    #[inline(always)]
    pub fn none(vectors: V) -> Self {
        // Unlike 0, −0 changes no other summand, so the addition can be optimized away.
        let zero = Eight::splat(vectors, -0.0);
        Self { x_y: zero, z_translation: zero, weight: zero }
    }

    /// Adds the matrices of four joints, multiplied by their weights, in order. It stops at the first joint that `palette` lacks.
    #[inline(always)]
    pub fn with(mut self, vectors: V, palette: &[SkinMatrix], joints: &[u16; 4], weights: &[f32; 4]) -> Self {
        for (&joint, weight) in joints.iter().zip(weights) {
            let Some(matrix) = palette.get(usize::from(joint)) else { return self };
            let weight = Eight::splat(vectors, *weight);
            self.x_y = self.x_y + Eight::load(vectors, &matrix.x_y) * weight;
            self.z_translation = self.z_translation + Eight::load(vectors, &matrix.z_translation) * weight;
            self.weight = self.weight + weight;
        }
        self
    }

    /// Transforms `position` in place and returns the transformed normal, which is not of unit length, so the sum of weights does
    /// not matter. Without weights both stay as they are.
    #[inline(always)]
    pub fn carry(self, position: &mut Vec3, normal: Vec3) -> Vec4 {
        let ([x, y], [z, translation]) = (self.x_y.store().halves(), self.z_translation.store().halves());
        let [sum, _] = self.weight.store().halves();
        if sum.x <= 0.0 {
            return normal.extend(0.0);
        }
        *position = ((x * position.x + y * position.y + z * position.z + translation) / sum).truncate();
        x * normal.x + y * normal.y + z * normal.z
    }
}
