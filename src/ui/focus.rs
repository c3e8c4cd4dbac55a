//! The focus: how it is shown, where Tab goes, and what assistive technology is told of it.

use std::collections::BTreeSet;

use egui::accesskit::{Action, Node, NodeId};
use egui::{Context, Event, FocusDirection, FullOutput, Id, Key, Plugin, Response, Stroke, StrokeKind, Ui};

use super::theme;

/// Tells of the window as a whole where egui gave the focus to a control that has just gone or cannot have it: whoever listens,
/// a screen reader among them, would end the program otherwise.
pub(super) struct ToldFocus;

impl Plugin for ToldFocus {
    fn debug_name(&self) -> &'static str {
        "told focus"
    }

    fn output_hook(&mut self, _: &Context, output: &mut FullOutput) {
        let Some(update) = &mut output.platform_output.accesskit_update else { return };
        let root = update.tree.as_ref().map_or(update.focus, |tree| tree.root);
        if !update.nodes.iter().any(|(id, _)| *id == update.focus) {
            update.focus = root;
        }
    }
}

/// Draws a ring around the control that keys went to, the same for all, and goes past what has no name and does nothing by keys:
/// dividers between panels, axes of plots.
#[derive(Debug, Default)]
pub(super) struct KeyboardFocus {
    /// Which had the focus in the last frame.
    last: Option<Id>,
    /// Whether keys brought it there and not the pointer.
    by_keys: bool,
    /// Frames in which a focus that moves was moved by a key that was pressed before.
    moving: u8,
    /// Where keys go on.
    way: Option<FocusDirection>,
    nameless: BTreeSet<NodeId>,
}

/// Points between a control and its ring.
const APART: f32 = 2.0;
/// Points up to which something is as high as a control.
const LARGEST: f32 = 64.0;

/// Frames until a key that moves the focus has moved it.
const MOVING: u8 = 3;

impl Plugin for KeyboardFocus {
    fn debug_name(&self) -> &'static str {
        "keyboard focus"
    }

    fn on_begin_pass(&mut self, ui: &mut Ui) {
        let pressed = ui.input(|input| input.events.iter().find_map(moved_by));
        self.moving = if pressed.is_some() { MOVING } else { self.moving.saturating_sub(1) };
        self.way = pressed.or(self.way);
        if matches!(pressed, Some(FocusDirection::Next | FocusDirection::Previous)) {
            // Only names tell what is passed over. They cost time in every frame from then on: arrows alone, which step through
            // frames, do not ask for them.
            ui.ctx().enable_accesskit();
        }
        let focused = ui.memory(|memory| memory.focused());
        let is_passed = focused.is_some_and(|id| self.nameless.contains(&id.accesskit_id()));
        if let Some(way) = self.way.filter(|_| is_passed && self.by_keys) {
            ui.memory_mut(|memory| memory.move_focus(way));
            self.moving = MOVING;
            ui.ctx().request_repaint();
        }
    }

    fn on_end_pass(&mut self, ui: &mut Ui) {
        let focused = ui.memory(|memory| memory.focused());
        if focused != self.last {
            self.by_keys = self.moving > 0;
            self.last = focused;
        }
        if ui.input(|input| input.pointer.any_pressed()) {
            self.by_keys = false;
        }
        let Some(response) = focused.filter(|_| self.by_keys).and_then(|id| ui.ctx().read_response(id)) else { return };
        if response.interact_rect.is_positive() {
            ring(ui, &response);
        }
    }

    fn output_hook(&mut self, _: &Context, output: &mut FullOutput) {
        let Some(update) = &output.platform_output.accesskit_update else { return };
        let is_nameless = |node: &Node| {
            let is_called = node.label().or(node.value()).is_some_and(|name| !name.trim().is_empty());
            node.supports_action(Action::Focus) && !is_called && node.labelled_by().is_empty()
        };
        self.nameless = update.nodes.iter().filter(|(_, node)| is_nameless(node)).map(|(id, _)| *id).collect();
    }
}

