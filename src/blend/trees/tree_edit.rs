//! Edits of a drawn tree that keep it valid: connections that would form a cycle are refused, and removed nodes leave no
//! connections behind.

use super::tree::{Additive, Link, Node, NodeKind, Source, Tree};
use crate::standard::scenario::Scenario;
use crate::{BuildError, Weights};
use portamento_anim::MaskChoice;

impl Tree {
    /// Returns the indices of the input nodes of `node`, in the order of its connections, muted ones included. The
    /// result is empty for an unknown node.
    pub fn children(&self, node: usize) -> Vec<usize> {
        match self.nodes.get(node).map(|node| &node.kind) {
            Some(NodeKind::Blend(links)) => links.iter().map(|link| link.child).collect(),
            Some(NodeKind::Additive(additive)) => vec![additive.base, additive.delta],
            Some(NodeKind::Source(_) | NodeKind::Space(_) | NodeKind::Standard(_)) | None => Vec::new(),
        }
    }

    /// True if `other` is `node` or one of its descendants.
    pub fn is_below(&self, other: usize, node: usize) -> bool {
        let mut seen = vec![false; self.nodes.len()];
        let mut open = vec![node];
        while let Some(next) = open.pop() {
            if next == other {
                return true;
            }
            if seen.get(next) == Some(&false) {
                seen[next] = true;
                open.extend(self.children(next));
            }
        }
        false
    }

    /// Connects `child` to input `slot` of `parent`. A slot past the last one of a blend adds a connection of weight 1. Slot
    /// 0 of an additive node is its base, any other its delta. Does nothing if `parent` takes no inputs.
    ///
    /// Returns `Err` if `child` does not exist or the connection would form a cycle.
    pub fn connect(&mut self, child: usize, parent: usize, slot: usize) -> Result<(), BuildError> {
        let name = |node: usize| self.nodes.get(node).map_or_else(String::new, |node| node.name.clone());
        if child >= self.nodes.len() {
            return Err(BuildError::NoSuchNode { node: name(parent), child });
        }
        if self.is_below(parent, child) {
            return Err(BuildError::Cycle { node: name(parent) });
        }
        match self.nodes.get_mut(parent).map(|node| &mut node.kind) {
            Some(NodeKind::Blend(links)) => match links.get_mut(slot) {
                Some(link) => link.child = child,
                None => links.push(Link { child, ..Link::default() }),
            },
            Some(NodeKind::Additive(additive)) if slot == 0 => additive.base = child,
            Some(NodeKind::Additive(additive)) => additive.delta = child,
            Some(NodeKind::Source(_) | NodeKind::Space(_) | NodeKind::Standard(_)) | None => {}
        }
        Ok(())
    }

    /// Removes connection `slot` of the blend `parent`. The two connections of an additive node cannot be removed.
    pub fn disconnect(&mut self, parent: usize, slot: usize) {
        if let Some(NodeKind::Blend(links)) = self.nodes.get_mut(parent).map(|node| &mut node.kind)
            && slot < links.len()
        {
            links.remove(slot);
        }
    }

    /// Removes the nodes `removed` with their connections; returns the old indices of the remaining nodes. The root node and
    /// inputs of remaining additive nodes are never removed.
    pub fn remove(&mut self, removed: &[usize]) -> Vec<usize> {
        let needed = |index: usize| {
            index == self.root
                || self.nodes.iter().enumerate().any(|(other, node)| {
                    let is_needed =
                        matches!(&node.kind, NodeKind::Additive(both) if both.base == index || both.delta == index);
                    is_needed && !removed.contains(&other)
                })
        };
        let remaining: Vec<usize> = (0..self.nodes.len()).filter(|&i| !removed.contains(&i) || needed(i)).collect();
        let new_index = |old: usize| remaining.iter().position(|&index| index == old);
        let mut nodes: Vec<Node> = remaining.iter().map(|&old| self.nodes[old].clone()).collect();
        for node in &mut nodes {
            match &mut node.kind {
                NodeKind::Source(_) | NodeKind::Space(_) | NodeKind::Standard(_) => {}
                NodeKind::Blend(links) => {
                    links.retain_mut(|link| new_index(link.child).map(|child| link.child = child).is_some());
                }
                NodeKind::Additive(Additive { base, delta, .. }) => {
                    (*base, *delta) = (new_index(*base).unwrap_or(0), new_index(*delta).unwrap_or(0));
                }
            }
        }
        self.root = new_index(self.root).unwrap_or(0);
        self.nodes = nodes;
        remaining
    }

