//! Automatic layout of nodes without a position: sources left, output right, one column per level.

use egui::{Pos2, Rect, Vec2};

use portamento_blend::{Axes, Drive, NodeKind, Tree};

/// Gap between columns for the wires, points.
const COLUMN_GAP: f32 = 40.0;

/// Drawing style of the nodes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Look {
    /// Editable, with fields.
    Edited,
    /// Read-only, with text.
    Read,
}

/// Returns the top left corner of every node, points: the given one, or one computed from its level if it is missing or not
/// finite.
pub fn node_positions(tree: &Tree, given: &[[f32; 2]], look: Look) -> Vec<[f32; 2]> {
    let levels = levels(tree);
    let sizes: Vec<Vec2> = tree.nodes.iter().map(|node| size(&node.kind, look)).collect();
    let deepest = levels.iter().copied().max().unwrap_or(0);
    let width = |level: usize| (0..sizes.len()).filter(|&i| levels[i] == level).map(|i| sizes[i].x).fold(0.0, f32::max);
    let left = |level: usize| (level + 1..=deepest).map(|deeper| width(deeper) + COLUMN_GAP).sum::<f32>();
    let mut filled = vec![0.0; deepest + 1];
    let position_of = |node: usize| {
        let level = levels[node];
        let top = filled[level];
        filled[level] += sizes[node].y + NODE_GAP;
        let given_position = given.get(node).filter(|position| position.iter().all(|number| number.is_finite()));
        given_position.copied().unwrap_or([left(level), top])
    };
    (0..tree.nodes.len()).map(position_of).collect()
}

/// Returns the estimated size of a node drawn as `look`, points.
fn size(kind: &NodeKind, look: Look) -> Vec2 {
    /// Heights of an editable and a read-only line, points.
    const LINE_HEIGHTS: [f32; 2] = [29.0, 28.0];
    let (line, is_read) = (LINE_HEIGHTS[usize::from(look == Look::Read)], look == Look::Read);
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
    Vec2::new(width, lines as f32 * line + VERTICAL_MARGIN)
}

/// Total vertical margin of a node, points.
const VERTICAL_MARGIN: f32 = 12.0;

/// Returns the rectangle of the node with its top left corner at `position`, points. The size is that of `drawn`, or a default
/// one.
pub fn node_rect(position: [f32; 2], drawn: Option<&Rect>) -> Rect {
    let size = drawn.filter(|rect| rect.is_finite() && rect.is_positive()).map_or(DEFAULT_SIZE, Rect::size);
    Rect::from_min_size(Pos2::from(position), size)
}

/// Returns the top left corner of a node below all existing ones, points; `[0, 0]` without nodes.
pub fn position_below(taken: &[Rect]) -> [f32; 2] {
    let all = taken.iter().fold(Rect::NOTHING, |all, rect| all.union(*rect));
    if all.is_positive() { [all.min.x, all.max.y + NODE_GAP] } else { [0.0; 2] }
}

/// Moves the top left corners `wanted` (points) down together until no node overlaps a rectangle of `taken`.
pub fn without_overlap(wanted: &[[f32; 2]], taken: &[Rect]) -> Vec<[f32; 2]> {
    let at = |down: f32| wanted.iter().map(move |place| [place[0], place[1] + down]);
    let is_free = |down: &f32| {
        let hits = |place| taken.iter().any(|rect| rect.expand(NODE_GAP - 1.0).intersects(node_rect(place, None)));
        !at(*down).any(hits)
    };
    // There is always room below the lowest node.
    let down = (0..4096).map(|step| step as f32 * NODE_GAP).find(is_free);
    at(down.unwrap_or_default()).collect()
}

/// Assumed size of a node that was not drawn yet, points.
const DEFAULT_SIZE: Vec2 = Vec2::new(250.0, 120.0);

/// Gap around a new node, points.
const NODE_GAP: f32 = 16.0;

/// Returns the length of the longest path from the output to each node. Unconnected nodes are placed with the sources.
fn levels(tree: &Tree) -> Vec<usize> {
    let count = tree.nodes.len();
    let mut levels: Vec<Option<usize>> = vec![None; count];
    if let Some(root) = levels.get_mut(tree.root) {
        *root = Some(0);
    }
    // Bounded by the node count, because a cycle would never end.
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
    use portamento_blend::{BlendSpace, Scenario, Source, SpaceSample, Weights};

    #[test]
    fn new_nodes_keep_their_order_and_overlap_nothing() {
        let taken = [node_rect([0.0, 0.0], None), node_rect([300.0, 40.0], None)];
        let wanted = [[10.0, 10.0], [310.0, 50.0]];
        let free = without_overlap(&wanted, &taken);
        assert_eq!(free[1][1] - free[0][1], 40.0);
        let hits = |position: &[f32; 2]| taken.iter().any(|rect| rect.intersects(node_rect(*position, None)));
        assert!(wanted.iter().all(hits) && !free.iter().any(hits));
        assert_eq!(super::without_overlap(&[position_below(&taken)], &taken), [position_below(&taken)]);
    }

    #[test]
    fn a_tall_node_does_not_cover_the_node_under_it() {
        let mut tree = Tree::default();
        let space = BlendSpace { samples: vec![SpaceSample::default(); 3], ..BlendSpace::default() };
        tree.add("Gaits", NodeKind::Space(Box::new(space)));
        tree.add("Cast", NodeKind::Source(Source::default()));
        tree.root = tree.add("Mix", NodeKind::Blend(Vec::new()));
        let positions = node_positions(&tree, &[], Look::Edited);
        // Three samples, a plot and five more lines were measured to take 283 points.
        assert!(positions[0][0] == positions[1][0] && positions[1][1] - positions[0][1] > 290.0, "{positions:?}");
    }

    #[test]
    fn the_output_is_rightmost_and_no_two_nodes_share_a_position() {
        let tree = Scenario::default().tree(&Weights::default());
        let positions = node_positions(&tree, &[], Look::Edited);
        let right = positions.iter().map(|position| position[0]).fold(0.0, f32::max);
        assert_eq!(positions[tree.root][0], right);
        for (i, position) in positions.iter().enumerate() {
            assert!(!positions[..i].contains(position));
        }
    }
}