/// As wide on the screen whatever the scale of its layer, which is that of the graph.
fn ring(ui: &Ui, response: &Response) {
    let view = ui.ctx().layer_transform_to_global(response.layer_id).unwrap_or_default();
    let mut painter = ui.ctx().layer_painter(response.layer_id);
    painter.set_clip_rect(view.inverse() * painter.clip_rect());
    // Around a control, so that it covers none of its words; within a panel, which others touch.
    let is_panel = response.interact_rect.height() > LARGEST;
    let rect = response.interact_rect.expand(if is_panel { 0.0 } else { APART / view.scaling });
    let stroke = Stroke::new(1.5 / view.scaling, theme::of(ui).accent);
    painter.rect_stroke(rect, theme::RADIUS, stroke, StrokeKind::Inside);
}

/// Where the focus goes by an event; F6 goes from panel to panel.
fn moved_by(event: &Event) -> Option<FocusDirection> {
    match event {
        Event::Key { key: Key::Tab | Key::F6, pressed: true, modifiers, .. } if modifiers.shift => {
            Some(FocusDirection::Previous)
        }
        Event::Key { key: Key::Tab | Key::F6, pressed: true, .. } => Some(FocusDirection::Next),
        Event::Key { key: Key::ArrowUp, pressed: true, .. } => Some(FocusDirection::Up),
        Event::Key { key: Key::ArrowDown, pressed: true, .. } => Some(FocusDirection::Down),
        Event::Key { key: Key::ArrowLeft, pressed: true, .. } => Some(FocusDirection::Left),
        Event::Key { key: Key::ArrowRight, pressed: true, .. } => Some(FocusDirection::Right),
        _ => None,
    }
}

/// Whether keys brought the focus to what a key presses: Space is the control's then, and does not play.
pub(super) fn presses(ctx: &Context) -> bool {
    // Asking for the response of what the pointer gave the focus to can take it away again.
    let focused =
        ctx.memory(|memory| memory.focused()).filter(|_| is_by_keys(ctx)).and_then(|id| ctx.read_response(id));
    focused.is_some_and(|response| response.sense.senses_click() && !response.sense.senses_drag())
}

/// Whether keys brought the focus where it is, and not the pointer.
pub(super) fn is_by_keys(ctx: &Context) -> bool {
    ctx.with_plugin(|focus: &mut KeyboardFocus| focus.by_keys) == Some(true)
}

/// What keys bring the focus to in this frame, unless it is passed over.
pub(super) fn brought_by_keys(ctx: &Context) -> Option<Response> {
    let focused = ctx.memory(|memory| memory.focused())?;
    let comes = |focus: &mut KeyboardFocus| {
        focus.moving > 0 && focus.last != Some(focused) && !focus.nameless.contains(&focused.accesskit_id())
    };
    ctx.with_plugin(comes).filter(|comes| *comes).and_then(|_| ctx.read_response(focused))
}

/// Brings what keys went to among the contents of a list into view; to be called at their end.
pub fn follow(ui: &Ui) {
    let came = brought_by_keys(ui.ctx());
    if let Some(response) = came.filter(|response| ui.min_rect().contains(response.rect.center())) {
        ui.scroll_to_rect_animation(response.rect.expand(theme::MEDIUM), None, egui::style::ScrollAnimation::none());
    }
}

#[cfg(test)]
mod tests {
    use egui::{Event, Key, Modifiers};
    use egui_kittest::Harness;
    use egui_kittest::kittest::Queryable;

    use super::*;

    #[test]
    fn a_control_that_goes_while_the_focus_steps_back_to_it_ends_nothing() {
        let mut window = Harness::new_ui_state(
            |ui, is_shown: &mut bool| {
                ui.ctx().add_plugin(ToldFocus);
                if *is_shown {
                    ui.push_id("first", |ui| ui.button("first").clicked());
                }
                ui.push_id("second", |ui| ui.button("second").clicked());
            },
            true,
        );
        window.get_by_label("second").focus();
        window.step();
        let (key, modifiers) = (Key::Tab, Modifiers::SHIFT);
        window.event(Event::Key { key, physical_key: None, pressed: true, repeat: false, modifiers });
        window.step();
        *window.state_mut() = false;
        window.step();
        assert!(!window.get_by_label("second").is_focused());
    }
}
