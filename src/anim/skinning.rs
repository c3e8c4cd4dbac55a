//! Vertices where the pose puts them: morph targets first, then joints (linear blend skinning, glTF 2.0 §3.7.3).
//!
//! Chunks of vertices run in parallel; each vertex is computed alone and in the same order of operations, so the result does
//! not depend on how many threads there are. Normals are turned by the blended matrix itself, which is exact as long as
//! joints scale evenly.

use glam::{Affine3A, Vec3, Vec3A, Vec4};
use rayon::prelude::*;

use super::Model;
use crate::geometry::{MeshInstance, Primitive, Skin};
use crate::math::lanes::{Eight, F32x8, LaneKernel, Vectors, dispatch_lanes};
use crate::math::number::Number;

/// Vertices per piece of parallel work: some 20 µs, well above the cost of handing it out.
const CHUNK: usize = 4096;
/// Vertices that go through all steps before the next ones: few enough to stay in the nearest cache.
const BLOCK: usize = 256;

/// What carries a mesh.
#[derive(Clone, Copy, Debug)]
pub enum MeshTransform<'a> {
    /// One place for the whole mesh: world ← mesh.
    Rigid(Affine3A),
    /// One matrix per entry of the skin: world ← mesh, see [`palette`].
    Skinned(&'a [SkinMatrix]),
}

/// World ← mesh of one joint: two columns to a wide register.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(align(64))]
pub struct SkinMatrix {
    x_y: F32x8,
    z_translation: F32x8,
}

impl From<Affine3A> for SkinMatrix {
    fn from(place: Affine3A) -> Self {
        let columns = |a: Vec3A, b: Vec3A| F32x8([a.x, a.y, a.z, 0.0, b.x, b.y, b.z, 0.0]);
        let axes = place.matrix3;
        Self { x_y: columns(axes.x_axis, axes.y_axis), z_translation: columns(axes.z_axis, place.translation) }
    }
}

impl From<SkinMatrix> for Affine3A {
    fn from(matrix: SkinMatrix) -> Self {
        let ([x, y], [z, translation]) = (matrix.x_y.halves(), matrix.z_translation.halves());
        Self::from_cols(x.truncate().into(), y.truncate().into(), z.truncate().into(), translation.truncate().into())
    }
}

/// World ← mesh for every joint of `skin`, written to `palette` (resized to fit).
pub fn palette(skin: &Skin, world: &[Affine3A], palette: &mut Vec<SkinMatrix>) {
    palette.clear();
    palette.extend(
        skin.joints.iter().zip(&skin.inverse_bind).map(|(&joint, &inverse)| SkinMatrix::from(world[joint] * inverse)),
    );
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
    let (positions, normals) = out;
    dispatch_lanes(DeformChunk { part, carrier, morphs, first, positions, normals });
}

/// Neighbouring vertices, block after block.
struct DeformChunk<'a> {
    part: &'a Primitive,
    carrier: MeshTransform<'a>,
    morphs: &'a [f32],
    first: usize,
    positions: &'a mut [Vec3],
    normals: &'a mut [Vec3],
}

impl LaneKernel for DeformChunk<'_> {
    type Output = ();

    #[inline(always)]
    fn run<V: Vectors>(self, vectors: V) {
        let Self { part, carrier, morphs, first, positions, normals } = self;
        for (block, (positions, normals)) in positions.chunks_mut(BLOCK).zip(normals.chunks_mut(BLOCK)).enumerate() {
            let vertices = first + block * BLOCK..first + block * BLOCK + positions.len();
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
                MeshTransform::Skinned([]) => carry(vectors, &Affine3A::IDENTITY, positions, normals),
                // A part that names no joints stands where the skin's first one takes it.
                MeshTransform::Skinned([place, ..]) if part.influences == 0 => {
                    carry(vectors, &(*place).into(), positions, normals);
                }
                MeshTransform::Rigid(place) => carry(vectors, &place, positions, normals),
                MeshTransform::Skinned(palette) => {
                    let entries = vertices.start * part.influences..vertices.end * part.influences;
                    let (joints, weights) = (&part.joints[entries.clone()], &part.weights[entries]);
                    let influences = Influences { count: part.influences, joints, weights, palette };
                    skin_block(vectors, &influences, positions, normals);
                }
            }
        }
    }
}

