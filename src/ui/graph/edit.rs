//! Edits of the graph and their application to the document.

use portamento_base::message::{Message, Tell, message};
use portamento_blend::{Interrupt, Link, Node, NodeKind, Settings, State, Tree, Weights};
use portamento_session::{Command, EditCommand, Session, Severity};
use portamento_takes::document::TakeId;
use portamento_takes::document::take::Blend;

/// A change to the states of a tree.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum StateEdit {
    /// Adds a state and edits it.
    Add,
    /// Renames a state.
    Rename(usize, String),
    /// Changes the transition of a state.
    Change(usize, State),
    /// Removes a state and the events that switch to it.
    Remove(usize),
    /// Adds an event at the playhead that switches to a state.
    GoTo(String),
    /// Sets the interruption behaviour.
    Interrupt(Interrupt),
}

impl From<StateEdit> for Edit {
    fn from(edit: StateEdit) -> Self {
        Self::State(edit)
    }
}

/// A change to the tree of a blend.
#[derive(Clone, Debug, PartialEq)]
pub enum Edit {
    /// Converts the standard tree to a graph with one standard tree node, still driven by its events.
    Free,
    /// Replaces a standard tree node by its nodes with the weights at the playhead. Its events are removed.
    TakeApart(usize),
    /// Sets the position of every node; an empty list uses the automatic layout.
    Positions(Vec<[f32; 2]>),
    /// Adds a node.
    Add {
        /// The node, without connections.
        node: Node,
        /// Position in the graph, points.
        position: Option<[f32; 2]>,
        /// Open input to which it is connected: node and slot.
        input: Option<(usize, usize)>,
    },
    /// Adds nodes with their mutual connections.
    Paste(Copied),
    /// Removes nodes.
    Remove(Vec<usize>),
    /// Makes a node the output.
    Root(usize),
    /// Connects a child to an input of a parent.
    Connect {
        /// Index of the source node.
        child: usize,
        /// Index of the receiving node.
        parent: usize,
        /// Input slot.
        slot: usize,
    },
    /// Removes an input of a node.
    Disconnect {
        /// Index of the receiving node.
        parent: usize,
        /// Input slot.
        slot: usize,
    },
    /// Replaces a node: new name, clip, weight …
    Replace(usize, Node),
    /// Mutes all connections from these nodes, or unmutes them if all are muted.
    Mute(Vec<usize>),
    /// Selects the connection whose joint weights are edited.
    Choose(Option<(usize, usize)>),
    /// Selects the state whose weights are edited.
    ChooseState(String),
    /// Changes the states.
    State(StateEdit),
    /// Sets the offset of a clip to the frame nearest to the current pose.
    FindEntry(usize),
    /// Adds the file of a chosen clip to the files of the blend.
    Bring(portamento_takes::document::FileId),
}

/// Nodes on the clipboard.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub(super) struct Copied {
    /// The nodes with their mutual connections.
    pub tree: Tree,
    /// Position of each node.
    pub places: Vec<[f32; 2]>,
}

/// Applies `edits` to the blend of take `id`, and the selection edits to the session. A refused edit is reported and changes
/// nothing.
pub fn carry_out(session: &mut Session, id: TakeId, edits: Vec<Edit>) {
    for edit in edits {
        let time = session.playback.time;
        match edit {
            Edit::Choose(link) => session.selection.link = link,
            Edit::ChooseState(ref state) => session.selection.state.clone_from(state),
            Edit::FindEntry(node) => {
                session.perform(Command::Edit(EditCommand::FindNodeEntry(node)));
                continue;
            }
            _ => {}
        }
        let edited = session.selection.state.clone();
        let built = session.frame().and_then(|frame| frame.built.clone());
        let weights = built.and_then(|built| built.blend()?.weights(time)).unwrap_or_default();
        let Some(blend) = session.document.take_mut(id).and_then(|take| take.blend_mut()) else { return };
        let expanded = expansion(blend, &edit);
        session.notices.add_all(Severity::Info, expanded);
        let outcome = apply(blend, edit, EditContext { weights: &weights, time });
        let names = blend.settings.tree().map(|tree| tree.states.iter().map(|state| state.name.clone()).collect());
        let names: Vec<String> = names.unwrap_or_default();
        let state = match outcome {
            Ok(state) => state,
            Err(refused) => {
                session.notices.add(Severity::Warning, refused);
                None
            }
        };
        session.selection.state = state.unwrap_or(edited);
        if !names.contains(&session.selection.state) {
            session.selection.state.clear();
        }
    }
}

/// Returns the message about a node that `edit` expands, if events are removed with it; otherwise `None`.
fn expansion(blend: &Blend, edit: &Edit) -> Option<Message> {
    let Edit::TakeApart(index) = edit else { return None };
    let node = blend.settings.tree()?.nodes.get(*index)?;
    let NodeKind::Standard(scenario) = &node.kind else { return None };
    let count = scenario.events.len();
    let message = message!(
        "notice.expanded",
        "“%{node}” now has the weights at the playhead at all times: its %{count} %{count|event|events} %{count|was|were} removed. \
         Undo brings %{count|it|them} back.",
        node = &node.name,
        count = count,
    );
    (count > 0).then_some(message)
}

