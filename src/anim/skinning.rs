//! Vertices where the pose puts them: morph targets first, then joints (linear blend skinning, glTF 2.0 §3.7.3).
//!
//! Chunks of vertices run in parallel; each vertex is computed alone and in the same order of operations, so the result does
//! not depend on how many threads there are. Normals are turned by the blended matrix itself, which is exact as long as
//! joints scale evenly.

use glam::{Affine3A, Vec3, Vec3A};
use rayon::prelude::*;

use super::Model;
use crate::geometry::{MeshInstance, Primitive, Skin};

/// Vertices per piece of parallel work: some 30 µs, well above the cost of handing it out.
const CHUNK: usize = 4096;
/// Vertices that go through all steps before the next ones: few enough to stay in the nearest cache.
const BLOCK: usize = 256;

/// What carries a mesh.
#[derive(Clone, Copy, Debug)]
pub enum MeshTransform<'a> {
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
pub fn deform(
    part: &Primitive,
    carrier: MeshTransform,
    morphs: &[f32],
    positions: &mut Vec<Vec3>,
    normals: &mut Vec<Vec3>,
) {
    let count = part.positions.len();
    positions.resize(count, Vec3::ZERO);
    normals.resize(count, Vec3::Y);
    // A piece alone is not worth waking another thread for.
    if count <= CHUNK {
        return deform_from(part, carrier, morphs, 0, (positions, normals));
    }
    let chunks = positions.par_chunks_mut(CHUNK).zip(normals.par_chunks_mut(CHUNK)).enumerate();
    chunks.for_each(|(chunk, out)| deform_from(part, carrier, morphs, chunk * CHUNK, out));
}

/// The vertices from `first` on, as many as there is room for.
fn deform_from(
    part: &Primitive,
    carrier: MeshTransform,
    morphs: &[f32],
    first: usize,
    out: (&mut [Vec3], &mut [Vec3]),
) {
    let blocks = out.0.chunks_mut(BLOCK).zip(out.1.chunks_mut(BLOCK)).enumerate();
    for (block, (positions, normals)) in blocks {
        deform_block(part, carrier, morphs, first + block * BLOCK, (positions, &mut *normals));
        // By itself, because four square roots at once cost as much as one.
        normalize(normals);
    }
}

fn deform_block(
    part: &Primitive,
    carrier: MeshTransform,
    morphs: &[f32],
    first: usize,
    out: (&mut [Vec3], &mut [Vec3]),
) {
    let (positions, normals) = out;
    let vertices = first..first + positions.len();
    positions.copy_from_slice(&part.positions[vertices.clone()]);
    match part.normals.get(vertices.clone()) {
        Some(source) => normals.copy_from_slice(source),
        None => normals.fill(Vec3::Y),
    }
    for (target, &weight) in part.morphs.iter().zip(morphs).filter(|(_, weight)| **weight != 0.0) {
        add(positions, target.positions.get(vertices.clone()), weight);
        add(normals, target.normals.get(vertices.clone()), weight);
    }
    match carrier {
        MeshTransform::Skinned([]) => {}
        // A part that names no joints stands where the skin's first one takes it.
        MeshTransform::Skinned([place, ..]) if part.influences == 0 => carry(place, positions, normals),
        MeshTransform::Rigid(place) => carry(&place, positions, normals),
        MeshTransform::Skinned(palette) => {
            let entries = vertices.start * part.influences..vertices.end * part.influences;
            let (joints, weights) = (&part.joints[entries.clone()], &part.weights[entries]);
            let points = positions.iter_mut().zip(normals);
            if part.influences == 4 {
                // What nearly every file has; a fixed count lets the compiler unroll.
                let entries = joints.as_chunks::<4>().0.iter().zip(weights.as_chunks::<4>().0);
                points.zip(entries).for_each(|(point, (joints, weights))| skin(point, joints, weights, palette));
            } else {
                let entries = joints.chunks_exact(part.influences).zip(weights.chunks_exact(part.influences));
                points.zip(entries).for_each(|(point, (joints, weights))| skin(point, joints, weights, palette));
            }
        }
    }
}

fn add(values: &mut [Vec3], offsets: Option<&[Vec3]>, weight: f32) {
    for (value, &offset) in values.iter_mut().zip(offsets.unwrap_or_default()) {
        *value += offset * weight;
    }
}

fn carry(place: &Affine3A, positions: &mut [Vec3], normals: &mut [Vec3]) {
    for (position, normal) in positions.iter_mut().zip(normals) {
        *position = place.transform_point3(*position);
        *normal = (place.matrix3 * Vec3A::from(*normal)).into();
    }
}