#[inline(always)]
fn add(values: &mut [Vec3], offsets: Option<&[Vec3]>, weight: f32) {
    for (value, &offset) in values.iter_mut().zip(offsets.unwrap_or_default()) {
        *value += offset * weight;
    }
}

#[inline(always)]
fn carry<V: Vectors>(vectors: V, place: &Affine3A, positions: &mut [Vec3], normals: &mut [Vec3]) {
    let mut turned = [Vec4::ZERO; BLOCK];
    for ((position, normal), turned) in positions.iter_mut().zip(normals.iter()).zip(&mut turned) {
        *position = place.transform_point3(*position);
        *turned = (place.matrix3 * Vec3A::from(*normal)).extend(0.0);
    }
    normalize(vectors, &turned, normals);
}

/// Which joints carry the vertices of a block.
struct Influences<'a> {
    /// Per vertex.
    count: usize,
    joints: &'a [u16],
    weights: &'a [f32],
    /// Not empty.
    palette: &'a [SkinMatrix],
}

impl Influences<'_> {
    /// Whether all weights count, as in nearly every file: looked at all at once, without a branch, many side by side.
    #[inline(always)]
    fn all_count(&self) -> bool {
        let most = u16::try_from(self.palette.len() - 1).unwrap_or(u16::MAX);
        let mut sound = true;
        for &joint in self.joints {
            sound &= joint <= most;
        }
        for &weight in self.weights {
            sound &= weight >= 0.0;
        }
        sound
    }
}

/// Mixes the matrices of each vertex's joints by weight, then carries it once. Weights need not sum to 1; one below 0 or for a
/// joint that is not there does not count; a vertex without any keeps its bind place.
#[inline(always)]
fn skin_block<V: Vectors>(vectors: V, influences: &Influences, positions: &mut [Vec3], normals: &mut [Vec3]) {
    let Influences { count, joints, weights, palette } = *influences;
    let mut turned = [Vec4::ZERO; BLOCK];
    let points = positions.iter_mut().zip(normals.iter()).zip(&mut turned);
    if count == 4 && influences.all_count() {
        // A fixed count lets the compiler unroll.
        let entries = joints.as_chunks::<4>().0.iter().zip(weights.as_chunks::<4>().0);
        for (((position, normal), turned), (joints, weights)) in points.zip(entries) {
            let mixed = MixedMatrix::none(vectors).with(vectors, palette, joints, weights);
            *turned = mixed.carry(position, *normal);
        }
    } else {
        let entries = joints.chunks_exact(count).zip(weights.chunks_exact(count));
        for (((position, normal), turned), (joints, weights)) in points.zip(entries) {
            let mut mixed = MixedMatrix::none(vectors);
            for (joints, weights) in joints.chunks(4).zip(weights.chunks(4)) {
                let (joints, weights) = counted(joints, weights, palette.len());
                mixed = mixed.with(vectors, palette, &joints, &weights);
            }
            *turned = mixed.carry(position, *normal);
        }
    }
    normalize(vectors, &turned, normals);
}

/// At most four influences as four, those that do not count with weight 0.
#[inline(always)]
fn counted(joints: &[u16], weights: &[f32], most: usize) -> ([u16; 4], [f32; 4]) {
    let (mut known, mut kept) = ([0; 4], [0.0; 4]);
    for (i, (&joint, &weight)) in joints.iter().zip(weights).enumerate() {
        if weight > 0.0 && usize::from(joint) < most {
            (known[i], kept[i]) = (joint, weight);
        }
    }
    (known, kept)
}

/// The sum of some matrices by weight, and of the weights.
struct MixedMatrix<V: Vectors> {
    x_y: Eight<V>,
    z_translation: Eight<V>,
    weight: Eight<V>,
}