/// Playback state during an edit.
#[derive(Clone, Copy)]
struct EditContext<'a> {
    /// Weights of the standard tree at the playhead.
    weights: &'a Weights,
    /// The playhead, seconds.
    time: f64,
}

/// Applies `edit`. Returns the state to edit next, if it changes, or `Err` with the message of a refused edit. A blend that is no
/// free tree is only changed by [`Edit::Free`].
fn apply(blend: &mut Blend, edit: Edit, now: EditContext) -> Result<Option<String>, Message> {
    if edit == Edit::Free {
        blend.free();
        return Ok(None);
    }
    let Blend { settings: Settings::Tree(tree), layout, files, .. } = blend else { return Ok(None) };
    match edit {
        Edit::Free | Edit::Choose(_) | Edit::ChooseState(_) | Edit::FindEntry(_) => {}
        Edit::State(edit) => return Ok(edit.carry_out(tree, now.time)),
        Edit::TakeApart(node) => {
            tree.take_apart(node, now.weights);
            layout.clear();
        }
        Edit::Positions(positions) => *layout = positions,
        Edit::Add { node, position, input } => {
            tree.nodes.push(node);
            let new = tree.nodes.len() - 1;
            if let Some(position) = position.filter(|_| layout.len() == new) {
                layout.push(position);
            }
            if let Some((parent, slot)) = input {
                tree.connect(new, parent, slot).map_err(|refused| refused.message())?;
            }
        }
        Edit::Paste(Copied { tree: part, places }) => {
            let has_positions = layout.len() == tree.nodes.len() && places.len() == part.nodes.len();
            tree.paste(&part);
            layout.extend(places.into_iter().filter(|_| has_positions));
        }
        Edit::Remove(removed) => {
            let count = tree.nodes.len();
            let remaining = tree.remove(&removed);
            if layout.len() == count {
                *layout = remaining.iter().map(|&old| layout[old]).collect();
            }
            if remaining.len() + removed.len() > count {
                return Err(message!(
                    "notice.kept_nodes",
                    "The output node and the inputs of an additive node cannot be removed. Set another output or remove \
                     the additive node as well.",
                ));
            }
        }
        Edit::Root(node) => tree.root = node,
        Edit::Connect { child, parent, slot } => {
            tree.connect(child, parent, slot).map_err(|refused| refused.message())?;
        }
        Edit::Disconnect { parent, slot } => tree.disconnect(parent, slot),
        Edit::Replace(index, node) => {
            if let Some(old) = tree.nodes.get_mut(index) {
                *old = node;
            }
        }
        Edit::Mute(nodes) => mute(tree, &nodes),
        Edit::Bring(file) => files.extend((!files.contains(&file)).then_some(file)),
    }
    Ok(None)
}

/// Mutes the inputs of blend nodes that come from `nodes` (indices); if all of them are muted, unmutes them.
fn mute(tree: &mut Tree, nodes: &[usize]) {
    let mut links: Vec<&mut Link> = Vec::new();
    for node in &mut tree.nodes {
        if let NodeKind::Blend(links_of_node) = &mut node.kind {
            links.extend(links_of_node.iter_mut().filter(|link| nodes.contains(&link.child)));
        }
    }
    let all = links.iter().all(|link| link.muted);
    links.into_iter().for_each(|link| link.muted = !all);
}

#[cfg(test)]
mod tests {
    use super::*;
    use portamento_blend::Scenario;

    #[test]
    fn a_converted_tree_is_muted_and_pruned_with_its_positions() {
        let mut blend = Blend { settings: Settings::Scenario(Scenario::default()), ..Blend::default() };
        let weights = Weights { cur_ani: 1.0, ..Weights::default() };
        let mut apply = |edit| super::apply(&mut blend, edit, EditContext { weights: &weights, time: 0.0 });
        apply(Edit::Free).unwrap();
        apply(Edit::TakeApart(0)).unwrap();
        apply(Edit::Positions((0..5).map(|i| [i as f32, 0.0]).collect())).unwrap();
        apply(Edit::Mute(vec![1])).unwrap();
        apply(Edit::Remove(vec![2])).unwrap();
        assert!(apply(Edit::Remove(vec![0])).unwrap_err().to_string().contains("output node"));
        assert!(apply(Edit::Connect { child: 0, parent: 3, slot: 5 }).unwrap_err().to_string().contains("WholeBody"));
        assert_eq!(blend.layout, [[0.0, 0.0], [1.0, 0.0], [3.0, 0.0], [4.0, 0.0]]);
        let Settings::Tree(tree) = &blend.settings else { panic!("no tree") };
        let NodeKind::Blend(links) = &tree.nodes[tree.root].kind else { panic!("no blend") };
        assert!(links[0].muted && !links[1].muted);
    }
}
