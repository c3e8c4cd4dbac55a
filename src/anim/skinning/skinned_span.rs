//! Skinning of a span: vertices with the same joints in blocks of eight, the others one by one.

use glam::{Vec3, Vec4};

use super::Surface;
use super::mixed_matrix::MixedMatrix;
use super::skin_matrix::SkinMatrix;
use super::unit_normals::{unit, unit_rows};
use crate::geometry::joint_sets::{JointSetBlock, SortedSpan};
use crate::math::lanes::{Eight, F32x8, Vectors};
use crate::math::number::Number;

/// The vertices of a span and the joints that carry them.
#[derive(Clone, Copy)]
pub(super) struct SkinnedSpan<'a> {
    /// Influences per vertex.
    pub influences: usize,
    pub joints: &'a [u16],
    pub weights: &'a [f32],
    pub sorted: &'a SortedSpan,
    /// Skin matrices, at least one.
    pub palette: &'a [SkinMatrix],
    pub positions: &'a [Vec3],
    /// Bind normals; empty if all are +Y.
    pub normals: &'a [Vec3],
    /// True if morph targets moved the vertices away from the grouped bind positions.
    pub is_morphed: bool,
}

impl SkinnedSpan<'_> {
    /// Blends the matrices of each vertex's joints by weight and transforms the vertex once.
    ///
    /// Weights need not sum to 1. A negative weight or one of a missing joint does not count. A vertex without any
    /// weight keeps its bind position.
    #[inline(always)]
    pub fn carry<V: Vectors>(&self, vectors: V, mut out: Surface) {
        let SkinnedSpan { sorted, palette, .. } = *self;
        let joints_exist = usize::from(sorted.max_joint) < palette.len();
        for block in &sorted.blocks {
            if !joints_exist {
                self.carry_others(vectors, &block.vertices[..block.count], false, &mut out);
            } else if self.is_morphed {
                let vertices = self.gathered(block);
                carry_block(vectors, block, &vertices, palette, &mut out);
            } else {
                carry_block(vectors, block, &[block.positions, block.normals], palette, &mut out);
            }
        }
        for others in sorted.others.chunks(8) {
            self.carry_others(vectors, others, joints_exist && sorted.others_valid, &mut out);
        }
    }

    /// Returns positions and normals of the vertices of a block, each as x, y and z with one lane per vertex.
    fn gathered(&self, block: &JointSetBlock) -> [[F32x8; 3]; 2] {
        let mut gathered = [[F32x8::ZERO; 3]; 2];
        for (lane, vertex) in block.vertices.into_iter().enumerate() {
            let (position, normal) = (self.positions[usize::from(vertex)], self.normal(usize::from(vertex)));
            for axis in 0..3 {
                (gathered[0][axis].0[lane], gathered[1][axis].0[lane]) = (position[axis], normal[axis]);
            }
        }
        gathered
    }

    fn normal(&self, vertex: usize) -> Vec3 {
        self.normals.get(vertex).copied().unwrap_or(Vec3::Y)
    }

    /// Transforms up to eight vertices one by one; `all_valid` means that all weights are known to be valid.
    #[inline(always)]
    fn carry_others<V: Vectors>(&self, vectors: V, vertices: &[u16], all_valid: bool, out: &mut Surface) {
        let mut turned = [Vec4::ZERO; 8];
        for (turned, &vertex) in turned.iter_mut().zip(vertices) {
            let vertex = usize::from(vertex);
            let entries = vertex * self.influences..(vertex + 1) * self.influences;
            let (joints, weights) = (&self.joints[entries.clone()], &self.weights[entries]);
            let mut mixed = MixedMatrix::none(vectors);
            match (joints.as_array::<4>(), weights.as_array::<4>()) {
                (Some(joints), Some(weights)) if all_valid => {
                    mixed = mixed.with(vectors, self.palette, joints, weights);
                }
                _ => {
                    for (joints, weights) in joints.chunks(4).zip(weights.chunks(4)) {
                        let (joints, weights) = valid_influences(joints, weights, self.palette.len());
                        mixed = mixed.with(vectors, self.palette, &joints, &weights);
                    }
                }
            }
            out.positions[vertex] = self.positions[vertex];
            *turned = mixed.carry(&mut out.positions[vertex], self.normal(vertex));
        }
        for (row, &vertex) in unit(vectors, &turned).into_iter().zip(vertices) {
            out.normals[usize::from(vertex)] = row.truncate();
        }
    }
}

