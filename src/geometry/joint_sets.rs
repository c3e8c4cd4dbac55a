//! Vertices sorted by the joints that carry them: eight of one set of joints are skinned by the numbers of one matrix after the other,
//! side by side.

use std::sync::OnceLock;

use glam::Vec3;

use crate::math::lanes::F32x8;

/// Vertices that are sorted among themselves: few enough to stay in the cache, and a piece of parallel work.
pub const SPAN: usize = 4096;
/// Influences of a vertex that can be in a block.
const INFLUENCES: usize = 4;
/// Vertices of one set that are worth a block of their own.
const WORTH: usize = 3;

/// Up to eight vertices that the same joints carry.
#[derive(Clone, Debug)]
pub struct JointSetBlock {
    /// Indices into the skin's joints.
    pub joints: [u16; INFLUENCES],
    /// Which vertices of the span; where there are fewer than eight the last one is repeated.
    pub vertices: [u16; 8],
    /// How many there are.
    pub count: usize,
    /// For each of the joints.
    pub weights: [F32x8; INFLUENCES],
    /// Where the vertices are when nothing moves them: x, y, z.
    pub positions: [F32x8; 3],
    /// Their normals.
    pub normals: [F32x8; 3],
}

/// The vertices of a part, each list in their order.
#[derive(Clone, Copy)]
pub struct BoundVertices<'a> {
    /// Entries of a vertex in the next two.
    pub influences: usize,
    /// Indices into the skin's joints.
    pub joints: &'a [u16],
    /// For each of the joints.
    pub weights: &'a [f32],
    /// Where they are when nothing moves them.
    pub positions: &'a [Vec3],
    /// Empty where all point up.
    pub normals: &'a [Vec3],
}

/// The vertices of a span.
#[derive(Clone, Debug, Default)]
pub struct SortedSpan {
    /// By their first vertices; all weights count.
    pub blocks: Vec<JointSetBlock>,
    /// The other vertices, ascending.
    pub others: Vec<u16>,
    /// Whether all weights of those count.
    pub others_count: bool,
    /// The highest index of a joint.
    pub most: u16,
}

/// The vertices of a part, sorted when that is first asked for.
#[derive(Debug, Default)]
pub struct JointSets(OnceLock<Vec<SortedSpan>>);

impl JointSets {
    /// Span after span of `vertices`, which are those of the part and stay as they are from now on.
    pub fn of(&self, vertices: BoundVertices) -> &[SortedSpan] {
        self.0.get_or_init(|| {
            (0..vertices.positions.len()).step_by(SPAN).map(|first| vertices.span(first).sorted()).collect()
        })
    }
}

impl Clone for JointSets {
    /// Empty: what is cloned may be changed.
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl PartialEq for JointSets {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl BoundVertices<'_> {
    /// The span that begins with vertex `first`.
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

    fn sorted(self) -> SortedSpan {
        let most = self.joints.iter().copied().max().unwrap_or(0);
        let all_weights_count = |vertex: u16| {
            let first = usize::from(vertex) * self.influences;
            self.weights[first..first + self.influences].iter().all(|&weight| weight >= 0.0)
        };
        let (mut order, mut others): (Vec<u16>, Vec<u16>) =
            (0..self.positions.len() as u16).partition(|&vertex| all_weights_count(vertex));
        let (others_count, mut blocks) = (others.is_empty(), Vec::new());
        if self.influences == INFLUENCES {
            order.sort_by_key(|&vertex| self.joints_of(vertex));
            let sets = order.chunk_by(|&a, &b| self.joints_of(a) == self.joints_of(b));
            for vertices in sets.flat_map(|set| set.chunks(8)) {
                if vertices.len() < WORTH {
                    others.extend(vertices);
                } else {
                    blocks.push(self.block(vertices));
                }
            }
        } else {
            others.extend(order);
        }
        others.sort_unstable();
        // What is written lies near what was written before, and so in the nearest cache.
        blocks.sort_by_key(|block: &JointSetBlock| block.vertices[0]);
        SortedSpan { blocks, others, others_count, most }
    }

    /// The joints of one vertex of four.
    fn joints_of(&self, vertex: u16) -> [u16; INFLUENCES] {
        self.joints.as_chunks().0[usize::from(vertex)]
    }

    /// A block of the vertices `own`, at least one.
    fn block(&self, own: &[u16]) -> JointSetBlock {
        let vertices: [u16; 8] = std::array::from_fn(|lane| own[lane.min(own.len() - 1)]);
        let weight =
            |entry: usize| F32x8(vertices.map(|vertex| self.weights[usize::from(vertex) * INFLUENCES + entry]));
        let position = |axis: usize| F32x8(vertices.map(|vertex| self.positions[usize::from(vertex)][axis]));
        let normal = |vertex: u16| self.normals.get(usize::from(vertex)).copied().unwrap_or(Vec3::Y);
        JointSetBlock {
            joints: self.joints_of(own[0]),
            vertices,
            count: own.len(),
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
    fn every_vertex_is_in_one_block_of_its_own_joints_or_among_the_others() {
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
        assert!(!spans[0].others_count && spans[0].others.contains(&500) && spans[1].others_count);
        assert!(spans.iter().all(|span| span.blocks.len() > 90 && span.most == 65), "{}", spans[0].blocks.len());
    }
}
