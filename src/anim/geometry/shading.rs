//! Normals of a mesh whose vertices move freely.
//!
//! Files split a vertex at seams of texture coordinates or colours; split vertices still share one normal. The normal
//! of a vertex is the area-weighted sum of its faces' normals, over all vertices with the same rest position and rest
//! normal.

use std::collections::BTreeMap;

use glam::Vec3;

use super::Primitive;

/// The groups of vertices that share a normal.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Shading {
    /// For each vertex the first vertex of its group; empty if no vertices are grouped.
    group_first: Vec<u32>,
}

impl Shading {
    /// Groups the vertices whose rest position and rest normal are equal to the bit. Each primitive is given with the number of
    /// its mesh instance; vertices of different instances are never grouped.
    pub fn of_primitives<'a>(primitives: impl Iterator<Item = (usize, &'a Primitive)>) -> Self {
        let (mut first_of, mut group_first) = (BTreeMap::new(), Vec::new());
        for (instance, part) in primitives {
            for (vertex, point) in part.positions.iter().enumerate() {
                let normal = part.normals.get(vertex).copied().unwrap_or_default();
                let key = (instance, point.to_array().map(f32::to_bits), normal.to_array().map(f32::to_bits));
                let here = group_first.len() as u32;
                group_first.push(*first_of.entry(key).or_insert(here));
            }
        }
        let is_ungrouped = group_first.iter().enumerate().all(|(vertex, &first)| vertex == first as usize);
        Self { group_first: if is_ungrouped { Vec::new() } else { group_first } }
    }

    /// Computes unit normals of `positions` into `normals`, which is resized. `faces` are three vertex indices per triangle, and
    /// larger triangles weigh more.
    ///
    /// A vertex without faces, or whose faces cancel out, gets +Y.
    pub fn normals(&self, positions: &[Vec3], faces: &[u32], normals: &mut Vec<Vec3>) {
        let group_first = Some(&self.group_first).filter(|group_first| group_first.len() == positions.len());
        let first = |vertex: usize| group_first.map_or(vertex, |group_first| group_first[vertex] as usize);
        normals.clear();
        normals.resize(positions.len(), Vec3::ZERO);
        for face in faces.as_chunks::<3>().0 {
            let [a, b, c] = face.map(|index| positions[index as usize]);
            let weighted = (b - a).cross(c - a);
            face.iter().for_each(|&index| normals[first(index as usize)] += weighted);
        }
        // The first vertex of a group comes before the others.
        (0..normals.len()).rev().for_each(|vertex| normals[vertex] = normals[first(vertex)]);
        normals.iter_mut().for_each(|normal| *normal = normal.try_normalize().unwrap_or(Vec3::Y));
    }
}

/// Computes unit normals without grouping vertices; see [`Shading::normals`].
pub fn vertex_normals(positions: &[Vec3], faces: &[u32], normals: &mut Vec<Vec3>) {
    Shading::default().normals(positions, faces, normals);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns a bent strip of two triangles whose shared edge is split.
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
    fn split_vertices_share_normals_and_hard_edges_stay_hard() {
        let smooth = normals(&split(Vec3::Y));
        assert!(smooth[1] == smooth[4] && smooth[2] == smooth[3] && smooth[1] != smooth[0]);
        let hard = normals(&split(Vec3::X));
        assert!(hard[1] == hard[0] && hard[4] == hard[5] && hard[1] != hard[4]);
        assert!(smooth.iter().chain(&hard).all(|normal| normal.is_normalized()));
    }

    #[test]
    fn two_instances_of_a_mesh_do_not_share_normals() {
        let part = split(Vec3::X);
        assert_eq!(Shading::of_primitives([(0, &part), (1, &part)].into_iter()), Shading::default());
    }

    #[test]
    fn normals_are_perpendicular_to_faces_and_unused_vertices_get_one_too() {
        let mut normals = Vec::new();
        vertex_normals(&[Vec3::ZERO, Vec3::Z, Vec3::X, Vec3::ONE], &[0, 1, 2], &mut normals);
        assert_eq!(normals, [Vec3::Y; 4]);
    }
}
