//! The tree of a blend as a graph: nodes, weights on their inputs, and on every wire what it brings at the playhead.
//!
//! The picture is made anew from the document every frame, and what the user did to it is carried out on the document.

mod add;
mod edit;
mod layout;
mod offers;
mod parameter;
mod sight;
mod source;
mod space;
mod states;
mod viewer;

use egui::{Event, Key, LayerId, Rect, RichText, Ui};
use egui_material_icons::icons::{
    ICON_ACCOUNT_TREE, ICON_ALIGN_HORIZONTAL_LEFT, ICON_ALT_ROUTE, ICON_EDIT, ICON_FIT_SCREEN,
};
use egui_snarl::ui::{PinPlacement, SnarlStyle, SnarlWidget, WireStyle, get_selected_nodes};
use egui_snarl::{InPinId, NodeId, OutPinId, Snarl};

use super::i18n::tr;
use super::panels::blend::{Choice, choices};
use super::{theme, widgets};
use crate::document::TakeId;
use crate::session::{Command, EditCommand, Session, Shown};
use crate::systems::blend::{Extract, Settings, Tree, Weights};
use edit::{Copied, Edit};
use layout::Look;
pub(super) use offers::offers;
use sight::{Fit, Sight};
use viewer::Viewer;

/// What the graph keeps from frame to frame; none of it belongs to the document.
#[derive(Debug, Default)]
pub(super) struct Graph {
    sight: Sight,
    shown: Option<(TakeId, bool)>,
    query: String,
    sizes: Vec<Rect>,
    pasted: Pasted,
}

/// The nodes that were pasted last, which are selected until others are: the graph widget selects only by the pointer.
#[derive(Debug, Default)]
struct Pasted {
    nodes: Vec<usize>,
    /// How often was pasted: a widget of another name has nothing selected.
    times: usize,
}

/// Offers to blend the clip that is shown.
fn no_blend(ui: &mut Ui, session: &mut Session) {
    if let Shown::Clip { character, file, clip } = session.selection.shown.clone()
        && widgets::text_button(ui, ICON_ALT_ROUTE, &tr("inspector.blend_this")).clicked()
    {
        let (character, with) = (Some(character), Some((file, clip)));
        session.perform(Command::Edit(EditCommand::AddScenario { character, with }));
    }
    widgets::empty(ui, ICON_ACCOUNT_TREE, &tr("graph.empty"), &tr("graph.empty_hint"));
}

impl Graph {
    /// Draws the panel.
    pub fn ui(&mut self, ui: &mut Ui, session: &mut Session) {
        let Some(drawn) = drawn_tree(session) else {
            return no_blend(ui, session);
        };
        let (id, shown) = (drawn.take, (drawn.take, drawn.is_scenario));
        if self.shown.replace(shown) != Some(shown) {
            self.sight.fit = Some(Fit::Legible);
            self.sizes.clear();
            self.pasted.nodes.clear();
        }
        let given = session.document.take(id).and_then(|take| take.blend()).map(|blend| blend.layout.clone());
        let places = layout::places(&drawn.tree, given.as_deref().unwrap_or_default(), drawn.look());
        let clips = choices(session, id);
        let is_there = drawn.tree.states.iter().any(|state| state.name == session.selection.state);
        if !is_there {
            session.selection.state.clear();
        }
        let mut edits = Vec::new();
        self.bar(ui, &drawn, &clips, &mut edits);
        if !drawn.is_scenario {
            states::states_ui(ui, &drawn.tree, &session.selection.state, &mut edits);
        }
        let snarl_id = ui.id().with(("graph", self.pasted.times));
        if !drawn.is_scenario {
            self.keys(ui, &drawn.tree, &places, snarl_id, &mut edits);
        }
        let mut snarl = snarl_from(&drawn.tree, &places);
        let canvas = Canvas { snarl: &mut snarl, id: snarl_id, clips: &clips };
        self.show(ui, session, &drawn, canvas, &mut edits);
        let moved: Vec<[f32; 2]> = snarl.nodes_pos().map(|(at, _)| [at.x, at.y]).collect();
        if !drawn.is_scenario && moved != places {
            edits.push(Edit::Places(moved.clone()));
        }
        self.make_room(&moved, &mut edits);
        edit::carry_out(session, id, edits);
    }

    /// The part of the window that nodes were drawn in last.
    #[cfg(test)]
    pub fn room(&self) -> Rect {
        self.sight.room
    }

