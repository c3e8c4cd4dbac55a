//! Nodes of the graph: name, clip, inputs with weights and contributions.

use egui::emath::TSTransform;
use egui::{Color32, Frame, Pos2, Rect, RichText, Stroke, Ui, Vec2};
use egui_material_icons::icons::{
    ICON_CALL_SPLIT, ICON_FLAG, ICON_HEADPHONES, ICON_MOVIE, ICON_TUNE, ICON_UNDO, ICON_VOLUME_OFF, ICON_VOLUME_UP,
};
use egui_snarl::ui::{AnyPins, PinInfo, SnarlPin, SnarlViewer};
use egui_snarl::{InPin, NodeId, OutPin, Snarl};

use super::add::{self, Spot};
use super::edit::Edit;
use super::view::GraphView;
use crate::i18n::{localized, tr, tr_with};
use crate::panels::blend::Choice;
use crate::widgets::name_field::NameField;
use crate::{theme, widgets};
use portamento_blend::{Link, Node, NodeKind, StateWeight, Tree, Weights, Wire, node_name, set_weight, weight_in};
use portamento_takes::evaluate::Blended;

/// Draws the nodes of `tree` and collects edits.
pub(super) struct Viewer<'a> {
    /// The drawn tree; node i of the graph is node i of the tree.
    pub tree: &'a Tree,
    /// True if the tree is a read-only scenario.
    pub is_scenario: bool,
    /// Weights of the scenario at the playhead.
    pub weights: Weights,
    /// Playhead, seconds.
    pub time: f64,
    /// Contribution of each connection at the playhead.
    pub wires: Vec<Wire>,
    /// The built blend, if available.
    pub blended: Option<&'a Blended>,
    /// The edited state; empty for the default state.
    pub state: &'a str,
    /// The connection whose joint weights are edited.
    pub link: Option<(usize, usize)>,
    /// Clips to choose from.
    pub clips: &'a [Choice],
    /// Collected edits.
    pub edits: &'a mut Vec<Edit>,
    /// Filter text of the node menu.
    pub query: &'a mut String,
    /// Nodes pasted last that are still selected.
    pub pasted: &'a [usize],
    /// Selection colour.
    pub selection: Color32,
    /// Selected nodes.
    pub selected: Vec<usize>,
    /// Last drawn rectangle of each node, in graph coordinates.
    pub sizes: &'a mut [Rect],
    /// Requested view.
    pub view: &'a mut GraphView,
}

/// Width of the contents of an editable node, points.
pub(super) const WIDTH: f32 = 176.0;
/// Width of the contents of a read-only node, points.
pub(super) const READ_WIDTH: f32 = 104.0;

