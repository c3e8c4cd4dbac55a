//! Normals of a mesh whose vertices move freely.
//!
//! Files split a vertex where its texture coordinates or colours break off; a split one still shades like the whole. A
//! vertex's normal is the sum of its faces' normals by area, over all vertices that had its place and normal at rest.

use std::collections::BTreeMap;

use glam::Vec3;

use super::Primitive;

/// Which vertices shade as one.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Shading {
    /// For each vertex the first one that shades with it; empty where each stands for itself.
    alike: Vec<u32>,
}

impl Shading {
    /// That of primitives one after the other, each with the number of the placed mesh it belongs to: vertices of different
    /// placed meshes never shade as one.
    pub fn of_primitives<'a>(primitives: impl Iterator<Item = (usize, &'a Primitive)>) -> Self {
        let (mut first_of, mut alike) = (BTreeMap::new(), Vec::new());
        for (instance, part) in primitives {
            for (vertex, point) in part.positions.iter().enumerate() {
                let normal = part.normals.get(vertex).copied().unwrap_or_default();
                let key = (instance, point.to_array().map(f32::to_bits), normal.to_array().map(f32::to_bits));
                let here = alike.len() as u32;
                alike.push(*first_of.entry(key).or_insert(here));
            }
        }
        let is_whole = alike.iter().enumerate().all(|(vertex, &first)| vertex == first as usize);
        Self { alike: if is_whole { Vec::new() } else { alike } }
    }

    /// Unit normals of `positions` over triangles `faces`, written to `normals` (resized to fit).
    ///
    /// A vertex without any face, or whose faces cancel out, gets +Y.
    pub fn normals(&self, positions: &[Vec3], faces: &[u32], normals: &mut Vec<Vec3>) {
        let alike = Some(&self.alike).filter(|alike| alike.len() == positions.len());
        let first = |vertex: usize| alike.map_or(vertex, |alike| alike[vertex] as usize);
        normals.clear();
        normals.resize(positions.len(), Vec3::ZERO);
        for face in faces.as_chunks::<3>().0 {
            let [a, b, c] = face.map(|index| positions[index as usize]);
            let weighted = (b - a).cross(c - a);
            face.iter().for_each(|&index| normals[first(index as usize)] += weighted);
        }
        // A first one comes before all that share it.
        (0..normals.len()).rev().for_each(|vertex| normals[vertex] = normals[first(vertex)]);
        normals.iter_mut().for_each(|normal| *normal = normal.try_normalize().unwrap_or(Vec3::Y));
    }
}

/// Unit normals of `positions` over triangles `faces`, each vertex by itself: see [`Shading::normals`].
pub fn vertex_normals(positions: &[Vec3], faces: &[u32], normals: &mut Vec<Vec3>) {
    Shading::default().normals(positions, faces, normals);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A bent strip of two triangles whose shared edge is split.
    fn split(normal: Vec3) -> Primitive {
        Primitive {
            positions: vec![Vec3::ZERO, Vec3::Z, Vec3::X, Vec3::X, Vec3::Z, Vec3::new(1.0, 1.0, 1.0)],
            normals: vec![Vec3::Y, Vec3::Y, Vec3::Y, normal, normal, Vec3::Y],
            indices: vec![0, 1, 2, 3, 4, 5],
            ..Primitive::default()
        }
    }

    fn normals(part: &Primitive) -> Vec<Vec3> {
        let mut normals = Vec::new();
        Shading::of_primitives([(0, part)].into_iter()).normals(&part.positions, &part.indices, &mut normals);
        normals
    }

    #[test]
    fn split_vertices_shade_as_one_and_hard_edges_stay_hard() {
        let smooth = normals(&split(Vec3::Y));
        assert!(smooth[1] == smooth[4] && smooth[2] == smooth[3] && smooth[1] != smooth[0]);
        let hard = normals(&split(Vec3::X));
        assert!(hard[1] == hard[0] && hard[4] == hard[5] && hard[1] != hard[4]);
        assert!(smooth.iter().chain(&hard).all(|normal| normal.is_normalized()));
    }

    #[test]
    fn the_same_mesh_placed_twice_does_not_shade_with_itself() {
        let part = split(Vec3::X);
        assert_eq!(Shading::of_primitives([(0, &part), (1, &part)].into_iter()), Shading::default());
    }

    #[test]
    fn normals_stand_on_their_faces_and_lonely_vertices_get_one_too() {
        let mut normals = Vec::new();
        vertex_normals(&[Vec3::ZERO, Vec3::Z, Vec3::X, Vec3::ONE], &[0, 1, 2], &mut normals);
        assert_eq!(normals, [Vec3::Y; 4]);
    }
}
