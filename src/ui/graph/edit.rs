//! What the user did to the graph, carried out on the document.

use crate::document::TakeId;
use crate::document::take::Blend;
use crate::message::{Message, Tell, message};
use crate::session::{Command, EditCommand, Session, Severity};
use crate::systems::blend::{Interrupt, Link, Node, NodeKind, Settings, State, Tree, Weights};

/// A change to the states of a tree.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum StateEdit {
    /// One more state, which is then edited.
    Add,
    /// Another name of a state.
    Rename(usize, String),
    /// Another transition of a state.
    Change(usize, State),
    /// Takes a state out, with the events that go to it.
    Remove(usize),
    /// An event at the playhead that goes to a state.
    GoTo(String),
    /// How weights go on that are interrupted.
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
    /// The standard tree becomes a node of a tree to change freely; its events still drive it.
    Free,
    /// A standard tree becomes its nodes with the weights at the playhead; its events are gone.
    TakeApart(usize),
    /// Where every node stands; none stand where they are put by themselves.
    Places(Vec<[f32; 2]>),
    /// A new node.
    Add {
        /// The node, without connections.
        node: Node,
        /// Where it stands in the graph, points.
        place: Option<[f32; 2]>,
        /// The open input it is connected to: node and slot.
        input: Option<(usize, usize)>,
    },
    /// Adds nodes with the connections among them.
    Paste(Copied),
    /// Takes nodes out.
    Remove(Vec<usize>),
    /// Makes a node the result.
    Root(usize),
    /// Puts a child at an input of a parent.
    Connect {
        /// Index of the node that feeds.
        child: usize,
        /// Index of the node that is fed.
        parent: usize,
        /// Which of its inputs.
        slot: usize,
    },
    /// Takes an input of a node out.
    Disconnect {
        /// Index of the node that is fed.
        parent: usize,
        /// Which of its inputs.
        slot: usize,
    },
    /// Another name, clip, weight …
    Replace(usize, Node),
    /// Mutes every connection of these nodes, or unmutes them where all are muted.
    Mute(Vec<usize>),
    /// The connection whose joint weights are edited.
    Choose(Option<(usize, usize)>),
    /// The state whose weights are edited, by its name.
    ChooseState(String),
    /// A change to the states.
    State(StateEdit),
    /// Lets a clip be entered at the frame nearest to what plays before it.
    FindEntry(usize),
    /// A file a chosen clip comes from.
    Bring(crate::document::FileId),
}

/// Nodes on the clipboard.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub(super) struct Copied {
    /// The nodes with the connections among them.
    pub tree: Tree,
    /// Where each stands.
    pub places: Vec<[f32; 2]>,
}

/// Carries out `edits` on the blend of take `id`; what is refused is said and changes nothing.
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
        let outcome = apply(blend, edit, EditContext { weights: &weights, time });
        let names = blend.settings.tree().map(|tree| tree.states.iter().map(|state| state.name.clone()).collect());
        let names: Vec<String> = names.unwrap_or_default();
        let state = match outcome {
            Ok(state) => state,
            Err(refused) => {
                session.notices.say(Severity::Warning, refused);
                None
            }
        };
        session.selection.state = state.unwrap_or(edited);
        if !names.contains(&session.selection.state) {
            session.selection.state.clear();
        }
    }
}

/// What is seen while something is edited.
#[derive(Clone, Copy)]
struct EditContext<'a> {
    /// The weights of the standard tree.
    weights: &'a Weights,
    /// The playhead, seconds.
    time: f64,
}

/// Carries out `edit`; answers the state that is edited from then on, where that is another.
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
        Edit::Places(places) => *layout = places,
        Edit::Add { node, place, input } => {
            tree.nodes.push(node);
            let new = tree.nodes.len() - 1;
            if let Some(place) = place.filter(|_| layout.len() == new) {
                layout.push(place);
            }
            if let Some((parent, slot)) = input {
                tree.connect(new, parent, slot).map_err(|refused| refused.message())?;
            }
        }
        Edit::Paste(Copied { tree: part, places }) => {
            let stand = layout.len() == tree.nodes.len() && places.len() == part.nodes.len();
            tree.paste(&part);
            layout.extend(places.into_iter().filter(|_| stand));
        }
        Edit::Remove(gone) => {
            let count = tree.nodes.len();
            let kept = tree.remove(&gone);
            if layout.len() == count {
                *layout = kept.iter().map(|&old| layout[old]).collect();
            }
            if kept.len() + gone.len() > count {
                return Err(message!(
                    "notice.kept_nodes",
                    "The result, and what an additive node is made from, cannot be removed. Choose another result or remove \
                     the additive node too.",
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

fn mute(tree: &mut Tree, nodes: &[usize]) {
    let mut links: Vec<&mut Link> = Vec::new();
    for node in &mut tree.nodes {
        if let NodeKind::Blend(own) = &mut node.kind {
            links.extend(own.iter_mut().filter(|link| nodes.contains(&link.child)));
        }
    }
    let all = links.iter().all(|link| link.muted);
    links.into_iter().for_each(|link| link.muted = !all);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::systems::blend::Scenario;

    #[test]
    fn a_freed_tree_is_muted_pasted_and_pruned_with_its_places() {
        let mut blend = Blend { settings: Settings::Scenario(Scenario::default()), ..Blend::default() };
        let weights = Weights { cur_ani: 1.0, ..Weights::default() };
        let mut apply = |edit| super::apply(&mut blend, edit, EditContext { weights: &weights, time: 0.0 });
        apply(Edit::Free).unwrap();
        apply(Edit::TakeApart(0)).unwrap();
        apply(Edit::Places((0..5).map(|i| [i as f32, 0.0]).collect())).unwrap();
        apply(Edit::Mute(vec![1])).unwrap();
        apply(Edit::Remove(vec![2])).unwrap();
        assert!(apply(Edit::Remove(vec![0])).unwrap_err().to_string().contains("result"));
        assert!(apply(Edit::Connect { child: 0, parent: 3, slot: 5 }).unwrap_err().to_string().contains("WholeBody"));
        assert_eq!(blend.layout, [[0.0, 0.0], [1.0, 0.0], [3.0, 0.0], [4.0, 0.0]]);
        let Settings::Tree(tree) = &blend.settings else { panic!("no tree") };
        let NodeKind::Blend(links) = &tree.nodes[tree.root].kind else { panic!("no blend") };
        assert!(links[0].muted && !links[1].muted);
    }
}
