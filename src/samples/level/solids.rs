//! Flat-faced solids from which the level is built.

use glam::{DVec2, DVec3, dvec3};

use super::surface::LevelSurface;
use portamento_anim::geometry::{Mesh, Primitive};

/// A mesh under construction with one primitive per surface.
pub(super) struct LevelMesh {
    name: &'static str,
    parts: Vec<Primitive>,
}

impl LevelMesh {
    /// Creates a mesh without faces.
    pub fn new(name: &'static str) -> Self {
        Self { name, parts: Vec::new() }
    }

    /// Returns the finished mesh, one primitive per surface.
    pub fn mesh(self) -> Mesh {
        Mesh { name: self.name.into(), primitives: self.parts, ..Mesh::default() }
    }

    /// Returns the primitive of one surface.
    pub fn part(&mut self, surface: LevelSurface) -> &mut Primitive {
        let material = Some(surface as usize);
        let index = self.parts.iter().position(|part| part.material == material).unwrap_or_else(|| {
            self.parts.push(Primitive { material, ..Primitive::default() });
            self.parts.len() - 1
        });
        &mut self.parts[index]
    }

    /// Adds a flat convex face with its corners counterclockwise seen from outside.
    pub fn face(&mut self, surface: LevelSurface, corners: &[DVec3]) {
        let normal = (corners[1] - corners[0]).cross(corners[2] - corners[0]).normalize_or_zero().as_vec3();
        let part = self.part(surface);
        let first = part.positions.len() as u32;
        part.positions.extend(corners.iter().map(|corner| corner.as_vec3()));
        part.normals.extend(corners.iter().map(|_| normal));
        part.indices.extend((2..corners.len() as u32).flat_map(|at| [first, first + at - 1, first + at]));
    }

    /// Adds a solid with vertical sides over an outline (x, z; clockwise seen from above), without a bottom.
    /// The height of its top may vary over the outline if the top stays flat.
    pub fn prism(&mut self, surface: LevelSurface, outline: &[DVec2], bottom: f64, top: impl Fn(DVec2) -> f64) {
        let lower = |at: DVec2| dvec3(at.x, bottom, at.y);
        let upper = |at: DVec2| dvec3(at.x, top(at), at.y);
        for (index, &here) in outline.iter().enumerate() {
            let next = outline[(index + 1) % outline.len()];
            self.face(surface, &[lower(next), lower(here), upper(here), upper(next)]);
        }
        let cap: Vec<DVec3> = outline.iter().rev().map(|at| upper(*at)).collect();
        self.face(surface, &cap);
    }

    /// Adds a box rotated by `yaw` radians about its vertical axis. `size` is width, height and depth.
    pub fn block(&mut self, surface: LevelSurface, foot: DVec3, size: DVec3, yaw: f64) {
        let outline = rectangle(DVec2::new(foot.x, foot.z), DVec2::new(size.x, size.z), yaw);
        self.prism(surface, &outline, foot.y, |_| foot.y + size.y);
    }

    /// Adds a vertical cone or truncated cone with `sides` flat sides.
    pub fn cone(&mut self, surface: LevelSurface, foot: DVec3, radii: [f64; 2], height: f64, sides: usize) {
        let ring = |radius: f64, y: f64| -> Vec<DVec3> {
            let angle = |side: usize| std::f64::consts::TAU * side as f64 / sides as f64;
            (0..sides).map(|side| foot + dvec3(angle(side).cos() * radius, y, angle(side).sin() * radius)).collect()
        };
        let (low, high) = (ring(radii[0], 0.0), ring(radii[1], height));
        for side in 0..sides {
            let next = (side + 1) % sides;
            match radii[1] > 0.0 {
                true => self.face(surface, &[low[next], low[side], high[side], high[next]]),
                false => self.face(surface, &[low[next], low[side], high[side]]),
            }
        }
        if radii[1] > 0.0 {
            let cap: Vec<DVec3> = high.into_iter().rev().collect();
            self.face(surface, &cap);
        }
    }
}

/// Returns the corners of a rectangle rotated by `yaw`, clockwise seen from above.
pub fn rectangle(middle: DVec2, size: DVec2, yaw: f64) -> [DVec2; 4] {
    let turn = DVec2::from_angle(yaw);
    [[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]]
        .map(|corner| middle + turn.rotate(0.5 * size * DVec2::from(corner)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_face_of_a_solid_faces_outwards() {
        let mut piece = LevelMesh::new("solids");
        piece.block(LevelSurface::Stone, DVec3::ZERO, dvec3(1.0, 2.0, 3.0), 0.4);
        piece.cone(LevelSurface::Wood, DVec3::ZERO, [1.0, 0.5], 2.0, 7);
        piece.cone(LevelSurface::Leaves, DVec3::ZERO, [1.0, 0.0], 2.0, 7);
        let mesh = piece.mesh();
        assert_eq!(mesh.primitives.len(), 3);
        for part in &mesh.primitives {
            for face in part.indices.chunks(3) {
                let [a, b, c] = [0, 1, 2].map(|at| part.positions[face[at] as usize]);
                let outward = (b - a).cross(c - a).normalize();
                assert!(outward.dot((a + b + c) / 3.0 - glam::Vec3::Y * 0.5) > 0.0, "{a} {b} {c}");
                assert!(outward.dot(part.normals[face[0] as usize]) > 0.999);
            }
        }
    }
}
