//! Mesh deformation: morph targets first, then joints (linear blend skinning, glTF 2.0 §3.7.3).
//!
//! Chunks of vertices run in parallel. Each vertex is computed independently with the same order of operations, so
//! the result does not depend on the number of threads. Normals are rotated by the blended matrix itself, which is
//! exact while joints scale uniformly.

mod mixed_matrix;
mod skin_matrix;
mod skinned_span;
mod unit_normals;

use std::ops::Range;

use glam::{Affine3A, Vec3, Vec3A, Vec4};
use rayon::prelude::*;

use super::Model;
use crate::geometry::joint_sets::{BoundVertices, SPAN};
use crate::geometry::{MeshInstance, Primitive, Skin};
use crate::math::lanes::{LaneKernel, Vectors, dispatch_lanes};

pub use skin_matrix::SkinMatrix;
use skinned_span::SkinnedSpan;
use unit_normals::unit;

/// The transform of a mesh.
#[derive(Clone, Copy, Debug)]
pub enum MeshTransform<'a> {
    /// One transform for the whole mesh: world ← mesh.
    Rigid(Affine3A),
    /// One matrix per entry of the skin: world ← mesh, see [`palette`].
    Skinned(&'a [SkinMatrix]),
}

/// Computes world ← mesh for every joint of `skin` into `palette`, which is resized. `world` are the world transforms of all
/// joints of the skeleton.
pub fn palette(skin: &Skin, world: &[Affine3A], palette: &mut Vec<SkinMatrix>) {
    palette.clear();
    palette.extend(
        skin.joints.iter().zip(&skin.inverse_bind).map(|(&joint, &inverse)| SkinMatrix::from(world[joint] * inverse)),
    );
}

/// Returns the morph weights of `instance`'s joint among those of the whole pose.
pub fn morphs_of<'a>(model: &Model, instance: &MeshInstance, morphs: &'a [f32]) -> &'a [f32] {
    let joint = &model.skeleton.joints[instance.joint];
    morphs.get(joint.first_morph..joint.first_morph + joint.morph_count).unwrap_or(&[])
}

/// Computes world positions and unit normals of `part` into `positions` and `normals`, which are resized; allocates
/// nothing else. `morphs` are the weights of its morph targets, in their order.
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
    // A single span is not worth another thread.
    if count <= SPAN {
        return deform_from(part, carrier, morphs, 0, Surface { positions, normals });
    }
    let chunks = positions.par_chunks_mut(SPAN).zip(normals.par_chunks_mut(SPAN)).enumerate();
    chunks.for_each(|(chunk, (positions, normals))| {
        deform_from(part, carrier, morphs, chunk * SPAN, Surface { positions, normals });
    });
}

/// Deforms the vertices from `first` on, as many as fit into `out`. `first` must be a multiple of [`SPAN`].
fn deform_from(part: &Primitive, carrier: MeshTransform, morphs: &[f32], first: usize, out: Surface) {
    dispatch_lanes(DeformChunk { part, carrier, morphs, first, out });
}

/// The output vertices: as many normals as positions.
struct Surface<'a> {
    positions: &'a mut [Vec3],
    normals: &'a mut [Vec3],
}

/// The arguments of [`deform_from`]: consecutive vertices of a part, which are deformed span after span.
struct DeformChunk<'a> {
    part: &'a Primitive,
    carrier: MeshTransform<'a>,
    morphs: &'a [f32],
    /// The first vertex, a multiple of the span size.
    first: usize,
    out: Surface<'a>,
}