    fn bar(&mut self, ui: &mut Ui, drawn: &DrawnTree, clips: &[Choice], edits: &mut Vec<Edit>) {
        ui.horizontal(|ui| {
            ui.spacing_mut().item_spacing.x = theme::SMALL;
            if widgets::icon_button(ui, ICON_FIT_SCREEN, &tr("graph.frame_all")).clicked() {
                self.sight.fit = Some(Fit::All);
            }
            if drawn.is_scenario {
                if widgets::text_button(ui, ICON_EDIT, &tr("graph.free")).clicked() {
                    edits.push(Edit::Free);
                }
            } else {
                if widgets::icon_button(ui, ICON_ALIGN_HORIZONTAL_LEFT, &tr("graph.arrange")).clicked() {
                    edits.push(Edit::Places(Vec::new()));
                    self.sight.fit = Some(Fit::Legible);
                }
                add::button(ui, &mut self.query, clips, drawn.tree.root, edits);
            }
            let hint = tr(if drawn.is_scenario { "graph.read_only" } else { "graph.hint" });
            let hint = RichText::new(hint).font(theme::caption()).color(theme::of(ui).dim);
            ui.add(egui::Label::new(hint).truncate());
        });
    }

    fn show(
        &mut self,
        ui: &mut Ui,
        session: &Session,
        DrawnTree { tree, is_scenario, .. }: &DrawnTree,
        canvas: Canvas,
        edits: &mut Vec<Edit>,
    ) {
        self.sizes.resize(tree.nodes.len(), Rect::NOTHING);
        let built = session.frame().and_then(|frame| frame.built.clone());
        let blended = built.as_ref().and_then(|built| built.blended.as_deref());
        let sizes_before = self.sizes.clone();
        self.sight.room = ui.available_rect_before_wrap();
        self.sight.pixels_per_point = ui.pixels_per_point();
        let selected = self.selected(ui, canvas.id, tree);
        let mut viewer = Viewer {
            tree,
            is_scenario: *is_scenario,
            weights: weights_now(session),
            time: session.playback.time_to_edit(),
            wires: blended
                .map(|blended| blended.built.wires(session.selection.joint, session.playback.time))
                .unwrap_or_default(),
            blended,
            state: &session.selection.state,
            link: session.selection.link,
            clips: canvas.clips,
            edits,
            query: &mut self.query,
            pasted: &self.pasted.nodes,
            selection: theme::of(ui).selection,
            selected,
            sizes: &mut self.sizes,
            sight: &mut self.sight,
        };
        SnarlWidget::new().id(canvas.id).style(style(ui, *is_scenario)).show(canvas.snarl, &mut viewer, ui);
        // The first pictures of a node tell its size; a later one can be fitted to it.
        self.sight.fit_on(sizes_before.iter().zip(&self.sizes).any(|(before, now)| differs(before, now)));
        self.sight.follow_keys(ui.ctx(), LayerId::new(ui.layer_id().order, canvas.id));
        if self.sight.is_moving() {
            ui.request_repaint();
        }
    }

    /// Puts new nodes where nothing stands, unless their place was pointed at.
    fn make_room(&mut self, places: &[[f32; 2]], edits: &mut Vec<Edit>) {
        let taken: Vec<Rect> =
            places.iter().enumerate().map(|(i, place)| layout::room_of(*place, self.sizes.get(i))).collect();
        let mut moved = false;
        for edit in edits.iter_mut() {
            match edit {
                Edit::Add { place: place @ None, .. } => {
                    *place = layout::free(&[layout::below(&taken)], &taken).first().copied();
                    (self.sight.fit, self.sight.newest) = (Some(Fit::Legible), places.len());
                }
                Edit::Paste(copied) => {
                    copied.places = layout::free(&copied.places, &taken);
                    (self.sight.fit, self.sight.newest) = (Some(Fit::Legible), places.len());
                    let nodes = places.len()..places.len() + copied.tree.nodes.len();
                    self.pasted = Pasted { nodes: nodes.collect(), times: self.pasted.times + 1 };
                }
                Edit::TakeApart(_) => {
                    (self.sight.fit, self.sight.newest) = (Some(Fit::Legible), usize::MAX);
                    continue;
                }
                Edit::Add { .. } => {}
                _ => continue,
            }
            moved = true;
        }
        if moved {
            edits.insert(0, Edit::Places(places.to_vec()));
        }
    }

    fn selected(&self, ui: &Ui, id: egui::Id, tree: &Tree) -> Vec<usize> {
        let by_pointer = get_selected_nodes(id, ui.ctx()).into_iter().map(|node| node.0);
        let nodes = by_pointer.chain(self.pasted.nodes.iter().copied());
        nodes.filter(|&node| node < tree.nodes.len()).collect()
    }

