//! Handles of dynamic bones: centre, ends and radius of the selected collider, the wind arrow, and the character in live mode.

use egui::{Pos2, Rect, Response, Ui};
use glam::DVec3;

use crate::drag::DragEnd;
use crate::viewport::Viewport;
use crate::viewport::handles::handle::{DynamicsHandle, HandlePart, WIND, settings};
use crate::viewport::handles::handle_drag::{self, HandleDrag};
use crate::viewport::projection::see;
use crate::viewport::subject::metres_per_unit;
use portamento_dynamics::ColliderShape;
use portamento_render::Camera;
use portamento_session::{DynamicsMode, Session};
use portamento_takes::evaluate::{ColliderView, Frame};

/// Distance in pixels within which a handle is grabbed. Tuned; no derivation recorded.
const GRAB_MAX_PIXELS: f32 = 11.0;
/// Length of the arrow of a plane's normal, metres. Tuned; no derivation recorded.
const NORMAL_LENGTH_M: f64 = 0.3;
/// Returns the visible handles in the world, in scene units: those of the selected collider, the wind and the character in live
/// mode. Empty if nothing is simulated.
pub fn shown_handles(viewport: &Viewport, session: &Session, frame: &Frame) -> Vec<DynamicsHandle> {
    let mut handles = Vec::new();
    let Some(dynamics) = &frame.dynamics else { return handles };
    let metres = metres_per_unit(session);
    if let Some(body) = session.selection.collider.and_then(|index| dynamics.colliders.get(index)) {
        collider(body, viewport, metres, &mut handles);
    }
    let hips = middle(session, frame);
    if viewport.overlays.wind && dynamics.wind.length() > 0.0 {
        let from = hips + DVec3::Y * (0.95 / metres);
        let length = (WIND.0 + WIND.1 * dynamics.wind.length()) / metres;
        handles.push(DynamicsHandle { part: HandlePart::Wind, at: from + dynamics.wind.normalize() * length, from });
    }
    if session.dynamics.mode == DynamicsMode::Live {
        handles.push(DynamicsHandle { part: HandlePart::Body, at: hips, from: hips });
    }
    handles
}

/// Returns the position of the hips, or else of the first joint, in scene units.
fn middle(session: &Session, frame: &Frame) -> DVec3 {
    let roles = |id| session.document.character(id).and_then(|character| character.roles.hips);
    let hips = session.shown_take().and_then(|take| roles(take.character)).unwrap_or(0);
    frame.world.get(hips).map(|position| glam::Vec3::from(position.translation).as_dvec3()).unwrap_or_default()
}

/// Adds the handles of the collider `body`. A scene unit has `metres` metres.
fn collider(body: &ColliderView, viewport: &Viewport, metres: f64, handles: &mut Vec<DynamicsHandle>) {
    let right = (viewport.camera.rotation() * glam::Vec3::X).as_dvec3();
    let mut add = |part, at, from| handles.push(DynamicsHandle { part, at, from });
    match body.shape {
        ColliderShape::Sphere { center, radius } | ColliderShape::InsideSphere { center, radius } => {
            add(HandlePart::Radius, center + right * radius, center);
            add(HandlePart::Center, center, center);
        }
        ColliderShape::Capsule { a, b, radius } | ColliderShape::InsideCapsule { a, b, radius } => {
            let middle = (a + b) * 0.5;
            let across = (b - a).cross(viewport.camera.eye().as_dvec3() - middle).try_normalize().unwrap_or(right);
            let across = if across.dot(right) < 0.0 { -across } else { across };
            add(HandlePart::Radius, middle + across * radius, middle);
            add(HandlePart::A, a, a);
            add(HandlePart::B, b, b);
        }
        ColliderShape::Plane { point, normal } => {
            add(HandlePart::Normal, point + normal * (NORMAL_LENGTH_M / metres), point);
            add(HandlePart::Center, point, point);
        }
    }
}

/// Handles the mouse. Returns true if a handle is hovered or dragged. Esc restores the settings.
pub fn pointer_input(ui: &Ui, response: &Response, viewport: &mut Viewport, session: &mut Session, rect: Rect) -> bool {
    let handles = session.frame().map(|frame| shown_handles(viewport, session, frame)).unwrap_or_default();
    let camera = viewport.camera;
    let handle_at = |at| handle_under(&handles, &camera, rect, at);
    let before = settings(session).cloned().unwrap_or_default();
    let begin = |at| handle_at(at).map(|handle| HandleDrag::new(handle, before));
    if let Some(DragEnd::Cancelled(drag)) = viewport.handle_drag.update(ui, response, begin)
        && let Some(settings) = settings(session)
    {
        *settings = drag.into_before();
    }
    if !viewport.handle_drag.is_dragging() {
        viewport.hovered_handle = response.hover_pos().and_then(handle_at).map(|handle| handle.part);
    }
    if viewport.hovered_handle.is_some() {
        ui.set_cursor_icon(super::cursor_icon(&viewport.handle_drag));
    }
    let mut state = std::mem::take(&mut viewport.handle_drag);
    if let Some(drag) = state.active_mut() {
        handle_drag::step(drag, viewport, session, rect);
    }
    session.dynamics.held = state.active().is_some_and(|drag| drag.subject.part() == HandlePart::Body);
    viewport.handle_drag = state;
    viewport.handle_drag.is_dragging() || viewport.hovered_handle.is_some()
}

/// Returns the nearest handle within reach of the screen position `at`; `None` if there is none. `rect` is the view.
fn handle_under(handles: &[DynamicsHandle], camera: &Camera, rect: Rect, at: Pos2) -> Option<DynamicsHandle> {
    let near = |handle: &&DynamicsHandle| see(camera, rect, handle.at.as_vec3()).map(|position| position.distance(at));
    let reach = |part: HandlePart| if part == HandlePart::Body { 18.0 } else { GRAB_MAX_PIXELS };
    let within = handles.iter().filter(|handle| near(handle).is_some_and(|distance| distance <= reach(handle.part)));
    within.min_by(|a, b| near(a).unwrap_or(f32::MAX).total_cmp(&near(b).unwrap_or(f32::MAX))).copied()
}
