//! Where nodes stand that the user has not placed: sources left, the result right, one column per level.

use crate::systems::blend::Tree;

/// Distance between columns and between rows, points.
const STEP: [f32; 2] = [290.0, 128.0];

/// A place for every node: the given ones, and for the rest their place by level.
pub fn places(tree: &Tree, given: &[[f32; 2]]) -> Vec<[f32; 2]> {
    let levels = levels(tree);
    let deepest = levels.iter().copied().max().unwrap_or(0);
    let mut rows = vec![0; deepest + 1];
    let place = |node: usize| {
        let level = levels[node];
        let row = rows[level];
        rows[level] += 1;
        let own = given.get(node).filter(|place| place.iter().all(|number| number.is_finite()));
        own.copied().unwrap_or([(deepest - level) as f32 * STEP[0], row as f32 * STEP[1]])
    };
    (0..tree.nodes.len()).map(place).collect()
}

/// The longest way from the result to each node; nodes that are not heard stand with the sources.
fn levels(tree: &Tree) -> Vec<usize> {
    let count = tree.nodes.len();
    let mut levels: Vec<Option<usize>> = vec![None; count];
    if let Some(root) = levels.get_mut(tree.root) {
        *root = Some(0);
    }
    // A circle would go on for ever: no way is longer than there are nodes.
    for _ in 0..count {
        for node in 0..count {
            let Some(level) = levels[node] else { continue };
            for child in tree.children(node).into_iter().filter(|&child| child < count) {
                levels[child] = Some(levels[child].unwrap_or(0).max(level + 1).min(count));
            }
        }
    }
    let deepest = levels.iter().flatten().copied().max().unwrap_or(0);
    levels.into_iter().map(|level| level.unwrap_or(deepest)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::systems::blend::{Scenario, Weights};

    #[test]
    fn the_result_stands_right_of_all_and_no_two_nodes_share_a_place() {
        let tree = Scenario::default().tree(&Weights::default());
        let places = places(&tree, &[]);
        let right = places.iter().map(|place| place[0]).fold(0.0, f32::max);
        assert_eq!(places[tree.root][0], right);
        for (i, place) in places.iter().enumerate() {
            assert!(!places[..i].contains(place));
        }
    }
}
