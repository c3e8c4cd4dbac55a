//! Vertices where the pose puts them: morph targets first, then joints (linear blend skinning, glTF 2.0 §3.7.3).
//!
//! Chunks of vertices run in parallel; each vertex is computed alone and in the same order of operations, so the result does
//! not depend on how many threads there are. Normals are turned by the blended matrix itself, which is exact as long as
//! joints scale evenly.

use glam::{Affine3A, Vec3, Vec3A};
use rayon::prelude::*;

use super::{MeshInstance, Model, Primitive, Skin};

/// Vertices per piece of parallel work: about 20 µs, well above the cost of handing it out.
const CHUNK: usize = 4096;

/// What carries a mesh.
#[derive(Clone, Copy, Debug)]
pub enum Carrier<'a> {
    /// One place for the whole mesh: world ← mesh.
    Rigid(Affine3A),
    /// One matrix per entry of the skin: world ← mesh, see [`palette`].
    Skinned(&'a [Affine3A]),
}

/// World ← mesh for every joint of `skin`, written to `palette` (resized to fit).
pub fn palette(skin: &Skin, world: &[Affine3A], palette: &mut Vec<Affine3A>) {
    palette.clear();
    palette.extend(skin.joints.iter().zip(&skin.inverse_bind).map(|(&joint, &inverse)| world[joint] * inverse));
}

/// The morph weights of `instance`'s joint out of those of the whole pose.
pub fn morphs_of<'a>(model: &Model, instance: &MeshInstance, morphs: &'a [f32]) -> &'a [f32] {
    let joint = &model.skeleton.joints[instance.joint];
    morphs.get(joint.first_morph..joint.first_morph + joint.morph_count).unwrap_or(&[])
}

/// Writes world positions and unit normals of `part` to `positions` and `normals` (resized to fit; no other allocation).
pub fn deform(part: &Primitive, carrier: Carrier, morphs: &[f32], positions: &mut Vec<Vec3>, normals: &mut Vec<Vec3>) {
    let count = part.positions.len();
    positions.resize(count, Vec3::ZERO);
    normals.resize(count, Vec3::ZERO);
    let chunks = positions.par_chunks_mut(CHUNK).zip(normals.par_chunks_mut(CHUNK)).enumerate();
    chunks.for_each(|(chunk, (positions, normals))| {
        let first = chunk * CHUNK;
        for (offset, (position, normal)) in positions.iter_mut().zip(normals).enumerate() {
            let vertex = first + offset;
            let (point, direction) = morphed(part, morphs, vertex);
            let matrix = match carrier {
                Carrier::Skinned(palette) if part.influences > 0 => blended(part, palette, vertex),
                Carrier::Skinned(palette) => palette.first().copied().unwrap_or(Affine3A::IDENTITY),
                Carrier::Rigid(place) => place,
            };
            *position = matrix.transform_point3(point);
            *normal = (matrix.matrix3 * Vec3A::from(direction)).normalize_or_zero().into();
        }
    });
}

fn morphed(part: &Primitive, morphs: &[f32], vertex: usize) -> (Vec3, Vec3) {
    let mut point = part.positions[vertex];
    let mut normal = part.normals.get(vertex).copied().unwrap_or(Vec3::Y);
    for (target, &weight) in part.morphs.iter().zip(morphs).filter(|(_, weight)| **weight != 0.0) {
        point += target.positions.get(vertex).copied().unwrap_or_default() * weight;
        normal += target.normals.get(vertex).copied().unwrap_or_default() * weight;
    }
    (point, normal)
}

/// The matrices of a vertex's joints, mixed by weight. Weights need not sum to 1; a vertex without any keeps its bind place.
fn blended(part: &Primitive, palette: &[Affine3A], vertex: usize) -> Affine3A {
    let entries = vertex * part.influences..(vertex + 1) * part.influences;
    let (joints, weights) = (&part.joints[entries.clone()], &part.weights[entries]);
    let mut sum = 0.0;
    let mut mixed = [Vec3A::ZERO; 4];
    for (&joint, &weight) in joints.iter().zip(weights) {
        if weight > 0.0
            && let Some(matrix) = palette.get(usize::from(joint))
        {
            sum += weight;
            mixed[0] += matrix.matrix3.x_axis * weight;
            mixed[1] += matrix.matrix3.y_axis * weight;
            mixed[2] += matrix.matrix3.z_axis * weight;
            mixed[3] += matrix.translation * weight;
        }
    }
    if sum <= 0.0 {
        return Affine3A::IDENTITY;
    }
    let [x, y, z, translation] = mixed.map(|column| column / sum);
    Affine3A { matrix3: glam::Mat3A::from_cols(x, y, z), translation }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::anim::MorphTarget;
    use glam::Quat;

    fn two_influences() -> Primitive {
        Primitive {
            positions: vec![Vec3::X, Vec3::Y],
            normals: vec![Vec3::X, Vec3::Y],
            influences: 4,
            joints: vec![0, 1, 0, 0, 1, 0, 0, 0],
            weights: vec![0.25, 0.75, 0.0, 0.0, 2.0, 0.0, 0.0, 0.0],
            morphs: vec![MorphTarget { positions: vec![Vec3::Z, Vec3::ZERO], normals: Vec::new() }],
            ..Primitive::default()
        }
    }

    #[test]
    fn a_vertex_is_the_weighted_mean_of_where_its_joints_put_it() {
        let matrices =
            [Affine3A::from_translation(Vec3::Y * 4.0), Affine3A::from_rotation_z(std::f32::consts::FRAC_PI_2)];
        let (mut positions, mut normals) = (Vec::new(), Vec::new());
        deform(&two_influences(), Carrier::Skinned(&matrices), &[], &mut positions, &mut normals);
        assert!(positions[0].abs_diff_eq(Vec3::new(0.25, 1.75, 0.0), 1e-6), "{}", positions[0]);
        assert!(positions[1].abs_diff_eq(Vec3::NEG_X, 1e-6), "weights that sum to 2 count as 1: {}", positions[1]);
        assert!(normals.iter().all(|normal| (normal.length() - 1.0).abs() < 1e-6));
    }

    #[test]
    fn a_rigid_mesh_follows_its_joint_and_morphs_come_first() {
        let place = Affine3A::from_rotation_translation(Quat::from_rotation_y(std::f32::consts::FRAC_PI_2), Vec3::Y);
        let (mut positions, mut normals) = (Vec::new(), Vec::new());
        deform(&two_influences(), Carrier::Rigid(place), &[0.5], &mut positions, &mut normals);
        assert!(positions[0].abs_diff_eq(Vec3::new(0.5, 1.0, -1.0), 1e-6), "{}", positions[0]);
    }
}