    /// Returns a tree of the nodes `wanted` and the inputs that additive nodes need, with the connections among them. Its
    /// root is the first node of `wanted`.
    pub fn extract(&self, wanted: &[usize]) -> Extract {
        let mut tree = self.clone();
        let others: Vec<usize> = (0..self.nodes.len()).filter(|node| !wanted.contains(node)).collect();
        tree.root = wanted.first().copied().unwrap_or(0);
        let nodes = tree.remove(&others);
        Extract { tree, nodes }
    }

    /// Replaces a standard node by the nodes of its standard tree with these weights. Does nothing for other nodes. The node's
    /// name and outgoing connections stay.
    pub fn take_apart(&mut self, node: usize, weights: &Weights) {
        let Some(NodeKind::Standard(scenario)) = self.nodes.get(node).map(|node| &node.kind) else { return };
        let part = scenario.tree(weights);
        self.paste(&part);
        // The last node of the standard tree is its result.
        if let Some(result) = self.nodes.pop() {
            self.nodes[node].kind = result.kind;
        }
    }

    /// Adds all nodes of `part` with the connections among them, and its states whose names are new. Events and root stay.
    /// Returns the indices of the new nodes.
    pub fn paste(&mut self, part: &Tree) -> std::ops::Range<usize> {
        let first = self.nodes.len();
        for node in &part.nodes {
            let mut node = node.clone();
            match &mut node.kind {
                NodeKind::Source(_) | NodeKind::Space(_) | NodeKind::Standard(_) => {}
                NodeKind::Blend(links) => {
                    links.iter_mut().for_each(|link| link.child = link.child.saturating_add(first));
                }
                NodeKind::Additive(additive) => {
                    additive.base = additive.base.saturating_add(first);
                    additive.delta = additive.delta.saturating_add(first);
                }
            }
            self.nodes.push(node);
        }
        let known: Vec<String> = self.states.iter().map(|state| state.name.clone()).collect();
        self.states.extend(part.states.iter().filter(|state| !known.contains(&state.name)).cloned());
        first..self.nodes.len()
    }
}

/// A subset of a tree's nodes.
#[derive(Clone, Debug, PartialEq)]
pub struct Extract {
    /// The nodes with the connections among them.
    pub tree: Tree,
    /// Index of each node in the original tree.
    pub nodes: Vec<usize>,
}

