//! A handle of dynamic bones that is dragged: by the mouse, bound to an axis of its joint, or by a typed number.

use egui::{Modifiers, Pos2, Rect, Ui};
use glam::DVec3;

use crate::render::pick;
use crate::session::Session;
use crate::systems::dynamics::{Settings, Shape};
use crate::ui::viewport::drag::typed::Typed;
use crate::ui::viewport::handles::dynamics::{DynamicsHandle, Part, WIND, settings};
use crate::ui::viewport::{Viewport, cursor, metres, readout, size};
use crate::ui::widgets::number::Unit;

/// A drag under way.
#[derive(Clone, Debug)]
pub struct HandleDrag {
    handle: DynamicsHandle,
    before: Settings,
    pressed: Pos2,
    pointer: Pos2,
    axis: Option<usize>,
    typed: Typed,
}

/// Metres between the values that Ctrl snaps to.
const SNAP: f64 = 0.01;

/// What a drag makes of a collider's part: where it is, how large, which way.
#[derive(Clone, Copy, Debug)]
struct Change {
    place: DVec3,
    size: f64,
    turned: DVec3,
}

impl HandleDrag {
    /// Grabbed at `at`; `before` comes back on Esc.
    pub fn new(handle: DynamicsHandle, before: Settings, at: Pos2) -> Self {
        Self { handle, before, pressed: at, pointer: at, axis: None, typed: Typed::default() }
    }

    /// The handle that is dragged.
    pub fn part(&self) -> Part {
        self.handle.part
    }

    /// What was before the drag.
    pub fn into_before(self) -> Settings {
        self.before
    }

    /// Follows mouse and keys for one frame.
    pub fn step(&mut self, ui: &Ui, viewport: &Viewport, session: &mut Session, rect: Rect) {
        for axis in self.typed.take(ui) {
            self.axis = (self.axis != Some(axis)).then_some(axis);
            self.typed.clear();
        }
        let (modifiers, pointer) = ui.input(|input| (input.modifiers, input.pointer.interact_pos()));
        self.pointer = pointer.unwrap_or(self.pointer);
        let fine = if modifiers.shift { 0.1 } else { 1.0 };
        let way = [self.pressed, self.pressed + (self.pointer - self.pressed) * fine].map(|at| cursor(rect, at));
        let Some(moved) = pick::drag_in_view(&viewport.camera, size(rect), self.handle.at, way) else { return };
        let metres = metres(session);
        match self.handle.part {
            Part::Body => session.swinging.pull = self.moved(DVec3::ZERO, (moved - self.handle.at) * metres),
            Part::Wind => self.wind(session, moved, metres),
            _ => self.collider(session, moved, metres, modifiers),
        }
    }

    /// `start` moved by `way` as far as that goes along the chosen axis; with a typed number, to that value there.
    fn moved(&self, start: DVec3, way: DVec3) -> DVec3 {
        let with = |axis: usize, value: f64| {
            let mut place = start;
            place[axis] = value;
            place
        };
        match (self.typed.value(Unit::Metres), self.axis) {
            (Some(value), axis) => with(axis.unwrap_or(0), value),
            (None, Some(axis)) => with(axis, start[axis] + way[axis]),
            (None, None) => start + way,
        }
    }

    fn wind(&self, session: &mut Session, moved: DVec3, metres: f64) {
        let Some(settings) = settings(session) else { return };
        if let Some(value) = self.typed.value(Unit::Acceleration) {
            settings.wind.strength = value;
            return;
        }
        let way = (moved - self.handle.from) * metres;
        if let Some(direction) = way.try_normalize() {
            settings.wind.direction = direction;
            settings.wind.strength = ((way.length() - WIND.0) / WIND.1).max(0.1) / settings.scale;
        }
    }

    fn collider(&self, session: &mut Session, moved: DVec3, metres: f64, modifiers: Modifiers) {
        let Some(index) = session.selection.collider else { return };
        let body = session.frame().and_then(|frame| frame.swing.as_ref()?.bodies.get(index).copied());
        let (Some(body), Some(settings)) = (body, settings(session)) else { return };
        let scale = metres / settings.scale;
        let local = |world: DVec3| body.rotation.conjugate() * world;
        let Some(before) = self.before.colliders.get(index) else { return };
        let start = point_of(before.shape, self.handle.part);
        let snapped = |value: f64| if modifiers.command { (value / SNAP).round() * SNAP } else { value };
        let way = local(moved - self.handle.at) * scale;
        let place = self.moved(start, (start + way).map(snapped) - start);
        let size = snapped((moved - self.handle.from).length() * scale);
        let size = self.typed.value(Unit::Metres).map_or(size, f64::abs);
        let turned = local((moved - self.handle.from).normalize_or(DVec3::Y));
        if let Some(collider) = settings.colliders.get_mut(index) {
            collider.shape = changed(before.shape, self.handle.part, Change { place, size, turned });
        }
    }

