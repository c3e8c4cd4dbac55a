//! Handles of dynamic bones: a collider's middle, ends and edge, the wind's arrow, and the character itself while it swings.

use egui::{Align2, Key, PointerButton, Pos2, Rect, Response, Ui, Vec2};
use glam::DVec3;

use super::{Viewport, cursor, metres, size};
use crate::evaluate::{Frame, SwingBody};
use crate::render::pick;
use crate::session::{Session, Shown, SwingMode};
use crate::systems::dynamics::{Settings, Shape};
use crate::ui::theme;

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
pub struct Grip {
    /// What it changes.
    pub part: Part,
    /// Where it is.
    pub at: DVec3,
    /// Where what it changes starts: the middle for an edge, the tail of an arrow.
    pub from: DVec3,
}

/// A drag under way.
#[derive(Clone, Debug)]
pub struct Pull {
    grip: Grip,
    before: Settings,
    pressed: Pos2,
    pointer: Pos2,
}

/// How near the pointer must be, pixels.
const NEAR: f32 = 11.0;
/// Length of the arrow of a plane's normal, metres.
const NORMAL: f64 = 0.3;
/// Length of the wind's arrow: metres, and metres per m/s² on top.
const WIND: (f64, f64) = (0.25, 0.05);

/// The handles of what is shown.
pub fn of(viewport: &Viewport, session: &Session, frame: &Frame) -> Vec<Grip> {
    let mut grips = Vec::new();
    let Some(swing) = &frame.swing else { return grips };
    let metres = metres(session);
    if let Some(body) = session.selection.collider.and_then(|index| swing.bodies.get(index)) {
        collider(body, viewport, metres, &mut grips);
    }
    let hips = middle(session, frame);
    if viewport.overlays.wind && swing.wind.length() > 0.0 {
        let from = hips + DVec3::Y * (0.95 / metres);
        let length = (WIND.0 + WIND.1 * swing.wind.length()) / metres;
        grips.push(Grip { part: Part::Wind, at: from + swing.wind.normalize() * length, from });
    }
    if session.swinging.mode == SwingMode::Live {
        grips.push(Grip { part: Part::Body, at: hips, from: hips });
    }
    grips
}

/// The hips, or the first joint.
fn middle(session: &Session, frame: &Frame) -> DVec3 {
    let roles = |id| session.document.character(id).and_then(|character| character.roles.hips);
    let hips = session.shown_take().and_then(|take| roles(take.character)).unwrap_or(0);
    frame.world.get(hips).map(|place| glam::Vec3::from(place.translation).as_dvec3()).unwrap_or_default()
}

fn collider(body: &SwingBody, viewport: &Viewport, metres: f64, grips: &mut Vec<Grip>) {
    let right = (viewport.camera.rotation() * glam::Vec3::X).as_dvec3();
    let mut add = |part, at, from| grips.push(Grip { part, at, from });
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
    let grips = session.frame().map(|frame| of(viewport, session, frame)).unwrap_or_default();
    let pointer = ui.input(|input| input.pointer.interact_pos());
    if viewport.pull.is_none() {
        let over = pointer.filter(|_| response.hovered() || response.is_pointer_button_down_on());
        let grip = over.and_then(|at| under(&grips, viewport, rect, at));
        viewport.grip = grip.map(|grip| grip.part);
        let pressed = ui.input(|input| input.pointer.button_pressed(PointerButton::Primary) && !input.modifiers.alt);
        if let (Some(grip), Some(at), true) = (grip, pointer, pressed && response.is_pointer_button_down_on()) {
            let before = settings(session).cloned().unwrap_or_default();
            viewport.pull = Some(Pull { grip, before, pressed: at, pointer: at });
        }
    }
    if viewport.grip.is_some() {
        ui.set_cursor_icon(if viewport.pull.is_some() { egui::CursorIcon::Grabbing } else { egui::CursorIcon::Grab });
    }
    session.swinging.held = viewport.pull.as_ref().is_some_and(|pull| pull.grip.part == Part::Body);
    let Some(mut pull) = viewport.pull.take() else { return viewport.grip.is_some() };
    if ui.input(|input| input.key_pressed(Key::Escape) || input.pointer.secondary_pressed()) {
        if let Some(settings) = settings(session) {
            *settings = pull.before;
        }
        session.swinging.held = false;
        return true;
    }
    pull.step(ui, viewport, session, rect);
    if ui.input(|input| input.pointer.primary_down()) {
        viewport.pull = Some(pull);
    }
    true
}

fn under(grips: &[Grip], viewport: &Viewport, rect: Rect, at: Pos2) -> Option<Grip> {
    let near = |grip: &&Grip| super::see(&viewport.camera, rect, grip.at.as_vec3()).map(|place| place.distance(at));
    let reach = |part: Part| if part == Part::Body { 18.0 } else { NEAR };
    let within = grips.iter().filter(|grip| near(grip).is_some_and(|distance| distance <= reach(grip.part)));
    within.min_by(|a, b| near(a).unwrap_or(f32::MAX).total_cmp(&near(b).unwrap_or(f32::MAX))).copied()
}

fn settings(session: &mut Session) -> Option<&mut Settings> {
    let Shown::Take(id) = session.selection.shown else { return None };
    Some(&mut session.document.take_mut(id)?.dynamics_mut()?.settings)
}

impl Pull {
    /// The handle that is dragged.
    pub fn part(&self) -> Part {
        self.grip.part
    }

