//! Handles of dynamic bones: a collider's middle, ends and edge, the wind's arrow, and the character itself while it swings.

use egui::{Key, PointerButton, Pos2, Rect, Response, Ui};
use glam::DVec3;

use crate::evaluate::{Frame, SwingBody};
use crate::session::{Session, Shown, SwingMode};
use crate::systems::dynamics::{Settings, Shape};
use crate::ui::viewport::drag::handle_drag::HandleDrag;
use crate::ui::viewport::{Viewport, metres};

/// What a handle changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// The middle of a ball, a point of a plane.
    Center,
    /// One end of a capsule.
    A,
    /// The other end.
    B,
    /// The edge.
    Radius,
    /// The direction of a plane.
    Normal,
    /// Where the wind blows to, and how strongly.
    Wind,
    /// The whole character.
    Body,
}

/// A handle in world space, in the file's unit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DynamicsHandle {
    /// What it changes.
    pub part: Part,
    /// Where it is.
    pub at: DVec3,
    /// Where what it changes starts: the middle for an edge, the tail of an arrow.
    pub from: DVec3,
}

/// How near the pointer must be, pixels.
const NEAR: f32 = 11.0;
/// Length of the arrow of a plane's normal, metres.
const NORMAL: f64 = 0.3;
/// Length of the wind's arrow: metres, and metres per m/s² on top.
pub(in crate::ui::viewport) const WIND: (f64, f64) = (0.25, 0.05);

/// The handles of what is shown.
pub fn of(viewport: &Viewport, session: &Session, frame: &Frame) -> Vec<DynamicsHandle> {
    let mut handles = Vec::new();
    let Some(swing) = &frame.swing else { return handles };
    let metres = metres(session);
    if let Some(body) = session.selection.collider.and_then(|index| swing.bodies.get(index)) {
        collider(body, viewport, metres, &mut handles);
    }
    let hips = middle(session, frame);
    if viewport.overlays.wind && swing.wind.length() > 0.0 {
        let from = hips + DVec3::Y * (0.95 / metres);
        let length = (WIND.0 + WIND.1 * swing.wind.length()) / metres;
        handles.push(DynamicsHandle { part: Part::Wind, at: from + swing.wind.normalize() * length, from });
    }
    if session.swinging.mode == SwingMode::Live {
        handles.push(DynamicsHandle { part: Part::Body, at: hips, from: hips });
    }
    handles
}

/// The hips, or the first joint.
fn middle(session: &Session, frame: &Frame) -> DVec3 {
    let roles = |id| session.document.character(id).and_then(|character| character.roles.hips);
    let hips = session.shown_take().and_then(|take| roles(take.character)).unwrap_or(0);
    frame.world.get(hips).map(|place| glam::Vec3::from(place.translation).as_dvec3()).unwrap_or_default()
}

fn collider(body: &SwingBody, viewport: &Viewport, metres: f64, handles: &mut Vec<DynamicsHandle>) {
    let right = (viewport.camera.rotation() * glam::Vec3::X).as_dvec3();
    let mut add = |part, at, from| handles.push(DynamicsHandle { part, at, from });
    match body.shape {
        Shape::Sphere { center, radius } | Shape::InsideSphere { center, radius } => {
            add(Part::Radius, center + right * radius, center);
            add(Part::Center, center, center);
        }
        Shape::Capsule { a, b, radius } | Shape::InsideCapsule { a, b, radius } => {
            let middle = (a + b) * 0.5;
            let across = (b - a).cross(viewport.camera.eye().as_dvec3() - middle).try_normalize().unwrap_or(right);
            let across = if across.dot(right) < 0.0 { -across } else { across };
            add(Part::Radius, middle + across * radius, middle);
            add(Part::A, a, a);
            add(Part::B, b, b);
        }
        Shape::Plane { point, normal } => {
            add(Part::Normal, point + normal * (NORMAL / metres), point);
            add(Part::Center, point, point);
        }
    }
}

/// Follows the mouse; answers whether a handle is in use. Esc puts back what was.
pub fn follow(ui: &Ui, response: &Response, viewport: &mut Viewport, session: &mut Session, rect: Rect) -> bool {
    let handles = session.frame().map(|frame| of(viewport, session, frame)).unwrap_or_default();
    let pointer = ui.input(|input| input.pointer.interact_pos());
    if viewport.handle_drag.is_none() {
        let over = pointer.filter(|_| response.hovered() || response.is_pointer_button_down_on());
        let handle = over.and_then(|at| under(&handles, viewport, rect, at));
        viewport.hovered_handle = handle.map(|handle| handle.part);
        let pressed = ui.input(|input| input.pointer.button_pressed(PointerButton::Primary) && !input.modifiers.alt);
        if let (Some(handle), Some(at), true) = (handle, pointer, pressed && response.is_pointer_button_down_on()) {
            let before = settings(session).cloned().unwrap_or_default();
            viewport.handle_drag = Some(HandleDrag::new(handle, before, at));
        }
    }
    if viewport.hovered_handle.is_some() {
        ui.set_cursor_icon(if viewport.handle_drag.is_some() {
            egui::CursorIcon::Grabbing
        } else {
            egui::CursorIcon::Grab
        });
    }
    session.swinging.held = viewport.handle_drag.as_ref().is_some_and(|pull| pull.part() == Part::Body);
    let Some(mut pull) = viewport.handle_drag.take() else { return viewport.hovered_handle.is_some() };
    if ui.input(|input| input.key_pressed(Key::Escape) || input.pointer.secondary_pressed()) {
        if let Some(settings) = settings(session) {
            *settings = pull.into_before();
        }
        session.swinging.held = false;
        return true;
    }
    pull.step(ui, viewport, session, rect);
    if ui.input(|input| input.pointer.primary_down()) {
        viewport.handle_drag = Some(pull);
    }
    true
}

fn under(handles: &[DynamicsHandle], viewport: &Viewport, rect: Rect, at: Pos2) -> Option<DynamicsHandle> {
    let near = |handle: &&DynamicsHandle| {
        crate::ui::viewport::see(&viewport.camera, rect, handle.at.as_vec3()).map(|place| place.distance(at))
    };
    let reach = |part: Part| if part == Part::Body { 18.0 } else { NEAR };
    let within = handles.iter().filter(|handle| near(handle).is_some_and(|distance| distance <= reach(handle.part)));
    within.min_by(|a, b| near(a).unwrap_or(f32::MAX).total_cmp(&near(b).unwrap_or(f32::MAX))).copied()
}

/// The settings that handles change.
pub(in crate::ui::viewport) fn settings(session: &mut Session) -> Option<&mut Settings> {
    let Shown::Take(id) = session.selection.shown else { return None };
    Some(&mut session.document.take_mut(id)?.dynamics_mut()?.settings)
}