    /// What the drag makes, beside the pointer.
    pub fn readout(&self, ui: &Ui, session: &Session) {
        let Some(words) = self.words(session) else { return };
        readout::beside(ui.painter(), self.pointer, words + &self.typed.shown());
    }

    fn words(&self, session: &Session) -> Option<String> {
        let take = session.shown_take()?;
        let settings = &take.dynamics()?.settings;
        let shape = session.selection.collider.and_then(|index| settings.colliders.get(index)).map(|it| it.shape);
        match self.handle.part {
            Part::Body => Some(format!("{:.3} m", session.swinging.pull.length())),
            Part::Wind => Some(format!("{:.1} m/s²", settings.wind.strength)),
            part => shape.map(|shape| described(shape, part)),
        }
    }
}

/// Where a shape's part is, in its joint's axes; 0 for what is no point.
fn point_of(shape: Shape, part: Part) -> DVec3 {
    match (part, shape) {
        (
            Part::Center,
            Shape::Sphere { center, .. } | Shape::InsideSphere { center, .. } | Shape::Plane { point: center, .. },
        ) => center,
        (Part::A, Shape::Capsule { a, .. } | Shape::InsideCapsule { a, .. }) => a,
        (Part::B, Shape::Capsule { b, .. } | Shape::InsideCapsule { b, .. }) => b,
        _ => DVec3::ZERO,
    }
}

/// The value of a shape's part.
fn described(shape: Shape, part: Part) -> String {
    match (part, shape) {
        (
            Part::Radius,
            Shape::Sphere { radius, .. }
            | Shape::InsideSphere { radius, .. }
            | Shape::Capsule { radius, .. }
            | Shape::InsideCapsule { radius, .. },
        ) => format!("{radius:.3} m"),
        (Part::Normal, Shape::Plane { normal: p, .. }) => format!("X {:.2}   Y {:.2}   Z {:.2}", p.x, p.y, p.z),
        _ => {
            let p = point_of(shape, part);
            format!("X {:.3} m   Y {:.3} m   Z {:.3} m", p.x, p.y, p.z)
        }
    }
}

/// `shape` after its part was changed.
fn changed(shape: Shape, part: Part, to: Change) -> Shape {
    let radius_or = |radius| if part == Part::Radius { to.size } else { radius };
    let moved = |point: DVec3, by: Part| if part == by { to.place } else { point };
    match shape {
        Shape::Sphere { center, radius } => {
            Shape::Sphere { center: moved(center, Part::Center), radius: radius_or(radius) }
        }
        Shape::InsideSphere { center, radius } => {
            Shape::InsideSphere { center: moved(center, Part::Center), radius: radius_or(radius) }
        }
        Shape::Capsule { a, b, radius } => {
            Shape::Capsule { a: moved(a, Part::A), b: moved(b, Part::B), radius: radius_or(radius) }
        }
        Shape::InsideCapsule { a, b, radius } => {
            Shape::InsideCapsule { a: moved(a, Part::A), b: moved(b, Part::B), radius: radius_or(radius) }
        }
        Shape::Plane { point, normal } => {
            let normal = if part == Part::Normal { to.turned } else { normal };
            Shape::Plane { point: moved(point, Part::Center), normal }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_handle_changes_its_own_part_of_the_shape() {
        let shape = Shape::Capsule { a: DVec3::ZERO, b: DVec3::Y, radius: 0.2 };
        let by = Change { place: DVec3::X, size: 0.5, turned: DVec3::Z };
        assert_eq!(changed(shape, Part::A, by), Shape::Capsule { a: DVec3::X, b: DVec3::Y, radius: 0.2 });
        assert_eq!(changed(shape, Part::Radius, by), Shape::Capsule { a: DVec3::ZERO, b: DVec3::Y, radius: 0.5 });
        let plane = Shape::Plane { point: DVec3::ZERO, normal: DVec3::Y };
        assert_eq!(changed(plane, Part::Normal, by), Shape::Plane { point: DVec3::ZERO, normal: DVec3::Z });
        assert_eq!(changed(plane, Part::Center, by), Shape::Plane { point: DVec3::X, normal: DVec3::Y });
    }

    #[test]
    fn an_axis_binds_the_way_and_a_number_is_the_place_itself() {
        let handle = DynamicsHandle { part: Part::Center, at: DVec3::ZERO, from: DVec3::ZERO };
        let mut drag = HandleDrag::new(handle, Settings::default(), Pos2::ZERO);
        let (way, start) = (DVec3::new(0.1, 0.2, 0.3), DVec3::new(1.0, 2.0, 3.0));
        assert_eq!(drag.moved(start, way), start + way);
        drag.axis = Some(1);
        assert_eq!(drag.moved(start, way), DVec3::new(1.0, 2.2, 3.0));
        "5cm".chars().for_each(|c| assert_eq!(drag.typed.add(&c.to_string()), None));
        assert_eq!(drag.moved(start, way), DVec3::new(1.0, 0.05, 3.0));
    }
}
