//! Keyboard focus: its ring, Tab order, and the focus reported to assistive technology.

use std::collections::BTreeSet;

use egui::accesskit::{Action, Node, NodeId};
use egui::{Context, Event, FocusDirection, FullOutput, Id, Key, Plugin, Response, Stroke, StrokeKind, Ui};

use super::theme;

/// Reports the window root as focused if egui's focused control no longer exists. AccessKit (and with it screen readers) would
/// panic on an unknown node.
pub(super) struct ValidFocus;

impl Plugin for ValidFocus {
    fn debug_name(&self) -> &'static str {
        "valid focus"
    }

    fn output_hook(&mut self, _: &Context, output: &mut FullOutput) {
        let Some(update) = &mut output.platform_output.accesskit_update else { return };
        let root = update.tree.as_ref().map_or(update.focus, |tree| tree.root);
        if !update.nodes.iter().any(|(id, _)| *id == update.focus) {
            update.focus = root;
        }
    }
}

/// Draws a ring around the control focused by keyboard. Skips controls without a name that do nothing by keyboard, such as
/// panel dividers and plot axes.
#[derive(Debug, Default)]
pub(super) struct KeyboardFocus {
    /// The control focused in the last frame.
    last: Option<Id>,
    /// True if the keyboard, not the pointer, moved the focus there.
    by_keys: bool,
    /// Number of frames in which a focus change is attributed to the last key press.
    moving: u8,
    /// Direction of the last focus key.
    direction: Option<FocusDirection>,
    nameless: BTreeSet<NodeId>,
}

/// Gap between a control and its ring, points.
const RING_GAP: f32 = 2.0;
/// Height in points above which the focused item is a panel, not a control. Tuned; no derivation recorded.
const MAX_CONTROL_HEIGHT: f32 = 64.0;

/// Number of frames until a key press has moved the focus. Tuned; no derivation recorded.
const FOCUS_MOVE_FRAMES: u8 = 3;

impl Plugin for KeyboardFocus {
    fn debug_name(&self) -> &'static str {
        "keyboard focus"
    }

    fn on_begin_pass(&mut self, ui: &mut Ui) {
        let pressed = ui.input(|input| input.events.iter().find_map(moved_by));
        self.moving = if pressed.is_some() { FOCUS_MOVE_FRAMES } else { self.moving.saturating_sub(1) };
        self.direction = pressed.or(self.direction);
        if matches!(pressed, Some(FocusDirection::Next | FocusDirection::Previous)) {
            // Names are known only with AccessKit, which costs time in every later frame. Arrow keys, which also step frames,
            // do not enable it.
            ui.ctx().enable_accesskit();
        }
        let focused = ui.memory(|memory| memory.focused());
        let is_passed = focused.is_some_and(|id| self.nameless.contains(&id.accesskit_id()));
        if let Some(direction) = self.direction.filter(|_| is_passed && self.by_keys) {
            ui.memory_mut(|memory| memory.move_focus(direction));
            self.moving = FOCUS_MOVE_FRAMES;
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

/// Makes the ring visible around the control that a command focuses next, also if the command was chosen from the palette or a
/// menu.
pub(super) fn show_next(ctx: &Context) {
    ctx.with_plugin(|focus: &mut KeyboardFocus| focus.moving = FOCUS_MOVE_FRAMES);
}

/// Draws the ring with constant screen width, whatever the layer's scale (the graph zooms).
fn ring(ui: &Ui, response: &Response) {
    let view = ui.ctx().layer_transform_to_global(response.layer_id).unwrap_or_default();
    let mut painter = ui.ctx().layer_painter(response.layer_id);
    painter.set_clip_rect(view.inverse() * painter.clip_rect());
    // Outside controls, so that it covers no text; inside panels, which have neighbours.
    let is_panel = response.interact_rect.height() > MAX_CONTROL_HEIGHT;
    let rect = response.interact_rect.expand(if is_panel { 0.0 } else { RING_GAP / view.scaling });
    let stroke = Stroke::new(1.5 / view.scaling, theme::of(ui).accent);
    painter.rect_stroke(rect, theme::RADIUS, stroke, StrokeKind::Inside);
}

/// Returns the focus direction of a key event. F6 moves between panels. `None` for other events.
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

/// True if the keyboard focused a clickable control. Space then presses it instead of starting playback.
pub(super) fn is_clickable_focused(ctx: &Context) -> bool {
    // Reading the response of a pointer-focused control can remove its focus.
    let focused =
        ctx.memory(|memory| memory.focused()).filter(|_| is_by_keys(ctx)).and_then(|id| ctx.read_response(id));
    focused.is_some_and(|response| response.sense.senses_click() && !response.sense.senses_drag())
}

/// True if the keyboard, not the pointer, moved the focus to its control.
pub(super) fn is_by_keys(ctx: &Context) -> bool {
    ctx.with_plugin(|focus: &mut KeyboardFocus| focus.by_keys) == Some(true)
}

/// Returns the control that the keyboard focused in this frame, unless it is skipped.
pub(super) fn newly_focused_by_keyboard(ctx: &Context) -> Option<Response> {
    let focused = ctx.memory(|memory| memory.focused())?;
    let is_new = |focus: &mut KeyboardFocus| {
        focus.moving > 0 && focus.last != Some(focused) && !focus.nameless.contains(&focused.accesskit_id())
    };
    ctx.with_plugin(is_new).filter(|is_new| *is_new).and_then(|_| ctx.read_response(focused))
}

/// Scrolls to the list item that the keyboard focused in this frame, if any. Call it at the end of the list's contents.
pub fn scroll_to_focus(ui: &Ui) {
    let came = newly_focused_by_keyboard(ui.ctx());
    if let Some(response) = came.filter(|response| ui.min_rect().contains(response.rect.center())) {
        ui.scroll_to_rect_animation(
            response.rect.expand(theme::GAP_MEDIUM),
            None,
            egui::style::ScrollAnimation::none(),
        );
    }
}

#[cfg(test)]
mod tests {
    use egui::{Event, Key, Modifiers};
    use egui_kittest::Harness;
    use egui_kittest::kittest::Queryable;

    use super::*;

    #[test]
    fn a_control_that_disappears_while_it_gets_the_focus_does_not_panic() {
        let mut window = Harness::new_ui_state(
            |ui, is_shown: &mut bool| {
                ui.ctx().add_plugin(ValidFocus);
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