/// Mixes the matrices of a vertex's joints by weight, then carries it once. Weights need not sum to 1; one below 0 or for a joint
/// that is not there does not count; a vertex without any keeps its bind place. `palette` is not empty.
#[inline(always)]
fn skin((position, normal): (&mut Vec3, &mut Vec3), joints: &[u16], weights: &[f32], palette: &[Affine3A]) {
    let [mut x, mut y, mut z, mut translation] = [Vec3A::ZERO; 4];
    let mut sum = 0.0;
    for (&joint, &weight) in joints.iter().zip(weights) {
        let joint = usize::from(joint);
        // Multiplying by 0 is cheaper than a branch: which influences count is hard to predict.
        let weight = if weight > 0.0 && joint < palette.len() { weight } else { 0.0 };
        let place = &palette[joint.min(palette.len() - 1)];
        x += place.matrix3.x_axis * weight;
        y += place.matrix3.y_axis * weight;
        z += place.matrix3.z_axis * weight;
        translation += place.translation * weight;
        sum += weight;
    }
    if sum <= 0.0 {
        return;
    }
    *position = ((x * position.x + y * position.y + z * position.z + translation) / sum).into();
    // The length of a normal is set later, so the sum of weights does not matter to it.
    *normal = (x * normal.x + y * normal.y + z * normal.z).into();
}

/// Sets lengths to 1; a normal of no length stays as it is.
fn normalize(normals: &mut [Vec3]) {
    let factor = |normal: Vec3| {
        let squared = normal.x * normal.x + normal.y * normal.y + normal.z * normal.z;
        1.0 / if squared > 0.0 { squared.sqrt() } else { 1.0 }
    };
    let (fours, rest) = normals.as_chunks_mut::<4>();
    for four in fours {
        let factors = four.map(factor);
        four.iter_mut().zip(factors).for_each(|(normal, factor)| *normal *= factor);
    }
    rest.iter_mut().for_each(|normal| *normal *= factor(*normal));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::MorphTarget;
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
        deform(&two_influences(), MeshTransform::Skinned(&matrices), &[], &mut positions, &mut normals);
        assert!(positions[0].abs_diff_eq(Vec3::new(0.25, 1.75, 0.0), 1e-6), "{}", positions[0]);
        assert!(positions[1].abs_diff_eq(Vec3::NEG_X, 1e-6), "weights that sum to 2 count as 1: {}", positions[1]);
        assert!(normals.iter().all(|normal| (normal.length() - 1.0).abs() < 1e-6));
    }

    #[test]
    fn the_order_of_the_chunks_does_not_matter() {
        let count = 3 * CHUNK + 17;
        let noise = |i: usize, prime: usize| ((i * prime) % 1009) as f32 / 1009.0 - 0.5;
        for influences in [4, 8] {
            let part = Primitive {
                positions: (0..count).map(|i| Vec3::new(noise(i, 7), noise(i, 31), noise(i, 101))).collect(),
                normals: vec![Vec3::Y; count],
                influences,
                joints: (0..count * influences).map(|i| (i * 13 % 5) as u16).collect(),
                weights: (0..count * influences).map(|i| noise(i, 37).max(0.0)).collect(),
                ..Primitive::default()
            };
            let turn =
                |i: usize| Affine3A::from_rotation_translation(Quat::from_rotation_x(i as f32), Vec3::X * i as f32);
            let palette: Vec<Affine3A> = (0..5).map(turn).collect();
            let (mut positions, mut normals) = (Vec::new(), Vec::new());
            deform(&part, MeshTransform::Skinned(&palette), &[], &mut positions, &mut normals);
            let (mut alone, mut alone_normals) = (vec![Vec3::ZERO; count], vec![Vec3::ZERO; count]);
            deform_from(&part, MeshTransform::Skinned(&palette), &[], 0, (&mut alone, &mut alone_normals));
            assert!(positions == alone && normals == alone_normals, "{influences} influences");
        }
    }

    #[test]
    fn a_vertex_of_no_joint_keeps_its_bind_place_and_a_missing_joint_does_not_count() {
        let part = Primitive { weights: vec![0.0; 8], ..two_influences() };
        let matrices = [Affine3A::from_translation(Vec3::Y * 4.0)];
        let (mut positions, mut normals) = (Vec::new(), Vec::new());
        deform(&part, MeshTransform::Skinned(&matrices), &[], &mut positions, &mut normals);
        assert_eq!(positions, [Vec3::X, Vec3::Y]);
        deform(&two_influences(), MeshTransform::Skinned(&matrices), &[], &mut positions, &mut normals);
        assert_eq!(positions, [Vec3::new(1.0, 4.0, 0.0), Vec3::Y], "joint 1 is not there");
    }

    #[test]
    fn a_rigid_mesh_follows_its_joint_and_morphs_come_first() {
        let place = Affine3A::from_rotation_translation(Quat::from_rotation_y(std::f32::consts::FRAC_PI_2), Vec3::Y);
        let (mut positions, mut normals) = (Vec::new(), Vec::new());
        deform(&two_influences(), MeshTransform::Rigid(place), &[0.5], &mut positions, &mut normals);
        assert!(positions[0].abs_diff_eq(Vec3::new(0.5, 1.0, -1.0), 1e-6), "{}", positions[0]);
    }
}