impl Viewer<'_> {
    /// Returns the weight (0…1) of input `slot` of `node` in the pose; 0, not `None`, if it contributes nothing.
    fn share(&self, node: usize, slot: usize) -> Option<f32> {
        if self.is_scenario {
            let [upper, lower] = self.halves(node, slot);
            return Some(upper.max(lower));
        }
        let wire = self.wires.iter().find(|wire| (wire.node, wire.slot) == (node, slot));
        Some(wire.map_or(0.0, |wire| wire.share))
    }

    /// Returns the contribution (0…1) of a connection of the standard tree to the upper-body joints, then to the lower-body
    /// joints.
    fn halves(&self, node: usize, slot: usize) -> [f32; 2] {
        let at = &self.weights;
        match (node == self.tree.root, slot) {
            (true, 0) => [at.skill_on_upper, at.skill_on_lower],
            (true, _) => [at.whole_on_upper, at.whole_on_lower],
            (false, 0) => [at.pre_ani; 2],
            (false, _) => [at.cur_ani; 2],
        }
    }

    /// Returns the indices of all nodes by priority: new ones, selected ones, then by contribution to the output, the output
    /// first.
    fn by_weight(&self) -> Vec<usize> {
        let is_root = |node: usize| if node == self.tree.root { f32::INFINITY } else { 0.0 };
        let mut weights: Vec<f32> = (0..self.sizes.len()).map(is_root).collect();
        for parent in 0..self.tree.nodes.len() {
            for (slot, child) in self.tree.children(parent).into_iter().enumerate() {
                let share = self.share(parent, slot).unwrap_or(0.0);
                weights.get_mut(child).into_iter().for_each(|weight| *weight = weight.max(share));
            }
        }
        let mut nodes: Vec<usize> = (0..weights.len()).collect();
        let is_chosen = |node: usize| (node >= self.view.newest, self.selected.contains(&node));
        nodes.sort_by(|&a, &b| is_chosen(b).cmp(&is_chosen(a)).then(weights[b].total_cmp(&weights[a])));
        nodes
    }

    /// Returns `share` in percent. If upper and lower body differ in a scenario, returns both of their shares instead.
    fn share_text(&self, node: usize, slot: usize, share: f32) -> String {
        let percent = |share: f32| format!("{:.0} %", share * 100.0);
        let [upper, lower] = self.halves(node, slot);
        if self.is_scenario && upper != lower {
            format!("↑ {}  ↓ {}", percent(upper), percent(lower))
        } else {
            percent(share)
        }
    }

    /// Adds an edit that replaces node `index`, unless `node` is equal to it.
    pub(super) fn replace(&mut self, index: usize, node: Node) {
        if self.tree.nodes.get(index) != Some(&node) {
            self.edits.push(Edit::Replace(index, node));
        }
    }

    /// Draws input `slot` of a blend node: its share, weight and buttons. An unused input is a caption only.
    fn link_row(&mut self, ui: &mut Ui, node: usize, slot: usize) {
        let mut changed = self.tree.nodes[node].clone();
        let NodeKind::Blend(links) = &mut changed.kind else { return };
        let Some(link) = links.get_mut(slot) else {
            widgets::caption(ui, tr("graph.free_input"));
            return;
        };
        let name = self.tree.nodes.get(link.child).map_or_else(String::new, |child| localized(&node_name(&child.name)));
        ui.spacing_mut().item_spacing.x = 2.0;
        self.share_label(ui, node, slot);
        if !self.is_scenario {
            let Link { weight, in_states, .. } = link;
            self.state_weight(ui, name, weight, in_states);
            self.link_buttons(ui, link, (node, slot));
        }
        self.replace(node, changed);
    }

    /// Draws the weight of the connection from node `name` in the edited state, and a button that restores the default weight.
    fn state_weight(&self, ui: &mut Ui, name: String, default_weight: &mut f32, in_states: &mut Vec<StateWeight>) {
        let before = weight_in(in_states, self.state, *default_weight);
        let mut weight = before;
        weight_slider(ui, &tr_with("graph.weight_of", &[("node", name)]), &mut weight);
        if weight != before {
            set_weight(in_states, default_weight, self.state, weight);
        }
        let has_override = in_states.iter().any(|each| each.state == self.state);
        if has_override && widgets::icon_button(ui, ICON_UNDO, &tr("graph.state_as_drawn")).clicked() {
            in_states.retain(|each| each.state != self.state);
        }
    }

    /// Draws the contribution of input `slot` of `node` at the playhead in percent, 0 % if it has none.
    fn share_label(&self, ui: &mut Ui, node: usize, slot: usize) {
        let tokens = theme::of(ui);
        let share = self.share(node, slot).unwrap_or(0.0);
        let text = self.share_text(node, slot, share);
        let width = if self.is_scenario { READ_WIDTH } else { 40.0 };
        let ink = if share > 0.0 { tokens.text } else { tokens.dim };
        let label = egui::Label::new(RichText::new(text).font(theme::caption()).color(ink)).halign(egui::Align::LEFT);
        ui.allocate_ui_with_layout(
            Vec2::new(width, theme::ROW),
            egui::Layout::left_to_right(egui::Align::Center),
            |ui| {
                ui.set_min_width(width);
                ui.add(label).on_hover_text(tr("graph.share"));
            },
        );
    }

    /// Draws the buttons that mute and solo the link, and that select it for its mask or deselect it. `at` is its node and slot.
    fn link_buttons(&mut self, ui: &mut Ui, link: &mut Link, at: (usize, usize)) {
        let icon = if link.muted { ICON_VOLUME_OFF } else { ICON_VOLUME_UP };
        if widgets::toggle_icon(ui, icon, &tr("graph.mute"), link.muted).clicked() {
            link.muted = !link.muted;
        }
        if widgets::toggle_icon(ui, ICON_HEADPHONES, &tr("graph.solo"), link.solo).clicked() {
            link.solo = !link.solo;
        }
        let on = self.link == Some(at);
        if widgets::toggle_icon(ui, ICON_TUNE, &tr("graph.mask"), on).clicked() {
            self.edits.push(Edit::Choose((!on).then_some(at)));
        }
    }

    /// Draws the weight of an additive node, and its mask and mute buttons.
    fn additive_body(&mut self, ui: &mut Ui, index: usize) {
        let mut changed = self.tree.nodes[index].clone();
        let NodeKind::Additive(additive) = &mut changed.kind else { return };
        ui.horizontal(|ui| {
            self.state_weight(ui, localized(&node_name(&changed.name)), &mut additive.weight, &mut additive.in_states);
            let on = self.link == Some((index, 0));
            if widgets::toggle_icon(ui, ICON_TUNE, &tr("graph.mask"), on).clicked() {
                self.edits.push(Edit::Choose((!on).then_some((index, 0))));
            }
            let icon = if additive.muted { ICON_VOLUME_OFF } else { ICON_VOLUME_UP };
            if widgets::toggle_icon(ui, icon, &tr("graph.mute"), additive.muted).clicked() {
                additive.muted = !additive.muted;
            }
        });
        self.replace(index, changed);
    }

    /// Draws the number of events that drive the standard tree, and the button that expands it.
    fn standard_body(&mut self, ui: &mut Ui, index: usize, events: usize) {
        ui.vertical(|ui| {
            ui.set_width(WIDTH);
            widgets::caption(ui, tr_with("graph.standard_events", &[("count", events.to_string())]));
            if widgets::text_button(ui, ICON_CALL_SPLIT, &tr("graph.take_apart"))
                .on_hover_text(tr("graph.take_apart_hint"))
                .clicked()
            {
                self.edits.push(Edit::TakeApart(index));
            }
        });
    }

    /// Returns a pin whose brightness shows the contribution of input `slot`.
    fn pin(&self, ui: &Ui, node: usize, slot: usize) -> PinInfo {
        let tokens = theme::of(ui);
        let share = self.share(node, slot).unwrap_or(0.0).clamp(0.0, 1.0);
        let color = theme::mix(tokens.line, tokens.accent, share);
        PinInfo::circle().with_fill(color).with_wire_color(color).with_stroke(Stroke::NONE)
    }
}

