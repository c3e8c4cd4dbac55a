//! Which bones are stepped side by side.

use crate::math::four::FOUR;

/// Up to four bones of which none waits for another: all are equally many bones below the first of their trees.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct BoneGroup {
    /// Indices of the bones; where there are fewer than four the last one is repeated.
    pub bones: [usize; FOUR],
    /// How many there are.
    pub count: usize,
}

impl BoneGroup {
    /// All bones, which have `parents` (first ones first), in groups, parents' groups first.
    pub fn all(parents: impl Iterator<Item = Option<usize>>) -> Vec<Self> {
        let mut levels: Vec<usize> = Vec::new();
        for parent in parents {
            levels.push(parent.map_or(0, |parent| levels[parent] + 1));
        }
        let mut order: Vec<usize> = (0..levels.len()).collect();
        // Level by level: the processor also works at several groups at once.
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
