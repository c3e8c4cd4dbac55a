//! Dragging of the selected scene object: on the ground, vertically, along one axis, or by a typed number.

use egui::{Rect, Response, Ui};
use glam::DVec3;

use super::target::{TargetDrag, TargetHandle, View, step};
use crate::drag::DragEnd;
use crate::viewport::Viewport;
use crate::viewport::subject::metres_per_unit;
use portamento_session::Session;

/// Window index of the object's handle, which no target has.
pub const WINDOW: usize = usize::MAX;

/// Returns the selected object's world position in the shown file's unit. `None` if no object is selected, or if a target with
/// that position takes the drag.
pub fn position(session: &Session) -> Option<DVec3> {
    let at = session.document.objects.get(session.selection.object?)?.position / metres_per_unit(session);
    let targets = &session.frame()?.overlay.targets;
    (!targets.iter().any(|target| target.distance(at) < 1e-9)).then_some(at)
}

/// Handles the mouse. Returns true if the object is hovered or dragged. Esc restores its position.
pub fn pointer_input(ui: &Ui, response: &Response, viewport: &mut Viewport, session: &mut Session, rect: Rect) -> bool {
    let (at, metres) = (position(session), metres_per_unit(session));
    let camera = viewport.camera;
    let view = View { camera: &camera, rect, metres, has_height: true };
    let under = |pointer| Some((at?, view.handle_at(&[at?], 0, pointer)?.handle));
    let begin =
        |pointer| under(pointer).map(|(at, handle)| TargetDrag::new(at, TargetHandle { window: WINDOW, handle }));
    if let Some(DragEnd::Cancelled(drag)) = viewport.object_drag.update(ui, response, begin) {
        put(session, drag.from * metres);
    }
    if !viewport.object_drag.is_dragging() {
        viewport.hovered_object = response.hover_pos().and_then(under).map(|(_, handle)| handle);
    }
    if viewport.hovered_object.is_some() {
        ui.set_cursor_icon(super::cursor_icon(&viewport.object_drag));
    }
    if let Some(drag) = viewport.object_drag.active_mut() {
        step(drag, &view);
        let TargetDrag { from, now, .. } = drag.subject;
        if now != from || at.is_some_and(|at| at != now) {
            put(session, now * metres);
        }
    }
    viewport.object_drag.is_dragging() || viewport.hovered_object.is_some()
}

/// Moves the selected object to `position`, metres.
fn put(session: &mut Session, position: DVec3) {
    let selected = session.selection.object.and_then(|index| session.document.objects.get_mut(index));
    selected.into_iter().for_each(|object| object.position = position);
}
