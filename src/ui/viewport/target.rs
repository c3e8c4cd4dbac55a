//! Dragging the target: over the ground, up and down, along one axis, or by a typed number.

use egui::{Align2, Event, Key, PointerButton, Pos2, Response, Shape, Stroke, Ui, Vec2};
use glam::{DVec3, Vec3};

use super::Viewport;
use super::paint::Scene;
use crate::evaluate::Frame;
use crate::session::{Session, Shown};
use crate::systems::stretch::Target;
use crate::ui::theme;
use crate::ui::widgets::number::{Unit, parse};

/// A drag under way; metres.
#[derive(Clone, Debug, PartialEq)]
pub struct Drag {
    /// Where the target was.
    from: DVec3,
    /// Where it is now.
    now: DVec3,
    /// Where the pointer would have put it, without snapping.
    free: DVec3,
    /// The pointer at the last frame.
    pointer: Pos2,
    /// The only axis that moves.
    axis: Option<usize>,
    /// Digits typed so far.
    typed: String,
}

/// Metres between the places that Ctrl snaps to.
const SNAP: f64 = 0.1;

/// Pixels within which the pointer grips a handle.
const GRIP: f32 = 14.0;

/// Pixels from the target to the handle for its height.
const RISE: f32 = 48.0;

/// Follows the mouse; Esc puts the target back.
pub fn drag(ui: &Ui, response: &Response, viewport: &mut Viewport, session: &mut Session, scene: &Scene) {
    let overlay = session.frame().map(|frame| (frame.overlay.target, frame.overlay.target_has_height));
    let Some((Some(target), has_height)) = overlay else {
        (viewport.drag, viewport.hovers_target) = (None, false);
        return;
    };
    let target = target * f64::from(scene.metres);
    let pointer = ui.input(|input| input.pointer.interact_pos());
    let grip = pointer.filter(|_| response.hovered() || response.is_pointer_button_down_on()).and_then(|at| {
        let (seen, _) = scene.camera.project(scene.rect, target.as_vec3())?;
        let on_height = has_height && at.distance(seen - Vec2::new(0.0, RISE)) < GRIP;
        (on_height || at.distance(seen) < GRIP).then_some(on_height)
    });
    viewport.hovers_target = grip.is_some();
    if grip.is_some() {
        ui.set_cursor_icon(egui::CursorIcon::Grab);
    }
    let alt = ui.input(|input| input.modifiers.alt);
    if let (Some(on_height), Some(pointer)) = (grip, pointer)
        && viewport.drag.is_none()
        && !alt
        && response.is_pointer_button_down_on()
        && ui.input(|input| input.pointer.button_pressed(PointerButton::Primary))
    {
        let axis = on_height.then_some(1);
        viewport.drag = Some(Drag { from: target, now: target, free: target, pointer, axis, typed: String::new() });
    }
    let Some(mut drag) = viewport.drag.take() else { return };
    let cancelled = ui.input(|input| input.key_pressed(Key::Escape) || input.pointer.secondary_pressed());
    if cancelled {
        write(session, drag.from / f64::from(scene.metres));
        return;
    }
    drag.step(ui, scene, has_height);
    write(session, drag.now / f64::from(scene.metres));
    if ui.input(|input| input.pointer.primary_down()) {
        viewport.drag = Some(drag);
    }
}

impl Drag {
    fn step(&mut self, ui: &Ui, scene: &Scene, has_height: bool) {
        self.keys(ui, has_height);
        let (modifiers, pointer) = ui.input(|input| (input.modifiers, input.pointer.interact_pos()));
        let Some(pointer) = pointer else { return };
        let moved = place(scene, pointer, self.free, self.axis) - place(scene, self.pointer, self.free, self.axis);
        self.pointer = pointer;
        // A tenth of the way with Shift; what grazes the horizon must not throw the target away.
        let fine = if modifiers.shift { 0.1 } else { 1.0 };
        self.free += moved.clamp_length_max(50.0) * fine;
        let snapped = |value: f64| (value / SNAP).round() * SNAP;
        let wanted = if modifiers.command { DVec3::from_array(self.free.to_array().map(snapped)) } else { self.free };
        let mut now = self.from;
        for axis in 0..3 {
            let moves = self.axis.map_or(axis != 1, |only| only == axis);
            if moves {
                now[axis] = wanted[axis];
            }
        }
        if let Some(value) = parse(&self.typed, Unit::Metres) {
            now[self.axis.unwrap_or(2)] = value;
        }
        self.now = now;
    }

    /// X, Y, Z choose the axis; digits a value.
    fn keys(&mut self, ui: &Ui, has_height: bool) {
        for event in ui.input(|input| input.events.clone()) {
            match event {
                Event::Key { key: Key::Backspace, pressed: true, .. } => drop(self.typed.pop()),
                Event::Text(text) => {
                    let axis = ["x", "y", "z"].iter().position(|name| text.eq_ignore_ascii_case(name));
                    match axis {
                        Some(1) if !has_height => {}
                        Some(axis) => {
                            self.axis = if self.axis == Some(axis) { None } else { Some(axis) };
                            self.free = self.from;
                            self.typed.clear();
                        }
                        None if text.chars().all(|c| c.is_ascii_digit() || ".,-cm".contains(c)) => self.typed += &text,
                        None => {}
                    }
                }
                _ => {}
            }
        }
    }

