//! Dragging the target: over the ground, up and down, along one axis, or by a typed number.

use egui::{Key, PointerButton, Pos2, Rect, Response, Ui};
use glam::DVec3;

use crate::render::Camera;
use crate::render::pick::{self, Constraint, Handle};
use crate::session::{Session, Shown};
use crate::systems::stretch::Target;
use crate::ui::viewport::drag::typed::Typed;
use crate::ui::viewport::{Viewport, cursor, metres, readout, size};
use crate::ui::widgets::number::Unit;

/// A drag under way; lengths in the file's unit.
#[derive(Clone, Debug, PartialEq)]
pub struct Drag {
    from: DVec3,
    now: DVec3,
    pressed: Pos2,
    pointer: Pos2,
    constraint: Constraint,
    typed: Typed,
}

/// Metres between the places that Ctrl snaps to.
const SNAP: f64 = 0.1;

/// Follows the mouse; Esc puts the target back.
pub fn follow(ui: &Ui, response: &Response, viewport: &mut Viewport, session: &mut Session, rect: Rect) {
    let overlay = session.frame().and_then(|frame| Some((frame.overlay.target?, frame.overlay.target_has_height)));
    let Some((target, has_height)) = overlay else {
        (viewport.drag, viewport.hovered) = (None, None);
        return;
    };
    let pointer = ui.input(|input| input.pointer.interact_pos());
    if viewport.drag.is_none() {
        let over = pointer.filter(|_| response.hovered() || response.is_pointer_button_down_on());
        let handle = over.and_then(|at| {
            pick::handle_at(&viewport.camera, size(rect), target.as_vec3(), cursor(rect, at), has_height)
        });
        viewport.hovered = handle;
        let pressed = ui.input(|input| input.pointer.button_pressed(PointerButton::Primary) && !input.modifiers.alt);
        if let (Some(handle), Some(at), true) = (handle, pointer, pressed && response.is_pointer_button_down_on()) {
            viewport.drag = Some(Drag::new(target, at, handle));
        }
    }
    if viewport.hovered.is_some() {
        ui.set_cursor_icon(if viewport.drag.is_some() { egui::CursorIcon::Grabbing } else { egui::CursorIcon::Grab });
    }
    let Some(mut drag) = viewport.drag.take() else { return };
    if ui.input(|input| input.key_pressed(Key::Escape) || input.pointer.secondary_pressed()) {
        return write(session, drag.from);
    }
    drag.step(ui, &viewport.camera, rect, metres(session), has_height);
    if drag.now != target {
        write(session, drag.now);
    }
    if ui.input(|input| input.pointer.primary_down()) {
        viewport.drag = Some(drag);
    }
}

impl Drag {
    fn new(target: DVec3, at: Pos2, handle: Handle) -> Self {
        let constraint = handle.constraint();
        Self { from: target, now: target, pressed: at, pointer: at, constraint, typed: Typed::default() }
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

    fn step(&mut self, ui: &Ui, camera: &Camera, rect: Rect, metres: f64, has_height: bool) {
        self.typed.take(ui).into_iter().for_each(|axis| self.bind(axis, has_height));
        let (modifiers, pointer) = ui.input(|input| (input.modifiers, input.pointer.interact_pos()));
        self.pointer = pointer.unwrap_or(self.pointer);
        let fine = if modifiers.shift { 0.1 } else { 1.0 };
        let way = [self.pressed, self.pressed + (self.pointer - self.pressed) * fine].map(|at| cursor(rect, at));
        let snap = modifiers.command.then_some(SNAP / metres);
        // Past the horizon the target stays where it was last.
        self.now = pick::drag(camera, size(rect), self.from, way, self.constraint, snap).unwrap_or(self.now);
        if let Some(value) = self.typed.value(Unit::Metres) {
            self.now = self.from;
            let axis = self.axis();
            self.now[axis] = value / metres;
        }
    }

    /// The axis a typed number is meant for: straight ahead where none was chosen.
    fn axis(&self) -> usize {
        if let Constraint::Axis(axis) = self.constraint { axis } else { 2 }
    }

    /// Binds the drag to an axis, or frees it again; what was typed was meant for another.
    fn bind(&mut self, axis: usize, has_height: bool) {
        if axis == 1 && !has_height {
            return;
        }
        let wanted = Constraint::Axis(axis);
        self.constraint = if self.constraint == wanted { Constraint::Ground } else { wanted };
        self.typed.clear();
    }

    /// Where the target is now, beside the pointer.
    pub fn readout(&self, ui: &Ui, metres: f64) {
        readout::beside(ui.painter(), self.pointer, self.words(metres));
    }

    fn words(&self, metres: f64) -> String {
        let (now, way) = (self.now * metres, (self.now - self.from).length() * metres);
        let value = |axis: usize| format!("{} {:.3} m", ["X", "Y", "Z"][axis], now[axis]);
        let place = match self.constraint {
            Constraint::Axis(axis) => value(axis),
            Constraint::Ground => format!("{}   {}", value(0), value(2)),
        };
        format!("{place}   Δ {way:.3} m{}", self.typed.shown())
    }
}

/// Puts the target of the shown take at `point`: of its last window, its scene object, or the take itself.
fn write(session: &mut Session, point: DVec3) {
    let metres = metres(session);
    let Shown::Take(id) = session.selection.shown else { return };
    let document = &mut session.document;
    let take = document.takes.iter_mut().find(|take| take.id == id);
    let Some(stretch) = take.and_then(|take| take.stretch_mut()) else { return };
    if let Some(window) = stretch.settings.windows.last_mut() {
        window.target = Target::World(point);
    } else if let Some(name) = &stretch.aim_at {
        if let Some(object) = document.objects.iter_mut().find(|object| object.name == *name) {
            object.position = point * metres;
        }
    } else {
        stretch.settings.target = Some(Target::World(point));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_choose_an_axis_and_a_number_and_a_second_press_frees_it() {
        let mut drag = Drag::new(DVec3::new(1.0, 0.0, 2.0), Pos2::ZERO, Handle::Ground);
        drag.bind(0, true);
        "2.5".chars().for_each(|c| assert_eq!(drag.typed.add(&c.to_string()), None));
        assert_eq!((drag.axis(), drag.typed.value(Unit::Metres)), (0, Some(2.5)));
        drag.bind(1, false);
        assert_eq!(drag.axis(), 0);
        drag.bind(0, true);
        assert_eq!((drag.constraint, drag.typed.value(Unit::Metres)), (Constraint::Ground, None));
    }
}
