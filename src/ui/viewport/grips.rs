//! Handles of dynamic bones: a collider's middle, ends and edge, the wind's arrow, and the character itself while it swings.

use egui::{Key, PointerButton, Pos2, Rect, Response, Ui};
use glam::DVec3;

use super::pull::Pull;
use super::{Viewport, metres};
use crate::evaluate::{Frame, SwingBody};
use crate::session::{Session, Shown, SwingMode};
use crate::systems::dynamics::{Settings, Shape};

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

/// How near the pointer must be, pixels.
const NEAR: f32 = 11.0;
/// Length of the arrow of a plane's normal, metres.
const NORMAL: f64 = 0.3;
/// Length of the wind's arrow: metres, and metres per m/s² on top.
pub(super) const WIND: (f64, f64) = (0.25, 0.05);

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
            viewport.pull = Some(Pull::new(grip, before, at));
        }
    }
    if viewport.grip.is_some() {
        ui.set_cursor_icon(if viewport.pull.is_some() { egui::CursorIcon::Grabbing } else { egui::CursorIcon::Grab });
    }
    session.swinging.held = viewport.pull.as_ref().is_some_and(|pull| pull.part() == Part::Body);
    let Some(mut pull) = viewport.pull.take() else { return viewport.grip.is_some() };
    if ui.input(|input| input.key_pressed(Key::Escape) || input.pointer.secondary_pressed()) {
        if let Some(settings) = settings(session) {
            *settings = pull.into_before();
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

/// The settings that handles change.
pub(super) fn settings(session: &mut Session) -> Option<&mut Settings> {
    let Shown::Take(id) = session.selection.shown else { return None };
    Some(&mut session.document.take_mut(id)?.dynamics_mut()?.settings)
}