/// Returns the end of the slider of a weight: the next power of two, doubled, and at least 2.
fn slider_end(weight: f32) -> f32 {
    if weight.is_finite() { 2.0 * weight.max(1.0).log2().ceil().exp2() } else { 2.0 }
}

/// Draws a weight as slider with number. A negative or not finite weight becomes 0.
fn weight_slider(ui: &mut Ui, name: &str, weight: &mut f32) {
    ui.spacing_mut().slider_width = 64.0;
    // The end stays during a drag, so that the slider does not run away under the pointer.
    let id = ui.id().with(("slider end", name));
    let end = ui.data(|data| data.get_temp(id)).unwrap_or_else(|| slider_end(*weight));
    let slider = egui::Slider::new(weight, 0.0..=end).clamping(egui::SliderClamping::Never).max_decimals(2);
    let response = ui.add(slider.fixed_decimals(2).handle_shape(egui::style::HandleShape::Rect { aspect_ratio: 0.4 }));
    if !response.dragged() {
        ui.data_mut(|data| data.insert_temp(id, slider_end(*weight)));
    }
    if !weight.is_finite() || *weight < 0.0 {
        *weight = 0.0;
    }
    ui.ctx().accesskit_node_builder(response.id, |node| node.set_label(name.to_owned()));
}