impl LaneKernel for DeformChunk<'_> {
    type Output = ();

    #[inline(always)]
    fn run<V: Vectors>(self, vectors: V) {
        let Self { part, carrier, morphs, first, out: Surface { positions, normals } } = self;
        let is_morphed = part.morphs.iter().zip(morphs).any(|(_, weight)| *weight != 0.0);
        for (span, (positions, normals)) in positions.chunks_mut(SPAN).zip(normals.chunks_mut(SPAN)).enumerate() {
            let vertices = first + span * SPAN..first + span * SPAN + positions.len();
            let out = Surface { positions, normals };
            let transform = match carrier {
                MeshTransform::Rigid(transform) => transform,
                MeshTransform::Skinned([]) => Affine3A::IDENTITY,
                // A part without joints follows the skin's first joint.
                MeshTransform::Skinned([transform, ..]) if part.influences == 0 => (*transform).into(),
                MeshTransform::Skinned(palette) => {
                    let Some(bound) = bound_span(part, palette, vertices.clone()) else { continue };
                    if is_morphed {
                        carry_morphed(vectors, MorphedVertices { part, morphs, vertices }, &bound, out);
                    } else {
                        bound.carry(vectors, out);
                    }
                    continue;
                }
            };
            let mut out = out;
            MorphedVertices { part, morphs, vertices }.write(&mut out);
            carry(vectors, &transform, out.positions, out.normals);
        }
    }
}

/// Returns the span of `part` with `vertices`; `None` if joints or weights are missing for one of them. `vertices`
/// must begin at a multiple of [`SPAN`] and contain at most [`SPAN`] of them.
fn bound_span<'a>(part: &'a Primitive, palette: &'a [SkinMatrix], vertices: Range<usize>) -> Option<SkinnedSpan<'a>> {
    let (influences, entries) = (part.influences, vertices.start * part.influences..vertices.end * part.influences);
    let all = BoundVertices {
        influences,
        joints: &part.joints,
        weights: &part.weights,
        positions: &part.positions,
        normals: &part.normals,
    };
    Some(SkinnedSpan {
        influences,
        joints: part.joints.get(entries.clone())?,
        weights: part.weights.get(entries)?,
        sorted: part.joint_sets.of(all).get(vertices.start / SPAN)?,
        palette,
        positions: &part.positions[vertices.clone()],
        normals: part.normals.get(vertices).unwrap_or_default(),
        is_morphed: false,
    })
}

/// Deforms a span with active morph targets: morphs first, then joints.
#[inline(never)]
fn carry_morphed<V: Vectors>(vectors: V, morphed: MorphedVertices, bound: &SkinnedSpan, out: Surface) {
    let (mut positions, mut normals) = ([Vec3::ZERO; SPAN], [Vec3::ZERO; SPAN]);
    let count = morphed.vertices.len();
    let (positions, normals) = (&mut positions[..count], &mut normals[..count]);
    morphed.write(&mut Surface { positions: &mut *positions, normals: &mut *normals });
    SkinnedSpan { positions, normals, is_morphed: true, ..*bound }.carry(vectors, out);
}

/// Some vertices of a part, to which its morph targets are added by the weights `morphs`.
struct MorphedVertices<'a> {
    part: &'a Primitive,
    morphs: &'a [f32],
    vertices: Range<usize>,
}

impl MorphedVertices<'_> {
    /// Writes the vertices to `out` in the mesh's space. Morphed normals are not of unit length.
    #[inline(always)]
    fn write(self, out: &mut Surface) {
        let Self { part, morphs, vertices } = self;
        out.positions.copy_from_slice(&part.positions[vertices.clone()]);
        match part.normals.get(vertices.clone()) {
            Some(source) => out.normals.copy_from_slice(source),
            None => out.normals.fill(Vec3::Y),
        }
        for (target, &weight) in part.morphs.iter().zip(morphs).filter(|(_, weight)| **weight != 0.0) {
            add(out.positions, target.positions.get(vertices.clone()), weight);
            add(out.normals, target.normals.get(vertices.clone()), weight);
        }
    }
}

/// Adds `offsets`, multiplied by `weight`, to `values`; missing offsets count as zero.
#[inline(always)]
fn add(values: &mut [Vec3], offsets: Option<&[Vec3]>, weight: f32) {
    for (value, &offset) in values.iter_mut().zip(offsets.unwrap_or_default()) {
        *value += offset * weight;
    }
}