    fn readout(&self) -> String {
        let way = self.now - self.from;
        let value = |axis: usize| format!("{} {:.3}", ["X", "Y", "Z"][axis], self.now[axis]);
        let place = match self.axis {
            Some(axis) => format!("{} m", value(axis)),
            None => format!("{}   {} m", value(0), value(2)),
        };
        let typed = if self.typed.is_empty() { String::new() } else { format!("   [{}]", self.typed) };
        format!("{place}   Δ {:.3} m{typed}", way.length())
    }
}

/// The point under the pointer on the ground plane through `at`, or on the line along `axis`.
fn place(scene: &Scene, pointer: Pos2, at: DVec3, axis: Option<usize>) -> DVec3 {
    let (origin, direction) = scene.camera.ray(scene.rect, pointer);
    let at = at.as_vec3();
    let normal = match axis {
        None => Vec3::Y,
        // The plane that holds the axis and faces the camera most.
        Some(axis) => {
            let along = Vec3::from_array(std::array::from_fn(|i| if i == axis { 1.0 } else { 0.0 }));
            let back = scene.camera.back();
            (back - along * back.dot(along)).normalize_or(Vec3::Y)
        }
    };
    let steepness = direction.dot(normal);
    if steepness.abs() < 1e-3 {
        return at.as_dvec3();
    }
    let way = (at - origin).dot(normal) / steepness;
    if way < 0.0 { at.as_dvec3() } else { (origin + direction * way).as_dvec3() }
}

/// Puts the target of the shown take at `point`, file units: of its last window, its scene object, or the take itself.
fn write(session: &mut Session, point: DVec3) {
    let Shown::Take(id) = session.selection.shown else { return };
    let document = &mut session.document;
    let metres = document.take(id).and_then(|take| document.file(take.character)).map_or(1.0, |file| file.metres_per_unit);
    let Some(stretch) = document.takes.iter_mut().find(|take| take.id == id).and_then(|take| take.stretch_mut()) else {
        return;
    };
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

/// Draws the handles, and the read-out beside the pointer.
pub fn paint(ui: &Ui, scene: &Scene, frame: &Frame, drag: Option<&Drag>, hovered: bool) {
    let Some(target) = frame.overlay.target else { return };
    let painter = ui.painter_at(scene.rect);
    let tokens = theme::tokens(true);
    let target = target.as_vec3() * scene.metres;
    let Some((at, depth)) = scene.camera.project(scene.rect, target) else { return };
    let bright = hovered || drag.is_some();
    let color = if bright { theme::mix(tokens.target, theme::OVER_VIEW, 0.5) } else { tokens.target };
    let radius = scene.camera.metres_per_pixel(scene.rect.height(), depth) * 22.0;
    let ring: Vec<Pos2> = (0..=48)
        .filter_map(|i| {
            let (sin, cos) = (i as f32 / 48.0 * std::f32::consts::TAU).sin_cos();
            scene.camera.project(scene.rect, target + Vec3::new(cos, 0.0, sin) * radius).map(|(seen, _)| seen)
        })
        .collect();
    painter.add(Shape::line(ring, Stroke::new(2.0, color)));
    painter.circle_filled(at, if bright { 5.0 } else { 4.0 }, color);
    if frame.overlay.target_has_height {
        let top = at - Vec2::new(0.0, RISE);
        painter.line_segment([at, top], Stroke::new(1.5, color.gamma_multiply(0.7)));
        let tip = vec![top - Vec2::new(0.0, 8.0), top + Vec2::new(5.0, 3.0), top + Vec2::new(-5.0, 3.0)];
        painter.add(Shape::convex_polygon(tip, color, Stroke::NONE));
    }
    if let Some(drag) = drag {
        guide(&painter, scene, drag);
        plate(&painter, drag.pointer + Vec2::new(18.0, 18.0), &drag.readout());
    }
}

/// The line along which a constrained drag moves.
fn guide(painter: &egui::Painter, scene: &Scene, drag: &Drag) {
    let Some(axis) = drag.axis else { return };
    let along = Vec3::from_array(std::array::from_fn(|i| if i == axis { 20.0 } else { 0.0 }));
    let middle = drag.from.as_vec3();
    let ends = [middle - along, middle + along].map(|end| scene.camera.project(scene.rect, end));
    if let [Some((a, _)), Some((b, _))] = ends {
        painter.line_segment([a, b], Stroke::new(1.0, theme::AXES[axis]));
    }
}

fn plate(painter: &egui::Painter, at: Pos2, text: &str) {
    let galley = painter.layout_no_wrap(text.to_owned(), theme::body(), theme::OVER_VIEW);
    let rect = Align2::LEFT_TOP.anchor_size(at, galley.size()).expand2(Vec2::new(8.0, 4.0));
    painter.rect_filled(rect, theme::RADIUS, theme::PLATE);
    painter.galley(at, galley, theme::OVER_VIEW);
}
