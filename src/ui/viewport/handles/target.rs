//! Dragging of targets: on the ground, vertically, along one axis, or by a typed number.

use egui::{Pos2, Rect, Response, Ui};
use glam::DVec3;

use crate::drag::{Drag, DragEnd, DragState};
use crate::viewport::projection::{cursor, see, size};
use crate::viewport::subject::metres_per_unit;
use crate::viewport::{Viewport, readout};
use crate::widgets::number::Unit;
use portamento_render::Camera;
use portamento_render::pick::{self, Constraint, Handle};
use portamento_session::{Session, Shown};

/// A drag of a target, in the file's unit.
#[derive(Clone, Debug, PartialEq)]
pub struct TargetDrag {
    /// Index of the target's stretch window, in order of time.
    pub(super) window: usize,
    /// Position at the start of the drag.
    pub(super) from: DVec3,
    /// Current position.
    pub(super) now: DVec3,
    constraint: Constraint,
}

/// A handle of one target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TargetHandle {
    /// Index of the target's stretch window, in order of time.
    pub window: usize,
    /// The handle.
    pub handle: Handle,
}

/// Snapping step with Ctrl, metres.
const SNAP_STEP_M: f64 = 0.1;

/// Handles the mouse. A drag moves the target and selects its window; Esc restores the target.
pub fn pointer_input(ui: &Ui, response: &Response, viewport: &mut Viewport, session: &mut Session, rect: Rect) {
    let targets = shown_targets(session);
    let Some(chosen) = target_with_arrows(session, targets.len()) else {
        (viewport.target_drag, viewport.hovered_target) = (DragState::Idle, None);
        return;
    };
    let has_height = session.frame().is_some_and(|frame| frame.overlay.target_has_height);
    let camera = viewport.camera;
    let view = View { camera: &camera, rect, metres: metres_per_unit(session), has_height };
    let handle_at = |at| view.handle_at(&targets, chosen, at);
    let begin = |at| handle_at(at).map(|found| TargetDrag::new(targets[found.window], found));
    if let Some(DragEnd::Cancelled(drag)) = viewport.target_drag.update(ui, response, begin) {
        write(session, drag.window, drag.from);
    }
    if !viewport.target_drag.is_dragging() {
        viewport.hovered_target = response.hover_pos().and_then(handle_at);
    }
    if viewport.hovered_target.is_some() {
        ui.set_cursor_icon(super::cursor_icon(&viewport.target_drag));
    }
    if let Some(drag) = viewport.target_drag.active_mut() {
        step(drag, &view);
        let TargetDrag { window, now, .. } = drag.subject;
        session.selection.window = Some(window);
        if targets.get(window).is_some_and(|target| now != *target) {
            write(session, window, now);
        }
    }
}

/// Returns the shown targets in order of time, in scene units; empty if nothing is shown.
fn shown_targets(session: &Session) -> Vec<DVec3> {
    session.frame().map(|frame| frame.overlay.targets.clone()).unwrap_or_default()
}

/// Returns the index of the target with arrows: the selected one, else the last of `count`; `None` without targets.
pub fn target_with_arrows(session: &Session, count: usize) -> Option<usize> {
    session.selection.window.filter(|&window| window < count).or(count.checked_sub(1))
}

/// Draws the numbers of the targets if there are several.
pub fn numbers(ui: &Ui, rect: Rect, viewport: &Viewport, session: &Session) {
    let targets = shown_targets(session);
    for (index, target) in targets.iter().enumerate().filter(|_| targets.len() > 1) {
        if let Some(at) = see(&viewport.camera, rect, target.as_vec3()) {
            let at = at + egui::vec2(-pick::RING - 4.0, 0.0);
            readout::resting(&ui.painter_at(rect), egui::Align2::RIGHT_CENTER, at, (index + 1).to_string());
        }
    }
}

/// The view in which targets are picked and dragged.
pub(super) struct View<'a> {
    pub camera: &'a Camera,
    pub rect: Rect,
    /// Metres per scene unit.
    pub metres: f64,
    /// True if targets can be moved vertically.
    pub has_height: bool,
}

impl View<'_> {
    /// Returns the handle under the screen position `at`; `None` if there is none. `chosen` is the index of the selected target;
    /// others have only their discs.
    pub fn handle_at(&self, targets: &[DVec3], chosen: usize, at: Pos2) -> Option<TargetHandle> {
        let at = cursor(self.rect, at);
        let part = |window: usize| {
            let target = targets[window].as_vec3();
            let distance = self.camera.project(target, size(self.rect))?.distance(at);
            let handle = if window == chosen {
                pick::handle_at(self.camera, size(self.rect), target, at, self.has_height)
            } else {
                (distance <= pick::RING).then_some(Handle::Ground)
            };
            Some((TargetHandle { window, handle: handle? }, distance))
        };
        // The nearer centre wins if discs overlap.
        let all = (0..targets.len()).filter_map(part);
        all.min_by(|a, b| a.1.total_cmp(&b.1)).map(|(found, _)| found)
    }
}

