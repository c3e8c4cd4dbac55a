//! The transform of geometry relative to its node.
//!
//! FBX geometry may have its own offset, rotation and scale, which children of the node do not inherit.
//! 3ds Max writes them for moved pivots. Skins include the transform in their bind matrices.
//! Without a skin it is applied to vertices, normals and blend shapes.

use glam::{DAffine3, DMat3, DVec3, Vec3};
use ufbx::Node;

use super::skins::exact;

/// The transform from a mesh to its node.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct GeometryOffset {
    transform: DAffine3,
    normals: DMat3,
}

impl GeometryOffset {
    pub(super) const NONE: Self = Self { transform: DAffine3::IDENTITY, normals: DMat3::IDENTITY };

    /// Returns the geometry transform of `node`, or [`Self::NONE`] if it has none or it is not finite.
    pub(super) fn of(node: &Node) -> Self {
        let transform = exact(&node.geometry_to_node);
        if !node.has_geometry_transform || !transform.is_finite() {
            return Self::NONE;
        }
        let normals = transform.matrix3.inverse().transpose();
        Self { transform, normals: if normals.is_finite() { normals } else { DMat3::IDENTITY } }
    }

    /// True if the transform reverses the winding of triangles.
    pub(super) fn mirrors(&self) -> bool {
        self.transform.matrix3.determinant() < 0.0
    }

    /// Transforms a position.
    pub(super) fn point(&self, point: &ufbx::Vec3) -> Vec3 {
        self.transform.transform_point3(vector(point)).as_vec3()
    }

    /// Transforms an offset, which is not moved.
    pub(super) fn offset(&self, offset: &ufbx::Vec3) -> Vec3 {
        self.transform.transform_vector3(vector(offset)).as_vec3()
    }

    /// Transforms a surface normal. The result is not normalised.
    pub(super) fn normal(&self, normal: &ufbx::Vec3) -> Vec3 {
        (self.normals * vector(normal)).as_vec3()
    }
}

fn vector(found: &ufbx::Vec3) -> DVec3 {
    DVec3::new(found.x, found.y, found.z)
}
