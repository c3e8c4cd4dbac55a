//! Joints as octahedra and arrow heads as cones: flat-shaded triangles built on the CPU.

use glam::Vec3;
use three_d::{Vec3 as Gpu3, Vec4 as Gpu4};

use crate::scene::{Joint, Solid};

/// Triangles in scene units, three corners each; colours are linear RGBA.
#[derive(Default)]
pub(crate) struct Triangles {
    pub positions: Vec<Gpu3>,
    pub normals: Vec<Gpu3>,
    pub colors: Vec<Gpu4>,
}

impl Triangles {
    /// Builds the triangles of `joints`, then of `solids`.
    pub fn build(joints: &[Joint], solids: &[Solid]) -> Self {
        let mut triangles = Self::default();
        joints.iter().for_each(|joint| triangles.octahedron(joint));
        solids.iter().for_each(|solid| triangles.cone(solid));
        triangles
    }

    /// Adds a slim octahedron from the head of `joint` to its tail.
    fn octahedron(&mut self, joint: &Joint) {
        // Thickest at 1/6 of its length, 1/7 of the length wide: slim, and head and tail are distinguishable.
        let axis = joint.tail - joint.head;
        let (a, b) = across(axis);
        let waist = joint.head + axis / 6.0;
        let ring = [a, b, -a, -b].map(|side| waist + side * axis.length() / 14.0);
        for i in 0..4 {
            let (from, to) = (ring[i], ring[(i + 1) % 4]);
            self.triangle([joint.head, to, from], joint.color);
            self.triangle([joint.tail, from, to], joint.color);
        }
    }

    /// Adds a cone of 20 sides with its base.
    fn cone(&mut self, solid: &Solid) {
        const SIDES: usize = 20;
        let (a, b) = across(solid.tip - solid.base);
        let corner = |i: usize| {
            let (sin, cos) = (std::f32::consts::TAU * i as f32 / SIDES as f32).sin_cos();
            solid.base + (a * cos + b * sin) * solid.radius
        };
        for i in 0..SIDES {
            self.triangle([solid.tip, corner(i), corner(i + 1)], solid.color);
            self.triangle([solid.base, corner(i + 1), corner(i)], solid.color);
        }
    }

    /// Adds a flat triangle; corners are counter-clockwise as seen from outside.
    fn triangle(&mut self, corners: [Vec3; 3], color: [f32; 4]) {
        let normal = (corners[1] - corners[0]).cross(corners[2] - corners[0]).normalize_or_zero();
        for corner in corners {
            self.positions.push(Gpu3::new(corner.x, corner.y, corner.z));
            self.normals.push(Gpu3::new(normal.x, normal.y, normal.z));
            self.colors.push(color.into());
        }
    }
}

/// Returns two unit vectors perpendicular to `axis` and each other. An `axis` without length counts as +Y.
fn across(axis: Vec3) -> (Vec3, Vec3) {
    axis.normalize_or(Vec3::Y).any_orthonormal_pair()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_face_of_an_octahedron_faces_outwards() {
        let joint = Joint { head: Vec3::ZERO, tail: Vec3::Y, color: [1.0; 4] };
        let triangles = Triangles::build(&[joint], &[]);
        assert_eq!(triangles.positions.len(), 24);
        let inside = Vec3::Y / 6.0;
        for (position, normal) in triangles.positions.iter().zip(&triangles.normals) {
            let out = Vec3::new(position.x, position.y, position.z) - inside;
            assert!(out.dot(Vec3::new(normal.x, normal.y, normal.z)) > 0.0);
        }
    }
}
