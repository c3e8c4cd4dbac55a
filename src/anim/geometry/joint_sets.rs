//! Vertices grouped by the joints that carry them, so that eight vertices with the same joints are skinned together
//! with SIMD.

use std::sync::OnceLock;

use glam::Vec3;

use crate::math::lanes::F32x8;

/// Vertices per span: few enough to stay in the cache, and one parallel task.
pub const SPAN: usize = 4096;
/// Influences per vertex in a block.
const INFLUENCES: usize = 4;
/// Minimum number of vertices in a block.
const MIN_BLOCK_VERTICES: usize = 3;

/// Up to eight vertices with the same joints.
#[derive(Clone, Debug)]
pub struct JointSetBlock {
    /// Indices into the skin's joints.
    pub joints: [u16; INFLUENCES],
    /// Indices of the vertices within the span; the last one is repeated up to eight.
    pub vertices: [u16; 8],
    /// Number of vertices.
    pub count: usize,
    /// Weights for each of the joints.
    pub weights: [F32x8; INFLUENCES],
    /// Bind positions of the vertices: x, y, z.
    pub positions: [F32x8; 3],
    /// Bind normals of the vertices: x, y, z.
    pub normals: [F32x8; 3],
}

/// The vertices of a primitive; all lists are in vertex order.
#[derive(Clone, Copy)]
pub struct BoundVertices<'a> {
    /// Entries per vertex in `joints` and `weights`.
    pub influences: usize,
    /// Indices into the skin's joints.
    pub joints: &'a [u16],
    /// Weight for each of the joints.
    pub weights: &'a [f32],
    /// Bind positions.
    pub positions: &'a [Vec3],
    /// Bind normals; empty if all are +Y.
    pub normals: &'a [Vec3],
}

/// The grouped vertices of a span.
#[derive(Clone, Debug, Default)]
pub struct SortedSpan {
    /// Blocks, ordered by their first vertex; all their weights are valid.
    pub blocks: Vec<JointSetBlock>,
    /// Vertices outside of blocks, ascending.
    pub others: Vec<u16>,
    /// True if all weights of `others` are valid.
    pub others_valid: bool,
    /// The largest joint index.
    pub max_joint: u16,
}

/// The grouped vertices of a primitive, computed on first use.
#[derive(Debug, Default)]
pub struct JointSets(OnceLock<Vec<SortedSpan>>);

impl JointSets {
    /// Returns the spans of `vertices`, computed in the first call. Later calls must pass the same vertices.
    pub fn of(&self, vertices: BoundVertices) -> &[SortedSpan] {
        self.0.get_or_init(|| {
            (0..vertices.positions.len()).step_by(SPAN).map(|first| vertices.span(first).sorted()).collect()
        })
    }
}