    fn step(&mut self, ui: &Ui, viewport: &Viewport, session: &mut Session, rect: Rect) {
        let (modifiers, pointer) = ui.input(|input| (input.modifiers, input.pointer.interact_pos()));
        self.pointer = pointer.unwrap_or(self.pointer);
        let fine = if modifiers.shift { 0.1 } else { 1.0 };
        let way = [self.pressed, self.pressed + (self.pointer - self.pressed) * fine].map(|at| cursor(rect, at));
        let Some(moved) = pick::drag_in_view(&viewport.camera, size(rect), self.grip.at, way) else { return };
        let metres = metres(session);
        match self.grip.part {
            Part::Body => session.swinging.pull = (moved - self.grip.at) * metres,
            Part::Wind => self.wind(session, moved, metres),
            _ => self.collider(session, moved, metres),
        }
    }

    fn wind(&self, session: &mut Session, moved: DVec3, metres: f64) {
        let Some(settings) = settings(session) else { return };
        let way = (moved - self.grip.from) * metres;
        if let Some(direction) = way.try_normalize() {
            settings.wind.direction = direction;
            settings.wind.strength = ((way.length() - WIND.0) / WIND.1).max(0.1) / settings.scale;
        }
    }

    fn collider(&self, session: &mut Session, moved: DVec3, metres: f64) {
        let Some(index) = session.selection.collider else { return };
        let body = session.frame().and_then(|frame| frame.swing.as_ref()?.bodies.get(index).copied());
        let (Some(body), Some(settings)) = (body, settings(session)) else { return };
        let scale = metres / settings.scale;
        let way = body.rotation.conjugate() * (moved - self.grip.at) * scale;
        let size = (moved - self.grip.from).length() * scale;
        let Some(before) = self.before.colliders.get(index) else { return };
        if let Some(collider) = settings.colliders.get_mut(index) {
            let normal = body.rotation.conjugate() * (moved - self.grip.from).normalize_or(DVec3::Y);
            collider.shape = changed(before.shape, self.grip.part, (way, size, normal));
        }
    }

    /// What the drag makes, beside the pointer.
    pub fn readout(&self, ui: &Ui, session: &Session) {
        let Some(words) = self.words(session) else { return };
        let painter = ui.painter();
        let galley = painter.layout_no_wrap(words, theme::body(), theme::OVER_VIEW);
        let at = self.pointer + Vec2::new(20.0, 20.0);
        let plate = Align2::LEFT_TOP.anchor_size(at, galley.size()).expand2(Vec2::new(8.0, 4.0));
        painter.rect_filled(plate, theme::RADIUS, theme::PLATE);
        painter.galley(at, galley, theme::OVER_VIEW);
    }

    fn words(&self, session: &Session) -> Option<String> {
        let take = session.shown_take()?;
        let settings = &take.dynamics()?.settings;
        let shape = session.selection.collider.and_then(|index| settings.colliders.get(index)).map(|it| it.shape);
        match self.grip.part {
            Part::Body => Some(format!("{:.3} m", session.swinging.pull.length())),
            Part::Wind => Some(format!("{:.1} m/s²", settings.wind.strength)),
            part => shape.map(|shape| described(shape, part)),
        }
    }
}

/// The value of a shape's part.
fn described(shape: Shape, part: Part) -> String {
    let place = |p: DVec3| format!("X {:.3} m   Y {:.3} m   Z {:.3} m", p.x, p.y, p.z);
    match (part, shape) {
        (
            Part::Radius,
            Shape::Sphere { radius, .. }
            | Shape::InsideSphere { radius, .. }
            | Shape::Capsule { radius, .. }
            | Shape::InsideCapsule { radius, .. },
        ) => format!("{radius:.3} m"),
        (Part::Normal, Shape::Plane { normal: p, .. }) => format!("X {:.2}   Y {:.2}   Z {:.2}", p.x, p.y, p.z),
        (
            _,
            Shape::Sphere { center: p, .. } | Shape::InsideSphere { center: p, .. } | Shape::Plane { point: p, .. },
        ) => place(p),
        (Part::B, Shape::Capsule { b, .. } | Shape::InsideCapsule { b, .. }) => place(b),
        (_, Shape::Capsule { a, .. } | Shape::InsideCapsule { a, .. }) => place(a),
    }
}

/// `shape` after its part was moved by `way`, or to a distance of `size`, or turned to `normal`.
fn changed(shape: Shape, part: Part, (way, size, turned): (DVec3, f64, DVec3)) -> Shape {
    let radius_or = |radius| if part == Part::Radius { size } else { radius };
    let moved = |point: DVec3, by: Part| if part == by { point + way } else { point };
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
            let normal = if part == Part::Normal { turned } else { normal };
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
        let by = (DVec3::X, 0.5, DVec3::Z);
        assert_eq!(changed(shape, Part::A, by), Shape::Capsule { a: DVec3::X, b: DVec3::Y, radius: 0.2 });
        assert_eq!(changed(shape, Part::Radius, by), Shape::Capsule { a: DVec3::ZERO, b: DVec3::Y, radius: 0.5 });
        let plane = Shape::Plane { point: DVec3::ZERO, normal: DVec3::Y };
        assert_eq!(changed(plane, Part::Normal, by), Shape::Plane { point: DVec3::ZERO, normal: DVec3::Z });
        assert_eq!(changed(plane, Part::Center, by), Shape::Plane { point: DVec3::X, normal: DVec3::Y });
    }
}