impl SnarlViewer<usize> for Viewer<'_> {
    fn title(&mut self, node: &usize) -> String {
        self.tree.nodes.get(*node).map_or_else(String::new, |node| localized(&node_name(&node.name)))
    }

    fn node_frame(&mut self, default: Frame, node: NodeId, _: &[InPin], _: &[OutPin], _: &Snarl<usize>) -> Frame {
        match self.pasted.contains(&node.0) {
            true => default.stroke(Stroke::new(1.5, self.selection)),
            false => default,
        }
    }

    fn show_header(&mut self, node: NodeId, _: &[InPin], _: &[OutPin], ui: &mut Ui, _: &mut Snarl<usize>) {
        let Some(mut changed) = self.tree.nodes.get(node.0).cloned() else { return };
        let tokens = theme::of(ui);
        ui.horizontal(|ui| {
            ui.spacing_mut().item_spacing.x = theme::GAP_SMALL;
            let icon = match (&changed.kind, node.0 == self.tree.root) {
                (_, true) => ICON_FLAG,
                (NodeKind::Source(_), _) => ICON_MOVIE,
                _ => ICON_TUNE,
            };
            let color = if node.0 == self.tree.root { tokens.accent } else { tokens.dim };
            ui.label(RichText::new(icon.codepoint).color(color));
            let mut name = localized(&node_name(&changed.name));
            if self.is_scenario {
                ui.label(RichText::new(name).font(theme::strong()));
            } else if NameField::new(&tr("form.name"))
                .strong()
                .frameless()
                .with_width(WIDTH - 28.0)
                .ui(ui, &mut name)
                .lost_focus()
                && name != localized(&node_name(&changed.name))
            {
                changed.name = name;
            }
        });
        self.replace(node.0, changed);
    }

    fn inputs(&mut self, node: &usize) -> usize {
        match self.tree.nodes.get(*node).map(|node| &node.kind) {
            Some(NodeKind::Blend(links)) => links.len() + usize::from(!self.is_scenario),
            Some(NodeKind::Additive(_)) => 2,
            Some(NodeKind::Source(_) | NodeKind::Space(_) | NodeKind::Standard(_)) | None => 0,
        }
    }

    fn show_input(&mut self, pin: &InPin, ui: &mut Ui, _: &mut Snarl<usize>) -> impl SnarlPin + 'static {
        let (node, slot) = (pin.id.node.0, pin.id.input);
        match self.tree.nodes.get(node).map(|node| &node.kind) {
            Some(NodeKind::Blend(_)) => self.link_row(ui, node, slot),
            _ => {
                self.share_label(ui, node, slot);
                widgets::caption(ui, tr(if slot == 0 { "graph.base" } else { "graph.delta" }));
            }
        }
        self.pin(ui, node, slot)
    }

    fn outputs(&mut self, _: &usize) -> usize {
        1
    }

    fn show_output(&mut self, pin: &OutPin, ui: &mut Ui, _: &mut Snarl<usize>) -> impl SnarlPin + 'static {
        let tokens = theme::of(ui);
        let first = pin.remotes.first();
        let color = first.map(|to| self.pin(ui, to.node.0, to.input).fill.unwrap_or(tokens.line));
        let color: Color32 = color.unwrap_or(if pin.id.node.0 == self.tree.root { tokens.accent } else { tokens.line });
        PinInfo::circle().with_fill(color).with_wire_color(color).with_stroke(Stroke::NONE)
    }

    fn has_body(&mut self, node: &usize) -> bool {
        !matches!(self.tree.nodes.get(*node).map(|node| &node.kind), Some(NodeKind::Blend(_)) | None)
    }

    fn show_body(&mut self, node: NodeId, _: &[InPin], _: &[OutPin], ui: &mut Ui, _: &mut Snarl<usize>) {
        match self.tree.nodes.get(node.0).map(|node| &node.kind) {
            Some(NodeKind::Source(_)) => self.source_body(ui, node.0),
            Some(NodeKind::Additive(_)) => self.additive_body(ui, node.0),
            Some(NodeKind::Space(_)) => self.space_body(ui, node.0),
            Some(NodeKind::Standard(scenario)) => self.standard_body(ui, node.0, scenario.events.len()),
            _ => {}
        }
    }

    fn final_node_rect(&mut self, node: NodeId, rect: Rect, _: &mut Ui, _: &mut Snarl<usize>) {
        if let Some(size) = self.sizes.get_mut(node.0) {
            *size = rect;
        }
    }

    fn has_graph_menu(&mut self, _: Pos2, _: &mut Snarl<usize>) -> bool {
        !self.is_scenario
    }

    fn show_graph_menu(&mut self, at: Pos2, ui: &mut Ui, _: &mut Snarl<usize>) {
        let spot = Spot { position: Some([at.x, at.y]), ..Spot::default() };
        add::menu(ui, self.query, self.clips, self.tree.root, spot, self.edits);
    }

    fn has_dropped_wire_menu(&mut self, _: AnyPins<'_>, _: &mut Snarl<usize>) -> bool {
        !self.is_scenario
    }

    fn show_dropped_wire_menu(&mut self, at: Pos2, ui: &mut Ui, pins: AnyPins<'_>, _: &mut Snarl<usize>) {
        let mut spot = Spot { position: Some([at.x, at.y]), ..Spot::default() };
        match pins {
            AnyPins::In(pins) => spot.input = pins.first().map(|pin| (pin.node.0, pin.input)),
            AnyPins::Out(pins) => spot.from = pins.first().map(|pin| pin.node.0),
        }
        add::menu(ui, self.query, self.clips, self.tree.root, spot, self.edits);
    }

    fn has_node_menu(&mut self, _: &usize) -> bool {
        !self.is_scenario
    }

    fn show_node_menu(&mut self, node: NodeId, _: &[InPin], _: &[OutPin], ui: &mut Ui, _: &mut Snarl<usize>) {
        let items = [
            ("graph.make_result", Edit::Root(node.0)),
            ("graph.mute", Edit::Mute(vec![node.0])),
            ("graph.remove", Edit::Remove(vec![node.0])),
        ];
        for (key, edit) in items {
            if ui.button(tr(key)).clicked() {
                self.edits.push(edit);
                ui.close();
            }
        }
    }

    fn connect(&mut self, from: &OutPin, to: &InPin, _: &mut Snarl<usize>) {
        if !self.is_scenario {
            let (child, parent, slot) = (from.id.node.0, to.id.node.0, to.id.input);
            self.edits.push(Edit::Connect { child, parent, slot });
        }
    }

    fn disconnect(&mut self, _: &OutPin, to: &InPin, _: &mut Snarl<usize>) {
        self.drop_inputs(to, &mut Snarl::new());
    }

    fn drop_outputs(&mut self, _: &OutPin, _: &mut Snarl<usize>) {}

    fn drop_inputs(&mut self, pin: &InPin, _: &mut Snarl<usize>) {
        if !self.is_scenario {
            self.edits.push(Edit::Disconnect { parent: pin.id.node.0, slot: pin.id.input });
        }
    }

    fn current_transform(&mut self, view: &mut TSTransform, _: &mut Snarl<usize>) {
        let nodes: Vec<Rect> = self.by_weight().into_iter().map(|node| self.sizes[node]).collect();
        *view = self.view.view(*view, &nodes);
    }
}

#[cfg(test)]
mod tests {
    use super::slider_end;

    #[test]
    fn every_weight_is_on_its_slider_with_room_to_double_it() {
        assert_eq!([0.0, 0.5, 1.0, 1.5, 2.0, 5.0].map(slider_end), [2.0, 2.0, 2.0, 4.0, 4.0, 16.0]);
        assert!((1..400).all(|weight| slider_end(weight as f32 * 0.1) >= 0.2 * weight as f32));
        assert_eq!(slider_end(f32::NAN), 2.0);
    }
}
