//! Skin matrices in a layout for wide registers.

use glam::{Affine3A, Vec3A};

use crate::math::lanes::F32x8;

/// World ← mesh of one joint, with two columns per wide register.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(align(64))]
pub struct SkinMatrix {
    pub(super) x_y: F32x8,
    pub(super) z_translation: F32x8,
}

impl From<Affine3A> for SkinMatrix {
    fn from(transform: Affine3A) -> Self {
        let columns = |a: Vec3A, b: Vec3A| F32x8([a.x, a.y, a.z, 0.0, b.x, b.y, b.z, 0.0]);
        let axes = transform.matrix3;
        Self { x_y: columns(axes.x_axis, axes.y_axis), z_translation: columns(axes.z_axis, transform.translation) }
    }
}

impl From<SkinMatrix> for Affine3A {
    fn from(matrix: SkinMatrix) -> Self {
        let ([x, y], [z, translation]) = (matrix.x_y.halves(), matrix.z_translation.halves());
        Self::from_cols(x.truncate().into(), y.truncate().into(), z.truncate().into(), translation.truncate().into())
    }
}

impl SkinMatrix {
    /// Returns the columns of the axes and the translation.
    #[inline(always)]
    pub(super) fn columns(&self) -> [[f32; 3]; 4] {
        let (a, b) = (&self.x_y.0, &self.z_translation.0);
        [[a[0], a[1], a[2]], [a[4], a[5], a[6]], [b[0], b[1], b[2]], [b[4], b[5], b[6]]]
    }
}
