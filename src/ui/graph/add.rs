//! Searchable menu of nodes that can be added.

use egui::{ScrollArea, Ui};
use egui_material_icons::icons::ICON_ADD;

use super::edit::Edit;
use crate::i18n::tr;
use crate::panels::blend::Choice;
use crate::widgets::{self, form};
use portamento_blend::{Additive, Link, Node, NodeKind, Reference, Source};

/// Position and connections of a new node.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Spot {
    /// Position in the graph, if chosen.
    pub position: Option<[f32; 2]>,
    /// Open input to which it is connected: node and slot.
    pub input: Option<(usize, usize)>,
    /// Node that becomes its input.
    pub from: Option<usize>,
}

/// Draws the button that opens the menu of [`menu()`]. The node is added at an automatic position without connections.
pub fn button(ui: &mut Ui, query: &mut String, clips: &[Choice], root: usize, edits: &mut Vec<Edit>) {
    ui.menu_button(format!("{}  {}", ICON_ADD.codepoint, tr("graph.add")), |ui| {
        menu(ui, query, clips, root, Spot::default(), edits);
    });
}

/// Draws the menu of node kinds and clips. Typing filters it by `query`, Enter takes the first entry. The choice is appended to
/// `edits`, clears `query` and closes the menu.
///
/// `spot` is the position of the new node. An additive node gets the node `spot.from` as inputs, or `root` if that is `None`.
pub fn menu(ui: &mut Ui, query: &mut String, clips: &[Choice], root: usize, spot: Spot, edits: &mut Vec<Edit>) {
    let hint = tr("outliner.filter");
    let field = ui.add(widgets::text_field(query, &hint).desired_width(200.0));
    form::with_name(field.clone(), &hint);
    field.request_focus();
    let wanted = query.to_lowercase();
    let child = spot.from.unwrap_or(root);
    let kinds = [
        (
            tr("graph.blend"),
            NodeKind::Blend(spot.from.map(|child| Link { child, ..Link::default() }).into_iter().collect()),
        ),
        (tr("graph.additive"), NodeKind::Additive(additive(child))),
        (tr("graph.space"), NodeKind::Space(Box::default())),
        (tr("graph.standard"), NodeKind::Standard(Box::default())),
    ];
    let sources = clips.iter().map(|choice| {
        let kind = NodeKind::Source(Source { clip: choice.clip.clone(), ..Source::default() });
        (choice.clip.clone(), kind, choice.file.as_ref().map(|(file, _)| *file))
    });
    let all = kinds.into_iter().map(|(name, kind)| (name, kind, None)).chain(sources);
    let fitting = all.filter(|(name, ..)| name.to_lowercase().contains(&wanted));
    let enter = ui.input(|input| input.key_pressed(egui::Key::Enter));
    let mut first = true;
    ScrollArea::vertical().max_height(240.0).show(ui, |ui| {
        for (name, kind, file) in fitting {
            let chosen = ui.button(&name).clicked() || enter && first;
            first = false;
            if chosen {
                edits.extend(file.map(Edit::Bring));
                edits.push(Edit::Add { node: Node { name, kind }, position: spot.position, input: spot.input });
                query.clear();
                ui.close();
            }
        }
    });
}

/// Returns an additive node with `child` as base and as addition, which has no effect until the addition is replaced.
fn additive(child: usize) -> Additive {
    Additive {
        base: child,
        delta: child,
        reference: Reference::default(),
        weight: 1.0,
        in_states: Vec::new(),
        mask: portamento_anim::MaskChoice::default(),
        muted: false,
    }
}
