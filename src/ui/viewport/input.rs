//! Mouse and commands move the camera.

use std::f32::consts::{FRAC_PI_2, PI};

use egui::{PointerButton, Rect, Response, Ui};
use glam::Vec3;

use super::{Viewport, metres};
use crate::session::{Session, WindowCommand};

/// Orbit, pan, zoom, pick.
pub fn mouse(ui: &Ui, response: &Response, viewport: &mut Viewport, session: &mut Session, rect: Rect) {
    let modifiers = ui.input(|input| input.modifiers);
    let by = response.drag_delta();
    let camera = &mut viewport.camera;
    let middle = response.dragged_by(PointerButton::Middle);
    if middle && (modifiers.shift || modifiers.alt) {
        camera.pan(by, rect.height());
    } else if middle || response.dragged_by(PointerButton::Primary) {
        camera.orbit(by);
    } else if response.dragged_by(PointerButton::Secondary) {
        if modifiers.alt {
            camera.zoom(((by.x - by.y) * 0.01).exp(), rect, rect.center());
        } else {
            camera.pan(by, rect.height());
        }
    }
    if let Some(at) = response.hover_pos() {
        let (scroll, zoom) = ui.input(|input| (input.smooth_scroll_delta().y, input.zoom_delta()));
        let factor = zoom * (scroll * 0.003).exp();
        if factor != 1.0 {
            camera.zoom(factor, rect, at);
        }
    }
    if response.clicked()
        && let Some(at) = response.interact_pointer_pos()
    {
        session.selection.joint = joint_at(viewport, session, rect, at);
    }
}

/// Pixels within which a click finds a joint.
const REACH: f32 = 14.0;

fn joint_at(viewport: &Viewport, session: &Session, rect: Rect, at: egui::Pos2) -> Option<usize> {
    let frame = session.frame()?;
    let metres = metres(session);
    let deforming = frame.character.model.deforming_joints();
    let near = frame.world.iter().enumerate().filter(|&(joint, _)| deforming.get(joint).copied().unwrap_or(true));
    let near = near.filter_map(|(joint, place)| {
        let (seen, _) = viewport.camera.project(rect, Vec3::from(place.translation) * metres)?;
        Some((joint, seen.distance(at))).filter(|&(_, distance)| distance < REACH)
    });
    near.min_by(|a, b| a.1.total_cmp(&b.1)).map(|(joint, _)| joint)
}

/// Views, framing, overlays.
pub fn carry_out(viewport: &mut Viewport, session: &Session, command: WindowCommand, bounds: (Vec3, Vec3)) {
    let overlays = &mut viewport.overlays;
    let mut look = |yaw: f32, pitch: f32| {
        viewport.camera.yaw = yaw;
        viewport.camera.pitch = pitch;
    };
    match command {
        WindowCommand::FrameAll => viewport.camera.show(bounds.0, bounds.1),
        WindowCommand::FrameSelection => frame_selection(viewport, session, bounds),
        WindowCommand::ViewFront => look(0.0, 0.0),
        WindowCommand::ViewBack => look(PI, 0.0),
        WindowCommand::ViewRight => look(FRAC_PI_2, 0.0),
        WindowCommand::ViewLeft => look(-FRAC_PI_2, 0.0),
        WindowCommand::ViewTop => look(0.0, FRAC_PI_2),
        WindowCommand::ViewBottom => look(0.0, -FRAC_PI_2),
        WindowCommand::ToggleOrthographic => viewport.camera.orthographic = !viewport.camera.orthographic,
        WindowCommand::ToggleGhosts => overlays.ghosts = !overlays.ghosts,
        WindowCommand::ToggleTrails => overlays.trails = !overlays.trails,
        WindowCommand::ToggleJoints => overlays.joints = !overlays.joints,
        _ => {}
    }
}

/// The selected joint with what hangs below it, or the character where it is now.
fn frame_selection(viewport: &mut Viewport, session: &Session, bounds: (Vec3, Vec3)) {
    let Some(frame) = session.frame() else { return };
    let metres = metres(session);
    let skeleton = &frame.character.model.skeleton;
    let joints: Vec<usize> = match session.selection.joint {
        Some(joint) if joint < skeleton.len() => skeleton.subtree(joint),
        _ => (0..skeleton.len()).collect(),
    };
    let places = joints.iter().filter_map(|&joint| frame.world.get(joint)).map(|place| Vec3::from(place.translation) * metres);
    let (low, high) = places.fold((Vec3::INFINITY, Vec3::NEG_INFINITY), |(low, high), p| (low.min(p), high.max(p)));
    if low.is_finite() {
        viewport.camera.show(low - 0.05, high + 0.05);
    } else {
        viewport.camera.show(bounds.0, bounds.1);
    }
}
