//! Groups of bones that are stepped in parallel lanes.

use portamento_anim::math::four::FOUR;

/// Up to four bones at the same depth of their trees, so that none depends on another.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct BoneGroup {
    /// Indices of the bones; with fewer than four, the last one is repeated.
    pub bones: [usize; FOUR],
    /// Number of different bones.
    pub count: usize,
}

impl BoneGroup {
    /// Returns the groups of all bones, parents before children. `parents` has the parent of each bone, parents before
    /// children.
    pub fn all(parents: impl Iterator<Item = Option<usize>>) -> Vec<Self> {
        let mut levels: Vec<usize> = Vec::new();
        for parent in parents {
            levels.push(parent.map_or(0, |parent| levels[parent] + 1));
        }
        let mut order: Vec<usize> = (0..levels.len()).collect();
        // Level by level, so that consecutive groups are independent and the processor can overlap them.
        order.sort_by_key(|&index| levels[index]);
        let groups = order.chunk_by(|&a, &b| levels[a] == levels[b]).flat_map(|level| level.chunks(FOUR));
        groups
            .map(|group| Self {
                bones: std::array::from_fn(|lane| group[lane.min(group.len() - 1)]),
                count: group.len(),
            })
            .collect()
    }
}