impl<V: Vectors> MixedMatrix<V> {
    #[inline(always)]
    fn none(vectors: V) -> Self {
        // Unlike 0 this adds nothing even to −0, and so no instruction.
        let nothing = Eight::splat(vectors, -0.0);
        Self { x_y: nothing, z_translation: nothing, weight: nothing }
    }

    /// With four more matrices, in their order.
    #[inline(always)]
    fn with(mut self, vectors: V, palette: &[SkinMatrix], joints: &[u16; 4], weights: &[f32; 4]) -> Self {
        for (&joint, weight) in joints.iter().zip(weights) {
            let Some(place) = palette.get(usize::from(joint)) else { return self };
            let weight = Eight::splat(vectors, *weight);
            self.x_y = self.x_y + Eight::load(vectors, &place.x_y) * weight;
            self.z_translation = self.z_translation + Eight::load(vectors, &place.z_translation) * weight;
            self.weight = self.weight + weight;
        }
        self
    }

    /// Carries the position and gives the normal, whose length is set later, so that the sum of weights does not matter to it.
    #[inline(always)]
    fn carry(self, position: &mut Vec3, normal: Vec3) -> Vec4 {
        let ([x, y], [z, translation]) = (self.x_y.store().halves(), self.z_translation.store().halves());
        let [sum, _] = self.weight.store().halves();
        if sum.x <= 0.0 {
            return normal.extend(0.0);
        }
        *position = ((x * position.x + y * position.y + z * position.z + translation) / sum).truncate();
        x * normal.x + y * normal.y + z * normal.z
    }
}

/// Writes `turned` at length 1; a normal of no length stays as it is.
#[inline(always)]
fn normalize<V: Vectors>(vectors: V, turned: &[Vec4; BLOCK], normals: &mut [Vec3]) {
    for (rows, normals) in turned.as_chunks::<8>().0.iter().zip(normals.chunks_mut(8)) {
        let [x, y, z, w] = Eight::transposed(vectors, rows);
        let squared = x * x + y * y + z * z;
        let one = squared.like(1.0);
        let factor = one / squared.above(0.0, squared.sqrt(), one);
        let rows = Eight::rows([x * factor, y * factor, z * factor, w]);
        for (normal, row) in normals.iter_mut().zip(rows) {
            *normal = row.truncate();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::MorphTarget;
    use crate::math::lanes::run_narrow;
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
            [Affine3A::from_translation(Vec3::Y * 4.0), Affine3A::from_rotation_z(std::f32::consts::FRAC_PI_2)]
                .map(SkinMatrix::from);
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
            let palette: Vec<SkinMatrix> = (0..5).map(|i| turn(i).into()).collect();
            let (mut positions, mut normals) = (Vec::new(), Vec::new());
            deform(&part, MeshTransform::Skinned(&palette), &[], &mut positions, &mut normals);
            let (mut alone, mut alone_normals) = (vec![Vec3::ZERO; count], vec![Vec3::ZERO; count]);
            deform_from(&part, MeshTransform::Skinned(&palette), &[], 0, (&mut alone, &mut alone_normals));
            assert!(positions == alone && normals == alone_normals, "{influences} influences");
            let (mut narrow, mut narrow_normals) = (vec![Vec3::ZERO; count], vec![Vec3::ZERO; count]);
            let (carrier, out) = (MeshTransform::Skinned(&palette), (&mut narrow[..], &mut narrow_normals[..]));
            let (positions, normals) = out;
            run_narrow(DeformChunk { part: &part, carrier, morphs: &[], first: 0, positions, normals });
            assert!(narrow == alone && narrow_normals == alone_normals, "the bits do not depend on the processor");
        }
    }

    #[test]
    fn a_vertex_of_no_joint_keeps_its_bind_place_and_a_missing_joint_does_not_count() {
        let part = Primitive { weights: vec![0.0; 8], ..two_influences() };
        let matrices = [Affine3A::from_translation(Vec3::Y * 4.0).into()];
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