impl Scenario {
    /// Returns the standard tree as free nodes, with the weights of one time. PreAni plays the stand clip and CurAni the run
    /// clip.
    pub fn tree(&self, weights: &Weights) -> Tree {
        let mut tree = Tree::default();
        let play = |tree: &mut Tree, name: &str, clip: &str, looping: bool| {
            tree.add(name, NodeKind::Source(Source { clip: clip.into(), looping, ..Source::default() }))
        };
        let skill = play(&mut tree, "UpperBody", &self.skill, self.skill_loops);
        let previous = play(&mut tree, "PreAni", &self.stand, true);
        let current = play(&mut tree, "CurAni", &self.run, true);
        let link = |child: usize, weight: f32, mask: MaskChoice| Link { child, weight, mask, ..Link::default() };
        let all_joints = MaskChoice::default;
        let sum = weights.pre_ani + weights.cur_ani;
        let whole_body = vec![
            link(previous, weights.pre_ani, all_joints()),
            link(current, if sum > 0.0 { weights.cur_ani } else { 1.0 }, all_joints()),
        ];
        let whole_body = tree.add("WholeBody", NodeKind::Blend(whole_body));
        let upper = if weights.skill_on_lower > 0.0 { all_joints() } else { self.upper.clone() };
        let skill_weight = weights.skill_on_upper.max(weights.skill_on_lower);
        let is_mixed = skill_weight < 1.0 || weights.skill_on_lower > 0.0;
        let (rest, mask) = if is_mixed { (1.0 - skill_weight, all_joints()) } else { (1.0, self.upper.inverted()) };
        let links = vec![link(skill, skill_weight, upper), link(whole_body, rest, mask)];
        tree.root = tree.add("Root", NodeKind::Blend(links));
        tree
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tree() -> Tree {
        let weights = Weights { skill_on_upper: 1.0, whole_on_lower: 1.0, cur_ani: 1.0, ..Weights::default() };
        Scenario { run: "run".into(), stand: "idle".into(), skill: "cast".into(), ..Scenario::default() }.tree(&weights)
    }

    #[test]
    fn the_converted_standard_tree_has_the_weights_and_masks_of_its_time() {
        let scenario = Scenario::default();
        let links = |weights: Weights| {
            let tree = scenario.tree(&weights);
            let of = |name: &str| {
                let node = tree.nodes.iter().find(|node| node.name == name).unwrap();
                let NodeKind::Blend(links) = &node.kind else { panic!("{name} blends") };
                [0, 1].map(|slot| (links[slot].weight, links[slot].mask.clone()))
            };
            (of("Root"), of("WholeBody").map(|(weight, _)| weight))
        };
        let (all, upper) = (MaskChoice::default(), scenario.upper.clone());
        // Before the first event the run clip has full weight.
        assert_eq!(links(Weights::default()), ([(0.0, upper.clone()), (1.0, all.clone())], [0.0, 1.0]));
        let run = Weights { cur_ani: 0.75, pre_ani: 0.25, ..Weights::default() };
        let cast = Weights { skill_on_upper: 1.0, ..run };
        assert_eq!(links(cast), ([(1.0, upper.clone()), (1.0, upper.inverted())], [0.25, 0.75]));
        let fading = Weights { skill_on_upper: 0.5, ..run };
        assert_eq!(links(fading), ([(0.5, upper), (0.5, all.clone())], [0.25, 0.75]));
        let standing = Weights { skill_on_upper: 1.0, skill_on_lower: 1.0, ..run };
        assert_eq!(links(standing), ([(1.0, all.clone()), (0.0, all)], [0.25, 0.75]));
    }

    #[test]
    fn a_cycle_is_refused_with_the_node_name_and_changes_nothing() {
        let mut tree = tree();
        let before = tree.clone();
        let root = tree.root;
        let whole_body = tree.nodes.iter().position(|node| node.name == "WholeBody").unwrap();
        let refused = tree.connect(root, whole_body, 9).unwrap_err();
        assert_eq!(refused, BuildError::Cycle { node: "WholeBody".into() });
        assert_eq!(tree, before);
        tree.connect(0, whole_body, 9).unwrap();
        assert_eq!(tree.children(whole_body), [1, 2, 0]);
    }

    #[test]
    fn removed_nodes_leave_no_connections_and_the_root_stays() {
        let mut tree = tree();
        let remaining = tree.remove(&[1, 4]);
        assert_eq!(remaining, [0, 2, 3, 4]);
        assert_eq!(tree.nodes[tree.root].name, "Root");
        let whole_body = tree.nodes.iter().position(|node| node.name == "WholeBody").unwrap();
        assert_eq!(tree.children(whole_body), [1]);
        assert!(tree.nodes.iter().enumerate().all(|(i, _)| tree.children(i).iter().all(|&child| child < 4)));
    }

    #[test]
    fn pasted_nodes_keep_their_connections() {
        let mut tree = tree();
        let Extract { tree: part, nodes } = tree.extract(&[1, 2, 3]);
        assert_eq!((part.nodes.len(), nodes), (3, vec![1, 2, 3]));
        let pasted = tree.paste(&part);
        assert_eq!(pasted, 5..8);
        assert_eq!(tree.children(7), [5, 6]);
    }
}