/// Transforms `positions` and `normals` by `transform`; normals get unit length.
#[inline(always)]
fn carry<V: Vectors>(vectors: V, transform: &Affine3A, positions: &mut [Vec3], normals: &mut [Vec3]) {
    for (positions, normals) in positions.chunks_mut(8).zip(normals.chunks_mut(8)) {
        let mut turned = [Vec4::ZERO; 8];
        for ((position, normal), turned) in positions.iter_mut().zip(normals.iter()).zip(&mut turned) {
            *position = transform.transform_point3(*position);
            *turned = (transform.matrix3 * Vec3A::from(*normal)).extend(0.0);
        }
        for (normal, row) in normals.iter_mut().zip(unit(vectors, &turned)) {
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
    use portamento_test_support::allocations::allocations;

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
    fn a_vertex_is_the_weighted_mean_of_its_joint_transforms() {
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
        let count = 3 * SPAN + 17;
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
            let (mut single, mut single_normals) = (vec![Vec3::ZERO; count], vec![Vec3::ZERO; count]);
            let out = Surface { positions: &mut single, normals: &mut single_normals };
            deform_from(&part, MeshTransform::Skinned(&palette), &[], 0, out);
            assert!(positions == single && normals == single_normals, "{influences} influences");
            let (mut narrow, mut narrow_normals) = (vec![Vec3::ZERO; count], vec![Vec3::ZERO; count]);
            let out = Surface { positions: &mut narrow, normals: &mut narrow_normals };
            let carrier = MeshTransform::Skinned(&palette);
            run_narrow(DeformChunk { part: &part, carrier, morphs: &[], first: 0, out });
            assert!(narrow == single && narrow_normals == single_normals, "the bits do not depend on the processor");
        }
    }

    #[test]
    fn a_posed_span_allocates_nothing_once_it_is_sorted() {
        let part = two_influences();
        let palette = [Affine3A::IDENTITY.into(), Affine3A::from_translation(Vec3::Y).into()];
        let (mut positions, mut normals) = (Vec::new(), Vec::new());
        let mut pose = |morph: f32| {
            deform(&part, MeshTransform::Skinned(&palette), &[morph], &mut positions, &mut normals);
        };
        pose(0.0);
        assert_eq!(allocations(|| [0.0, 0.3].into_iter().for_each(&mut pose)), 0);
    }

    #[test]
    fn a_vertex_without_joints_keeps_its_bind_position_and_a_missing_joint_does_not_count() {
        let part = Primitive { weights: vec![0.0; 8], ..two_influences() };
        let matrices = [Affine3A::from_translation(Vec3::Y * 4.0).into()];
        let (mut positions, mut normals) = (Vec::new(), Vec::new());
        deform(&part, MeshTransform::Skinned(&matrices), &[], &mut positions, &mut normals);
        assert_eq!(positions, [Vec3::X, Vec3::Y]);
        deform(&two_influences(), MeshTransform::Skinned(&matrices), &[], &mut positions, &mut normals);
        assert_eq!(positions, [Vec3::new(1.0, 4.0, 0.0), Vec3::Y], "joint 1 does not exist");
    }

    #[test]
    fn many_vertices_of_a_missing_joint_keep_their_bind_positions() {
        let positions: Vec<Vec3> = (0..20).map(|i| Vec3::new(i as f32, 1.0, 2.0)).collect();
        let part = Primitive {
            positions: positions.clone(),
            normals: vec![Vec3::Z; 20],
            influences: 4,
            joints: [7, 0, 0, 0].repeat(20),
            weights: [1.0, 0.0, 0.0, 0.0].repeat(20),
            ..Primitive::default()
        };
        let matrices = [Affine3A::from_translation(Vec3::Y * 4.0).into()];
        let (mut posed, mut normals) = (Vec::new(), Vec::new());
        deform(&part, MeshTransform::Skinned(&matrices), &[], &mut posed, &mut normals);
        assert_eq!(posed, positions);
    }

    #[test]
    fn a_rigid_mesh_follows_its_joint_and_morphs_come_first() {
        let transform =
            Affine3A::from_rotation_translation(Quat::from_rotation_y(std::f32::consts::FRAC_PI_2), Vec3::Y);
        let (mut positions, mut normals) = (Vec::new(), Vec::new());
        deform(&two_influences(), MeshTransform::Rigid(transform), &[0.5], &mut positions, &mut normals);
        assert!(positions[0].abs_diff_eq(Vec3::new(0.5, 1.0, -1.0), 1e-6), "{}", positions[0]);
    }
}
