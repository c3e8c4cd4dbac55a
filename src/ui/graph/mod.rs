//! Graph panel: the tree of a blend as nodes, with weights on inputs and contributions on wires.
//!
//! The graph is rebuilt from the document every frame, and user edits are applied to the document.

mod add;
mod edit;
mod layout;
mod offers;
mod parameter;
mod view;
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
use edit::{Copied, Edit};
use layout::Look;
pub(super) use offers::offers;
use portamento_blend::{Extract, Settings, Tree, Weights};
use portamento_session::{Command, EditCommand, Session, Shown};
use portamento_takes::document::TakeId;
use view::{Fit, GraphView};
use viewer::Viewer;

/// State of the graph panel that is not part of the document.
#[derive(Debug, Default)]
pub(super) struct Graph {
    view: GraphView,
    /// The drawn take, and true if its tree was a scenario. A change fits the view.
    shown: Option<(TakeId, bool)>,
    /// Filter text of the node menu.
    query: String,
    /// Last drawn rectangle of each node, in graph coordinates.
    sizes: Vec<Rect>,
    pasted: Pasted,
}

/// Nodes pasted last, which stay selected until the next selection. The graph widget itself can only select by pointer.
#[derive(Debug, Default)]
struct Pasted {
    nodes: Vec<usize>,
    /// Number of pastes. It is part of the widget id, because a new id clears the widget's selection.
    times: usize,
}

/// Draws the placeholder. If a clip is shown, a button above it blends that clip.
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
    /// Draws the panel and applies the edits of the user to the shown take. An unknown selected state is deselected.
    pub fn ui(&mut self, ui: &mut Ui, session: &mut Session) {
        let Some(drawn) = drawn_tree(session) else {
            return no_blend(ui, session);
        };
        let (id, shown) = (drawn.take, (drawn.take, drawn.is_scenario));
        if self.shown.replace(shown) != Some(shown) {
            self.view.fit = Some(Fit::Legible);
            self.sizes.clear();
            self.pasted.nodes.clear();
        }
        let given = session.document.take(id).and_then(|take| take.blend()).map(|blend| blend.layout.clone());
        let positions = layout::node_positions(&drawn.tree, given.as_deref().unwrap_or_default(), drawn.look());
        let clips = choices(session, id);
        let has_state = drawn.tree.states.iter().any(|state| state.name == session.selection.state);
        if !has_state {
            session.selection.state.clear();
        }
        let mut edits = Vec::new();
        self.bar(ui, &drawn, &clips, &mut edits);
        if !drawn.is_scenario {
            states::states_ui(ui, &drawn.tree, &session.selection.state, &mut edits);
        }
        let snarl_id = ui.id().with(("graph", self.pasted.times));
        if !drawn.is_scenario {
            self.keys(ui, &drawn.tree, &positions, snarl_id, &mut edits);
        }
        let mut snarl = snarl_from(&drawn.tree, &positions);
        let canvas = Canvas { snarl: &mut snarl, id: snarl_id, clips: &clips };
        self.show(ui, session, &drawn, canvas, &mut edits);
        let moved: Vec<[f32; 2]> = snarl.nodes_pos().map(|(at, _)| [at.x, at.y]).collect();
        if !drawn.is_scenario && moved != positions {
            edits.push(Edit::Positions(moved.clone()));
        }
        self.make_room(&moved, &mut edits);
        edit::carry_out(session, id, edits);
    }

    /// Returns the area in which nodes were drawn last.
    #[cfg(test)]
    pub fn room(&self) -> Rect {
        self.view.room
    }

    /// Draws the buttons above the graph and a hint. A read-only graph has a button that converts it instead of those that
    /// edit.
    fn bar(&mut self, ui: &mut Ui, drawn: &DrawnTree, clips: &[Choice], edits: &mut Vec<Edit>) {
        ui.horizontal(|ui| {
            ui.spacing_mut().item_spacing.x = theme::GAP_SMALL;
            if widgets::icon_button(ui, ICON_FIT_SCREEN, &tr("graph.frame_all")).clicked() {
                self.view.fit = Some(Fit::All);
            }
            if drawn.is_scenario {
                if widgets::text_button(ui, ICON_EDIT, &tr("graph.free")).clicked() {
                    edits.push(Edit::Free);
                }
            } else {
                if widgets::icon_button(ui, ICON_ALIGN_HORIZONTAL_LEFT, &tr("graph.arrange")).clicked() {
                    edits.push(Edit::Positions(Vec::new()));
                    self.view.fit = Some(Fit::Legible);
                }
                add::button(ui, &mut self.query, clips, drawn.tree.root, edits);
            }
            let hint = tr(if drawn.is_scenario { "graph.read_only" } else { "graph.hint" });
            let hint = RichText::new(hint).font(theme::caption()).color(theme::of(ui).dim);
            ui.add(egui::Label::new(hint).truncate());
        });
    }

    /// Draws the graph, adds the edits of the user to `edits`, and updates the drawn sizes and the view.
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
        self.view.room = ui.available_rect_before_wrap();
        self.view.pixels_per_point = ui.pixels_per_point();
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
            view: &mut self.view,
        };
        SnarlWidget::new().id(canvas.id).style(style(ui, *is_scenario)).show(canvas.snarl, &mut viewer, ui);
        // After the first frames the size of a node is known, and the view can be fitted to it.
        self.view.fit_on(sizes_before.iter().zip(&self.sizes).any(|(before, now)| differs(before, now)));
        self.view.follow_keys(ui.ctx(), LayerId::new(ui.layer_id().order, canvas.id));
        if self.view.is_moving() {
            ui.request_repaint();
        }
    }

    /// Gives added and pasted nodes in `edits` a free position, selects pasted ones, and requests a view of all new ones. Before
    /// such edits, the `positions` of all nodes are stored.
    fn make_room(&mut self, positions: &[[f32; 2]], edits: &mut Vec<Edit>) {
        let taken: Vec<Rect> =
            positions.iter().enumerate().map(|(i, position)| layout::node_rect(*position, self.sizes.get(i))).collect();
        let mut moved = false;
        for edit in edits.iter_mut() {
            match edit {
                Edit::Add { position: position @ None, .. } => {
                    *position = layout::without_overlap(&[layout::position_below(&taken)], &taken).first().copied();
                    (self.view.fit, self.view.newest) = (Some(Fit::Legible), positions.len());
                }
                Edit::Paste(copied) => {
                    copied.places = layout::without_overlap(&copied.places, &taken);
                    (self.view.fit, self.view.newest) = (Some(Fit::Legible), positions.len());
                    let nodes = positions.len()..positions.len() + copied.tree.nodes.len();
                    self.pasted = Pasted { nodes: nodes.collect(), times: self.pasted.times + 1 };
                }
                Edit::TakeApart(_) => {
                    (self.view.fit, self.view.newest) = (Some(Fit::Legible), usize::MAX);
                    continue;
                }
                Edit::Add { .. } => {}
                _ => continue,
            }
            moved = true;
        }
        if moved {
            edits.insert(0, Edit::Positions(positions.to_vec()));
        }
    }

    /// Returns the indices of the nodes selected with the pointer and those just pasted; some may be named twice.
    fn selected(&self, ui: &Ui, id: egui::Id, tree: &Tree) -> Vec<usize> {
        let by_pointer = get_selected_nodes(id, ui.ctx()).into_iter().map(|node| node.0);
        let nodes = by_pointer.chain(self.pasted.nodes.iter().copied());
        nodes.filter(|&node| node < tree.nodes.len()).collect()
    }

    /// Handles delete, mute, copy, cut and paste of the selected nodes while the pointer is over the graph.
    fn keys(&mut self, ui: &Ui, tree: &Tree, positions: &[[f32; 2]], id: egui::Id, edits: &mut Vec<Edit>) {
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
                    let places = nodes.iter().filter_map(|&node| positions.get(node).copied()).collect();
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

/// True if a corner of two rectangles differs by more than half a point.
fn differs(a: &Rect, b: &Rect) -> bool {
    (a.min - b.min).length() > 0.5 || (a.max - b.max).length() > 0.5
}

/// The tree of the current take.
struct DrawnTree {
    take: TakeId,
    tree: Tree,
    /// True for the standard tree of a scenario, which is read-only in the graph.
    is_scenario: bool,
}

impl DrawnTree {
    fn look(&self) -> Look {
        if self.is_scenario { Look::Read } else { Look::Edited }
    }
}

/// Nodes of the graph widget in this frame, and the id of the widget.
struct Canvas<'a> {
    snarl: &'a mut Snarl<usize>,
    id: egui::Id,
    clips: &'a [Choice],
}

