//! Dragging of a handle of dynamic bones by mouse, along an axis of its joint, or by a typed number.

use egui::{Rect, Ui};
use glam::DVec3;

use crate::drag::Drag;
use crate::viewport::handles::handle::{DynamicsHandle, HandlePart, WIND, settings};
use crate::viewport::projection::{cursor, size};
use crate::viewport::subject::metres_per_unit;
use crate::viewport::{Viewport, readout};
use crate::widgets::number::Unit;
use portamento_dynamics::{ColliderShape, Settings};
use portamento_render::pick;
use portamento_session::Session;

/// A drag of a dynamics handle.
#[derive(Clone, Debug)]
pub struct HandleDrag {
    handle: DynamicsHandle,
    before: Settings,
    /// Axis to which the drag is constrained, 0 … 2.
    axis: Option<usize>,
}

/// Snapping step with Ctrl, metres.
const SNAP_STEP_M: f64 = 0.01;

/// The dragged values of a collider's part in its joint's axes: position and size in metres, and direction.
#[derive(Clone, Copy, Debug)]
struct Change {
    position: DVec3,
    size: f64,
    direction: DVec3,
}

impl HandleDrag {
    /// Starts a drag of `handle`. `before` is restored on Esc.
    pub fn new(handle: DynamicsHandle, before: Settings) -> Self {
        Self { handle, before, axis: None }
    }

    /// Returns the dragged part.
    pub fn part(&self) -> HandlePart {
        self.handle.part
    }

    /// Returns the settings before the drag.
    pub(super) fn into_before(self) -> Settings {
        self.before
    }

    /// Constrains the drag to an axis. The same axis again removes the constraint.
    fn bind(&mut self, axis: usize) {
        self.axis = (self.axis != Some(axis)).then_some(axis);
    }

    /// Returns `start` displaced by `offset`, restricted to the chosen axis. A typed number replaces the coordinate on the axis,
    /// or on X if none is chosen. All are in the same unit and axes.
    fn displaced(&self, start: DVec3, offset: DVec3, typed: Option<f64>) -> DVec3 {
        let with = |axis: usize, value: f64| {
            let mut position = start;
            position[axis] = value;
            position
        };
        match (typed, self.axis) {
            (Some(value), axis) => with(axis.unwrap_or(0), value),
            (None, Some(axis)) => with(axis, start[axis] + offset[axis]),
            (None, None) => start + offset,
        }
    }
}

/// Applies one frame of mouse and keyboard input: moves the character, the wind arrow or the collider part of the drag. `rect` is
/// the view.
pub fn step(drag: &mut Drag<HandleDrag>, viewport: &Viewport, session: &mut Session, rect: Rect) {
    let axes = drag.input.axes().to_vec();
    axes.into_iter().for_each(|axis| drag.subject.bind(axis));
    let path = drag.input.endpoints().map(|at| cursor(rect, at));
    let handle = drag.subject.handle;
    let Some(moved) = pick::drag_in_view(&viewport.camera, size(rect), handle.at, path) else { return };
    let metres = metres_per_unit(session);
    match handle.part {
        HandlePart::Body => {
            let typed = drag.input.typed.value(Unit::Metres);
            session.dynamics.pull = drag.subject.displaced(DVec3::ZERO, (moved - handle.at) * metres, typed);
        }
        HandlePart::Wind => blow(drag, session, (moved - handle.from) * metres),
        _ => reshape(drag, session, moved, metres),
    }
}

/// Sets the wind's direction from `arrow` (metres, in the world) and its strength from the arrow's length. A typed number sets
/// the strength only.
fn blow(drag: &Drag<HandleDrag>, session: &mut Session, arrow: DVec3) {
    let Some(settings) = settings(session) else { return };
    if let Some(value) = drag.input.typed.value(Unit::Acceleration) {
        settings.wind.strength = value;
        return;
    }
    if let Some(direction) = arrow.try_normalize() {
        settings.wind.direction = direction;
        settings.wind.strength = ((arrow.length() - WIND.0) / WIND.1).max(0.1) / settings.scale;
    }
}

/// Moves the handle of the selected collider to `moved`, a world position in scene units of `metres` metres. Ctrl snaps to
/// [`SNAP_STEP_M`]; a typed number replaces the value.
fn reshape(drag: &Drag<HandleDrag>, session: &mut Session, moved: DVec3, metres: f64) {
    let HandleDrag { handle, before, .. } = &drag.subject;
    let Some(index) = session.selection.collider else { return };
    let body = session.frame().and_then(|frame| frame.dynamics.as_ref()?.colliders.get(index).copied());
    let (Some(body), Some(settings)) = (body, settings(session)) else { return };
    let scale = metres / settings.scale;
    let local = |world: DVec3| body.rotation.conjugate() * world;
    let Some(before) = before.colliders.get(index) else { return };
    let start = point_of(before.shape, handle.part);
    let snapped = |value: f64| if drag.input.snaps() { (value / SNAP_STEP_M).round() * SNAP_STEP_M } else { value };
    let offset = local(moved - handle.at) * scale;
    let typed = drag.input.typed.value(Unit::Metres);
    let position = drag.subject.displaced(start, (start + offset).map(snapped) - start, typed);
    let size = typed.map_or(snapped((moved - handle.from).length() * scale), f64::abs);
    let direction = local((moved - handle.from).normalize_or(DVec3::Y));
    if let Some(collider) = settings.colliders.get_mut(index) {
        collider.shape = changed(before.shape, handle.part, Change { position, size, direction });
    }
}

