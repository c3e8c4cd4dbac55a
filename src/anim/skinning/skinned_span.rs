//! The vertices of a span where their joints take them: sets of eight that the same joints carry side by side, the others one by one.

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
    /// Of a vertex.
    pub influences: usize,
    pub joints: &'a [u16],
    pub weights: &'a [f32],
    pub sorted: &'a SortedSpan,
    /// Not empty.
    pub palette: &'a [SkinMatrix],
    pub positions: &'a [Vec3],
    /// Empty where all point up.
    pub normals: &'a [Vec3],
    /// Whether the vertices are elsewhere than those that were sorted.
    pub is_bent: bool,
}

impl SkinnedSpan<'_> {
    /// Mixes the matrices of each vertex's joints by weight, then carries it once. Weights need not sum to 1; one below 0 or for a
    /// joint that is not there does not count; a vertex without any keeps its bind place.
    #[inline(always)]
    pub fn carry<V: Vectors>(&self, vectors: V, mut out: Surface) {
        let SkinnedSpan { sorted, palette, .. } = *self;
        let are_known = usize::from(sorted.most) < palette.len();
        for block in &sorted.blocks {
            if !are_known {
                self.carry_others(vectors, &block.vertices[..block.count], false, &mut out);
            } else if self.is_bent {
                let vertices = self.gathered(block);
                carry_block(vectors, block, &vertices, palette, &mut out);
            } else {
                carry_block(vectors, block, &[block.positions, block.normals], palette, &mut out);
            }
        }
        for others in sorted.others.chunks(8) {
            self.carry_others(vectors, others, are_known && sorted.others_count, &mut out);
        }
    }

    /// Positions and normals of a block, component by component.
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

    /// Carries up to eight vertices one by one; of `all_count` all weights are known to count.
    #[inline(always)]
    fn carry_others<V: Vectors>(&self, vectors: V, vertices: &[u16], all_count: bool, out: &mut Surface) {
        let mut turned = [Vec4::ZERO; 8];
        for (turned, &vertex) in turned.iter_mut().zip(vertices) {
            let vertex = usize::from(vertex);
            let entries = vertex * self.influences..(vertex + 1) * self.influences;
            let (joints, weights) = (&self.joints[entries.clone()], &self.weights[entries]);
            let mut mixed = MixedMatrix::none(vectors);
            match (joints.as_array::<4>(), weights.as_array::<4>()) {
                (Some(joints), Some(weights)) if all_count => {
                    mixed = mixed.with(vectors, self.palette, joints, weights);
                }
                _ => {
                    for (joints, weights) in joints.chunks(4).zip(weights.chunks(4)) {
                        let (joints, weights) = counted(joints, weights, self.palette.len());
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

/// Carries eight vertices of one set of joints, which have `bound` as positions and normals, with the bits that each has alone.
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
    let places = [a, b, c, d];
    let weights = loaded(vectors, &block.weights);
    let [[x, y, z], [across, up, ahead]] = [loaded(vectors, &bound[0]), loaded(vectors, &bound[1])];
    let sum = weights[0] + weights[1] + weights[2] + weights[3];
    let zero = sum.like(0.0);
    let (mut carried, mut turned) = ([x, y, z, zero], [across, up, ahead, zero]);
    for row in 0..3 {
        let [i, j, k, l] = mixed_row(vectors, places, weights, row);
        // What no weight carries keeps its place.
        carried[row] = sum.above(0.0, (i * x + j * y + k * z + l) / sum, carried[row]);
        turned[row] = sum.above(0.0, i * across + j * up + k * ahead, turned[row]);
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

#[inline(always)]
fn loaded<V: Vectors, const COUNT: usize>(vectors: V, from: &[F32x8; COUNT]) -> [Eight<V>; COUNT] {
    let mut loaded = [Eight::load(vectors, &from[0]); COUNT];
    for (to, from) in loaded.iter_mut().zip(from) {
        *to = Eight::load(vectors, from);
    }
    loaded
}

/// One row of the matrices `places`, summed by weight.
#[inline(always)]
fn mixed_row<V: Vectors>(vectors: V, places: [&SkinMatrix; 4], weights: [Eight<V>; 4], row: usize) -> [Eight<V>; 4] {
    let mut mixed = weights;
    let [a, b, c, d] = places;
    let [a, b, c, d] = [a.columns(), b.columns(), c.columns(), d.columns()];
    for (column, mixed) in mixed.iter_mut().enumerate() {
        *mixed = Eight::splat(vectors, a[column][row]) * weights[0]
            + Eight::splat(vectors, b[column][row]) * weights[1]
            + Eight::splat(vectors, c[column][row]) * weights[2]
            + Eight::splat(vectors, d[column][row]) * weights[3];
    }
    mixed
}