    /// Delete, mute, copy, cut and paste of the selected nodes while the pointer is over the graph.
    fn keys(&mut self, ui: &Ui, tree: &Tree, places: &[[f32; 2]], id: egui::Id, edits: &mut Vec<Edit>) {
        let room = ui.available_rect_before_wrap();
        let hovered = ui.ctx().pointer_latest_pos().is_some_and(|at| room.contains(at));
        if !hovered || ui.ctx().text_edit_focused() {
            return;
        }
        if ui.input(|input| input.pointer.any_pressed()) {
            self.pasted.nodes.clear();
        }
        let selected = self.selected(ui, id, tree);
        for event in ui.input(|input| input.events.clone()) {
            match event {
                Event::Key { key: Key::Delete | Key::Backspace, pressed: true, .. } => {
                    edits.push(Edit::Remove(selected.clone()));
                    self.pasted.nodes.clear();
                }
                Event::Key { key: Key::M, pressed: true, modifiers, .. } if modifiers.is_none() => {
                    edits.push(Edit::Mute(selected.clone()));
                }
                Event::Copy | Event::Cut if !selected.is_empty() => {
                    let Extract { tree, nodes } = tree.extract(&selected);
                    let places = nodes.iter().filter_map(|&node| places.get(node).copied()).collect();
                    ui.ctx().copy_text(serde_json::to_string(&Copied { tree, places }).unwrap_or_default());
                    if event == Event::Cut {
                        edits.push(Edit::Remove(selected.clone()));
                    }
                }
                Event::Paste(text) => edits.extend(serde_json::from_str(&text).ok().map(Edit::Paste)),
                _ => {}
            }
        }
    }
}

/// Whether two rooms of a node differ by more than rounding, points.
fn differs(a: &Rect, b: &Rect) -> bool {
    (a.min - b.min).length() > 0.5 || (a.max - b.max).length() > 0.5
}

/// The tree that a take plays.
struct DrawnTree {
    take: TakeId,
    tree: Tree,
    /// Whether it is the standard tree of a scenario, which is not edited in the graph.
    is_scenario: bool,
}

impl DrawnTree {
    fn look(&self) -> Look {
        if self.is_scenario { Look::Read } else { Look::Edited }
    }
}

/// The nodes as the graph widget holds them for a frame, and the widget's id.
struct Canvas<'a> {
    snarl: &'a mut Snarl<usize>,
    id: egui::Id,
    clips: &'a [Choice],
}

/// The tree of the shown take; `None` where it is not a blend.
fn drawn_tree(session: &Session) -> Option<DrawnTree> {
    let Shown::Take(take) = session.selection.shown else { return None };
    let (tree, is_scenario) = match &session.document.take(take)?.blend()?.settings {
        Settings::Tree(tree) => (tree.clone(), false),
        Settings::Scenario(scenario) => (scenario.tree(&weights_now(session)), true),
    };
    Some(DrawnTree { take, tree, is_scenario })
}

/// The standard tree's weights at the playhead.
fn weights_now(session: &Session) -> Weights {
    let built = session.frame().and_then(|frame| frame.built.clone());
    let time = session.playback.time;
    built.and_then(|built| built.blend()?.weights(time)).unwrap_or_default()
}

/// Node i of the tree is node i of the graph.
fn snarl_from(tree: &Tree, places: &[[f32; 2]]) -> Snarl<usize> {
    let mut snarl = Snarl::new();
    for (node, place) in places.iter().enumerate() {
        snarl.insert_node(egui::pos2(place[0], place[1]), node);
    }
    for parent in 0..tree.nodes.len() {
        for (input, child) in tree.children(parent).into_iter().enumerate().filter(|each| each.1 < tree.nodes.len()) {
            let from = OutPinId { node: NodeId(child), output: 0 };
            snarl.connect(from, InPinId { node: NodeId(parent), input });
        }
    }
    snarl
}

fn style(ui: &Ui, is_scenario: bool) -> SnarlStyle {
    let tokens = theme::of(ui);
    let frame = egui::Frame::new()
        .fill(tokens.raised)
        .corner_radius(theme::RADIUS)
        .inner_margin(6)
        .stroke(egui::Stroke::new(1.0, tokens.line));
    SnarlStyle {
        node_frame: Some(frame),
        header_frame: Some(egui::Frame::new().inner_margin(egui::Margin::symmetric(4, 2))),
        bg_frame: Some(egui::Frame::new().fill(tokens.window)),
        bg_pattern: Some(egui_snarl::ui::BackgroundPattern::grid(egui::vec2(48.0, 48.0), 0.0)),
        bg_pattern_stroke: Some(egui::Stroke::new(1.0, theme::mix(tokens.window, tokens.line, 0.35))),
        pin_placement: Some(PinPlacement::Edge),
        pin_size: Some(9.0),
        wire_width: Some(2.0),
        wire_style: Some(WireStyle::Bezier5),
        collapsible: Some(false),
        // What is changed is dragged by it; a name to read stands above the rest.
        header_drag_space: is_scenario.then_some(egui::Vec2::ZERO),
        min_scale: Some(sight::LEAST_SCALE),
        max_scale: Some(1.5),
        ..SnarlStyle::new()
    }
}