/// Draws the dragged value next to the pointer.
pub fn readout(ui: &Ui, drag: &Drag<HandleDrag>, session: &Session) {
    let Some(words) = drag.subject.readout(session) else { return };
    readout::at_pointer(ui.painter(), drag.input.pointer(), words + &drag.input.typed.shown());
}

impl HandleDrag {
    /// Returns the text of the dragged value with its unit; `None` if it no longer exists.
    fn readout(&self, session: &Session) -> Option<String> {
        let take = session.shown_take()?;
        let settings = &take.dynamics(session.selection.stage)?.settings;
        let collider = session.selection.collider.and_then(|index| settings.colliders.get(index));
        match self.handle.part {
            HandlePart::Body => Some(Unit::Metres.text(session.dynamics.pull.length(), 3)),
            HandlePart::Wind => Some(Unit::Acceleration.text(settings.wind.strength, 1)),
            part => collider.map(|collider| described(collider.shape, part)),
        }
    }
}

/// Returns the position of a shape's part in its joint's axes, metres; zero for parts without a position.
fn point_of(shape: ColliderShape, part: HandlePart) -> DVec3 {
    match (part, shape) {
        (
            HandlePart::Center,
            ColliderShape::Sphere { center, .. }
            | ColliderShape::InsideSphere { center, .. }
            | ColliderShape::Plane { point: center, .. },
        ) => center,
        (HandlePart::A, ColliderShape::Capsule { a, .. } | ColliderShape::InsideCapsule { a, .. }) => a,
        (HandlePart::B, ColliderShape::Capsule { b, .. } | ColliderShape::InsideCapsule { b, .. }) => b,
        _ => DVec3::ZERO,
    }
}

/// Returns the display text of a shape's part: radius, direction or position.
fn described(shape: ColliderShape, part: HandlePart) -> String {
    match (part, shape) {
        (
            HandlePart::Radius,
            ColliderShape::Sphere { radius, .. }
            | ColliderShape::InsideSphere { radius, .. }
            | ColliderShape::Capsule { radius, .. }
            | ColliderShape::InsideCapsule { radius, .. },
        ) => Unit::Metres.text(radius, 3),
        (HandlePart::Normal, ColliderShape::Plane { normal: p, .. }) => {
            format!("X {:.2}   Y {:.2}   Z {:.2}", p.x, p.y, p.z)
        }
        _ => {
            let [x, y, z] = point_of(shape, part).to_array().map(|metres| Unit::Metres.text(metres, 3));
            format!("X {x}   Y {y}   Z {z}")
        }
    }
}

/// Returns `shape` with `part` replaced by the value of `to`.
fn changed(shape: ColliderShape, part: HandlePart, to: Change) -> ColliderShape {
    let radius_or = |radius| if part == HandlePart::Radius { to.size } else { radius };
    let moved = |point: DVec3, by: HandlePart| if part == by { to.position } else { point };
    match shape {
        ColliderShape::Sphere { center, radius } => {
            ColliderShape::Sphere { center: moved(center, HandlePart::Center), radius: radius_or(radius) }
        }
        ColliderShape::InsideSphere { center, radius } => {
            ColliderShape::InsideSphere { center: moved(center, HandlePart::Center), radius: radius_or(radius) }
        }
        ColliderShape::Capsule { a, b, radius } => {
            ColliderShape::Capsule { a: moved(a, HandlePart::A), b: moved(b, HandlePart::B), radius: radius_or(radius) }
        }
        ColliderShape::InsideCapsule { a, b, radius } => ColliderShape::InsideCapsule {
            a: moved(a, HandlePart::A),
            b: moved(b, HandlePart::B),
            radius: radius_or(radius),
        },
        ColliderShape::Plane { point, normal } => {
            let normal = if part == HandlePart::Normal { to.direction } else { normal };
            ColliderShape::Plane { point: moved(point, HandlePart::Center), normal }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_handle_changes_its_own_part_of_the_shape() {
        let shape = ColliderShape::Capsule { a: DVec3::ZERO, b: DVec3::Y, radius: 0.2 };
        let by = Change { position: DVec3::X, size: 0.5, direction: DVec3::Z };
        assert_eq!(changed(shape, HandlePart::A, by), ColliderShape::Capsule { a: DVec3::X, b: DVec3::Y, radius: 0.2 });
        assert_eq!(
            changed(shape, HandlePart::Radius, by),
            ColliderShape::Capsule { a: DVec3::ZERO, b: DVec3::Y, radius: 0.5 }
        );
        let plane = ColliderShape::Plane { point: DVec3::ZERO, normal: DVec3::Y };
        assert_eq!(
            changed(plane, HandlePart::Normal, by),
            ColliderShape::Plane { point: DVec3::ZERO, normal: DVec3::Z }
        );
        assert_eq!(changed(plane, HandlePart::Center, by), ColliderShape::Plane { point: DVec3::X, normal: DVec3::Y });
    }

    #[test]
    fn an_axis_constrains_the_offset_and_a_number_is_the_coordinate() {
        let handle = DynamicsHandle { part: HandlePart::Center, at: DVec3::ZERO, from: DVec3::ZERO };
        let mut drag = HandleDrag::new(handle, Settings::default());
        let (offset, start) = (DVec3::new(0.1, 0.2, 0.3), DVec3::new(1.0, 2.0, 3.0));
        assert_eq!(drag.displaced(start, offset, None), start + offset);
        drag.bind(1);
        assert_eq!(drag.displaced(start, offset, None), DVec3::new(1.0, 2.2, 3.0));
        assert_eq!(drag.displaced(start, offset, Some(0.05)), DVec3::new(1.0, 0.05, 3.0));
        drag.bind(1);
        assert_eq!(drag.displaced(start, offset, None), start + offset, "the same key frees it");
    }
}
