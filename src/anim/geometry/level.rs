//! Level geometry: the triangles of ground, walls and props, with their names in the file.

use glam::Vec3;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use crate::math::Bounds;

/// Faces per parallel task.
const FACES_PER_TASK: usize = 4096;

/// The upward axis of a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum UpAxis {
    /// Y up, as in glTF and most OBJ files.
    #[default]
    Y,
    /// Z up, as in many editors. X stays, and the file's Y becomes −Z.
    Z,
}

/// A level as a list of triangles: in metres with Y up after [`Level::placed`], in the unit and axes of its file before.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Level {
    /// Corners of the triangles.
    pub points: Vec<Vec3>,
    /// Corner indices of each triangle and its surface.
    pub triangles: Vec<Triangle>,
    /// Names of the meshes, in the order of the file.
    pub meshes: Vec<String>,
    /// Names of the surfaces (materials), in the order of the file.
    pub areas: Vec<String>,
}

/// One face of a level.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Triangle {
    /// Indices into [`Level::points`], counter-clockwise seen from outside.
    pub corners: [u32; 3],
    /// Index into [`Level::meshes`].
    pub mesh: u32,
    /// Index into [`Level::areas`]; `None` for a face without a material.
    pub area: Option<u32>,
}

impl Level {
    /// Creates a level of one mesh without materials. `corners` are three indices into `points` per triangle.
    pub fn of_mesh(name: &str, points: Vec<Vec3>, corners: impl IntoIterator<Item = [u32; 3]>) -> Self {
        let triangles = corners.into_iter().map(|corners| Triangle { corners, mesh: 0, area: None }).collect();
        Self { points, triangles, meshes: vec![name.into()], areas: Vec::new() }
    }

    /// Adds a mesh without material. `corners` are three indices into `points` per triangle.
    pub fn add_mesh(&mut self, name: &str, points: &[Vec3], corners: impl IntoIterator<Item = [u32; 3]>) {
        let (first, mesh) = (self.points.len() as u32, self.meshes.len() as u32);
        self.points.extend_from_slice(points);
        self.meshes.push(name.into());
        let corners = corners.into_iter().map(|corners| corners.map(|corner| first + corner));
        self.triangles.extend(corners.map(|corners| Triangle { corners, mesh, area: None }));
    }

    /// Converts the level to metres with Y up; `metres_per_unit` is the length of its unit, `up` its upward axis.
    pub fn placed(mut self, metres_per_unit: f64, up: UpAxis) -> Self {
        let convert = |point: &mut Vec3| *point = (up.turned(*point).as_dvec3() * metres_per_unit).as_vec3();
        self.points.iter_mut().for_each(convert);
        self
    }

    /// Returns the corners of a face; `None` if a corner is missing.
    pub fn corners(&self, triangle: &Triangle) -> Option<[Vec3; 3]> {
        let [a, b, c] = triangle.corners.map(|corner| self.points.get(corner as usize).copied());
        Some([a?, b?, c?])
    }

    /// Returns the name of a face's mesh, or for example `mesh 3`.
    pub fn mesh_name(&self, triangle: &Triangle) -> String {
        let named = self.meshes.get(triangle.mesh as usize).filter(|name| !name.is_empty());
        named.cloned().unwrap_or_else(|| format!("mesh {}", triangle.mesh))
    }

    /// Returns the bounding box of all faces; `None` without faces.
    pub fn bounds(&self) -> Option<Bounds> {
        let around = |part: &[Triangle]| Bounds::around(part.iter().filter_map(|face| self.corners(face)).flatten());
        let parts: Vec<Bounds> = self.triangles.par_chunks(FACES_PER_TASK).filter_map(around).collect();
        Bounds::around(parts.into_iter().flat_map(|part| [part.low, part.high]))
    }
}

impl UpAxis {
    /// Converts `point` from the file to Y up.
    pub fn turned(self, point: Vec3) -> Vec3 {
        match self {
            Self::Y => point,
            Self::Z => Vec3::new(point.x, point.z, -point.y),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unused_points_do_not_extend_the_bounds() {
        let points = vec![Vec3::ZERO, Vec3::X, Vec3::Z, Vec3::splat(900.0)];
        let level = Level::of_mesh("floor", points, [[0, 2, 1]]);
        assert_eq!(level.bounds(), Some(Bounds { low: Vec3::ZERO, high: Vec3::new(1.0, 0.0, 1.0) }));
        assert_eq!(level.mesh_name(&level.triangles[0]), "floor");
        assert_eq!(Level::default().bounds(), None);
    }
}
