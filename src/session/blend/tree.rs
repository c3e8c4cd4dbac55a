//! Commands that edit the blend tree of the shown take, for the command palette.

use crate::command::CommandEntry;
use crate::command::tree::{NewNode, TreeCommand};
use crate::{Command, EditCommand, Session, Severity, Shown};
use portamento_anim::MaskChoice;
use portamento_base::message::message;
use portamento_blend::{Additive, NodeKind, Reference, Settings};
use portamento_takes::document::take::Blend;

/// Returns the palette entries that edit a blend tree.
pub(crate) fn tree_entries() -> Vec<CommandEntry> {
    let entry = |name, command| CommandEntry::new(name, Command::Edit(EditCommand::Tree(command)), &[]);
    vec![
        entry("tree_free", TreeCommand::Free),
        entry("tree_arrange", TreeCommand::Arrange),
        entry("tree_blend", TreeCommand::Add(NewNode::Blend)),
        entry("tree_additive", TreeCommand::Add(NewNode::Additive)),
        entry("tree_space", TreeCommand::Add(NewNode::Space)),
        entry("tree_standard", TreeCommand::Add(NewNode::Standard)),
        entry("tree_state", TreeCommand::AddState),
    ]
}

impl Session {
    /// Edits the tree of the shown take; shows a notice if it has none.
    pub(crate) fn perform_tree(&mut self, command: TreeCommand) {
        let shown = match self.selection.shown {
            Shown::Take(id) => self.document.take_mut(id),
            _ => None,
        };
        let Some(blend) = shown.and_then(|take| take.blend_mut()) else {
            let message = message!("notice.no_tree", "No blend tree to edit. Show a take whose source is a blend.",);
            return self.notices.add(Severity::Info, message);
        };
        match command {
            TreeCommand::Free if matches!(blend.settings, Settings::Tree(_)) => {
                let message =
                    message!("notice.already_graph", "This blend already is a graph. Edit it in the panel “Graph”.");
                self.notices.add(Severity::Info, message);
            }
            TreeCommand::Free => blend.free(),
            TreeCommand::Arrange if blend.layout.is_empty() => {
                let message = message!(
                    "notice.already_arranged",
                    "No node was moved, so all are arranged automatically. Drag a node to place it yourself."
                );
                self.notices.add(Severity::Info, message);
            }
            TreeCommand::Arrange => blend.layout.clear(),
            TreeCommand::Add(node) => add(blend, node),
            TreeCommand::AddState => {
                blend.free();
                let added = blend.settings.tree_mut().map(|tree| {
                    let added = tree.add_state("");
                    tree.states[added].name.clone()
                });
                self.selection.state = added.unwrap_or_default();
            }
        }
    }
}

/// Adds a node without inputs; an additive node gets the root as both inputs, which has no effect. Converts a blend that is no
/// free tree to one first. Automatic arrangement replaces the positions of all nodes.
fn add(blend: &mut Blend, node: NewNode) {
    blend.free();
    let Settings::Tree(tree) = &mut blend.settings else { return };
    let base = tree.root;
    let (name, kind) = match node {
        NewNode::Blend => ("Blend", NodeKind::Blend(Vec::new())),
        NewNode::Space => ("Blend space", NodeKind::Space(Box::default())),
        NewNode::Standard => ("Standard", NodeKind::Standard(Box::default())),
        // The new node has no effect until a clip other than its base is connected.
        NewNode::Additive => {
            let (reference, mask, in_states) = (Reference::default(), MaskChoice::default(), Vec::new());
            let weight = 1.0;
            let added = Additive { base, delta: base, reference, weight, in_states, mask, muted: false };
            ("Additive", NodeKind::Additive(added))
        }
    };
    tree.add(name, kind);
    blend.layout.clear();
}
