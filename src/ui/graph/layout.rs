//! Where nodes stand that the user has not placed: sources left, the result right, one column per level.

use egui::{Pos2, Rect, Vec2};

use crate::systems::blend::{Axes, Drive, NodeKind, Tree};

/// Distance between columns and least distance between rows, points.
const STEP: [f32; 2] = [290.0, 128.0];

/// A place for every node: the given ones, and for the rest their place by level.
pub fn places(tree: &Tree, given: &[[f32; 2]]) -> Vec<[f32; 2]> {
    let levels = levels(tree);
    let deepest = levels.iter().copied().max().unwrap_or(0);
    let mut filled = vec![0.0; deepest + 1];
    let place = |node: usize| {
        let level = levels[node];
        let top = filled[level];
        filled[level] += height(&tree.nodes[node].kind).max(STEP[1]);
        let own = given.get(node).filter(|place| place.iter().all(|number| number.is_finite()));
        own.copied().unwrap_or([(deepest - level) as f32 * STEP[0], top])
    };
    (0..tree.nodes.len()).map(place).collect()
}

/// Height of the room a node takes, with the space below it, points.
fn height(kind: &NodeKind) -> f32 {
    /// Of a line with a field.
    const LINE: f32 = 29.0;
    let lines = match kind {
        NodeKind::Source(_) => 4,
        NodeKind::Blend(links) => links.len() + 2,
        NodeKind::Additive(_) | NodeKind::Standard(_) => 4,
        NodeKind::Space(space) => {
            let plot = if space.axes == Axes::Two { 5 } else { 2 };
            let motion = usize::from(space.drive != Drive::Keys);
            space.samples.len() + plot + motion + 5
        }
    };
    lines as f32 * LINE + GAP
}

/// The room a node takes that stands at `place`; `drawn` where it was seen.
pub fn room_of(place: [f32; 2], drawn: Option<&Rect>) -> Rect {
    let size = drawn.filter(|rect| rect.is_finite() && rect.is_positive()).map_or(USUAL, Rect::size);
    Rect::from_min_size(Pos2::from(place), size)
}

/// The place under everything that is there.
pub fn below(taken: &[Rect]) -> [f32; 2] {
    let all = taken.iter().fold(Rect::NOTHING, |all, rect| all.union(*rect));
    if all.is_positive() { [all.min.x, all.max.y + GAP] } else { [0.0; 2] }
}

/// `wanted` moved down together until no node stands on one that is there.
pub fn free(wanted: &[[f32; 2]], taken: &[Rect]) -> Vec<[f32; 2]> {
    let at = |down: f32| wanted.iter().map(move |place| [place[0], place[1] + down]);
    let is_free = |down: &f32| {
        let hits = |place| taken.iter().any(|rect| rect.expand(GAP - 1.0).intersects(room_of(place, None)));
        !at(*down).any(hits)
    };
    // Below the lowest of all there is always room.
    let down = (0..4096).map(|step| step as f32 * GAP).find(is_free);
    at(down.unwrap_or_default()).collect()
}

/// Size of a node that was not drawn yet, points.
const USUAL: Vec2 = Vec2::new(250.0, 120.0);

/// Free space around a new node, points.
const GAP: f32 = 16.0;

/// How many connections the longest path from the result to each node has; nodes that do not lead to it stand with the sources.
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
    use crate::systems::blend::{BlendSpace, Scenario, Source, SpaceSample, Weights};

    #[test]
    fn new_nodes_keep_their_order_and_stand_on_nothing() {
        let taken = [room_of([0.0, 0.0], None), room_of([300.0, 40.0], None)];
        let wanted = [[10.0, 10.0], [310.0, 50.0]];
        let free = free(&wanted, &taken);
        assert_eq!(free[1][1] - free[0][1], 40.0);
        let hits = |place: &[f32; 2]| taken.iter().any(|rect| rect.intersects(room_of(*place, None)));
        assert!(wanted.iter().all(hits) && !free.iter().any(hits));
        assert_eq!(super::free(&[below(&taken)], &taken), [below(&taken)]);
    }

    #[test]
    fn what_stands_below_a_tall_node_is_not_hidden_by_it() {
        let mut tree = Tree::default();
        let space = BlendSpace { samples: vec![SpaceSample::default(); 3], ..BlendSpace::default() };
        tree.add("Gaits", NodeKind::Space(Box::new(space)));
        tree.add("Cast", NodeKind::Source(Source::default()));
        tree.root = tree.add("Mix", NodeKind::Blend(Vec::new()));
        let places = places(&tree, &[]);
        // Three samples, a plot and five more lines were seen to take 283 points.
        assert!(places[0][0] == places[1][0] && places[1][1] - places[0][1] > 290.0, "{places:?}");
    }

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