/// Returns the tree of the shown take, or `None` if it is not a blend. A scenario gets its standard tree at the playhead.
fn drawn_tree(session: &Session) -> Option<DrawnTree> {
    let Shown::Take(take) = session.selection.shown else { return None };
    let (tree, is_scenario) = match &session.document.take(take)?.blend()?.settings {
        Settings::Tree(tree) => (tree.clone(), false),
        Settings::Scenario(scenario) => (scenario.tree(&weights_now(session)), true),
    };
    Some(DrawnTree { take, tree, is_scenario })
}

/// Returns the weights of the standard tree at the playhead; the default ones if the take is not built.
fn weights_now(session: &Session) -> Weights {
    let built = session.frame().and_then(|frame| frame.built.clone());
    let time = session.playback.time;
    built.and_then(|built| built.blend()?.weights(time)).unwrap_or_default()
}

/// Builds the widget nodes. Node i of the tree is node i of the graph.
fn snarl_from(tree: &Tree, positions: &[[f32; 2]]) -> Snarl<usize> {
    let mut snarl = Snarl::new();
    for (node, position) in positions.iter().enumerate() {
        snarl.insert_node(egui::pos2(position[0], position[1]), node);
    }
    for parent in 0..tree.nodes.len() {
        for (input, child) in tree.children(parent).into_iter().enumerate().filter(|each| each.1 < tree.nodes.len()) {
            let from = OutPinId { node: NodeId(child), output: 0 };
            snarl.connect(from, InPinId { node: NodeId(parent), input });
        }
    }
    snarl
}

/// Returns the look of the nodes; those of a scenario are read-only.
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
        // Editable nodes are dragged by their header. A read-only node has its name above the rest.
        header_drag_space: is_scenario.then_some(egui::Vec2::ZERO),
        min_scale: Some(view::MIN_SCALE),
        max_scale: Some(1.5),
        ..SnarlStyle::new()
    }
}