impl Clone for JointSets {
    /// Returns an empty value, because the clone may be changed.
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl PartialEq for JointSets {
    /// Always true: the sets follow from the vertices, which are compared elsewhere.
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl BoundVertices<'_> {
    /// Returns the span that begins with vertex `first`.
    fn span(self, first: usize) -> Self {
        let last = (first + SPAN).min(self.positions.len());
        let entries = first * self.influences..last * self.influences;
        Self {
            influences: self.influences,
            joints: self.joints.get(entries.clone()).unwrap_or_default(),
            weights: self.weights.get(entries).unwrap_or_default(),
            positions: &self.positions[first..last],
            normals: self.normals.get(first..last).unwrap_or_default(),
        }
    }

    /// Groups the vertices of a span, at most [`SPAN`], into blocks. Vertices with an invalid weight (negative or NaN) or with
    /// few companions, and all vertices of a primitive without four influences each, are left over in `others`.
    fn sorted(self) -> SortedSpan {
        let max_joint = self.joints.iter().copied().max().unwrap_or(0);
        let all_weights_valid = |vertex: u16| {
            let first = usize::from(vertex) * self.influences;
            self.weights[first..first + self.influences].iter().all(|&weight| weight >= 0.0)
        };
        let (mut order, mut others): (Vec<u16>, Vec<u16>) =
            (0..self.positions.len() as u16).partition(|&vertex| all_weights_valid(vertex));
        let (others_valid, mut blocks) = (others.is_empty(), Vec::new());
        if self.influences == INFLUENCES {
            order.sort_by_key(|&vertex| self.joints_of(vertex));
            let sets = order.chunk_by(|&a, &b| self.joints_of(a) == self.joints_of(b));
            for vertices in sets.flat_map(|set| set.chunks(8)) {
                if vertices.len() < MIN_BLOCK_VERTICES {
                    others.extend(vertices);
                } else {
                    blocks.push(self.block(vertices));
                }
            }
        } else {
            others.extend(order);
        }
        others.sort_unstable();
        // Writing near the previous writes keeps the cache warm.
        blocks.sort_by_key(|block: &JointSetBlock| block.vertices[0]);
        SortedSpan { blocks, others, others_valid, max_joint }
    }

    /// Returns the four joints of a vertex.
    fn joints_of(&self, vertex: u16) -> [u16; INFLUENCES] {
        self.joints.as_chunks().0[usize::from(vertex)]
    }

    /// Returns the block of the vertices `members`, at least one and at most eight.
    fn block(&self, members: &[u16]) -> JointSetBlock {
        let vertices: [u16; 8] = std::array::from_fn(|lane| members[lane.min(members.len() - 1)]);
        let weight =
            |entry: usize| F32x8(vertices.map(|vertex| self.weights[usize::from(vertex) * INFLUENCES + entry]));
        let position = |axis: usize| F32x8(vertices.map(|vertex| self.positions[usize::from(vertex)][axis]));
        let normal = |vertex: u16| self.normals.get(usize::from(vertex)).copied().unwrap_or(Vec3::Y);
        JointSetBlock {
            joints: self.joints_of(members[0]),
            vertices,
            count: members.len(),
            weights: std::array::from_fn(weight),
            positions: std::array::from_fn(position),
            normals: std::array::from_fn(|axis| F32x8(vertices.map(|vertex| normal(vertex)[axis]))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_vertex_is_in_one_block_with_its_joints_or_among_the_others() {
        let count = SPAN + 900;
        let joints: Vec<u16> = (0..count * 4).map(|entry| (entry * 13 % 64 + entry % 3) as u16).collect();
        let weights: Vec<f32> = (0..count * 4).map(|entry| if entry == 2000 { -0.5 } else { 0.25 }).collect();
        let positions: Vec<Vec3> = (0..count).map(|vertex| Vec3::new(vertex as f32, 1.0, 2.0)).collect();
        let sets = JointSets::default();
        let spans = sets.of(BoundVertices {
            influences: 4,
            joints: &joints,
            weights: &weights,
            positions: &positions,
            normals: &[],
        });
        let mut found = vec![0; count];
        for (number, span) in spans.iter().enumerate() {
            let at = |vertex: &u16| number * SPAN + usize::from(*vertex);
            span.others.iter().for_each(|vertex| found[at(vertex)] += 1);
            for block in &span.blocks {
                for (lane, vertex) in block.vertices.iter().enumerate() {
                    assert_eq!(block.joints, joints[at(vertex) * 4..][..4]);
                    assert!((0..4).all(|entry| block.weights[entry].0[lane] == weights[at(vertex) * 4 + entry]));
                    assert_eq!((block.positions[0].0[lane], block.normals[1].0[lane]), (at(vertex) as f32, 1.0));
                    found[at(vertex)] += usize::from(lane < block.count);
                }
            }
        }
        assert!(found.iter().all(|&times| times == 1) && spans.len() == 2);
        assert!(!spans[0].others_valid && spans[0].others.contains(&500) && spans[1].others_valid);
        assert!(spans.iter().all(|span| span.blocks.len() > 90 && span.max_joint == 65), "{}", spans[0].blocks.len());
    }
}
