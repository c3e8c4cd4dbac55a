//! Transforms of joints relative to their parents.

use glam::{Affine3A, DAffine3, Mat3A, Quat, Vec3};
use serde::{Deserialize, Serialize};

use super::number::Number;

/// Translation in the file's unit, rotation (unit xyzw) and scale, applied scale first.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Transform {
    /// Offset from the parent.
    pub translation: Vec3,
    /// Rotation relative to the parent, a unit quaternion.
    pub rotation: Quat,
    /// Factor along each local axis.
    pub scale: Vec3,
}

impl Transform {
    /// The identity: no offset, no rotation, scale 1.
    pub const IDENTITY: Self = Self { translation: Vec3::ZERO, rotation: Quat::IDENTITY, scale: Vec3::ONE };

    /// Creates a translation.
    pub const fn from_translation(translation: Vec3) -> Self {
        Self { translation, ..Self::IDENTITY }
    }

    /// Returns `parent` times this transform without an intermediate matrix, bit-identical for scale 1; `axes` are
    /// the [`rotation_axes`] of the rotation.
    #[inline(always)]
    pub fn within(&self, axes: [f32; 9], parent: &Affine3A) -> Affine3A {
        let parent_axes = &parent.matrix3;
        let transformed =
            |x: f32, y: f32, z: f32| parent_axes.x_axis * x + parent_axes.y_axis * y + parent_axes.z_axis * z;
        let offset = self.translation;
        let mut matrix3 = Mat3A::from_cols(
            transformed(axes[0], axes[1], axes[2]),
            transformed(axes[3], axes[4], axes[5]),
            transformed(axes[6], axes[7], axes[8]),
        );
        // Skipped for scale 1, because whole chains of joints depend on this result.
        if !self.keeps_size() {
            matrix3.x_axis *= self.scale.x;
            matrix3.y_axis *= self.scale.y;
            matrix3.z_axis *= self.scale.z;
        }
        Affine3A { matrix3, translation: transformed(offset.x, offset.y, offset.z) + parent.translation }
    }

    /// True if the scale is exactly 1, which has a single bit pattern.
    #[inline(always)]
    fn keeps_size(&self) -> bool {
        const ONE: u32 = 1.0_f32.to_bits();
        let apart = |number: f32| number.to_bits() ^ ONE;
        apart(self.scale.x) | apart(self.scale.y) | apart(self.scale.z) == 0
    }

    /// Returns the transform in f64, for measurements along long chains and paths.
    pub fn to_affine_f64(self) -> DAffine3 {
        DAffine3::from_scale_rotation_translation(
            self.scale.as_dvec3(),
            self.rotation.as_dquat().normalize(),
            self.translation.as_dvec3(),
        )
    }

    /// Returns the nearest translation, rotation and scale of an affine transform; shear is dropped.
    pub fn from_affine(affine: Affine3A) -> Self {
        let (scale, rotation, translation) = affine.to_scale_rotation_translation();
        Self { translation, rotation, scale }
    }

    /// True if all components are finite.
    pub fn is_finite(self) -> bool {
        self.translation.is_finite() && self.rotation.is_finite() && self.scale.is_finite()
    }
}

/// Returns the images of the axes x, y and z under the unit quaternion xyzw, three numbers each.
#[inline(always)]
pub fn rotation_axes<N: Number>([x, y, z, w]: [N; 4]) -> [N; 9] {
    let (x2, y2, z2) = (x + x, y + y, z + z);
    let (xx, yy, zz) = (x * x2, y * y2, z * z2);
    let (xy, yz, zx) = (y * x2, z * y2, x * z2);
    let (xw, yw, zw) = (x2 * w, y2 * w, z2 * w);
    let one = x.like(1.0);
    [one - (yy + zz), xy + zw, zx - yw, xy - zw, one - (xx + zz), yz + xw, zx + yw, yz - xw, one - (xx + yy)]
}

impl Default for Transform {
    fn default() -> Self {
        Self::IDENTITY
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the affine transform parent ← local.
    fn affine(local: Transform) -> Affine3A {
        Affine3A::from_scale_rotation_translation(local.scale, local.rotation, local.translation)
    }

    #[test]
    fn an_affine_transform_converts_back_to_its_transform() {
        let transform = Transform {
            translation: Vec3::new(1.0, -2.0, 3.0),
            rotation: Quat::from_rotation_y(0.7),
            scale: Vec3::new(1.0, 2.0, 0.5),
        };
        let back = Transform::from_affine(affine(transform));
        assert!(back.translation.abs_diff_eq(transform.translation, 1e-6));
        assert!(back.rotation.abs_diff_eq(transform.rotation, 1e-6));
        assert!(back.scale.abs_diff_eq(transform.scale, 1e-6));
    }

    #[test]
    fn a_transform_within_a_parent_is_the_matrix_product() {
        for i in 0..64 {
            let rotation = Quat::from_euler(glam::EulerRot::XYZ, i as f32 * 0.7, i as f32 * 1.3, i as f32 * 2.9);
            let offset = Vec3::new(i as f32, 0.3 - i as f32, 1.7);
            let mut local = Transform { translation: offset, rotation, scale: Vec3::ONE };
            let parent =
                Affine3A::from_scale_rotation_translation(Vec3::new(0.5, 2.0, 1.5), rotation * rotation, offset);
            let axes = rotation_axes(rotation.to_array());
            assert_eq!(local.within(axes, &parent), parent * affine(local), "{i}");
            local.scale = Vec3::new(0.3, 1.7, 2.1);
            assert!(local.within(axes, &parent).abs_diff_eq(parent * affine(local), 1e-5), "{i}");
        }
    }
}