/// Returns joints and weights of up to four influences as four of each. Weights that are not positive, and those of joints from
/// `joint_count` on, become 0.
#[inline(always)]
fn valid_influences(joints: &[u16], weights: &[f32], joint_count: usize) -> ([u16; 4], [f32; 4]) {
    let (mut valid_joints, mut valid_weights) = ([0; 4], [0.0; 4]);
    for (i, (&joint, &weight)) in joints.iter().zip(weights).enumerate() {
        if weight > 0.0 && usize::from(joint) < joint_count {
            (valid_joints[i], valid_weights[i]) = (joint, weight);
        }
    }
    (valid_joints, valid_weights)
}

/// Transforms eight vertices with the same joints and the bind positions and normals `bound`, bit-identical to transforming each
/// alone.
#[inline(always)]
fn carry_block<V: Vectors>(
    vectors: V,
    block: &JointSetBlock,
    bound: &[[F32x8; 3]; 2],
    palette: &[SkinMatrix],
    out: &mut Surface,
) {
    let [a, b, c, d] = block.joints;
    let (a, b) = (palette.get(usize::from(a)), palette.get(usize::from(b)));
    let (c, d) = (palette.get(usize::from(c)), palette.get(usize::from(d)));
    let (Some(a), Some(b), Some(c), Some(d)) = (a, b, c, d) else { return };
    let matrices = [a, b, c, d];
    let weights = loaded(vectors, &block.weights);
    let [[x, y, z], [across, up, ahead]] = [loaded(vectors, &bound[0]), loaded(vectors, &bound[1])];
    let sum = weights[0] + weights[1] + weights[2] + weights[3];
    let zero = sum.like(0.0);
    let (mut carried, mut turned) = ([x, y, z, zero], [across, up, ahead, zero]);
    for row in 0..3 {
        let [i, j, k, l] = mixed_row(vectors, matrices, weights, row);
        // A vertex without weights keeps its position.
        carried[row] = sum.select_above(0.0, (i * x + j * y + k * z + l) / sum, carried[row]);
        turned[row] = sum.select_above(0.0, i * across + j * up + k * ahead, turned[row]);
    }
    let (carried, turned) = (Eight::rows(carried), unit_rows(turned));
    for ((vertex, position), normal) in block.vertices.into_iter().zip(carried).zip(turned) {
        let (Some(to), Some(to_normal)) =
            (out.positions.get_mut(usize::from(vertex)), out.normals.get_mut(usize::from(vertex)))
        else {
            continue;
        };
        (*to, *to_normal) = (position.truncate(), normal.truncate());
    }
}

/// Loads each of `from` into a register.
#[inline(always)]
fn loaded<V: Vectors, const COUNT: usize>(vectors: V, from: &[F32x8; COUNT]) -> [Eight<V>; COUNT] {
    let mut loaded = [Eight::load(vectors, &from[0]); COUNT];
    for (to, from) in loaded.iter_mut().zip(from) {
        *to = Eight::load(vectors, from);
    }
    loaded
}

/// Returns row `row` of the matrices, summed by weight.
#[inline(always)]
fn mixed_row<V: Vectors>(vectors: V, matrices: [&SkinMatrix; 4], weights: [Eight<V>; 4], row: usize) -> [Eight<V>; 4] {
    let mut mixed = weights;
    let [a, b, c, d] = matrices;
    let [a, b, c, d] = [a.columns(), b.columns(), c.columns(), d.columns()];
    for (column, mixed) in mixed.iter_mut().enumerate() {
        *mixed = Eight::splat(vectors, a[column][row]) * weights[0]
            + Eight::splat(vectors, b[column][row]) * weights[1]
            + Eight::splat(vectors, c[column][row]) * weights[2]
            + Eight::splat(vectors, d[column][row]) * weights[3];
    }
    mixed
}
