//! Where nodes stand that the user has not placed: sources left, the result right, one column per level.

use egui::{Pos2, Rect, Vec2};

use crate::systems::blend::{Axes, Drive, NodeKind, Tree};

/// Free space between columns, in which wires are seen, points.
const WIRES: f32 = 40.0;

/// How nodes are drawn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Look {
    /// With fields to change them.
    Edited,
    /// With words only.
    Read,
}

/// A place for every node: the given ones, and for the rest their place by level.
pub fn places(tree: &Tree, given: &[[f32; 2]], look: Look) -> Vec<[f32; 2]> {
    let levels = levels(tree);
    let sizes: Vec<Vec2> = tree.nodes.iter().map(|node| size(&node.kind, look)).collect();
    let deepest = levels.iter().copied().max().unwrap_or(0);
    let width = |level: usize| (0..sizes.len()).filter(|&i| levels[i] == level).map(|i| sizes[i].x).fold(0.0, f32::max);
    let left = |level: usize| (level + 1..=deepest).map(|deeper| width(deeper) + WIRES).sum::<f32>();
    let mut filled = vec![0.0; deepest + 1];
    let place = |node: usize| {
        let level = levels[node];
        let top = filled[level];
        filled[level] += sizes[node].y + GAP;
        let own = given.get(node).filter(|place| place.iter().all(|number| number.is_finite()));
        own.copied().unwrap_or([left(level), top])
    };
    (0..tree.nodes.len()).map(place).collect()
}

/// The room a node takes, points.
fn size(kind: &NodeKind, look: Look) -> Vec2 {
    /// Height of a line with a field, and of one to read.
    const LINES: [f32; 2] = [29.0, 28.0];
    let (line, is_read) = (LINES[usize::from(look == Look::Read)], look == Look::Read);
    let (width, lines) = match kind {
        NodeKind::Source(_) if is_read => (144.0, 2),
        NodeKind::Blend(links) if is_read => (144.0, links.len() + 1),
        NodeKind::Source(_) => (216.0, 4),
        NodeKind::Blend(links) => (250.0, links.len() + 2),
        NodeKind::Additive(_) => (288.0, 4),
        NodeKind::Standard(_) => (216.0, 4),
        NodeKind::Space(space) => {
            let plot = if space.axes == Axes::Two { 5 } else { 2 };
            let motion = usize::from(space.drive != Drive::Keys);
            (264.0, space.samples.len() + plot + motion + 5)
        }
    };
    Vec2::new(width, lines as f32 * line + MARGIN)
}

/// Above and below what stands in a node together, points.
const MARGIN: f32 = 12.0;

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
        let places = places(&tree, &[], Look::Edited);
        // Three samples, a plot and five more lines were seen to take 283 points.
        assert!(places[0][0] == places[1][0] && places[1][1] - places[0][1] > 290.0, "{places:?}");
    }

    #[test]
    fn the_result_stands_right_of_all_and_no_two_nodes_share_a_place() {
        let tree = Scenario::default().tree(&Weights::default());
        let places = places(&tree, &[], Look::Edited);
        let right = places.iter().map(|place| place[0]).fold(0.0, f32::max);
        assert_eq!(places[tree.root][0], right);
        for (i, place) in places.iter().enumerate() {
            assert!(!places[..i].contains(place));
        }
    }
}
