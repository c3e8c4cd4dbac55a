//! Where geometry stands off its node.
//!
//! An FBX may place geometry with an offset, turn and scale of its own (3ds Max does, of pivots that were moved), which children of the node do
//! not take over. What is skinned has it in its binding; what is not gets it folded into vertices, normals and blend shapes.

use glam::{DAffine3, DMat3, DVec3, Vec3};
use ufbx::Node;

use super::skins::exact;

/// From a mesh to the node that carries it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct GeometryOffset {
    place: DAffine3,
    normals: DMat3,
}

impl GeometryOffset {
    pub(super) const NONE: Self = Self { place: DAffine3::IDENTITY, normals: DMat3::IDENTITY };

    /// What `node` gives its mesh; none where it cannot be told.
    pub(super) fn of(node: &Node) -> Self {
        let place = exact(&node.geometry_to_node);
        if !node.has_geometry_transform || !place.is_finite() {
            return Self::NONE;
        }
        let normals = place.matrix3.inverse().transpose();
        Self { place, normals: if normals.is_finite() { normals } else { DMat3::IDENTITY } }
    }

    /// Whether triangles wind the other way round.
    pub(super) fn mirrors(&self) -> bool {
        self.place.matrix3.determinant() < 0.0
    }

    pub(super) fn point(&self, point: &ufbx::Vec3) -> Vec3 {
        self.place.transform_point3(vector(point)).as_vec3()
    }

    pub(super) fn offset(&self, offset: &ufbx::Vec3) -> Vec3 {
        self.place.transform_vector3(vector(offset)).as_vec3()
    }

    /// A direction at right angles to the surface; its length means nothing.
    pub(super) fn normal(&self, normal: &ufbx::Vec3) -> Vec3 {
        (self.normals * vector(normal)).as_vec3()
    }
}

fn vector(found: &ufbx::Vec3) -> DVec3 {
    DVec3::new(found.x, found.y, found.z)
}
