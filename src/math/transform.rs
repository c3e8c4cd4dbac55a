//! A joint's place relative to its parent.

use glam::{Affine3A, DAffine3, Quat, Vec3};
use serde::{Deserialize, Serialize};

/// Translation (metres in the file's unit), rotation (unit xyzw) and scale, applied scale first.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Transform {
    /// Offset from the parent.
    pub translation: Vec3,
    /// Unit quaternion.
    pub rotation: Quat,
    /// Factor along each local axis.
    pub scale: Vec3,
}

impl Transform {
    /// No offset, no turn, scale 1.
    pub const IDENTITY: Self = Self { translation: Vec3::ZERO, rotation: Quat::IDENTITY, scale: Vec3::ONE };

    /// A pure offset.
    pub const fn from_translation(translation: Vec3) -> Self {
        Self { translation, ..Self::IDENTITY }
    }

    /// The affine map parent ← local.
    pub fn to_affine(self) -> Affine3A {
        Affine3A::from_scale_rotation_translation(self.scale, self.rotation, self.translation)
    }

    /// The same map in f64, for measurements along long chains and paths.
    pub fn to_affine_f64(self) -> DAffine3 {
        DAffine3::from_scale_rotation_translation(
            self.scale.as_dvec3(),
            self.rotation.as_dquat().normalize(),
            self.translation.as_dvec3(),
        )
    }

    /// The nearest translation, rotation and scale of an affine map; shear is dropped.
    pub fn from_affine(affine: Affine3A) -> Self {
        let (scale, rotation, translation) = affine.to_scale_rotation_translation();
        Self { translation, rotation, scale }
    }

    /// Every component is a finite number.
    pub fn is_finite(self) -> bool {
        self.translation.is_finite() && self.rotation.is_finite() && self.scale.is_finite()
    }
}

impl Default for Transform {
    fn default() -> Self {
        Self::IDENTITY
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_affine_map_comes_back_as_the_transform_that_made_it() {
        let transform = Transform {
            translation: Vec3::new(1.0, -2.0, 3.0),
            rotation: Quat::from_rotation_y(0.7),
            scale: Vec3::new(1.0, 2.0, 0.5),
        };
        let back = Transform::from_affine(transform.to_affine());
        assert!(back.translation.abs_diff_eq(transform.translation, 1e-6));
        assert!(back.rotation.abs_diff_eq(transform.rotation, 1e-6));
        assert!(back.scale.abs_diff_eq(transform.scale, 1e-6));
    }
}
