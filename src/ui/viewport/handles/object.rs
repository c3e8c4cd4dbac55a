//! Dragging of the selected scene object: on the ground, vertically, along one axis, or by a typed number. A box has further handles
//! on its top and its sides.

use egui::{Rect, Response, Ui};
use glam::DVec3;

use super::target::{TargetDrag, TargetHandle, View, step};
use crate::drag::DragEnd;
use crate::viewport::Viewport;
use crate::viewport::subject::metres_per_unit;
use portamento_render::pick::Handle;
use portamento_session::Session;

/// Window index of the object's handle, which no target has. Those of a box's top and sides are counted down from it.
pub const WINDOW: usize = usize::MAX;

/// Returns the selected object's handles in the world, in the shown file's unit: its position, then those of its box. Empty if no
/// object is selected, or if a target with that position takes the drag.
pub fn positions(session: &Session) -> Vec<DVec3> {
    let metres = metres_per_unit(session);
    let selected = session.selection.object.and_then(|index| session.document.objects.get(index));
    let (Some(object), Some(frame)) = (selected, session.frame()) else { return Vec::new() };
    let at = object.position / metres;
    if frame.overlay.targets.iter().any(|target| target.distance(at) < 1e-9) {
        return Vec::new();
    }
    object.obstacle.map_or_else(|| vec![at], |shape| shape.handles(object.position).map(|at| at / metres).to_vec())
}

/// Handles the mouse. Returns true if the object is hovered or dragged. Esc restores its position or size.
pub fn pointer_input(ui: &Ui, response: &Response, viewport: &mut Viewport, session: &mut Session, rect: Rect) -> bool {
    let (points, metres) = (positions(session), metres_per_unit(session));
    let camera = viewport.camera;
    let view = View { camera: &camera, rect, metres, has_height: true };
    let under = |pointer| {
        let TargetHandle { window, handle } = view.handle_at(&points, 0, pointer)?;
        // The top of a box only moves up and down.
        let handle = if window == 1 { Handle::Height } else { handle };
        Some((points[window], TargetHandle { window: WINDOW - window, handle }))
    };
    let begin = |pointer| under(pointer).map(|(at, handle)| TargetDrag::new(at, handle));
    if let Some(DragEnd::Cancelled(drag)) = viewport.object_drag.update(ui, response, begin) {
        put(session, WINDOW - drag.window, drag.from * metres);
    }
    if !viewport.object_drag.is_dragging() {
        viewport.hovered_object = response.hover_pos().and_then(under).map(|(_, handle)| handle);
    }
    if viewport.hovered_object.is_some() {
        ui.set_cursor_icon(super::cursor_icon(&viewport.object_drag));
    }
    if let Some(drag) = viewport.object_drag.active_mut() {
        step(drag, &view);
        let TargetDrag { window, from, now, .. } = drag.subject;
        let part = WINDOW - window;
        if now != from || points.get(part).is_some_and(|at| *at != now) {
            put(session, part, now * metres);
        }
    }
    viewport.object_drag.is_dragging() || viewport.hovered_object.is_some()
}

/// Moves the handle at index `part` of the selected object to `point`, metres.
fn put(session: &mut Session, part: usize, point: DVec3) {
    let selected = session.selection.object.and_then(|index| session.document.objects.get_mut(index));
    let Some(object) = selected else { return };
    match &mut object.obstacle {
        Some(shape) if part > 0 => *shape = shape.dragged(object.position, part, point),
        _ => object.position = point,
    }
}
