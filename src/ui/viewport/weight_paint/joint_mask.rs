//! Painting of joint weights on joints: drag adds, Ctrl subtracts.

use egui::{PointerButton, Rect, Response, Ui, Vec2};
use glam::Vec3;

use crate::theme;
use crate::viewport::Viewport;
use crate::viewport::projection::see;
use portamento_session::Session;
use portamento_session::painting::JointDab;
use portamento_takes::evaluate::Frame;

/// Radius of the brush, pixels. Tuned; no derivation recorded.
const BRUSH_RADIUS: f32 = 16.0;

/// Handles the mouse while joint weights are painted. Returns true if the brush uses it. Ctrl subtracts.
pub fn pointer_input(ui: &Ui, response: &Response, viewport: &Viewport, session: &mut Session, rect: Rect) -> bool {
    if session.canvas().joint_weights().is_none() {
        return false;
    }
    let clicked_or_dragged = response.dragged_by(PointerButton::Primary) || response.clicked();
    let near = response.hover_pos().or(response.interact_pointer_pos()).and_then(|at| {
        let frame = session.frame()?;
        joint_near(frame, |joint| see(&viewport.camera, rect, Vec3::from(frame.world[joint].translation)), at)
    });
    if near.is_some() {
        ui.set_cursor_icon(egui::CursorIcon::Crosshair);
    }
    let modifiers = ui.input(|input| input.modifiers);
    let primary = ui.input(|input| input.pointer.primary_down()) && response.is_pointer_button_down_on();
    if modifiers.alt || !(clicked_or_dragged || primary) {
        return false;
    }
    // A stroke may start next to a joint; it does not move the camera.
    let Some(joint) = near else { return true };
    let passed = ui.input(|input| input.stable_dt).min(0.1);
    let dab = if response.clicked() { JointDab::Click } else { JointDab::Held(passed) };
    session.easel().paint_joint(joint, dab, modifiers.command);
    ui.request_repaint();
    true
}

/// Returns the joint nearest to the screen position `at`, within [`BRUSH_RADIUS`]; `None` if there is none.
fn joint_near(frame: &Frame, screen_pos: impl Fn(usize) -> Option<egui::Pos2>, at: egui::Pos2) -> Option<usize> {
    let distance = |joint: &usize| screen_pos(*joint).map_or(f32::INFINITY, |screen_pos| screen_pos.distance(at));
    let near = (0..frame.world.len()).filter(|joint| distance(joint) <= BRUSH_RADIUS);
    near.min_by(|a, b| distance(a).total_cmp(&distance(b)))
}

/// Draws a dot per joint in the colour of its weight (0…1), and the legend.
pub fn paint(ui: &Ui, rect: Rect, frame: &Frame, viewport: &Viewport, weights: &[f32]) {
    let painter = ui.painter_at(rect);
    for (joint, &weight) in weights.iter().enumerate().take(frame.world.len()) {
        let Some(at) = see(&viewport.camera, rect, Vec3::from(frame.world[joint].translation)) else { continue };
        painter.circle(at, 5.0, theme::weight(weight), egui::Stroke::new(1.0, theme::view().ink));
    }
    let bar = Rect::from_min_size(egui::pos2(rect.max.x - 136.0, rect.max.y - 18.0), Vec2::new(120.0, 6.0));
    for i in 0..24 {
        let (from, to) = (i as f32 / 24.0, (i + 1) as f32 / 24.0);
        let x = |at: f32| bar.min.x + bar.width() * at;
        let part = Rect::from_x_y_ranges(x(from)..=x(to), bar.y_range());
        painter.rect_filled(part, 0.0, theme::weight((from + to) * 0.5));
    }
    for (text, at, align) in
        [("0", bar.left_top(), egui::Align2::LEFT_BOTTOM), ("1", bar.right_top(), egui::Align2::RIGHT_BOTTOM)]
    {
        painter.text(at - Vec2::new(0.0, 3.0), align, text, theme::caption(), theme::view().ink);
    }
}