/// Applies one frame of mouse and keyboard input to the drag. Ctrl snaps to [`SNAP_STEP_M`]; a typed number (metres) sets the
/// coordinate on the axis.
pub(super) fn step(drag: &mut Drag<TargetDrag>, view: &View) {
    let axes = drag.input.axes().to_vec();
    axes.into_iter().for_each(|axis| drag.subject.bind(axis, view.has_height));
    let path = drag.input.endpoints().map(|at| cursor(view.rect, at));
    let snap = drag.input.snaps().then_some(SNAP_STEP_M / view.metres);
    let value = drag.input.typed.value(Unit::Metres);
    let TargetDrag { from, now, constraint, .. } = &mut drag.subject;
    // Beyond the horizon the target keeps its last position.
    *now = pick::drag(view.camera, size(view.rect), *from, path, *constraint, snap).unwrap_or(*now);
    if let Some(value) = value {
        let axis = drag.subject.axis();
        drag.subject.now = drag.subject.from;
        drag.subject.now[axis] = value / view.metres;
    }
}

/// Draws the target's position next to the pointer. `metres` is the length of a scene unit.
pub fn readout(ui: &Ui, drag: &Drag<TargetDrag>, metres: f64) {
    readout::at_pointer(ui.painter(), drag.input.pointer(), drag.subject.readout(metres) + &drag.input.typed.shown());
}

impl TargetDrag {
    pub(super) fn new(target: DVec3, TargetHandle { window, handle }: TargetHandle) -> Self {
        Self { window, from: target, now: target, constraint: handle.constraint() }
    }

    /// Returns the handle that corresponds to the constraint.
    pub fn handle(&self) -> TargetHandle {
        let handle = match self.constraint {
            Constraint::Ground => Handle::Ground,
            Constraint::Axis(0) => Handle::AxisX,
            Constraint::Axis(1) => Handle::Height,
            Constraint::Axis(_) => Handle::AxisZ,
        };
        TargetHandle { window: self.window, handle }
    }

    /// Returns the axis (0 … 2) of a typed number: Z if none was chosen.
    fn axis(&self) -> usize {
        if let Constraint::Axis(axis) = self.constraint { axis } else { 2 }
    }

    /// Constrains the drag to an axis, 0 … 2. The same axis again removes the constraint. Without `has_height`, Y does nothing.
    fn bind(&mut self, axis: usize, has_height: bool) {
        if axis == 1 && !has_height {
            return;
        }
        let wanted = Constraint::Axis(axis);
        self.constraint = if self.constraint == wanted { Constraint::Ground } else { wanted };
    }

    /// Returns the coordinates of the drag and its length as text. `metres` is the length of a scene unit.
    fn readout(&self, metres: f64) -> String {
        let (now, distance) = (self.now * metres, (self.now - self.from).length() * metres);
        let value = |axis: usize| format!("{} {}", ["X", "Y", "Z"][axis], Unit::Metres.text(now[axis], 3));
        let coordinates = match self.constraint {
            Constraint::Axis(axis) => value(axis),
            Constraint::Ground => format!("{}   {}", value(0), value(2)),
        };
        format!("{coordinates}   Δ {}", Unit::Metres.text(distance, 3))
    }
}

/// Sets the target of the window with index `window` of the shown take to `point`, in the world and in the file's unit.
fn write(session: &mut Session, window: usize, point: DVec3) {
    let Shown::Take(id) = session.selection.shown else { return };
    let crossed = session.frame().map(|frame| frame.overlay.clone()).filter(|overlay| !overlay.outlines.is_empty());
    if let Some(base) = crossed.and_then(|overlay| overlay.targets.first().copied()) {
        session.document.move_obstacle(id, session.selection.stage, window, [base, point]);
    } else {
        session.document.move_target(id, session.selection.stage, window, point);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_choose_an_axis_and_a_second_press_frees_it() {
        let mut drag = TargetDrag::new(DVec3::new(1.0, 0.0, 2.0), TargetHandle { window: 0, handle: Handle::Ground });
        drag.bind(0, true);
        assert_eq!(drag.axis(), 0);
        drag.bind(1, false);
        assert_eq!(drag.axis(), 0, "a target without height is not lifted");
        drag.bind(0, true);
        assert_eq!(drag.constraint, Constraint::Ground);
    }
}
