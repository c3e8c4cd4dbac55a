//! Dragging the target: over the ground, up and down, along one axis, or by a typed number.

use egui::{Rect, Response, Ui};
use glam::DVec3;

use crate::render::Camera;
use crate::render::pick::{self, Constraint, Handle};
use crate::session::{Session, Shown};
use crate::ui::drag::{Drag, DragEnd, DragState};
use crate::ui::viewport::{Viewport, cursor, metres_per_unit, readout, size};
use crate::ui::widgets::number::Unit;

/// The target while it is dragged; lengths in the file's unit.
#[derive(Clone, Debug, PartialEq)]
pub struct TargetDrag {
    from: DVec3,
    now: DVec3,
    constraint: Constraint,
}

/// Metres between the places that Ctrl snaps to.
const SNAP: f64 = 0.1;

/// Follows the mouse; Esc puts the target back.
pub fn pointer_input(ui: &Ui, response: &Response, viewport: &mut Viewport, session: &mut Session, rect: Rect) {
    let overlay = session.frame().and_then(|frame| Some((frame.overlay.target?, frame.overlay.target_has_height)));
    let Some((target, has_height)) = overlay else {
        (viewport.target_drag, viewport.hovered_target) = (DragState::Idle, None);
        return;
    };
    let camera = viewport.camera;
    let handle_at = |at| pick::handle_at(&camera, size(rect), target.as_vec3(), cursor(rect, at), has_height);
    let begin = |at| handle_at(at).map(|handle| TargetDrag::new(target, handle));
    if let Some(DragEnd::Cancelled(drag)) = viewport.target_drag.update(ui, response, begin) {
        write(session, drag.from);
    }
    if !viewport.target_drag.is_held() {
        viewport.hovered_target = response.hover_pos().and_then(handle_at);
    }
    if viewport.hovered_target.is_some() {
        ui.set_cursor_icon(super::cursor_icon(&viewport.target_drag));
    }
    if let Some(drag) = viewport.target_drag.active_mut() {
        step(drag, &View { camera: &camera, rect, metres: metres_per_unit(session), has_height });
        if drag.subject.now != target {
            write(session, drag.subject.now);
        }
    }
}

/// How the target is looked at.
struct View<'a> {
    camera: &'a Camera,
    rect: Rect,
    metres: f64,
    has_height: bool,
}

fn step(drag: &mut Drag<TargetDrag>, view: &View) {
    let axes = drag.input.axes().to_vec();
    axes.into_iter().for_each(|axis| drag.subject.bind(axis, view.has_height));
    let way = drag.input.way().map(|at| cursor(view.rect, at));
    let snap = drag.input.snaps().then_some(SNAP / view.metres);
    let value = drag.input.typed.value(Unit::Metres);
    let TargetDrag { from, now, constraint } = &mut drag.subject;
    // Past the horizon the target stays where it was last.
    *now = pick::drag(view.camera, size(view.rect), *from, way, *constraint, snap).unwrap_or(*now);
    if let Some(value) = value {
        let axis = drag.subject.axis();
        drag.subject.now = drag.subject.from;
        drag.subject.now[axis] = value / view.metres;
    }
}

/// Where the target is now, beside the pointer.
pub fn readout(ui: &Ui, drag: &Drag<TargetDrag>, metres: f64) {
    readout::at_pointer(ui.painter(), drag.input.pointer(), drag.subject.readout(metres) + &drag.input.typed.shown());
}

impl TargetDrag {
    fn new(target: DVec3, handle: Handle) -> Self {
        Self { from: target, now: target, constraint: handle.constraint() }
    }

    /// The handle that moves this way.
    pub fn handle(&self) -> Handle {
        match self.constraint {
            Constraint::Ground => Handle::Ground,
            Constraint::Axis(0) => Handle::AxisX,
            Constraint::Axis(1) => Handle::Height,
            Constraint::Axis(_) => Handle::AxisZ,
        }
    }

    /// The axis a typed number is meant for: straight ahead where none was chosen.
    fn axis(&self) -> usize {
        if let Constraint::Axis(axis) = self.constraint { axis } else { 2 }
    }

    /// Binds the drag to an axis, or frees it again.
    fn bind(&mut self, axis: usize, has_height: bool) {
        if axis == 1 && !has_height {
            return;
        }
        let wanted = Constraint::Axis(axis);
        self.constraint = if self.constraint == wanted { Constraint::Ground } else { wanted };
    }

    fn readout(&self, metres: f64) -> String {
        let (now, way) = (self.now * metres, (self.now - self.from).length() * metres);
        let value = |axis: usize| format!("{} {:.3} m", ["X", "Y", "Z"][axis], now[axis]);
        let place = match self.constraint {
            Constraint::Axis(axis) => value(axis),
            Constraint::Ground => format!("{}   {}", value(0), value(2)),
        };
        format!("{place}   Δ {way:.3} m")
    }
}

/// Puts the target of the shown take at `point`, in the file's unit.
fn write(session: &mut Session, point: DVec3) {
    if let Shown::Take(id) = session.selection.shown {
        session.document.move_target(id, session.selection.stage, point);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_choose_an_axis_and_a_second_press_frees_it() {
        let mut drag = TargetDrag::new(DVec3::new(1.0, 0.0, 2.0), Handle::Ground);
        drag.bind(0, true);
        assert_eq!(drag.axis(), 0);
        drag.bind(1, false);
        assert_eq!(drag.axis(), 0, "a target without height is not lifted");
        drag.bind(0, true);
        assert_eq!(drag.constraint, Constraint::Ground);
    }
}
